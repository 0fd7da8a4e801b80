"""Untrusted names in programmes: plain ASCII, one line, never anything that a controller obeys."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 120  # characters of a name that a comment shows
_LONGEST_LABEL = 32  # DMIS 5 allows 64; lines stay readable
_NOT_IN_LABELS = re.compile(r"[^A-Za-z0-9_-]+")
_NOT_IN_IDENTIFIERS = re.compile(r"[^a-z0-9_]+")


def ascii_text(text: str, *, hidden: str = "", longest: int = _LONGEST) -> str:
    r"""Printable ASCII on one line; all else as its code, such as \u202e.

    Args:
        text: any.
        hidden: ASCII characters that mean something in the format; written as codes, too.
        longest: characters of the answer, "..." at the end of one that is cut.
    """
    signs = "".join(_code(sign) if sign in hidden else _shown(sign) for sign in text[:longest])
    return signs if len(signs) <= longest and len(text) <= longest else signs[: longest - 3] + "..."


def labels(names: Iterable[str], prefix: str) -> tuple[str, ...]:
    """One label per name: letters, digits, _ and -, a letter first; no two alike in capitals.

    Args:
        names: any.
        prefix: letters before a name that does not begin with one.
    """
    taken: set[str] = set()
    next_number: dict[str, int] = {}
    found = []
    for name in names:
        base = _NOT_IN_LABELS.sub("_", name).strip("_") or prefix
        base = (base if base[0].isalpha() else f"{prefix}{base}")[:_LONGEST_LABEL]
        label = base
        while label.upper() in taken:
            number = next_number.get(base, 2)
            next_number[base] = number + 1
            label = f"{base[: _LONGEST_LABEL - 6]}_{number}"
        taken.add(label.upper())
        found.append(label)
    return tuple(found)


def identifier(name: str, fallback: str) -> str:
    """A name of small letters, digits and _, as programmes and files of controllers have."""
    word = _NOT_IN_IDENTIFIERS.sub("_", name.lower()).strip("_")[:24]
    return word if word[:1].isalpha() else fallback


def _shown(sign: str) -> str:
    return sign if " " <= sign <= "~" else _code(sign)


def _code(sign: str) -> str:
    number = ord(sign)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
