"""A search by halves for a rival centre, which ends with a proof that there is none."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array

_MOST = 100_000  # cubes at one time
_POINTS = 400  # that judge; fewer make the bound smaller, never larger
_BLOCK = 2_000_000  # numbers in one table


class Rivals(NamedTuple):
    """What the search has met."""

    none: bool  # every centre was ruled out
    centre: Array | None  # of a narrower shell about the points that judge, (d,)


def rivals(points: Array, width: float, near: float, far: float) -> Rivals:
    """Whether no centre between two distances from zero has a shell narrower than the width.

    A shell narrows by at most twice the way its centre moves. So a cube of centres, of half
    diagonal ε about b, is ruled out when the shell about b is wider than the width by 2 ε; else it
    is halved each way.

    Args:
        points: from the centre of the shell in question. # (k, d)
        width: of that shell.
        near: within it no rival is possible.
        far: beyond it neither.
    """
    rho = np.linalg.norm(points, axis=1)
    order = np.argsort(rho)
    chosen = points[np.unique(np.concatenate([order[: _POINTS // 2], order[-_POINTS // 2 :]]))]
    d = points.shape[1]
    corners = 0.5 * np.array(list(product((-1.0, 1.0), repeat=d)))
    cubes, half = np.zeros((1, d)), far
    while 0 < len(cubes) <= _MOST:
        reach = half * np.sqrt(d)
        distance = np.linalg.norm(cubes, axis=1)
        open_ = (distance + reach > near) & (distance - reach < far)
        cubes = cubes[open_]
        spare = _shells(chosen, cubes) - width
        outside = np.linalg.norm(cubes, axis=1) > near
        if np.any(spare[outside] < 0.0):
            return Rivals(False, cubes[np.argmin(np.where(outside, spare, np.inf))])
        cubes = cubes[spare < 2.0 * reach]
        cubes = (cubes[:, None] + half * corners).reshape(-1, d)
        half *= 0.5
    return Rivals(len(cubes) == 0, None)


def _shells(points: Array, centres: Array) -> Array:
    """Widths about each centre. # (m,)."""
    size = max(1, _BLOCK // points.size)
    found = [
        np.ptp(np.linalg.norm(points - centres[i : i + size, None], axis=2), axis=1)
        for i in range(0, len(centres), size)
    ]
    return np.concatenate([np.zeros(0), *found])
