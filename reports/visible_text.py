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
