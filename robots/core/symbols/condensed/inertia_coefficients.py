"""Inertia coefficients A_ij.

Source: [LIEGEOIS80] eqs. (3-12)-(3-14), (3-17), §4.5. Two errata of (3-17) are corrected here: its
double sums need p < k in the second line and p > k in the third (as printed, pairs enter twice),
and [R_k^j]ᵀ must be [R_k^j]. The order of terms and factors is that of the printed coefficients:
couplings V·L first, joint i's factors before joint j's; then J, joint j's factors before joint i's;
on the diagonal the two equal sums are one, with the factor 2 and the factors of V first.
"""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.caps import Cap
from robots.core.errors import EquationError
from robots.core.symbols.condensed.augmented import AugmentedBodies
from robots.core.symbols.condensed.frames import Frames, along, dot, vector
from robots.core.symbols.condensed.slides import Piece
from robots.core.symbols.condensed.terms import (
    ONE,
    ZERO,
    Slide,
    Sum,
    Term,
    Vector,
    added,
    collected,
    multiplied,
    scaled,
    weighted,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InertiaCoefficients:
    """Makes A_ij of one chain, i an ancestor of j or j itself."""

    frames: Frames
    bodies: AugmentedBodies

    def matrix(self) -> list[list[Sum]]:
        """The whole matrix; A_ij and A_ji are the same object, zero on different branches.

        Raises:
            EquationError: slanted axes made the expressions too long to be of use.
        """
        n, size = self.frames.chain.dof, 0
        A = [[ZERO] * n for _ in range(n)]
        for i in range(n):
            for j in range(i, n):
                if self.frames.chain.carries(i, j):
                    A[i][j] = A[j][i] = self.coefficient(i, j)
                    size += A[i][j].size
                    self._check(size)
        return A

    def coefficient(self, i: int, j: int) -> Sum:
        """A_ij; drive inertia last on the diagonal."""
        turns = self.frames.chain.links[i].turns, self.frames.chain.links[j].turns
        made = {
            (True, True): self._two_rotations,
            (True, False): self._rotation_and_slide,
            (False, True): self._slide_and_rotation,
            (False, False): self._two_slides,
        }[turns](i, j)
        whole = added(made, self.bodies.motors[i]) if i == j else made
        return collected(whole) if self.frames.chain.slanted else whole

    def _two_rotations(self, i: int, j: int) -> Sum:
        """Eq. (3-17), corrected."""
        chain, bodies = self.frames.chain, self.bodies
        parts: list[Sum] = []
        for k in chain.subtree(j):
            for child in chain.path(i, k):
                # The lever from p to its child on the way to k; p runs from i to k's parent.
                lever = (chain.links[child].parent, bodies.levers[child])
                mass = (k, bodies.masses[k])
                if i == j:
                    parts.append(scaled(2.0, self._coupling(mass, lever, (i, i))))
                else:
                    parts.append(self._coupling(lever, mass, (i, j)))
            if i != j:
                parts.extend(self._outer_masses(i, j, k))
        parts.extend(self._rotary(i, j, k) for k in chain.subtree(j))
        return added(*parts)

    def _outer_masses(self, i: int, j: int, k: int) -> list[Sum]:
        """Third line of (3-17): masses beyond k on the levers that stand on k."""
        chain, bodies = self.frames.chain, self.bodies
        return [
            self._coupling((p, bodies.masses[p]), (k, bodies.levers[child]), (i, j))
            for child in chain.children(k)
            for p in chain.subtree(child)
        ]

    def _coupling(
        self,
        first: tuple[int, list[Piece]],
        second: tuple[int, list[Piece]],
        joints: tuple[int, int],
    ) -> Sum:
        """Σ of V·l·(∂first/∂q_i · ∂second/∂q_j) over their pieces; V is that of the outer link."""
        i, j = joints
        inner = self.frames.chain.run(i, min(first[0], second[0]))
        parts: list[Sum] = []
        for a in first[1]:
            left = self.frames.to_inner(along(a.axis, ONE), first[0], inner, derive=i)
            for b in second[1]:
                right = self.frames.to_inner(along(b.axis, ONE), second[0], inner, derive=j)
                head = _head(*((a, b) if first[0] > second[0] else (b, a)))
                parts.append(weighted(head, dot(left, right)))
        return added(*parts)

    def _rotary(self, i: int, j: int, k: int) -> Sum:
        """g_jᵀ·J_k·g_i in the axes of link k: the first line of (3-17)."""
        inner, outer = self.frames.axis_in(i, k), self.frames.axis_in(j, k)
        parts: list[Sum] = []
        for piece in self.bodies.inertias[k]:
            a, b = piece.row, piece.column
            weight = Sum(terms=(piece.weight,))
            parts.append(multiplied(weight, multiplied(outer[a], inner[b])))
            if a != b:
                parts.append(multiplied(weight, multiplied(outer[b], inner[a])))
        return added(*parts)

    def _rotation_and_slide(self, i: int, j: int) -> Sum:
        """Eq. (3-13): rotation i moves the slide j and its load. Own slide drops out: g ∧ g = 0."""
        chain, bodies = self.frames.chain, self.bodies
        g = vector(chain.links[j].axis)
        parts: list[Sum] = []
        for child in chain.path(i, j):
            levers = [piece for piece in bodies.levers[child] if not _slides(piece, j + 1)]
            for mass in bodies.carried[j].terms:
                heads = [_head(Piece(weight=mass, axis=0), piece) for piece in levers]
                parent = chain.links[child].parent
                parts.extend(
                    self._along(g, j, (parent, head, piece.axis), i)
                    for head, piece in zip(heads, levers, strict=True)
                )
        for k in chain.subtree(j):
            for piece in bodies.masses[k]:
                parts.append(self._along(g, j, (k, piece.weight, piece.axis), i))
        return added(*parts)

    def _along(self, g: Vector, j: int, piece: tuple[int, Term, int], i: int) -> Sum:
        """Weight times (∂piece/∂q_i · g_j)."""
        link, head, axis = piece
        inner = self.frames.chain.run(i, min(link, j))
        moved = self.frames.to_inner(along(axis, ONE), link, inner, derive=i)
        return weighted(head, dot(moved, self.frames.to_inner(g, j, inner)))

    def _slide_and_rotation(self, i: int, j: int) -> Sum:
        """Eq. (3-14): slide i feels the masses that rotation j moves."""
        chain = self.frames.chain
        inner = chain.run(i, j)
        g = vector(chain.links[i].axis)
        parts: list[Sum] = []
        for k in chain.subtree(j):
            for piece in self.bodies.masses[k]:
                moved = self.frames.to_inner(along(piece.axis, ONE), k, inner, derive=j)
                parts.append(weighted(piece.weight, dot(g, moved)))
        return added(*parts)

    def _two_slides(self, i: int, j: int) -> Sum:
        """Eq. (3-12)."""
        g_j = self.frames.to_inner(vector(self.frames.chain.links[j].axis), j, i)
        cosine = ONE if i == j else dot(vector(self.frames.chain.links[i].axis), g_j)
        return added(*(weighted(mass, cosine) for mass in self.bodies.carried[j].terms))

    def _check(self, size: int) -> None:
        # More in the whole matrix serve no reader; the exports are the way then.
        most = Cap.INERTIA_TERMS.limit
        if size > most:
            raise EquationError(
                f"Robot {self.frames.chain.name!r}: the condensed equations would hold more than "
                f"{most} products, because slanted axes mix all components; "
                "export the robot as source code instead (--as python, c or matlab), or "
                f"{Cap.INERTIA_TERMS.advice}.",
                limit=most,
            )


def _head(mass: Piece, lever: Piece) -> Term:
    return Term(
        coefficient=mass.weight.coefficient * lever.weight.coefficient,
        factors=(*mass.weight.factors, *lever.weight.factors),
    )


def _slides(piece: Piece, joint: int) -> bool:
    return Slide(joint=joint) in piece.weight.factors
