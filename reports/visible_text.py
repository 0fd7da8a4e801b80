"""Untrusted text made fit for a page: nothing hidden, nothing endless.

Escaping is the template's; here is what escaping leaves: marks that turn the direction of the
text around them, control characters, halves of characters, and lengths that no reader wants.
"""

from __future__ import annotations

import re

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"  # emphasis on a terminal
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
