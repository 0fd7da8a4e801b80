"""Names of files as texts: what no encoding can hold is readable, and never the same as before."""

from __future__ import annotations


def shown(text: str) -> str:
    r"""A text that UTF-8, JSON and XML can hold.

    Args:
        text: may hold what Python makes of bytes in the names of files that are no UTF-8; they
            stand as their numbers, ``caf\xe9``.
    """
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character that came from elsewhere
        raw = text.encode("utf-8", "backslashreplace")
    return raw.decode("utf-8", "backslashreplace")
