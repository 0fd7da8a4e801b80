"""Description phrase → SymbolicChain: the report's own road, with L1, M1, D1, IX1 as symbols.

Source: [LIEGEOIS80] §4.1-4.2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.file_units import metres, radians
from robots.core.language.coding import internal_tables
from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    Quantity,
)
from robots.core.language.tables import BodySymbols, Row3
from robots.core.mechanism import BASE, JointKind
from robots.core.orientation.rotation import rotation_x, rotation_y, rotation_z
from robots.core.symbols.condensed.chain import (
    AXES,
    NO_VECTOR,
    SymbolicChain,
    SymbolicLink,
    Tensor,
)
from robots.core.symbols.condensed.mechanism_chain import as_matrix, snapped
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
    builder.follow(description.moves, _Place(link=BASE, rotation=np.eye(3)))
    if not builder.links:
        raise EquationError(f"The phrase {str(description)!r} has no joint: nothing moves.")
    x, y, z = (symbol("G") if gravity == axis else ZERO for axis in AXES)
    return SymbolicChain(
        name=name, links=tuple(builder.links), gravity=(x, y, z), values=values or {}
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """The phrase's current frame, in the axes of the link that carries it."""

    link: int
    rotation: Array  # (3, 3)
    origin: Vector = NO_VECTOR


@dataclass(slots=True, kw_only=True)
class _Builder:
    bodies: tuple[BodySymbols, ...]
    values: Mapping[str, float]
    links: list[SymbolicLink] = field(default_factory=list)

    def follow(self, moves: tuple[Move, ...], place: _Place) -> None:
        for move in moves:
            if isinstance(move, Branch):
                self.follow(move.moves, place)
            elif isinstance(move, JointMove):
                place = self.joint(move, place)
            else:
                place = self.constant(move, place)

    def constant(self, move: ConstantMove, place: _Place) -> _Place:
        if move.kind is MoveKind.ROTATION:
            turn = _TURN[move.axis](self.angle(move.value))
            return _Place(
                link=place.link,
                rotation=snapped(place.rotation @ turn),
                origin=place.origin,
            )
        step = turned(place.rotation, _on_axis(move.axis, _length(move.value)))
        return _Place(link=place.link, rotation=place.rotation, origin=_moved(place.origin, step))

    def joint(self, move: JointMove, place: _Place) -> _Place:
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
        return _Place(link=len(self.links) - 1, rotation=rotation)

    def angle(self, quantity: Quantity) -> float:
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


def _length(quantity: Quantity) -> Sum:
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
