"""Mechanism → phrase.

Any placement is three translations and three rotations about Z, X, Z; where a joint's axis lies
along an axis of the frame before, no rotation is needed, and a phrase comes back as it went in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.file_units import degrees_text, millimetres_text, rounded_angle
from robots.core.language.building import AXES, TURN
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import angles_zxz

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
