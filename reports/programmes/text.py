"""Names, numbers and XML in programmes: plain, printable, never a command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array

_LONGEST = 120  # characters of a name that a comment shows
_LONGEST_LABEL = 32  # DMIS 5 allows 64; lines stay readable
_NOT_IN_LABELS = re.compile(r"[^A-Za-z0-9_-]+")
_NOT_IN_IDENTIFIERS = re.compile(r"[^a-z0-9_]+")
MM = 1e3  # per metre
_XML_TEXT_LONGEST = 200  # characters of a name


def ascii_text(text: str, *, hidden: str = "", longest: int = _LONGEST) -> str:
    r"""Printable ASCII on one line; all else as its code, such as \u202e.

    Args:
        text: any.
        hidden: ASCII characters that mean something in the format; written as codes, too.
        longest: characters of the answer, "..." at the end of one that is cut.
    """
    signs = "".join(_code(sign) if sign in hidden else _shown(sign) for sign in text[:longest])
    return signs if len(signs) <= longest and len(text) <= longest else signs[: longest - 3] + "..."


def labels(names: Iterable[str], prefix: str, *, longest: int = _LONGEST_LABEL) -> tuple[str, ...]:
    """One label per name: letters, digits, _ and -, a letter first; no two alike in capitals.

    Args:
        names: any.
        prefix: letters before a name that does not begin with one.
        longest: characters of a label.
    """
    taken: set[str] = set()
    next_number: dict[str, int] = {}
    found = []
    for name in names:
        base = _NOT_IN_LABELS.sub("_", name).strip("_") or prefix
        base = (base if base[0].isalpha() else f"{prefix}{base}")[:longest]
        label = base
        while label.upper() in taken:
            number = next_number.get(base, 2)
            next_number[base] = number + 1
            label = f"{base[: longest - 6]}_{number}"
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


def rounded(values: ArrayLike, decimals: int) -> Array:
    """Values that print with so many decimals, none of them as -0."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), decimals) + 0.0)


def number(value: float, decimals: int) -> str:
    """One number with so many decimals."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def floored(value: float, decimals: int) -> str:
    """One number with so many decimals, not above the value: of what must not be passed."""
    text = f"{value:.{decimals}f}"
    return text if float(text) <= value else f"{value - 10.0**-decimals:.{decimals}f}"


def numbers(values: ArrayLike, decimals: int) -> list[str]:
    """Several numbers with so many decimals."""
    # As ``rounded`` does it, without NumPy's price for each call: programmes have many small ones.
    scale = 10.0**decimals
    told = np.asarray(values, dtype=np.float64).ravel().tolist()
    return [f"{round(value * scale) / scale:.{decimals}f}" for value in told]


def element(name: str, text: str) -> str:
    """An element with text."""
    return f"<{name}>{escape(_clean(text))}</{name}>"


def attribute(name: str, /, **values: str) -> str:
    """An empty element with attributes."""
    told = "".join(f" {key}={quoteattr(_clean(value))}" for key, value in values.items())
    return f"<{name}{told}/>"


def parent(name: str, /, *children: str, **numbers: int) -> str:
    """An element of elements, one to a line."""
    told = "".join(f' {key}="{value}"' for key, value in numbers.items())
    if not children:
        return f"<{name}{told}/>"
    return "\n".join([f"<{name}{told}>", *children, f"</{name}>"])


def _clean(text: str) -> str:
    """Printable, and of bounded length; what is not printable as its code."""
    cut = text if len(text) <= _XML_TEXT_LONGEST else text[: _XML_TEXT_LONGEST - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(
        sign
        if sign.isprintable()
        else sign.encode("ascii", "backslashreplace").decode()
        if ord(sign) > 127
        else f"\\x{ord(sign):02x}"
        for sign in cut
    )
