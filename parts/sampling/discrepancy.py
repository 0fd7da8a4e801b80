"""How evenly points share out an area: zero for perfect evenness.

SciPy has other discrepancies, none over a region and none with the supremum norm.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Mask

_MOST_CORNERS = 512  # along each side; beyond it the supremum is searched on every k-th corner


def star_discrepancy(uv: Array, region: Mask | None = None) -> float:
    """Largest gap between a box's share of the points and its share of the area.

    Boxes are anchored at (0, 0); the supremum is at their corners on the points' coordinates, from
    inside (open) or outside (closed). It is exact up to 512 points and a lower bound beyond.

    Args:
        uv: in the unit square. # (k, 2)
        region: cells of the square that count as area, along u then v; all where left out, and
            then this is the star discrepancy of the literature. # (m, m)
    """
    corners = [_corners(uv[:, axis]) for axis in range(2)]
    area = _share(region, *corners)
    worst = 0.0
    for side in ("left", "right"):
        inside = _counts(uv, corners, side) / len(uv)
        gap = inside - area
        worst = max(worst, float(gap.max() if side == "right" else -gap.min()))
    return worst


def _corners(values: Array) -> Array:
    unique = np.unique(np.append(values, 1.0))
    step = -(-len(unique) // _MOST_CORNERS)
    return np.unique(np.append(unique[::step], 1.0))


def _counts(uv: Array, corners: list[Array], side: str) -> Array:
    """Points in each box: below its corner, or also on it ("right")."""
    cells = []
    for axis in range(2):
        # a point belongs to every box whose corner lies beyond it
        where = "left" if side == "right" else "right"
        cells.append(np.searchsorted(corners[axis], uv[:, axis], side=where))  # type: ignore[call-overload]
    table = np.zeros((len(corners[0]) + 1, len(corners[1]) + 1))
    np.add.at(table, tuple(cells), 1.0)
    return np.asarray(table.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def _share(region: Mask | None, u: Array, v: Array) -> Array:
    if region is None:
        return np.outer(u, v)
    m = len(region)
    table = np.zeros((m + 1, m + 1))
    table[1:, 1:] = region.cumsum(axis=0).cumsum(axis=1)
    table /= table[-1, -1]
    rows = _between(table, u * m)
    return _between(rows.T, v * m).T


def _between(table: Array, places: Array) -> Array:
    low = np.minimum(places.astype(int), len(table) - 2)
    rest = (places - low)[:, None]
    return np.asarray((1.0 - rest) * table[low] + rest * table[low + 1])
