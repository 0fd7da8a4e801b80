"""Symbolic chain for condensed equations, from a mechanism or from a description phrase.

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

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.file_units import metres, radians
from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    PhraseQuantity,
)
from robots.core.language.tables import BodySymbols, Row3, internal_tables
from robots.core.mechanism import BASE, Body, Joint, JointKind, Mechanism
from robots.core.pose import rotation_x, rotation_y, rotation_z
from robots.core.symbols.condensed.terms import (
    ZERO,
    Sum,
    Symbol,
    Term,
    Vector,
    added,
    number,
    scaled,
    symbol,
)

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
        """Return whether ``inner`` is ``outer`` or one of its ancestors."""
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


# -------------------------------------------------------------------------------- From a mechanism
# Frames are chosen parallel to the parent's at q = 0 wherever the joint's axis allows it, so that
# constant rotations vanish and parallel axes group. Fixed joints' bodies are merged with the link
# that carries them.

# An axis this near to X, Y or Z is that axis: placements come from sines and cosines of right
# angles, whose rounding (6e-17) would otherwise hide every grouping.
ALIGNED = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """A joint frame seen from the link that carries it.

    Args:
        link: index of the link, BASE for the base.
        rotation: joint frame in the link's axes. # (3, 3)
        origin: joint origin in the link's axes. # (3,) [m]
    """

    link: int
    rotation: Array
    origin: Array


@dataclass(slots=True, kw_only=True, eq=False)
class _Draft:
    """A link under construction, with the bodies that it collects."""

    kind: JointKind
    parent: int
    axis: Array
    turn: Array | None
    lever: Array
    motor: float
    mass: float
    com: Array
    inertia: Array  # at the centre of mass

    def merge(self, mass: float, com: Array, inertia: Array) -> None:
        """Add a body that is fixed to the link; its tensor is at its own centre of mass."""
        total = self.mass + mass
        if total:
            reduced = self.mass * mass / total
            d = com - self.com
            inertia = inertia + reduced * (d @ d * np.eye(3) - np.outer(d, d))
            self.com = (self.mass * self.com + mass * com) / total
        self.mass, self.inertia = total, self.inertia + inertia


def from_mechanism(mechanism: Mechanism) -> SymbolicChain:
    """The chain of a mechanism's movable joints, in the order of q, with plain numbers.

    Args:
        mechanism: any tree; friction has no place in these equations.
    """
    drafts: list[_Draft] = []
    places: list[_Place] = []
    ground = _Place(link=BASE, rotation=np.eye(3), origin=np.zeros(3))
    for joint in mechanism.joints:
        before = ground if joint.parent == BASE else places[joint.parent]
        reached = _Place(
            link=before.link,
            rotation=snapped(before.rotation @ joint.placement[:3, :3]),
            origin=before.origin + before.rotation @ joint.placement[:3, 3],
        )
        if joint.movable:
            draft, reached = _moving(joint, reached, len(drafts))
            drafts.append(draft)
        _carry(joint.body, reached, drafts)
        places.append(reached)
    return SymbolicChain(
        name=mechanism.name,
        links=tuple(_link(draft) for draft in drafts),
        gravity=_vector(mechanism.gravity),
    )


def snapped(matrix: Array) -> Array:
    """Entries within rounding of 0 and ±1 put there."""
    near = np.round(matrix)
    return np.where(np.abs(matrix - near) < ALIGNED, near, matrix)


def as_matrix(matrix: Array) -> Matrix:
    """A (3, 3) array as tuples of numbers."""
    return tuple((float(x), float(y), float(z)) for x, y, z in matrix)


def _moving(joint: Joint, reached: _Place, index: int) -> tuple[_Draft, _Place]:
    """A new link; its axes are the carrier's when the joint's axis is aligned with one."""
    direction = reached.rotation[:, 2]
    slanted = joint.kind.angular and 1.0 not in np.abs(direction)
    draft = _Draft(
        kind=joint.kind,
        parent=reached.link,
        axis=np.array((0.0, 0.0, 1.0)) if slanted else direction,
        turn=reached.rotation if slanted else None,
        lever=reached.origin,
        motor=joint.motor_inertia,
        mass=0.0,
        com=np.zeros(3),
        inertia=np.zeros((3, 3)),
    )
    rotation = np.eye(3) if slanted else reached.rotation
    return draft, _Place(link=index, rotation=rotation, origin=np.zeros(3))


def _carry(body: Body, place: _Place, drafts: list[_Draft]) -> None:
    """Give a body to its link; what is fixed to the base never moves."""
    if place.link != BASE:
        R = place.rotation
        drafts[place.link].merge(
            body.mass, place.origin + R @ body.com, R @ body.inertia_at_com @ R.T
        )


def _link(draft: _Draft) -> SymbolicLink:
    x, y, z = (float(c) for c in draft.axis)
    entries = {
        name: number(float(draft.inertia[a, b]))
        for name, (a, b) in {
            "xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2),
        }.items()
    }  # fmt: skip
    return SymbolicLink(
        kind=draft.kind,
        axis=(x, y, z),
        parent=draft.parent,
        turn=None if draft.turn is None else as_matrix(draft.turn),
        lever=_vector(draft.lever),
        mass=number(draft.mass),
        com=_vector(draft.com),
        inertia=Tensor(**entries),
        motor=number(draft.motor),
    )


def _vector(components: Array) -> Vector:
    x, y, z = (number(float(c)) for c in components)
    return (x, y, z)


# ----------------------------------------------------------------------- From a description phrase
# Source: [LIEGEOIS80] §4.1-4.2

_TURN = {"X": rotation_x, "Y": rotation_y, "Z": rotation_z}
_KIND = {MoveKind.ROTATION: JointKind.REVOLUTE, MoveKind.TRANSLATION: JointKind.PRISMATIC}


def from_description(
    description: Description,
    *,
    name: str = "described robot",
    gravity: str = "Z",
    values: Mapping[str, float] | None = None,
) -> SymbolicChain:
    """The chain of a phrase: one link per joint, in the order of the phrase.

    A body's centre of mass lies on the axis that carries it and its tensor is diagonal without
    inertia about that axis, as in the report; a body without length has no mass.

    Args:
        description: a parsed phrase; its lengths may be symbols.
        name: of the robot.
        gravity: axis of the base that the component G of gravity's acceleration lies along.
        values: of symbols, as far as they are known; angles of constant rotations must be. [SI]

    Raises:
        EquationError: no joint, a constant rotation by a symbol without value, a wrong axis.
    """
    if gravity not in AXES or len(gravity) != 1:
        raise EquationError(f"Gravity lies along X, Y or Z of the base, not along {gravity!r}.")
    builder = _Builder(bodies=internal_tables(description).bodies, values=values or {})
    builder.follow(description.moves, _DescriptionChainPlace(link=BASE, rotation=np.eye(3)))
    if not builder.links:
        raise EquationError(f"The phrase {str(description)!r} has no joint: nothing moves.")
    x, y, z = (symbol("G") if gravity == axis else ZERO for axis in AXES)
    return SymbolicChain(
        name=name, links=tuple(builder.links), gravity=(x, y, z), values=values or {}
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _DescriptionChainPlace:
    """The phrase's current frame, in the axes of the link that carries it."""

    link: int
    rotation: Array  # (3, 3)
    origin: Vector = NO_VECTOR


@dataclass(slots=True, kw_only=True)
class _Builder:
    bodies: tuple[BodySymbols, ...]
    values: Mapping[str, float]
    links: list[SymbolicLink] = field(default_factory=list)

    def follow(self, moves: tuple[Move, ...], place: _DescriptionChainPlace) -> None:
        for move in moves:
            if isinstance(move, Branch):
                self.follow(move.moves, place)
            elif isinstance(move, JointMove):
                place = self.joint(move, place)
            else:
                place = self.constant(move, place)

    def constant(self, move: ConstantMove, place: _DescriptionChainPlace) -> _DescriptionChainPlace:
        if move.kind is MoveKind.ROTATION:
            turn = _TURN[move.axis](self.angle(move.value))
            return _DescriptionChainPlace(
                link=place.link, rotation=snapped(place.rotation @ turn), origin=place.origin
            )
        step = turned(place.rotation, _on_axis(move.axis, _length(move.value)))
        return _DescriptionChainPlace(
            link=place.link, rotation=place.rotation, origin=_moved(place.origin, step)
        )

    def joint(self, move: JointMove, place: _DescriptionChainPlace) -> _DescriptionChainPlace:
        direction = place.rotation[:, AXES.index(move.axis)]
        slanted = move.kind is MoveKind.ROTATION and 1.0 not in np.abs(direction)
        rotation = np.eye(3) if slanted else place.rotation
        x, y, z = (float(c) for c in rotation @ np.eye(3)[AXES.index(move.axis)])
        body = self.bodies[len(self.links)]
        self.links.append(
            SymbolicLink(
                kind=_KIND[move.kind],
                axis=(x, y, z),
                parent=place.link,
                turn=as_matrix(place.rotation) if slanted else None,
                lever=place.origin,
                mass=_named(body.mass),
                com=turned(rotation, _row(body.com)),
                inertia=_tensor(rotation, _row(body.inertia)),
            )
        )
        return _DescriptionChainPlace(link=len(self.links) - 1, rotation=rotation)

    def angle(self, quantity: PhraseQuantity) -> float:
        """Of a constant rotation. [rad]."""
        if quantity.number is not None:
            return radians(quantity.number)
        if quantity.symbol not in self.values:
            raise EquationError(
                f"A constant rotation by {quantity.text!r}: no value is known for "
                f"{quantity.symbol!r}; write degrees in the phrase or give a value in radians.",
                symbol=quantity.symbol,
            )
        return quantity.sign * float(self.values[quantity.symbol])


def turned(rotation: Array, v: Vector) -> Vector:
    """R·v of a vector of quantities."""
    x, y, z = (
        added(*(scaled(float(entry), part) for entry, part in zip(row, v, strict=True)))
        for row in rotation
    )
    return (x, y, z)


def _tensor(R: Array, diagonal: Vector) -> Tensor:
    """R·diag·Rᵀ."""
    entries = {
        name: added(*(scaled(float(R[a, c] * R[b, c]), diagonal[c]) for c in range(3)))
        for name, (a, b) in {
            "xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2),
        }.items()
    }  # fmt: skip
    return Tensor(**entries)


def _moved(origin: Vector, step: Vector) -> Vector:
    x, y, z = (added(a, b) for a, b in zip(origin, step, strict=True))
    return (x, y, z)


def _on_axis(axis: str, value: Sum) -> Vector:
    x, y, z = (value if letter == axis else ZERO for letter in AXES)
    return (x, y, z)


def _length(quantity: PhraseQuantity) -> Sum:
    """A length in metres, or a symbol."""
    if quantity.number is not None:
        return number(metres(quantity.number))
    factor = Symbol(name=quantity.symbol)
    return Sum(terms=(Term(coefficient=float(quantity.sign), factors=(factor,)),))


def _row(texts: Row3) -> Vector:
    x, y, z = (_named(text) for text in texts)
    return (x, y, z)


def _named(text: str) -> Sum:
    return ZERO if text == "0" else symbol(text)
