"""The typeface behind all others in the PDF: which characters it has, and how wide they are.

The PDF's own typefaces come with typst; what they lack is set in DejaVu Sans, which comes with
matplotlib. A character that DejaVu Sans lacks, too, would be an empty box on paper.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

_SIZE = 64.0  # [pt], at which widths are read; any would do
_DIGIT, _LETTER = 0.76, 0.88  # what the PDF's own are narrower by; its capitals are as wide


def folder() -> Path:
    """Where the typeface's files are."""
    import matplotlib

    return Path(matplotlib.get_data_path(), "fonts", "ttf")


@cache
def known(character: str) -> bool:
    """Whether the character can be shown."""
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
