"""Untrusted text made fit for a page, a terminal or a spreadsheet: nothing hidden or endless.

Escaping is the template's; here is what escaping leaves: marks that turn the direction of the
text around them, control characters, halves of characters, and lengths that no reader wants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TextIO

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"  # emphasis on a terminal
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows a formula
UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
LONGEST = 80  # characters of a label
_CUT = "…"
_UNSEEN = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """The text with every unseen character written as its code, such as ⟨U+202E⟩."""
    return UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def cut(text: str, limit: int) -> str:
    """The text, or its beginning and how much is missing.

    Args:
        text: any.
        limit: characters that are shown.
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def label(text: str, longest: int = LONGEST) -> str:
    """A name to be shown: marks without a shape of their own replaced, the rest cut.

    Marks of writing direction, control characters and lone surrogates could make a label look like
    another one, or break the file that holds it.

    Args:
        text: of a job; untrusted.
        longest: characters that are kept.
    """
    kept = text[:longest] if len(text) <= longest else text[: longest - 1] + _CUT
    return "".join(sign if sign.isprintable() else _UNSEEN for sign in kept)


def node_name(number: int, text: str) -> str:
    """One step of a path in a scene tree: unique by its number, without a path separator."""
    return f"{number} {label(text, 40).replace('/', '∕')}"


def spreadsheet_text(text: str) -> str:
    """A name that no spreadsheet takes for a formula: an apostrophe before = + - @ and tab."""
    return f"'{text}" if text.startswith(_FORMULA) else text


# --- on a terminal -------------------------------------------------------------------------------


class EscapedStream:
    """A text stream that shows control characters as their codes, such as ⟨U+001B⟩.

    Args:
        stream: that it writes to; everything but ``write`` is the stream's own.
    """

    def __init__(self, stream: TextIO) -> None:
        self.terminal_stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal_stream, name)

    def write(self, text: str) -> int:
        """See ``io.TextIOBase``."""
        if BOLD in text and self.terminal_stream.isatty():
            parts = [visible(part).replace(visible(PLAIN), PLAIN) for part in text.split(BOLD)]
            self.terminal_stream.write(BOLD.join(parts))
        else:
            self.terminal_stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """See ``io.TextIOBase``."""
        for line in lines:
            self.write(line)
