"""Values that a sweep varies, as its readers see them: numbers, truth values, texts."""

from __future__ import annotations

import math
from decimal import Decimal

from planner.job.toml_text import toml_value

Swept = str | int | float | bool


def swept_value(value: object) -> Swept:
    """A value of a sweep for a column; a list or a table is told as TOML writes it.

    Args:
        value: as the sweep file has it.

    Raises:
        JobError: a value that no job file holds, such as a date.
    """
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal) and math.isfinite(near := float(value)):
        return near
    return toml_value(value, ("values",))


def swept_text(value: Swept) -> str:
    """A value in words; a text stands without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)
