"""SymbolicChain: the tree that condensed equations are made of.

Every moving link has a frame that is parallel to its parent's at q = 0 whenever the joint's axis
lies along an axis of the parent; then rotations about parallel axes group into one angle. Only a
slanted axis costs a constant turn. Lengths, masses and inertias are sums over symbols or plain
numbers.

Source: [LIEGEOIS80] §3.1, §4.2
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from robots.core.errors import EquationError
from robots.core.mechanism import BASE, JointKind
from robots.core.symbols.condensed.terms import ZERO, Sum, Vector

Matrix = tuple[tuple[float, float, float], ...]

NO_VECTOR: Vector = (ZERO, ZERO, ZERO)
AXES = "XYZ"
# Names that the equations give themselves: trigonometry, slides, and the tables' constants.
_RESERVED = re.compile(r"([SC]\d[\dM_]*|q\d+|[VWJL][XYZ]+\d[\d_]*|(MA|IA)\d+)$")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tensor:
    """Six entries of a symmetric tensor; off-diagonal ones are the tensor's own."""

    xx: Sum = ZERO
    yy: Sum = ZERO
    zz: Sum = ZERO
    xy: Sum = ZERO
    xz: Sum = ZERO
    yz: Sum = ZERO

    def entries(self) -> Iterator[tuple[int, int, Sum]]:
        """(row, column, value), the diagonal first."""
        yield from ((0, 0, self.xx), (1, 1, self.yy), (2, 2, self.zz))
        yield from ((0, 1, self.xy), (0, 2, self.xz), (1, 2, self.yz))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SymbolicLink:
    """One moving link and the joint that carries it; vectors in the link's own axes at q = 0.

    Args:
        kind: revolute or prismatic.
        parent: index of the parent link, ``BASE`` for the base.
        axis: of the joint, a unit vector; plus or minus X, Y or Z for a revolute joint. # (3,)
        turn: constant rotation R_parent^link before the joint's motion; None when parallel.
        lever: l of the report, from the parent's origin to this one, in the parent's axes. [m]
        mass: [kg]
        com: d of the report, centre of mass from the link's origin. [m]
        inertia: at the centre of mass. [kg m²]
        motor: drive inertia seen at the joint. [kg m² or kg]
    """

    kind: JointKind
    axis: tuple[float, float, float]
    parent: int = BASE
    turn: Matrix | None = None
    lever: Vector = NO_VECTOR
    mass: Sum = ZERO
    com: Vector = NO_VECTOR
    inertia: Tensor = field(default_factory=Tensor)
    motor: Sum = ZERO

    @property
    def turns(self) -> bool:
        """Whether the joint is a rotation."""
        return self.kind is JointKind.REVOLUTE

    @property
    def main_axis(self) -> int:
        """Index of the axis that ``axis`` lies along, -1 when it is slanted."""
        return next((a for a in range(3) if abs(self.axis[a]) == 1.0), -1)

    @property
    def sense(self) -> int:
        """+1 or -1: direction of the joint along its main axis."""
        return 1 if sum(self.axis) > 0.0 else -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SymbolicChain:
    """A tree of moving links; link k carries joint number k + 1.

    Args:
        name: of the robot.
        links: parents before children.
        gravity: components of gravity's acceleration in the base frame. [m/s²]
        values: of symbols, by name, as far as they are known. [SI]

    Raises:
        EquationError: a link that cannot be, or a symbol named as the equations' own.
    """

    name: str
    links: tuple[SymbolicLink, ...]
    gravity: Vector
    values: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", tuple(self.links))
        object.__setattr__(self, "values", dict(self.values))
        for index, link in enumerate(self.links):
            self._check(index, link)
        for name in sorted(self.symbols()):
            if _RESERVED.match(name):
                raise EquationError(
                    f"Robot {self.name!r}: the symbol {name!r} is a name that the equations use "
                    "themselves (S2, C23, q4, VZ3, JX6 and the like); give it another name.",
                    symbol=name,
                )

    @property
    def dof(self) -> int:
        """Number of joint variables n."""
        return len(self.links)

    def children(self, index: int) -> tuple[int, ...]:
        """Links that stand on link ``index``."""
        return tuple(k for k, link in enumerate(self.links) if link.parent == index)

    def subtree(self, index: int) -> tuple[int, ...]:
        """``index`` and all links that it carries, in order."""
        carried = {index}
        for k in range(index + 1, self.dof):
            if self.links[k].parent in carried:
                carried.add(k)
        return tuple(sorted(carried))

    def path(self, inner: int, outer: int) -> tuple[int, ...]:
        """Links after ``inner`` (or ``BASE``) up to ``outer``; ``inner`` is on outer's way home."""
        found: list[int] = []
        while outer != inner:
            found.append(outer)
            outer = self.links[outer].parent
        return tuple(reversed(found))

    def carries(self, inner: int, outer: int) -> bool:
        """Whether ``inner`` is ``outer`` or one of its ancestors."""
        while outer > inner:
            outer = self.links[outer].parent
        return outer == inner

    def parallel(self, index: int, other: int) -> bool:
        """Whether rotation ``other``, next on the path, keeps the direction of joint ``index``."""
        link, before = self.links[other], self.links[index]
        if not link.turns:
            return True
        return link.turn is None and link.main_axis == before.main_axis

    def run(self, index: int, outer: int) -> int:
        """Farthest link towards ``outer`` in whose frame joint ``index`` keeps its direction."""
        reached = index
        for k in self.path(index, outer):
            if not self.parallel(index, k):
                break
            reached = k
        return reached

    @property
    def slanted(self) -> bool:
        """Whether a constant turn mixes components, so that equal products can meet."""
        return any(link.turn is not None for link in self.links)

    def symbols(self) -> set[str]:
        """Names of all symbols of lengths, masses, inertias and gravity."""
        return {name for quantity in self._quantities() for name in quantity.symbols()}

    def _quantities(self) -> Iterator[Sum]:
        yield from self.gravity
        for link in self.links:
            yield from (*link.lever, link.mass, *link.com, link.motor)
            yield from (value for *_, value in link.inertia.entries())

    def _check(self, index: int, link: SymbolicLink) -> None:
        where = f"Robot {self.name!r}, joint {index + 1}"
        if not BASE <= link.parent < index:
            raise EquationError(
                f"{where}: parent index {link.parent}; a parent stands before its child."
            )
        if link.kind is JointKind.FIXED:
            raise EquationError(f"{where}: a fixed joint; merge its body with the link before.")
        if not math.isclose(math.hypot(*link.axis), 1.0, rel_tol=1e-9):
            raise EquationError(f"{where}: the axis {link.axis} is not a unit vector.")
        if link.turns and link.main_axis < 0:
            raise EquationError(
                f"{where}: the axis {link.axis} is slanted; put the slant into ``turn``."
            )
        if not link.turns and link.turn is not None:
            raise EquationError(f"{where}: a slide needs no turn; give its axis in parent axes.")
