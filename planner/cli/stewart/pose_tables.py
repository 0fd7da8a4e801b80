"""Tables about a platform: poses, rates and lengths by their columns."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from planner.cli.moves.motion_values import listed_numbers
from planner.cli.stewart.pose_columns import ANGLES
from planner.cli.table_text import origin_of, table_text
from planner.cli.unit_columns import (
    ACCELERATION,
    POSE,
    POSITION,
    SPIN,
    SPIN_RATE,
    VELOCITY,
    WRENCH,
    Column,
    nearest_header,
)
from planner.cli.unit_table import States, table_of
from planner.errors import OptionError, StatesError
from robots.core.orientation.angles import rotation_zyx
from robots.core.orientation.rotation import as_rotation
from robots.core.pose import make_pose
from robots.stewart.errors import PlatformError

Array = NDArray[np.float64]


def read_table(source: str, known: dict[str, Column]) -> States:
    """Read a table.

    Args:
        source: path of a CSV file; "-" reads standard input.
        known: headers that may stand in it.

    Raises:
        StatesError: a file that cannot be read, a column or a cell that is not right; with file,
            line, column, what was found and what was expected.
    """
    advice = partial(nearest_header, known=known)
    return table_of(table_text(source), origin_of(source), known, advice)


def poses_of(states: States) -> Array:
    """T_base_platform of every row. # (N, 4, 4).

    Raises:
        StatesError: neither ``x_mm,y_mm,z_mm`` nor ``T11..T34``, or both; a matrix that is none.
    """
    if POSE in states:
        if POSITION in states or ANGLES in states:
            raise StatesError(
                f"{states.origin}, line 1: T11..T34 and x_mm, rz_deg … say the same; keep one."
            )
        return _matrices(states)
    place = states.require(POSITION, "a pose")
    return make_pose(rotation_zyx(states.or_zero(ANGLES)), place)


def rates_of(states: States) -> tuple[Array, Array]:
    """Velocity and acceleration of the platform; zero where the table has none. # (N, 6) each."""
    V = [states.or_zero(VELOCITY), states.or_zero(SPIN)]
    A = [states.or_zero(ACCELERATION), states.or_zero(SPIN_RATE)]
    return np.hstack(V), np.hstack(A)


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


def _matrices(states: States) -> Array:
    T = np.tile(np.eye(4), (len(states), 1, 1))
    T[:, :3, :] = states.groups[POSE].reshape(-1, 3, 4)
    for line, matrix in zip(states.lines, T, strict=True):
        as_rotation(matrix[:3, :3], f"{states.origin}, line {line}: the rotation in T11..T33")
    return T
