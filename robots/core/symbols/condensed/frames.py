"""Changes of frame with grouped angles, and symbolic vectors carried through them.

Only "matrix times vector" and scalar products occur. A matrix entry is written to the left of what
it multiplies, so a vector carried from the tip lists its factors from base to tip: ``S234*S5*VZ6``.

Source: [LIEGEOIS80] §4.2 (table ANGLE), §4.4
"""

from __future__ import annotations

from dataclasses import dataclass, field

from robots.core.caps import Cap
from robots.core.errors import EquationError
from robots.core.symbols.condensed.chain import Matrix, SymbolicChain
from robots.core.symbols.condensed.terms import (
    ZERO,
    Sum,
    Term,
    Trig,
    Vector,
    added,
    collected,
    multiplied,
)

_Rows = tuple[tuple[Term, Term, Term], ...]
_NOTHING = Term(coefficient=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
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
class Frames:
    """A chain's changes of frame; vectors once carried are remembered.

    Args:
        chain: the mechanism.
    """

    chain: SymbolicChain
    _changes: dict[tuple[int, int], tuple[Change, ...]] = field(default_factory=dict)
    _axes: dict[tuple[int, int], Vector] = field(default_factory=dict)

    def changes(self, inner: int, outer: int) -> tuple[Change, ...]:
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

    def _grouped(self, inner: int, outer: int) -> tuple[Change, ...]:
        found: list[Change] = []
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

    def _rotation(self, group: tuple[int, ...]) -> Change:
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
        return Change(joints=group, rows=tuple((a, b, c) for a, b, c in rows), mixes=False)


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


def _turn(matrix: Matrix) -> Change:
    return Change(joints=(), rows=_numbers(matrix), mixes=True)


def _numbers(matrix: Matrix) -> _Rows:
    return tuple(
        (Term(coefficient=a), Term(coefficient=b), Term(coefficient=c)) for a, b, c in matrix
    )
