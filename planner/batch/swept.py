"""Values that a sweep varies, as its readers see them: numbers, truth values, texts."""

from __future__ import annotations

import math
from datetime import date, time
from decimal import Decimal

from planner.errors import JobError
from robots.core.robot_file.source_text import toml_value

Swept = str | int | float | bool


def swept_value(key: str, value: object) -> Swept:
    """A value of a sweep for a column; a list or a table is told as TOML writes it.

    Args:
        key: that it is given to.
        value: as the sweep file has it.

    Raises:
        JobError: a date or a time, which no job file holds.
    """
    if isinstance(value, date | time):
        raise JobError(
            f"{key} is {value.isoformat()}; a job file holds texts, numbers, lists and tables "
            "only.",
            key=key,
        )
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal) and math.isfinite(near := float(value)):
        return near
    return toml_value(value)


def swept_text(value: Swept) -> str:
    """A value in words; a text stands without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)
