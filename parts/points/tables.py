"""Points as tables: a DataFrame ⇄ the point file (CSV) that holds the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parts.errors import PointsError

if TYPE_CHECKING:
    from pandas import DataFrame

    from parts.points.probe_points import ProbePoints

COLUMNS = ("name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz", "feature")


def points_frame(points: ProbePoints, has_normal: NDArray[np.bool_] | None = None) -> DataFrame:
    """Make a table with the columns of a point file.

    Args:
        points: in whatever frame.
        has_normal: rows whose normals are known; all when None. # (k,)
    """
    import pandas as pd

    normals = points.normals
    if has_normal is not None:
        normals = np.where(has_normal[:, None], normals, np.nan)
    numbers = np.hstack([1e3 * points.positions, normals])
    table = pd.DataFrame(numbers, columns=list(COLUMNS[1:-1]))
    table.insert(0, COLUMNS[0], list(points.names))
    table[COLUMNS[-1]] = list(points.features)
    return table


def frame_csv(table: DataFrame) -> bytes:
    """Write a table of points as the point file that is read in its place.

    Args:
        table: columns name, x_mm, y_mm, z_mm, nx, ny, nz and feature, or x_m …; the name may be
            the index.

    Raises:
        PointsError: no columns.
    """
    if not len(table.columns):
        raise PointsError(
            f"The table of points has no columns; give {', '.join(COLUMNS[:-1])} (or x_m, y_m, "
            "z_m)."
        )
    if table.index.name == COLUMNS[0] and COLUMNS[0] not in table.columns:
        table = table.reset_index()
    return bytes(table.to_csv(index=False, lineterminator="\n").encode())


def points_lines(count: int, features: Sequence[str]) -> str:
    """Say how many points there are and of how many features."""
    named = [feature for feature in dict.fromkeys(features) if feature]
    if not named:
        return f"{count} points"
    shown = ", ".join(named[:3]) + (", …" if len(named) > 3 else "")
    return f"{count} points of {len(named)} feature{'s' * (len(named) > 1)} ({shown})"
