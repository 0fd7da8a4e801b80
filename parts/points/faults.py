"""Errors that point at a place in a point file."""

from __future__ import annotations

from typing import Any

from parts.errors import PointsError

LONGEST_SHOWN = 40


def fault(
    origin: str,
    sentence: str,
    *,
    line: int | None = None,
    column: str | None = None,
    **facts: Any,
) -> PointsError:
    """An error of a point file.

    Args:
        origin: name of the file.
        sentence: what was found, what was expected, and the nearest fix.
        line: from 1.
        column: or field, as the format's users call it.
        **facts: kept beside file, line, column and the sentence as ``reason``.
    """
    place = origin
    if line is not None:
        place += f", line {line}"
        facts["line"] = line
    if column is not None:
        place += f", column {column}"
        facts["column"] = column
    return PointsError(f"{place}: {sentence}", file=origin, reason=sentence, **facts)


def shown(text: str) -> str:
    """A found text in quotes, shortened."""
    return repr(text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "...")
