"""Description → Mechanism.

A mechanism's joint moves about its own z; a phrase's joint about X, Y or Z of a frame that keeps
the axes of the frame before. ``joint_axes`` is the constant turn between the two: the joint frame's
columns seen from the phrase's frame. It permutes axes, so it costs no rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.errors import DescriptionError
from robots.core.file_units import metres, radians
from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    Quantity,
)
from robots.core.language.tokens import phrase_error
from robots.core.mechanism import BASE, STANDARD_GRAVITY, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_x, rotation_y, rotation_z

AXES = "XYZ"
TURN = {"X": rotation_x, "Y": rotation_y, "Z": rotation_z}
_KIND = {MoveKind.ROTATION: JointKind.REVOLUTE, MoveKind.TRANSLATION: JointKind.PRISMATIC}


def joint_axes(axis: str) -> Array:
    """Joint frame in the phrase's frame: its z is the phrase's ``axis``. # (3, 3)."""
    return np.roll(np.eye(3), AXES.index(axis) + 1, axis=0)


def body_in_joint_frame(body: Body, axis: str) -> Body:
    """A body given in the phrase's axes, in the frame of its joint."""
    C = joint_axes(axis)
    return Body(mass=body.mass, com=C.T @ body.com, inertia=C.T @ body.inertia @ C, at=body.at)


def mechanism_of(
    description: Description,
    values: Mapping[str, float],
    *,
    name: str = "described robot",
    source: str = "",
    gravity: Sequence[float] = STANDARD_GRAVITY,
    bodies: Mapping[str, Body] | None = None,
) -> Mechanism:
    """The mechanism of a phrase; joints are called q1, q2, … in the order of the phrase.

    The tool frame is the phrase's last frame outside brackets. A branch that ends in constant moves
    ends in a fixed joint end1, end2, …

    Args:
        description: the parsed phrase.
        values: of its symbols. [m or rad]
        name: of the mechanism.
        source: provenance.
        gravity: in the base frame. # (3,) [m/s²]
        bodies: by joint name, in the axes of the phrase's frame after that joint's move.

    Raises:
        DescriptionError: a symbol without a value, or no joint; with a caret under it.
    """
    builder = _Builder(description=description, values=values, bodies=bodies or {})
    place = builder.follow(description.moves, _Place(parent=BASE, pose=np.eye(4), axes=np.eye(3)))
    if not builder.variables:
        raise phrase_error(
            description.phrase,
            0,
            "no joint",
            "at least one move without K, such as RZ(-180,180)",
        )
    if place.parent == BASE:
        place = builder.fix("end", place)
    return Mechanism(
        name=name,
        joints=tuple(builder.joints),
        source=source,
        gravity=np.array(gravity),
        tool=place.in_joint(np.eye(3)),
        tool_joint=place.parent,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """A frame reached, seen from the phrase's frame after joint ``parent``; the joint's axes."""

    parent: int
    pose: Array  # (4, 4)
    axes: Array  # (3, 3)

    def moved(self, step: Array) -> _Place:
        return _Place(parent=self.parent, pose=self.pose @ step, axes=self.axes)

    def in_joint(self, axes: Array) -> Array:
        """Placement in the parent joint's frame of a frame with these axes here. # (4, 4)."""
        return np.asarray(make_pose(self.axes.T) @ self.pose @ make_pose(axes))


@dataclass(slots=True, kw_only=True, eq=False)
class _Builder:
    """Collects the joints while it follows the phrase."""

    description: Description
    values: Mapping[str, float]
    bodies: Mapping[str, Body]
    joints: list[Joint] = field(default_factory=list)
    variables: int = 0
    ends: int = 0

    def follow(self, moves: tuple[Move, ...], place: _Place) -> _Place:
        for move in moves:
            if isinstance(move, Branch):
                end = self.follow(move.moves, place)
                if _is_new_frame(end, place):
                    self.ends += 1
                    self.fix(f"end{self.ends}", end)
            elif isinstance(move, ConstantMove):
                place = place.moved(self.step(move))
            else:
                place = self.joint(move, place)
        return place

    def step(self, move: ConstantMove) -> Array:
        """Transform of a constant move. # (4, 4)."""
        amount = self.value(move.value, move.kind)
        if move.kind is MoveKind.ROTATION:
            return make_pose(TURN[move.axis](amount))
        return make_pose(None, amount * np.eye(3)[AXES.index(move.axis)])

    def joint(self, move: JointMove, place: _Place) -> _Place:
        self.variables += 1
        name = f"q{self.variables}"
        axes = joint_axes(move.axis)
        self.joints.append(
            Joint(
                name=name,
                kind=_KIND[move.kind],
                parent=place.parent,
                placement=place.in_joint(axes),
                q_min=self.value(move.lower, move.kind) if move.lower else -np.inf,
                q_max=self.value(move.upper, move.kind) if move.upper else np.inf,
                body=body_in_joint_frame(self.bodies.get(name, Body()), move.axis),
            )
        )
        return _Place(parent=len(self.joints) - 1, pose=np.eye(4), axes=axes)

    def fix(self, name: str, place: _Place) -> _Place:
        """End a branch with a fixed joint that keeps its last frame."""
        self.joints.append(
            Joint(
                name=name,
                kind=JointKind.FIXED,
                parent=place.parent,
                placement=place.in_joint(np.eye(3)),
            )
        )
        return _Place(parent=len(self.joints) - 1, pose=np.eye(4), axes=np.eye(3))

    def value(self, quantity: Quantity, kind: MoveKind) -> float:
        """A quantity in SI units."""
        if quantity.number is not None:
            if quantity.number.is_infinite():
                return float(quantity.number)
            to_si = radians if kind is MoveKind.ROTATION else metres
            return to_si(quantity.number)
        if quantity.symbol not in self.values:
            raise self.no_value(quantity, kind)
        return quantity.sign * float(self.values[quantity.symbol])

    def no_value(self, quantity: Quantity, kind: MoveKind) -> DescriptionError:
        what = "angle" if kind is MoveKind.ROTATION else "length"
        known = ", ".join(sorted(self.values)) or "none"
        return phrase_error(
            self.description.phrase or str(self.description),
            quantity.position,
            f"{quantity.symbol!r} without a value",
            f"a number, or a symbol that the tables give a value ({what}); given: {known}",
        )


def _is_new_frame(end: _Place, start: _Place) -> bool:
    """Whether a branch ends in constant moves, so that only a fixed joint keeps its last frame."""
    moved = end.parent != start.parent or not np.array_equal(end.pose, start.pose)
    return moved and not np.array_equal(end.pose, np.eye(4))
