"""Phrase → Description, by recursive descent.

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
from decimal import Decimal
from typing import NoReturn

from robots.core.file_units import decimal_of
from robots.core.language.syntax import (
    Branch,
    ConstantMove,
    Description,
    JointMove,
    Move,
    MoveKind,
    Quantity,
    flat,
    quantities,
)
from robots.core.language.tokens import Token, TokenKind, phrase_error, tokens_of

_MOVE = re.compile(r"(R|ROT|T|TRANS)([XYZ])(K?)", re.IGNORECASE)
_A_MOVE = 'a move such as RX(-90,90), TZ(0,500), TYK(400) or RXK(90), or "["'
_DEEPEST = 50  # brackets within brackets
_LARGEST = Decimal("1e300")


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

    def quantity(self, expected: str, *, infinite: bool) -> Quantity:
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
            return Quantity(
                text="-INF" if sign < 0 else "INF", number=number, position=token.position
            )
        if self.here.kind is TokenKind.WORD and self.here.text.upper() in ("MIN", "MAX"):
            word += self.take().text
        text = f"-{word}" if sign < 0 else word
        return Quantity(text=text, symbol=word, sign=sign, position=token.position)

    def number(self, expected: str) -> Quantity:
        token = self.take()
        text = token.text.replace("−", "-").replace("Ø", "0").replace("∅", "0")
        value = decimal_of(text)
        if not value.is_finite() or value.copy_abs() >= _LARGEST:
            self.fail(expected + f" below {_LARGEST:g}", token)
        if float(value) == 0.0:
            value, text = Decimal(0), "0"
        return Quantity(text=text, number=value, position=token.position)


def _crossed(lower: Quantity, upper: Quantity) -> bool:
    """Whether no joint value lies between the limits, as far as numbers tell."""
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
