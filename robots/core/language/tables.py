"""Internal tables of a description, as the report's translator makes them, and their text.

A *segment* is the piece of a line after one joint or one constant rotation; for robots without
constant rotations the segments are the bodies, as in the report.

Source: [LIEGEOIS80] §4.2. (Its text names rotations θ1, θ3, θ4 about X; its table, rightly, has
'2', '23', '234'. Its inertia entries "I21, I22" are IZ1, IZ2.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array
from robots.core.file_units import number_text
from robots.core.language.conversion import joint_axes
from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    PhraseQuantity,
)
from robots.core.mechanism import Joint, Mechanism

ROTATION, TRANSLATION = 0, 1  # the report's codes in the last column of MRR
PRISMATIC, CONSTANT_ROTATION = 2, 3  # ours, for what its example does not hold
Row3 = tuple[str, str, str]
NOTHING: Row3 = ("0", "0", "0")
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
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
class PhraseSegment:
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
    frames: tuple[FrameRow, ...]
    segments: tuple[PhraseSegment, ...]
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


def along(axis: str, entry: str) -> Row3:
    """A row of three that holds ``entry`` under ``axis`` and zeros elsewhere."""
    x, y, z = (entry if axis == letter else "0" for letter in "XYZ")
    return (x, y, z)


# ------------------------------------------------------------------------------------------ Coding
# Source: [LIEGEOIS80] §4.2

_BASE = "0"


def internal_tables(description: Description) -> InternalTables:
    """Make the tables of a description.

    Args:
        description: a parsed phrase; its symbols are kept.

    Source: [LIEGEOIS80] §4.2
    """
    # With ten joints or more "12" could be joint 12 or joints 1 and 2: a dot parts the numbers.
    coder = _Coder(separator="." if len(description.joints()) > 9 else "")
    coder.follow(description.moves, _BASE)
    segments = tuple(
        PhraseSegment(label=draft.label, translation=draft.translation, rotation=draft.rotation)
        for draft in coder.drafts.values()
        if draft.label != _BASE or draft.translation != NOTHING
    )
    return InternalTables(
        phrase=str(description),
        frames=tuple(coder.frames),
        segments=segments,
        freedoms=tuple(coder.freedoms),
        bodies=tuple(_body(freedom.number, segments) for freedom in coder.freedoms),
    )


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A segment under construction; the group is what a further rotation may join."""

    label: str
    rotation: Row3 = NOTHING
    group_axis: str = ""
    group: tuple[int, ...] = ()
    lengths: dict[str, list[str]] = field(default_factory=lambda: {a: [] for a in "XYZ"})

    @property
    def translation(self) -> Row3:
        x, y, z = (_sum(self.lengths[axis]) for axis in "XYZ")
        return (x, y, z)


@dataclass(slots=True, kw_only=True)
class _Coder:
    """Follows a phrase and fills the tables."""

    separator: str
    frames: list[FrameRow] = field(default_factory=list)
    drafts: dict[str, _Draft] = field(default_factory=lambda: {_BASE: _Draft(label=_BASE)})
    freedoms: list[Freedom] = field(default_factory=list)
    pieces: dict[str, int] = field(default_factory=dict)

    def follow(self, moves: tuple[Move, ...], label: str) -> None:
        for move in moves:
            if isinstance(move, Branch):
                self.follow(move.moves, label)
            elif isinstance(move, JointMove):
                label = self.joint(move, self.drafts[label])
            elif move.kind is MoveKind.ROTATION:
                label = self.constant_rotation(move, label)
            else:
                self.frames.append(FrameRow(axis=move.axis, segment=label, code=TRANSLATION))
                if move.value.number != 0:
                    self.drafts[label].lengths[move.axis].append(move.value.text)

    def joint(self, move: JointMove, before: _Draft) -> str:
        number = len(self.freedoms) + 1
        turns = move.kind is MoveKind.ROTATION
        # A slide does not turn its frame: the next rotation may still join the group before it.
        draft = _Draft(label=str(number), group_axis=before.group_axis, group=before.group)
        if turns:
            same = before.group_axis == move.axis
            draft.group = (*(before.group if same else ()), number)
            draft.group_axis = move.axis
            draft.rotation = along(move.axis, self.separator.join(map(str, draft.group)))
        self.drafts[draft.label] = draft
        self.freedoms.append(_freedom(move, number))
        code = ROTATION if turns else PRISMATIC
        self.frames.append(FrameRow(axis=move.axis, segment=draft.label, code=code))
        return draft.label

    def constant_rotation(self, move: ConstantMove, label: str) -> str:
        body = label.partition(".")[0]
        self.pieces[body] = self.pieces.get(body, 0) + 1
        piece = f"{body}.{self.pieces[body]}"
        self.drafts[piece] = _Draft(label=piece, rotation=along(move.axis, f"K({move.value.text})"))
        self.frames.append(FrameRow(axis=move.axis, segment=piece, code=CONSTANT_ROTATION))
        return piece


def _freedom(move: JointMove, number: int) -> Freedom:
    return Freedom(
        number=number,
        axis=move.axis,
        turns=move.kind is MoveKind.ROTATION,
        lower=_limit(move.lower, "-INF"),
        upper=_limit(move.upper, "INF"),
    )


def _limit(quantity: PhraseQuantity | None, unlimited: str) -> str:
    return quantity.text if quantity else unlimited


def _sum(terms: list[str]) -> str:
    return "+".join(terms).replace("+-", "-") or "0"


def _body(number: int, segments: tuple[PhraseSegment, ...]) -> BodySymbols:
    """Length and mass symbols of the body that joint ``number`` carries."""
    label = str(number)
    own = [s for s in segments if s.label.partition(".")[0] == label and s.translation != NOTHING]
    if not own:
        return BodySymbols(number=number, length="0", mass="0", com=NOTHING, inertia=NOTHING)
    carrying = [
        axis for axis, length in zip("XYZ", own[0].translation, strict=True) if length != "0"
    ]
    if len(own) == 1 and len(carrying) == 1 and own[0].label == label:
        axis = carrying[0]
        x, y, z = ("0" if axis == letter else f"I{letter}{number}" for letter in "XYZ")
        return BodySymbols(
            number=number,
            length=next(length for length in own[0].translation if length != "0"),
            mass=f"M{number}",
            com=along(axis, f"D{number}"),
            inertia=(x, y, z),
        )
    return BodySymbols(
        number=number,
        length=" then ".join(f"({', '.join(segment.translation)})" for segment in own),
        mass=f"M{number}",
        com=(f"DX{number}", f"DY{number}", f"DZ{number}"),
        inertia=(f"IX{number}", f"IY{number}", f"IZ{number}"),
    )


# ---------------------------------------------------------------------------------- Printed tables
# Source: [LIEGEOIS80] §4.2


def tables_text(tables: InternalTables, mechanism: Mechanism | None = None) -> str:
    """Print the tables.

    Args:
        tables: of a description.
        mechanism: made by ``mechanism_of`` from the same description; its numbers then replace
            the mass symbols, expressed in the phrase's frames.
    """
    masses = _symbols(tables.bodies) if mechanism is None else _numbers(tables, mechanism)
    return "\n\n".join(
        [
            tables.phrase,
            _table("MRR TABLE OF THE DESCRIPTION", [frame.row for frame in tables.frames]),
            _segments(tables, "CONSTANT TRANSLATIONS", [s.translation for s in tables.segments]),
            _segments(tables, "ROTATIONS", [s.rotation for s in tables.segments]),
            f"NUMBER OF CHANGES OF FRAME {tables.frame_count}",
            f"NUMBER OF DEGREES OF FREEDOM {tables.dof}",
            _table(
                "BODIES DESCRIBED",
                [(str(body.number), body.length) for body in tables.bodies],
                ("BODY", "LENGTH"),
            ),
            _table(
                "LIMITS OF THE DEGREES OF FREEDOM",
                [(str(f.number), f.lower, f.upper) for f in tables.freedoms],
                ("DOF", "MIN", "MAX"),
            ),
            masses,
        ]
    )


def _segments(tables: InternalTables, title: str, rows: Rows) -> str:
    """A table with a row per segment; labels only where they are not 1, 2, 3, …."""
    labels = [segment.label for segment in tables.segments]
    if labels == [str(number) for number in range(1, len(labels) + 1)]:
        return _table(title, rows)
    labelled = [(label, *row) for label, row in zip(labels, rows, strict=True)]
    return _table(title, labelled, ("SEGMENT", "X", "Y", "Z"))


def _table(title: str, rows: Rows, head: Sequence[str] = ()) -> str:
    """Columns of equal width under a title."""
    lines = [list(head), *map(list, rows)] if head else [list(row) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    body = (
        "  ".join(entry.ljust(width) for entry, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([title, "", *body])


def _symbols(bodies: Sequence[BodySymbols]) -> str:
    mass = [(str(body.number), body.mass, *body.com) for body in bodies]
    tensors = [
        (f"BODY {body.number} :", *body.inertia) for body in bodies if body.inertia != NOTHING
    ]
    text = _table("MASS DATA", mass, ("BODY", "MASS", "VCG", "", ""))
    return f"{text}\n\n{_table('INERTIA TENSORS', tensors)}" if tensors else text


def _numbers(tables: InternalTables, mechanism: Mechanism) -> str:
    if not mechanism.masses_known:
        return "MASS DATA\n\nnot known"
    mass, tensors = [], []
    for freedom, joint in zip(tables.freedoms, mechanism.movable, strict=True):
        number, C = str(freedom.number), joint_axes(freedom.axis)
        com = (C @ joint.body.com).tolist()
        mass.append((number, number_text(joint.body.mass), *map(number_text, com)))
        if np.any(joint.body.inertia):
            tensors.append((f"BODY {number} :", *_tensor(joint, C), f"at {joint.body.at}"))
    head = ("BODY", "MASS kg", "VCG m", "", "")
    text = _table("MASS DATA", mass, head)
    if not tensors:
        return text
    columns = ("", "XX", "YY", "ZZ", "XY", "XZ", "YZ", "kg m2")
    return f"{text}\n\n{_table('INERTIA TENSORS', tensors, columns)}"


def _tensor(joint: Joint, C: Array) -> list[str]:
    tensor = C @ joint.body.inertia @ C.T
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return [number_text(float(tensor[place])) for place in places]
