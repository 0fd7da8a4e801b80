"""Rates and wrenches of a platform as a command gives them, and lines of its tables."""

from __future__ import annotations

import numpy as np

from planner.cli.moves.motion_values import listed_numbers
from planner.errors import OptionError
from planner.tables import ACCELERATION, SPIN, SPIN_RATE, VELOCITY, WRENCH, States
from robots.core.arrays import Array
from robots.stewart.errors import PlatformError


def has_rates(states: States) -> bool:
    """Whether the table tells of a motion."""
    return bool({VELOCITY, SPIN, ACCELERATION, SPIN_RATE} & set(states.groups))


def wrench_of(text: str, states: States) -> Array | None:
    """The wrench of ``--wrench`` or of the table; None for none. # (N, 6) [N, N m].

    Raises:
        OptionError: not six numbers, or one here and another in the table.
    """
    if not text:
        return states.groups.get(WRENCH)
    if WRENCH in states:
        raise OptionError(f"{states.origin} has columns fx_n … mz_nm; leave out --wrench.")
    values = listed_numbers(text, "--wrench")
    if values.size != 6:
        raise OptionError(f"--wrench has {values.size} values; give FX,FY,FZ,MX,MY,MZ in N, N m.")
    return np.broadcast_to(values, (len(states), 6))


def at_line(table: States, error: PlatformError, row: int) -> PlatformError:
    """An error that names the line of its lengths."""
    line = table.lines[row]
    message = f"{table.origin}, line {line}: {error.message}"
    return PlatformError(message, **{**error.facts, "file": table.origin, "line": line})
