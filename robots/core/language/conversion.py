"""Conversion between descriptions and mechanisms, both ways.

A mechanism's joint moves about its own z; a phrase's joint about X, Y or Z of a frame that keeps
the axes of the frame before. ``joint_axes`` is the constant turn between the two: the joint frame's
columns seen from the phrase's frame. It permutes axes, so it costs no rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import DescriptionError
from robots.core.file_units import degrees_text, metres, millimetres_text, radians, rounded_angle
from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    PhraseQuantity,
    phrase_error,
)
from robots.core.mechanism import BASE, STANDARD_GRAVITY, Body, Joint, JointKind, Mechanism
from robots.core.pose import angles_zxz, make_pose, rotation_x, rotation_y, rotation_z

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
            description.phrase, 0, "no joint", "at least one move without K, such as RZ(-180,180)"
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

    def value(self, quantity: PhraseQuantity, kind: MoveKind) -> float:
        """A quantity in SI units."""
        if quantity.number is not None:
            if quantity.number.is_infinite():
                return float(quantity.number)
            to_si = radians if kind is MoveKind.ROTATION else metres
            return to_si(quantity.number)
        if quantity.symbol not in self.values:
            raise self.no_value(quantity, kind)
        return quantity.sign * float(self.values[quantity.symbol])

    def no_value(self, quantity: PhraseQuantity, kind: MoveKind) -> DescriptionError:
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


# ----------------------------------------------------------------------------- Mechanism to phrase
# Any placement is three translations and three rotations about Z, X, Z; where a joint's axis lies
# along an axis of the frame before, no rotation is needed, and a phrase comes back as it went in.

# A rounded number is preferred while it moves no entry by more than this fraction.
_ROUNDING = 4e-16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Phrase:
    """A mechanism's phrase and what a phrase does not hold.

    Args:
        text: the phrase.
        order: joint index in the mechanism of q1, q2, … of the phrase.
        bodies: of q1, q2, …, in the axes of the phrase's frames. Bodies of fixed joints are left
            out: the language has no place for them.
    """

    text: str
    order: tuple[int, ...]
    bodies: dict[str, Body]


def to_phrase(mechanism: Mechanism) -> str:
    """The description phrase of a mechanism's geometry and limits; see ``phrase_of``."""
    return phrase_of(mechanism).text


def phrase_of(mechanism: Mechanism) -> Phrase:
    """Describe a mechanism's geometry and limits by a phrase.

    The line outside brackets leads to the tool; other branches stand in brackets where they leave.
    Variables are therefore numbered in the order of the phrase, which is the mechanism's own
    for chains. Names, drives and gravity are not part of a phrase.

    Args:
        mechanism: any.

    Source: [LIEGEOIS80] §4.1.1
    """
    writer = _Writer(mechanism=mechanism)
    text = ",".join(writer.line(BASE, np.eye(3))) + ";"
    return Phrase(
        text=text,
        order=tuple(writer.axes),
        bodies={
            f"q{number}": _turned(mechanism.joints[index].body, axes)
            for number, (index, axes) in enumerate(writer.axes.items(), start=1)
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Writer:
    """Writes the moves below a joint; ``main`` are the joints on the way to the tool."""

    mechanism: Mechanism
    main: frozenset[int] = field(init=False)
    axes: dict[int, Array] = field(default_factory=dict)  # of each movable joint written so far

    def __post_init__(self) -> None:
        path = set()
        index = self.mechanism.tool_joint
        while index != BASE:
            path.add(index)
            index = self.mechanism.joints[index].parent
        object.__setattr__(self, "main", frozenset(path))

    def line(self, parent: int, axes: Array) -> list[str]:
        """Moves after joint ``parent``, whose frame has ``axes`` seen from the phrase's frame."""
        moves: list[str] = []
        while True:
            children = [i for i, j in enumerate(self.mechanism.joints) if j.parent == parent]
            onward = self.onward(parent, children)
            for index in children:
                if index != onward and (branch := self.branch(index, axes)):
                    moves.append(f"[{','.join(branch)}]")
            if onward == BASE:
                if parent == self.mechanism.tool_joint:
                    moves += _constants(_seen(self.mechanism.tool, axes))
                return moves
            step = self.step(onward, axes)
            moves += step.moves
            parent, axes = onward, step.axes

    def onward(self, parent: int, children: list[int]) -> int:
        """The child with which the line goes on, or ``BASE`` when it ends here."""
        for index in children:
            if index in self.main:
                return index
        ends = parent == self.mechanism.tool_joint or len(children) != 1
        return BASE if ends else children[0]

    def branch(self, index: int, axes: Array) -> list[str]:
        """Moves of joint ``index`` and of all that follows it."""
        step = self.step(index, axes)
        return step.moves + self.line(index, step.axes)

    def step(self, index: int, axes: Array) -> _Step:
        """Moves of one joint."""
        joint = self.mechanism.joints[index]
        placement = _seen(joint.placement, axes)
        if not joint.movable:
            return _Step(moves=_constants(placement), axes=np.eye(3))
        R = placement[:3, :3].copy()
        letter = _plain_axis(R)
        self.axes[index] = R if letter else np.eye(3)
        if not letter:
            return _Step(moves=[*_constants(placement), _motion(joint, "Z")], axes=np.eye(3))
        placement[:3, :3] = np.eye(3)
        return _Step(moves=[*_constants(placement), _motion(joint, letter)], axes=R)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Step:
    """The moves of a joint, and its frame's axes seen from the phrase's frame after them."""

    moves: list[str]
    axes: Array


def _turned(body: Body, axes: Array) -> Body:
    """A body's properties in a frame that sees the joint's frame with ``axes``."""
    inertia = axes @ body.inertia @ axes.T
    return Body(mass=body.mass, com=axes @ body.com, inertia=inertia, at=body.at)


def _seen(placement: Array, axes: Array) -> Array:
    """A placement in a joint's frame, seen from the phrase's frame where the joint has ``axes``."""
    frame = np.eye(4)
    frame[:3, :3] = axes
    return np.asarray(frame @ placement)


def _plain_axis(R: Array) -> str:
    """Letter of the axis along which z points, when the rotation only exchanges axes."""
    if np.count_nonzero(R) != 3 or R[:, 2].max() != 1.0:
        return ""
    return AXES[int(np.argmax(R[:, 2]))]


def _motion(joint: Joint, letter: str) -> str:
    revolute = joint.kind is JointKind.REVOLUTE
    head = ("R" if revolute else "T") + letter
    if np.isinf(joint.q_min) and np.isinf(joint.q_max):
        return head
    written = degrees_text if revolute else millimetres_text
    lower = "-INF" if np.isinf(joint.q_min) else written(joint.q_min)
    upper = "INF" if np.isinf(joint.q_max) else written(joint.q_max)
    return f"{head}({lower},{upper})"


def _constants(placement: Array) -> list[str]:
    """Constant moves of a placement: translations, then rotations about Z, X and Z."""
    moves = [
        f"T{letter}K({millimetres_text(length)})"
        for letter, length in zip(AXES, placement[:3, 3], strict=True)
        if length
    ]
    return [*moves, *_rotations(placement[:3, :3])]


def _rotations(R: Array) -> Iterator[str]:
    if np.array_equal(R, np.eye(3)):
        return
    letters, angles = _about_one_axis(R) or ("ZXZ", angles_zxz(R).angles)
    rounded = np.array([rounded_angle(float(angle)) for angle in angles])
    if np.abs(_product(letters, rounded) - R).max() <= _ROUNDING:
        angles = rounded
    for letter, angle in zip(letters, angles, strict=True):
        if angle:
            yield f"R{letter}K({degrees_text(float(angle))})"


def _about_one_axis(R: Array) -> tuple[str, Array] | None:
    """Axis and angle of a rotation about X, Y or Z alone; None for any other."""
    for i, letter in enumerate(AXES):
        if R[i, i] == 1.0:
            j, k = (i + 1) % 3, (i + 2) % 3
            return letter, np.array([np.arctan2(R[k, j], R[j, j])])
    return None


def _product(letters: str, angles: Array) -> Array:
    """Product of rotations about the moving axes, in the order of the letters."""
    R = np.eye(3)
    for letter, angle in zip(letters, angles, strict=True):
        R = R @ TURN[letter](angle)
    return R
