"""The internal coding of a description: the tables that the report's translator makes.

A *segment* is the piece of a line after one joint or one constant rotation; for robots without
constant rotations the segments are the bodies, as in the report.

Source: [LIEGEOIS80] §4.2. (Its text names rotations θ1, θ3, θ4 about X; its table, rightly, has
'2', '23', '234'. Its inertia entries "I21, I22" are IZ1, IZ2.)
"""

from __future__ import annotations

from dataclasses import dataclass

ROTATION, TRANSLATION = 0, 1  # the report's codes in the last column of MRR
PRISMATIC, CONSTANT_ROTATION = 2, 3  # ours, for what its example does not hold

Row3 = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One change of frame: a row of MRR.

    Args:
        axis: X, Y or Z of the frame before.
        segment: number of the segment it belongs to.
        code: 0 joint rotation, 1 constant translation, 2 joint translation, 3 constant rotation.
    """

    axis: str
    segment: str
    code: int

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The row as printed: the segment's number under its axis, then the code."""
        return (*along(self.axis, self.segment), str(self.code))


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a line.

    Args:
        label: joint number, "0" for the base; "3.1" after the first constant rotation of body 3.
        translation: constant lengths along X, Y, Z, in its own frame.
        rotation: table ANGLE: '234' under X when q2, q3, q4 turn about parallel X axes.
    """

    label: str
    translation: Row3
    rotation: Row3


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """A degree of freedom: number, axis, whether it turns, and its limits as written."""

    number: int
    axis: str
    turns: bool
    lower: str
    upper: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySymbols:
    """Mass symbols of a body, with the report's assumptions.

    The centre of mass lies on the axis that carries the body; the tensor is diagonal, with no
    inertia about that axis; a body without length has no mass.
    """

    number: int
    length: str
    mass: str
    com: Row3
    inertia: Row3


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTables:
    """All tables of one description; ``bodies`` are those that joints carry."""

    phrase: str
    frames: tuple[Frame, ...]
    segments: tuple[Segment, ...]
    freedoms: tuple[Freedom, ...]
    bodies: tuple[BodySymbols, ...]

    @property
    def frame_count(self) -> int:
        """NR of the report."""
        return len(self.frames)

    @property
    def dof(self) -> int:
        """N of the report."""
        return len(self.freedoms)


NOTHING: Row3 = ("0", "0", "0")


def along(axis: str, entry: str) -> Row3:
    """A row of three that holds ``entry`` under ``axis`` and zeros elsewhere."""
    x, y, z = (entry if axis == letter else "0" for letter in "XYZ")
    return (x, y, z)
