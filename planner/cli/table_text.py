"""The text of a table that a command is given: a file, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from planner.errors import StatesError
from robots.core.caps import Cap, read_capped, reason_of

STANDARD_INPUT = "-"


def origin_of(source: str) -> str:
    """The name that messages give a table."""
    return "standard input" if source == STANDARD_INPUT else Path(source).name


def table_text(source: str) -> str:
    """Read a table.

    Args:
        source: path of a file; "-" reads standard input.

    Raises:
        StatesError: not readable, too large, not UTF-8.
    """
    origin = origin_of(source)
    raw = _input_bytes() if source == STANDARD_INPUT else _file_bytes(source)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StatesError(
            f"{origin}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8."
        ) from None


def _file_bytes(source: str) -> bytes:
    try:
        return read_capped(source, Cap.TABLE_BYTES)
    except OSError as error:
        raise StatesError(f"{source}: the table cannot be read: {reason_of(error)}.") from error


def _input_bytes() -> bytes:
    cap = Cap.TABLE_BYTES
    try:
        raw = sys.stdin.buffer.read(cap.limit + 1)
    except OSError as error:
        raise StatesError(f"standard input cannot be read: {reason_of(error)}.") from error
    if len(raw) > cap.limit:
        raise StatesError(f"standard input has more than {cap.limit} bytes; {cap.advice}.")
    return raw
