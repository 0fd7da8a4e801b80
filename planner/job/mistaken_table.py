"""A table of points given as a job."""

from __future__ import annotations

_SEPARATORS = (",", ";", "\t")


def looks_like_table(text: str) -> bool:
    """Whether a text that is no TOML begins as CSV does."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            separated = any(sign in line.strip() for sign in _SEPARATORS)
            return separated and "=" not in line and not line.lstrip().startswith("[")
    return False
