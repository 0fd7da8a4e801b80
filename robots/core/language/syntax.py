"""The syntax tree of a description phrase, with its symbols kept.

Source: [LIEGEOIS80] §4.1.1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum


class MoveKind(Enum):
    """Rotation about, or translation along, one axis of the frame before."""

    ROTATION = "R"
    TRANSLATION = "T"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number or a symbol between parentheses.

    Args:
        text: as written, without inner spaces.
        number: millimetres or degrees; None for a symbol.
        symbol: name of the symbol without its sign; empty for a number.
        sign: +1 or -1, of a symbol.
        position: index of its first character in the phrase.
    """

    text: str
    number: Decimal | None = None
    symbol: str = ""
    sign: int = 1
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantMove:
    """A constant change of frame, ``TYK(L1)``: it describes the form of a body."""

    kind: MoveKind
    axis: str
    value: Quantity
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMove:
    """A change of frame by a joint variable, ``RY(min,max)``; no limits when bare."""

    kind: MoveKind
    axis: str
    lower: Quantity | None = None
    upper: Quantity | None = None
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Moves between brackets: they leave from the current frame, which then goes on unchanged."""

    moves: tuple[Move, ...]
    position: int = 0


Move = ConstantMove | JointMove | Branch


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A parsed phrase.

    Args:
        moves: changes of frame from the base to the end; brackets are branches.
        phrase: the text it was parsed from, for messages.
    """

    moves: tuple[Move, ...]
    phrase: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{text_of(self.moves)};"

    def joints(self) -> tuple[JointMove, ...]:
        """Joints in the order of their variables q1, q2, …: the order of the phrase."""
        return tuple(move for move in flat(self.moves) if isinstance(move, JointMove))

    def symbols(self) -> dict[str, MoveKind]:
        """Each symbol with the kind of move it measures: an angle or a length."""
        return {
            quantity.symbol: move.kind
            for move in flat(self.moves)
            for quantity in quantities(move)
            if quantity.symbol
        }


def flat(moves: tuple[Move, ...]) -> Iterator[ConstantMove | JointMove]:
    """All moves in the order of the phrase, branches opened."""
    for move in moves:
        if isinstance(move, Branch):
            yield from flat(move.moves)
        else:
            yield move


def quantities(move: ConstantMove | JointMove) -> tuple[Quantity, ...]:
    """What stands between the parentheses of a move."""
    if isinstance(move, ConstantMove):
        return (move.value,)
    return () if move.lower is None or move.upper is None else (move.lower, move.upper)


def text_of(moves: tuple[Move, ...]) -> str:
    """The phrase in its plain form, without the closing semicolon."""
    return ",".join(_move_text(move) for move in moves)


def _move_text(move: Move) -> str:
    if isinstance(move, Branch):
        return f"[{text_of(move.moves)}]"
    constant = "K" if isinstance(move, ConstantMove) else ""
    inner = ",".join(quantity.text for quantity in quantities(move))
    return f"{move.kind.value}{move.axis}{constant}" + (f"({inner})" if inner else "")
