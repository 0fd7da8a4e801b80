"""Texts of a job as paper can show them, and the characters that the typeface has."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

CUT = "…"
_SPACES = {"Zs"}
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MARKS = {"Mn", "Me"}
_STACK = 2  # accents on one letter; more would climb over the lines above
_TAB = "    "
_KEPT = "\N{NO-BREAK SPACE}"
_UNIT = 4  # characters of the longest unit, such as mm/s


def shown(text: str, limit: int) -> str:
    """A text on one line: what cannot be seen or set stands as its code point, such as [U+202E].

    Args:
        text: any characters.
        limit: characters of the answer; what is beyond is cut, which an ellipsis says.
    """
    parts: list[str] = []
    length = marks = 0
    for character in text:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in _MARKS else 0
        part = _part(character, kind, marks)
        length += len(part)
        if length > limit:
            return "".join(_until(parts, limit - 1)) + CUT
        parts.append(part)
    return "".join(parts)


def lines(text: str, columns: int, rows: int) -> list[tuple[int, str]]:
    """A file's lines with their numbers, long ones broken; 0 numbers a line's continuation.

    Args:
        text: of the file.
        columns: characters per line on paper.
        rows: that one line may take on paper before it is cut.
    """
    told = []
    for number, line in enumerate(text.split("\n"), start=1):
        whole = shown(line.removesuffix("\r").replace("\t", _TAB), columns * rows)
        starts = range(0, max(len(whole), 1), columns)
        told += [(0 if start else number, whole[start : start + columns]) for start in starts]
    if told and not told[-1][1] and told[-1][0]:
        told.pop()  # after the last line's end
    return told


def with_units(text: str) -> str:
    """The text with each number kept beside the short word after it: a unit begins no line."""
    told = ""
    for word in text.split(" "):
        kept = told[-1:].isdigit() and len(word.rstrip(".,;:)")) <= _UNIT
        told += (_KEPT if kept else " ") + word
    return told[1:]


def pieces(text: str, room: float) -> list[str]:
    """The text in pieces, each on a new line: only words that find no room on one are broken.

    Args:
        text: of known characters.
        room: for a line. [em]
    """
    told, begun, wide = [], "", 0.0
    for word in text.split(" "):
        if width(word) <= room:
            begun += word + " "
            continue
        wide = 0.0
        told.append(begun)
        begun = ""
        for character in word:
            wide += advance(character)
            if wide > room and begun:
                told.append(begun)
                begun, wide = "", advance(character)
            begun += character
        begun += " "
    told.append(begun)
    return [piece for piece in _without_last_space(told) if piece]


def _part(character: str, kind: str, marks: int) -> str:
    if kind in _SPACES or character in "\n\t":
        return " "
    if kind in _HIDDEN or marks > _STACK or not known(character):
        return f"[U+{ord(character):04X}]"
    return character


def _until(parts: list[str], limit: int) -> list[str]:
    length = sum(map(len, parts))
    while length > limit:
        length -= len(parts.pop())
    return parts


def _without_last_space(told: list[str]) -> list[str]:
    return [*told[:-1], told[-1].removesuffix(" ")]


# ---------------------------------------------------------------------------------------- Typeface
# The PDF's own typefaces come with typst; what they lack is set in DejaVu Sans, which comes with
# matplotlib. A character that DejaVu Sans lacks, too, would be an empty box on paper.

_SIZE = 64.0  # [pt], at which widths are read; any would do
_DIGIT, _LETTER = 0.76, 0.88  # what the PDF's own are narrower by; its capitals are as wide


def folder() -> Path:
    """Where the typeface's files are."""
    import matplotlib

    return Path(matplotlib.get_data_path(), "fonts", "ttf")


@cache
def known(character: str) -> bool:
    """Return whether the character can be shown."""
    return _font().get_char_index(ord(character)) != 0


@cache
def advance(character: str) -> float:
    """Width of a known character; hardly ever less than in the PDF's own typefaces. [em]."""
    wide = float(_font().load_char(ord(character)).linearHoriAdvance) / (65536.0 * _SIZE)
    if character.isascii() and not character.isupper():
        return wide * (_DIGIT if character.isdigit() else _LETTER)
    return wide


def width(text: str) -> float:
    """Width of known characters side by side. [em]."""
    return sum(map(advance, text))


@cache
def _font() -> FT2Font:
    from matplotlib.ft2font import FT2Font

    font = FT2Font(str(folder() / "DejaVuSans.ttf"))
    font.set_size(_SIZE, 72.0)
    return font
