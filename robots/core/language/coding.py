"""Description → internal tables: one walk along the phrase.

Source: [LIEGEOIS80] §4.2
"""

from __future__ import annotations

from dataclasses import dataclass, field

from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    Quantity,
)
from robots.core.language.tables import (
    CONSTANT_ROTATION,
    NOTHING,
    PRISMATIC,
    ROTATION,
    TRANSLATION,
    BodySymbols,
    Frame,
    Freedom,
    InternalTables,
    Row3,
    Segment,
    along,
)

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
        Segment(label=draft.label, translation=draft.translation, rotation=draft.rotation)
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
    frames: list[Frame] = field(default_factory=list)
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
                self.frames.append(Frame(axis=move.axis, segment=label, code=TRANSLATION))
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
        self.frames.append(Frame(axis=move.axis, segment=draft.label, code=code))
        return draft.label

    def constant_rotation(self, move: ConstantMove, label: str) -> str:
        body = label.partition(".")[0]
        self.pieces[body] = self.pieces.get(body, 0) + 1
        piece = f"{body}.{self.pieces[body]}"
        self.drafts[piece] = _Draft(label=piece, rotation=along(move.axis, f"K({move.value.text})"))
        self.frames.append(Frame(axis=move.axis, segment=piece, code=CONSTANT_ROTATION))
        return piece


def _freedom(move: JointMove, number: int) -> Freedom:
    return Freedom(
        number=number,
        axis=move.axis,
        turns=move.kind is MoveKind.ROTATION,
        lower=_limit(move.lower, "-INF"),
        upper=_limit(move.upper, "INF"),
    )


def _limit(quantity: Quantity | None, unlimited: str) -> str:
    return quantity.text if quantity else unlimited


def _sum(terms: list[str]) -> str:
    return "+".join(terms).replace("+-", "-") or "0"


def _body(number: int, segments: tuple[Segment, ...]) -> BodySymbols:
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
