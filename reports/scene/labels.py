"""Names of a job as labels: short, printable, in one line; whatever they hold, they are text."""

from __future__ import annotations

LONGEST = 80  # characters of a label
_CUT = "…"
_UNSEEN = "\N{REPLACEMENT CHARACTER}"


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
