"""XML elements as text: everything escaped, nothing that XML 1.0 cannot hold."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

_LONGEST = 200  # characters of a name


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
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return "".join(
        sign
        if sign.isprintable()
        else sign.encode("ascii", "backslashreplace").decode()
        if ord(sign) > 127
        else f"\\x{ord(sign):02x}"
        for sign in cut
    )
