"""A description phrase cut into tokens, and the error that points into a phrase."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

from robots.core.caps import Cap
from robots.core.errors import DescriptionError

_WINDOW = 60  # characters of a long line shown before and after a fault


class TokenKind(Enum):
    """What a token is; the value is how messages call it."""

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
