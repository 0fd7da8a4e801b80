"""DMIS text → statements: comments dropped, continued lines joined, labels and words split."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from parts.errors import PointsError
from parts.points.file_text import fault, lines_of, shown
from robots.core.caps import Cap

_LABEL = re.compile(r"([A-Za-z]+)\s*\(([^()]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement ``[label =] MAJOR[/word, word, …]``.

    Args:
        line: where it starts, from 1.
        label: what stands before the equals sign, or nothing.
        major: in capital letters.
        words: after the stroke, without outer spaces, as written.
        text: the whole statement, continued lines joined.
    """

    line: int
    label: str
    major: str
    words: tuple[str, ...]
    text: str = ""

    def word(self, place: int) -> str:
        """A word in capital letters; nothing where there are fewer."""
        return self.words[place].upper() if place < len(self.words) else ""


def statements_of(text: str, origin: str) -> Iterator[Statement]:
    """Statements of a DMIS text.

    Raises:
        PointsError: a text in quotes that does not end, a continuation without a next line, a
            statement that is too long.
    """
    longest = Cap.STATEMENT_CHARACTERS.limit
    start, pieces, length = 0, [""], 0
    for line, raw in enumerate(lines_of(text.rstrip()), start=1):
        piece, continued = _piece(raw, origin, line)
        start = line if len(pieces) == 1 else start
        pieces.append(piece)
        length += len(piece) + 1
        if length > longest:
            raise fault(
                origin,
                f"the statement has more than {longest} characters; "
                f"{Cap.STATEMENT_CHARACTERS.advice}.",
                line=start,
                limit=longest,
            )
        if continued:
            continue
        joined = " ".join(pieces).strip()
        pieces, length = [""], 0
        if joined:
            yield _statement(joined, start)
    if len(pieces) > 1:
        raise fault(
            origin,
            "the last line is continued by $, but nothing follows: the file is cut short.",
            line=start,
        )


def label_of(word: str) -> tuple[str, str]:
    """Kind and name of a label such as ``F(CIRCLE1)``; nothing, twice, where it is none."""
    found = _LABEL.fullmatch(word.strip())
    return (found[1].upper(), found[2].strip()) if found else ("", "")


def _piece(raw: str, origin: str, line: int) -> tuple[str, bool]:
    """What a line adds to a statement, and whether the next line continues it."""
    piece = raw.strip()
    if "'" in piece or "$" in piece:
        piece = _without_comment(piece, origin, line)
        if piece.endswith("$"):
            return piece[:-1].strip(), True
    return piece, False


def _without_comment(piece: str, origin: str, line: int) -> str:
    quoted = False
    for place, sign in enumerate(piece):
        if sign == "'":
            quoted = not quoted
        elif not quoted and piece.startswith("$$", place):
            return piece[:place].strip()
    if quoted and not piece.endswith("$"):
        raise _unclosed(piece, origin, line)
    return piece


def _unclosed(piece: str, origin: str, line: int) -> PointsError:
    return fault(origin, f"the text in quotes does not end: {shown(piece)}.", line=line)


def _statement(joined: str, line: int) -> Statement:
    head, stroke, tail = joined.partition("/")
    label, equals, major = head.rpartition("=")
    words = tuple(word.strip() for word in _split(tail)) if stroke else ()
    return Statement(
        line=line,
        label=label.strip() if equals else "",
        major="".join(major.split()).upper(),
        words=words,
        text=joined,
    )


def _split(tail: str) -> list[str]:
    """Words between commas; a comma in quotes or brackets does not split."""
    if "'" not in tail and "(" not in tail:
        return tail.split(",")
    words, start, depth, quoted = [], 0, 0, False
    for place, sign in enumerate(tail):
        if sign == "'":
            quoted = not quoted
        elif not quoted:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth <= 0:
                words.append(tail[start:place])
                start = place + 1
    return [*words, tail[start:]]
