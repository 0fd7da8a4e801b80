"""Coefficients of the condensed equations: inertia A, speed B and C, gravity torques Q.

Source: [LIEGEOIS80] eqs. (3-12)-(3-14), (3-17), §4.5. Two errata of (3-17) are corrected here: its
double sums need p < k in the second line and p > k in the third (as printed, pairs enter twice),
and [R_k^j]ᵀ must be [R_k^j]. The order of terms and factors is that of the printed coefficients:
couplings V·L first, joint i's factors before joint j's; then J, joint j's factors before joint i's;
on the diagonal the two equal sums are one, with the factor 2 and the factors of V first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from robots.core.caps import Cap
from robots.core.errors import EquationError
from robots.core.mechanism import BASE
from robots.core.symbols.condensed.augmented import AugmentedBodies, SlidePiece
from robots.core.symbols.condensed.chain import Matrix, SymbolicChain
from robots.core.symbols.condensed.terms import (
    ONE,
    ZERO,
    Factor,
    GravityTorque,
    Slide,
    Sum,
    Term,
    Trig,
    Vector,
    added,
    collected,
    multiplied,
    scaled,
    weighted,
)

_Rows = tuple[tuple[Term, Term, Term], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameChange:
    """R from an inner to an outer frame: one grouped rotation, or one constant turn.

    Args:
        joints: links whose rotations are grouped here, base to tip; empty for a constant turn.
        rows: the matrix, entry by entry.
        mixes: whether entries are plain numbers, so that equal products meet and add up.
    """

    joints: tuple[int, ...]
    rows: _Rows
    mixes: bool

    def applied(self, v: Vector) -> Vector:
        """R·v."""
        return self._times(v, self.rows)

    def undone(self, v: Vector) -> Vector:
        """Rᵀ·v."""
        columns = tuple((a, b, c) for a, b, c in zip(*self.rows, strict=True))
        return self._times(v, columns)

    def _times(self, v: Vector, rows: _Rows) -> Vector:
        found = [_row_times(row, v) for row in rows]
        if self.mixes:
            found = [collected(component) for component in found]
        # Beyond this many the condensed form has lost its purpose.
        most = Cap.VECTOR_TERMS.limit
        if max(len(component.terms) for component in found) > most:
            raise EquationError(
                f"One component of a vector takes more than {most} products, because "
                "slanted axes mix all components; export the robot as source code instead "
                f"(--as python, c or matlab), or {Cap.VECTOR_TERMS.advice}.",
                limit=most,
            )
        return (found[0], found[1], found[2])


@dataclass(slots=True, kw_only=True)
class FrameChanges:
    """A chain's changes of frame; vectors once carried are remembered.

    Args:
        chain: the mechanism.
    """

    chain: SymbolicChain
    _changes: dict[tuple[int, int], tuple[FrameChange, ...]] = field(default_factory=dict)
    _axes: dict[tuple[int, int], Vector] = field(default_factory=dict)

    def changes(self, inner: int, outer: int) -> tuple[FrameChange, ...]:
        """R_inner^outer as grouped rotations and constant turns, base to tip."""
        if (inner, outer) not in self._changes:
            self._changes[inner, outer] = self._grouped(inner, outer)
        return self._changes[inner, outer]

    def to_inner(self, v: Vector, outer: int, inner: int, derive: int | None = None) -> Vector:
        """A vector of link ``outer`` in the axes of ``inner``.

        Args:
            v: components in the axes of ``outer``.
            outer: link index.
            inner: link index or ``BASE``.
            derive: joint with respect to whose angle the vector is differentiated; it lies on the
                path, or its axis is at rest in ``inner``'s frame.
        """
        pending = derive is not None
        for change in reversed(self.changes(inner, outer)):
            v = change.applied(v)
            if pending and derive in change.joints:
                v, pending = self.crossed(derive, v), False
        return self.crossed(derive, v) if pending and derive is not None else v

    def axis_in(self, joint: int, outer: int) -> Vector:
        """Axis of ``joint`` in the axes of link ``outer``."""
        if (joint, outer) not in self._axes:
            v = vector(self.chain.links[joint].axis)
            for change in self.changes(joint, outer):
                v = change.undone(v)
            self._axes[joint, outer] = v
        return self._axes[joint, outer]

    def crossed(self, joint: int, v: Vector) -> Vector:
        """G ∧ v, the derivative by the joint's angle. Source: [LIEGEOIS80] eq. (3-8)."""
        x, y, z = self.chain.links[joint].axis
        rows = _numbers(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
        return (_row_times(rows[0], v), _row_times(rows[1], v), _row_times(rows[2], v))

    def _grouped(self, inner: int, outer: int) -> tuple[FrameChange, ...]:
        found: list[FrameChange] = []
        group: list[int] = []

        def close() -> None:
            if group:
                found.append(self._rotation(tuple(group)))
                group.clear()

        for k in self.chain.path(inner, outer):
            link = self.chain.links[k]
            if not link.turns:
                continue
            if group and not self.chain.parallel(group[-1], k):
                close()
            if link.turn is not None:
                found.append(_turn(link.turn))
            group.append(k)
        close()
        return tuple(found)

    def _rotation(self, group: tuple[int, ...]) -> FrameChange:
        """Rotation by the sum of the group's angles; the first angle is made positive."""
        links = self.chain.links
        axis, sense = links[group[0]].main_axis, links[group[0]].sense
        angle = tuple((k + 1, links[k].sense * sense) for k in group)
        cosine = Term(factors=(Trig(cosine=True, angle=angle),))
        sine = (Trig(cosine=False, angle=angle),)
        rows = [[_NOTHING] * 3 for _ in range(3)]
        u, w = (axis + 1) % 3, (axis + 2) % 3
        rows[axis][axis] = Term()
        rows[u][u] = rows[w][w] = cosine
        rows[w][u] = Term(coefficient=float(sense), factors=sine)
        rows[u][w] = Term(coefficient=-float(sense), factors=sine)
        return FrameChange(joints=group, rows=tuple((a, b, c) for a, b, c in rows), mixes=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InertiaCoefficients:
    """Makes A_ij of one chain, i an ancestor of j or j itself."""

    frames: FrameChanges
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
        first: tuple[int, list[SlidePiece]],
        second: tuple[int, list[SlidePiece]],
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
                heads = [_head(SlidePiece(weight=mass, axis=0), piece) for piece in levers]
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


def _head(mass: SlidePiece, lever: SlidePiece) -> Term:
    return Term(
        coefficient=mass.weight.coefficient * lever.weight.coefficient,
        factors=(*mass.weight.factors, *lever.weight.factors),
    )


def _slides(piece: SlidePiece, joint: int) -> bool:
    return Slide(joint=joint) in piece.weight.factors


# ----------------------------------------------------------- Coriolis and centrifugal coefficients
# Source: [LIEGEOIS80] §3.5. Erratum of (3-18): with the sum of (3-1), where each squared speed
# occurs once, C_ij = ∂A_ij/∂q_j - ½·∂A_jj/∂q_i; the report prints twice that (and C_ij = B_ijj,
# which is B_ijj/2).


def coriolis(A: Sequence[Sequence[Sum]]) -> list[list[list[Sum]]]:
    """B_ijk for j < k: the factor of qd_j·qd_k, each pair counted once. Source: eq. (3-17)."""
    n = len(A)
    slopes = _slopes(A)
    B = [[[ZERO] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(j + 1, n):
                B[i][j][k] = collected(
                    added(slopes[i][j][k], slopes[i][k][j], scaled(-1.0, slopes[j][k][i]))
                )
    return B


def centrifugal(A: Sequence[Sequence[Sum]]) -> list[list[Sum]]:
    """C_ij: the factor of qd_j². Source: eq. (3-18), corrected."""
    n = len(A)
    slopes = _slopes(A)
    return [
        [collected(added(slopes[i][j][j], scaled(-0.5, slopes[j][j][i]))) for j in range(n)]
        for i in range(n)
    ]


def derivative(body: Sum, joint: int) -> Sum:
    """∂/∂q of a sum by the product rule; ``joint`` counts from 1."""
    return added(*(_term_derivative(term, joint) for term in body.terms))


def _slopes(A: Sequence[Sequence[Sum]]) -> list[list[list[Sum]]]:
    """∂A_ij/∂q_k."""
    n = len(A)
    upper = {
        (i, j): [collected(derivative(A[i][j], k + 1)) for k in range(n)]
        for i in range(n)
        for j in range(i, n)
    }
    return [[upper[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]


def _term_derivative(term: Term, joint: int) -> Sum:
    parts: list[Sum] = []
    for place, factor in enumerate(term.factors):
        slope = _factor_derivative(factor, joint)
        if slope:
            # A bracket's slope stays a bracket; a single factor's is one factor, or a number.
            whole = isinstance(factor, Sum) and slope.number is None
            made = Term(factors=(slope,)) if whole else slope.terms[0]
            factors = (*term.factors[:place], *made.factors, *term.factors[place + 1 :])
            coefficient = term.coefficient * made.coefficient
            parts.append(Sum(terms=(Term(coefficient=coefficient, factors=factors),)))
    return added(*parts)


def _factor_derivative(factor: Factor, joint: int) -> Sum:
    if isinstance(factor, Sum):
        return derivative(factor, joint)
    if isinstance(factor, Slide):
        return ONE if factor.joint == joint else ZERO
    if isinstance(factor, Trig):
        sign = dict(factor.angle).get(joint, 0)
        other = Trig(cosine=not factor.cosine, angle=factor.angle)
        return scaled(-sign if factor.cosine else sign, Sum(terms=(Term(factors=(other,)),)))
    return ZERO


# --------------------------------------------------------------------------------- Gravity torques
# Source: [LIEGEOIS80] eqs. (3-9), (3-10), §4.4. Q stands on the right-hand side of eq. (3-1), with
# the components of gravity's acceleration: it is the torque that gravity exerts.


def gravity_torques(frames: FrameChanges, bodies: AugmentedBodies) -> list[Sum]:
    """Q of every joint; a parallel joint farther out enters by reference, ``+Q(4)``."""
    Q = [ZERO] * frames.chain.dof
    for index in reversed(range(frames.chain.dof)):
        if frames.chain.links[index].turns:
            Q[index] = _torque(frames, bodies, index, Q)
        else:
            Q[index] = _force(frames, bodies, index)
        if frames.chain.slanted:
            Q[index] = collected(Q[index])
    return Q


def _force(frames: FrameChanges, bodies: AugmentedBodies, index: int) -> Sum:
    """Gravity on all that slides, along the slide. Source: eq. (3-10)."""
    mass = bodies.carried[index]
    parts = []
    for axis, size in enumerate(frames.chain.links[index].axis):
        v = frames.to_inner(along(axis, scaled(size, mass)), index, BASE)
        parts.append(v)
    return _along_gravity(bodies, parts)


def _torque(frames: FrameChanges, bodies: AugmentedBodies, index: int, Q: list[Sum]) -> Sum:
    chain = frames.chain
    parts: list[Vector] = []
    references: list[Term] = []
    waiting = [index]
    while waiting:
        k = waiting.pop(0)
        joint = chain.links[k]
        if k != index and joint.turns and _shares_axis(frames, index, k):
            if Q[k]:
                sign = float(joint.sense * chain.links[index].sense)
                reference = GravityTorque(joint=k + 1)
                references.append(Term(coefficient=sign, factors=(reference,)))
            continue
        for piece in bodies.masses[k]:
            v = along(piece.axis, Sum(terms=(piece.weight,)))
            parts.append(frames.to_inner(v, k, BASE, derive=index))
        waiting.extend(chain.children(k))
    return added(_along_gravity(bodies, parts), Sum(terms=tuple(references)))


def _shares_axis(frames: FrameChanges, index: int, other: int) -> bool:
    """Whether the joints' axes keep parallel at all q, so that their derivatives are the same."""
    return frames.chain.run(index, other) == other


def _along_gravity(bodies: AugmentedBodies, parts: list[Vector]) -> Sum:
    return added(
        *(
            weighted(piece.weight, added(*(part[piece.axis] for part in parts)))
            for piece in bodies.gravity
        )
    )


# -------------------------------------------------------------------------------- Changes of frame
# Only "matrix times vector" and scalar products occur. A matrix entry is written to the left of
# what it multiplies, so a vector carried from the tip lists its factors from base to tip:
# ``S234*S5*VZ6``.
#
# Source: [LIEGEOIS80] §4.2 (table ANGLE), §4.4

_NOTHING = Term(coefficient=0.0)


def vector(components: tuple[float, float, float]) -> Vector:
    """A vector of plain numbers."""
    x, y, z = (Sum(terms=(Term(coefficient=c),)) if c else ZERO for c in components)
    return (x, y, z)


def along(axis: int, value: Sum) -> Vector:
    """A vector with one component."""
    x, y, z = (value if axis == a else ZERO for a in range(3))
    return (x, y, z)


def dot(left: Vector, right: Vector) -> Sum:
    """Scalar product, the left vector's factors first."""
    return added(*(multiplied(a, b) for a, b in zip(left, right, strict=True)))


def _row_times(row: tuple[Term, Term, Term], v: Vector) -> Sum:
    terms: list[Term] = []
    for entry, component in zip(row, v, strict=True):
        if entry.coefficient:
            terms.extend(
                Term(
                    coefficient=entry.coefficient * term.coefficient,
                    factors=(*entry.factors, *term.factors),
                )
                for term in component.terms
            )
    return added(Sum(terms=tuple(terms)))


def _turn(matrix: Matrix) -> FrameChange:
    return FrameChange(joints=(), rows=_numbers(matrix), mixes=True)


def _numbers(matrix: Matrix) -> _Rows:
    return tuple(
        (Term(coefficient=a), Term(coefficient=b), Term(coefficient=c)) for a, b, c in matrix
    )
