"""Syntax of the description language: phrase to ``Description``, by recursive descent.

Grammar::

    phrase   = moves [";"]
    moves    = move {"," move}
    move     = "[" moves "]"
             | ("R" | "ROT" | "T" | "TRANS") ("X" | "Y" | "Z") "K" "(" quantity ")"
             | ("R" | "ROT" | "T" | "TRANS") ("X" | "Y" | "Z") ["(" limit "," limit ")"]
    quantity = number | symbol
    limit    = quantity | ["-"] "INF"

Lengths are millimetres and angles degrees. "[" opens a branch at the current frame; after "]" the
phrase goes on from that same frame. Ø and ∅ alone are zero; θ, Ø and 0 may begin a limit's symbol.

Source: [LIEGEOIS80] §4.1.1; brackets and bare joints are ours
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import NoReturn

from robots.core.caps import Cap
from robots.core.errors import DescriptionError
from robots.core.file_units import decimal_of

_MOVE = re.compile(r"(R|ROT|T|TRANS)([XYZ])(K?)", re.IGNORECASE)
_A_MOVE = 'a move such as RX(-90,90), TZ(0,500), TYK(400) or RXK(90), or "["'
_DEEPEST = 50  # brackets within brackets
_LARGEST = Decimal("1e300")


# ------------------------------------------------------------------------------------- Syntax tree
# Source: [LIEGEOIS80] §4.1.1


class MoveKind(Enum):
    """Rotation about, or translation along, one axis of the frame before."""

    ROTATION = "R"
    TRANSLATION = "T"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseQuantity:
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
    value: PhraseQuantity
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMove:
    """A change of frame by a joint variable, ``RY(min,max)``; no limits when bare."""

    kind: MoveKind
    axis: str
    lower: PhraseQuantity | None = None
    upper: PhraseQuantity | None = None
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Moves between brackets: they leave from the current frame, which then goes on unchanged."""

    moves: tuple[Move, ...]
    position: int = 0


Move = ConstantMove | JointMove | Branch


def parse(phrase: str) -> Description:
    """Read a description phrase.

    Args:
        phrase: for example ``RY(-170,170),TYK(400),RX(θ2MIN,θ2MAX),TZK(L3);``

    Raises:
        DescriptionError: a fault; its text shows the phrase with a caret under the character.
    """
    reader = _Reader(phrase)
    moves = reader.moves(depth=0)
    if reader.at(";"):
        reader.take()
    if reader.here.kind is not TokenKind.END:
        reader.fail('",", ";" or the end of the phrase')
    description = Description(moves=moves, phrase=phrase)
    _check_symbols(description)
    return description


class _Reader:
    """The tokens of one phrase and the place reached in them."""

    def __init__(self, phrase: str) -> None:
        self.phrase = phrase
        self._tokens = tokens_of(phrase)
        self._index = 0

    @property
    def here(self) -> Token:
        return self._tokens[self._index]

    def at(self, mark: str) -> bool:
        return self.here.kind is TokenKind.MARK and self.here.text == mark

    def take(self) -> Token:
        self._index += 1
        return self._tokens[self._index - 1]

    def fail(self, expected: str, token: Token | None = None) -> NoReturn:
        token = token or self.here
        raise phrase_error(self.phrase, token.position, token.found, expected)

    def expect(self, mark: str, expected: str = "") -> Token:
        if not self.at(mark):
            self.fail(expected or f'"{mark}"')
        return self.take()

    def moves(self, depth: int) -> tuple[Move, ...]:
        found = [self.move(depth)]
        while self.at(","):
            self.take()
            found.append(self.move(depth))
        return tuple(found)

    def move(self, depth: int) -> Move:
        if self.at("["):
            return self.branch(depth + 1)
        match = _MOVE.fullmatch(self.here.text) if self.here.kind is TokenKind.WORD else None
        if match is None:
            self.fail(_A_MOVE)
        position = self.take().position
        kind, axis = MoveKind(match[1][0].upper()), match[2].upper()
        if match[3]:
            return self.constant(kind, axis, position)
        return self.joint(kind, axis, position)

    def branch(self, depth: int) -> Branch:
        opening = self.take()
        if depth > _DEEPEST:
            self.fail(f"at most {_DEEPEST} brackets within each other", opening)
        moves = self.moves(depth)
        self.expect("]", '"," or "]"')
        return Branch(moves=moves, position=opening.position)

    def constant(self, kind: MoveKind, axis: str, position: int) -> ConstantMove:
        what = "an angle in degrees" if kind is MoveKind.ROTATION else "a length in millimetres"
        self.expect("(", f'"(" and {what}, as the move is constant (K)')
        value = self.quantity(f"{what}, a number or a symbol", infinite=False)
        self.expect(")")
        return ConstantMove(kind=kind, axis=axis, value=value, position=position)

    def joint(self, kind: MoveKind, axis: str, position: int) -> JointMove:
        if not self.at("("):
            if self.here.kind is not TokenKind.END and not any(map(self.at, ",;]")):
                self.fail('"(" and the limits, ",", ";" or the end of the phrase')
            return JointMove(kind=kind, axis=axis, position=position)
        self.take()
        lower = self.quantity("the lower limit, a number or a symbol", infinite=True)
        self.expect(",", '"," and the upper limit, as a move without K is a joint')
        place = self.here
        upper = self.quantity("the upper limit, a number or a symbol", infinite=True)
        if _crossed(lower, upper):
            self.fail(f"an upper limit not below the lower one, {lower.text}", place)
        self.expect(")")
        return JointMove(kind=kind, axis=axis, lower=lower, upper=upper, position=position)

    def quantity(self, expected: str, *, infinite: bool) -> PhraseQuantity:
        token = self.here
        if token.kind is TokenKind.NUMBER:
            return self.number(expected)
        if token.kind is not TokenKind.WORD:
            self.fail(expected)
        self.take()
        sign = -1 if token.text[0] in "-−" else 1
        word = token.text.lstrip("+-−")
        if word.upper() == "INF":
            if not infinite:
                self.fail(expected, token)
            number = Decimal(sign) * Decimal("Infinity")
            return PhraseQuantity(
                text="-INF" if sign < 0 else "INF", number=number, position=token.position
            )
        if self.here.kind is TokenKind.WORD and self.here.text.upper() in ("MIN", "MAX"):
            word += self.take().text
        text = f"-{word}" if sign < 0 else word
        return PhraseQuantity(text=text, symbol=word, sign=sign, position=token.position)

    def number(self, expected: str) -> PhraseQuantity:
        token = self.take()
        text = token.text.replace("−", "-").replace("Ø", "0").replace("∅", "0")
        value = decimal_of(text)
        if not value.is_finite() or value.copy_abs() >= _LARGEST:
            self.fail(expected + f" below {_LARGEST:g}", token)
        if float(value) == 0.0:
            value, text = Decimal(0), "0"
        return PhraseQuantity(text=text, number=value, position=token.position)


def _crossed(lower: PhraseQuantity, upper: PhraseQuantity) -> bool:
    """Return whether no joint value lies between the limits, as far as numbers tell."""
    if lower.text == "INF" or upper.text == "-INF":
        return True
    return lower.number is not None and upper.number is not None and lower.number > upper.number


def _check_symbols(description: Description) -> None:
    """Refuse a symbol that is an angle in one place and a length in another."""
    kinds: dict[str, MoveKind] = {}
    for move in flat(description.moves):
        for quantity in quantities(move):
            if quantity.symbol and kinds.setdefault(quantity.symbol, move.kind) is not move.kind:
                raise phrase_error(
                    description.phrase,
                    quantity.position,
                    repr(quantity.symbol),
                    "another symbol, as this one measures an angle in one place and a length in "
                    "another",
                )


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


def quantities(move: ConstantMove | JointMove) -> tuple[PhraseQuantity, ...]:
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


# ------------------------------------------------------------------------------------------ Tokens

_WINDOW = 60  # characters of a long line shown before and after a fault


class TokenKind(Enum):
    """Kind of a token; the value is its name in messages."""

    NUMBER = "a number"
    WORD = "a word"
    MARK = "a mark"
    END = "the end of the phrase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of the phrase. Args: text; kind; position of its first character."""

    kind: TokenKind
    text: str
    position: int

    @property
    def found(self) -> str:
        """How a message names it."""
        return self.kind.value if self.kind is TokenKind.END else repr(self.text)


# The report's line printer has Ø for zero; its typist uses it for θ as well: Ø1MIN, 01MIN.
_PATTERNS = (
    (
        TokenKind.NUMBER,
        re.compile(r"[+\-−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])"),
    ),
    (TokenKind.NUMBER, re.compile(r"[+\-−]?(?:Ø|∅)(?![\w.])")),
    (TokenKind.WORD, re.compile(r"[+\-−]?0[0-9]*(?:MIN|MAX)(?!\w)")),
    (TokenKind.WORD, re.compile(r"[+\-−]?[^\W\d]\w*")),
    (TokenKind.MARK, re.compile(r"[(),;\[\]]")),
)
# What looks like a number at first; group 1 is the part that still is one.
_BROKEN = re.compile(r"(?=[+\-−]?[\w.])([+\-−]?[0-9]*\.?[0-9]*)[\w.]*")


def tokens_of(phrase: str) -> list[Token]:
    """Cut a phrase into tokens, the last of which is the end.

    Raises:
        DescriptionError: a character that no token starts with, or a phrase too long.
    """
    cap = Cap.PHRASE_CHARACTERS
    if len(phrase) > cap.limit:
        raise DescriptionError(
            f"The description phrase has {len(phrase)} characters; at most {cap.limit} are read; "
            f"{cap.advice}.",
            value=len(phrase),
            limit=cap.limit,
        )
    tokens: list[Token] = []
    position = 0
    while True:
        while position < len(phrase) and phrase[position].isspace():
            position += 1
        if position == len(phrase):
            tokens.append(Token(kind=TokenKind.END, text="", position=position))
            return tokens
        tokens.append(_next(phrase, position))
        position += len(tokens[-1].text)


def phrase_error(phrase: str, position: int, found: str, expected: str) -> DescriptionError:
    """The error for a fault in a phrase: what, where, a caret under the character.

    Args:
        phrase: the whole phrase.
        position: index of the faulty character; len(phrase) is the end.
        found: what stands there, ready to print.
        expected: what could stand there.
    """
    start = phrase.rfind("\n", 0, position) + 1
    end = phrase.find("\n", position)
    end = len(phrase) if end < 0 else end
    first, last = max(start, position - _WINDOW), min(end, position + _WINDOW)
    shown = "".join(_visible(character) for character in phrase[first:last])
    before = "".join(_visible(character) for character in phrase[first:position])
    column = len(before) + 2 * (first > start)
    ellipsis = ("… " if first > start else "", " …" if last < end else "")
    return DescriptionError(
        f"Description phrase, character {position + 1}: found {found}; expected {expected}.\n"
        f"  {ellipsis[0]}{shown}{ellipsis[1]}\n"
        f"  {' ' * column}^",
        position=position,
        found=found,
        expected=expected,
    )


def _next(phrase: str, position: int) -> Token:
    for kind, pattern in _PATTERNS:
        if match := pattern.match(phrase, position):
            return Token(kind=kind, text=match[0], position=position)
    if broken := _BROKEN.match(phrase, position):
        fault = min(broken.end(1), broken.end() - 1)
        raise phrase_error(
            phrase,
            fault,
            f"{phrase[fault]!r} in {broken[0]!r}",
            "a number such as 400 or -12.5, or a symbol, which begins with a letter",
        )
    character = phrase[position]
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    found = repr(character) if character.isprintable() else name
    raise phrase_error(phrase, position, found, "a move, a number, a symbol or one of ( ) , ; [ ]")


def _visible(character: str) -> str:
    """The character, or one of the same width in its place: the caret must stay under its fault."""
    narrow = unicodedata.east_asian_width(character) not in ("W", "F")
    plain = not unicodedata.combining(character) and character.isprintable()
    return character if plain and narrow else " " if character.isspace() else "?"
