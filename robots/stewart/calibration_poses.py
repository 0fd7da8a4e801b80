"""Which poses to measure for a calibration: the most informative of many candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.pose import as_pose
from robots.stewart.calibration import FEWEST_POSES, PER_LEG, leg_gradients
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Platform

Array = NDArray[np.float64]

# Information that every parameter has beforehand, as of one reading a thousand times too coarse:
# without it the determinant is zero until the seventh pose.
PRIOR = 1e-6
MOST_EXCHANGES = 1000


def choose_poses(platform: Platform, candidates: ArrayLike, count: int) -> NDArray[np.int64]:
    """Indices of poses with a large determinant of the information (D-optimal), ascending.

    The best one is added until there are enough, then poses are exchanged for better ones while
    that helps: a local optimum. Each leg's readings only tell about its own seven parameters, so
    the determinant is a product of six of order seven.

    Args:
        platform: nominal.
        candidates: poses that can be taken and measured. T_base_platform. # (n, 4, 4)
        count: how many to choose, from 7 to n.

    Raises:
        PlatformError: a count that is not possible.
    """
    T = as_pose(candidates, "A candidate pose")
    if T.ndim != 3 or not FEWEST_POSES <= count <= len(T):
        raise PlatformError(
            f"{count} calibration poses cannot be chosen from candidates of shape {T.shape}; "
            f"choose from {FEWEST_POSES} up to the number of candidates (n, 4, 4).",
            count=count,
        )
    theta = np.concatenate(
        [platform.base_points, platform.platform_points, np.zeros((6, 1))], axis=1
    )
    rows = leg_gradients(T, theta)
    chosen: list[int] = []
    while len(chosen) < count:
        chosen.append(_best_addition(rows, chosen)[0])
    return np.array(sorted(_exchanged(rows, chosen)), dtype=np.int64)


def information(rows: Array) -> float:
    """Logarithm of the determinant that ``choose_poses`` makes large. Args: rows. # (n, 6, 7)."""
    return float(np.sum(np.linalg.slogdet(_matrices(rows))[1]))


def _matrices(rows: Array) -> Array:
    return np.asarray(np.einsum("nla,nlb->lab", rows, rows) + PRIOR * np.eye(PER_LEG))


def _best_addition(rows: Array, chosen: list[int]) -> tuple[int, float]:
    """Which candidate to add, and the logarithm of the factor on the determinant."""
    inverse = np.linalg.inv(_matrices(rows[chosen]))
    gains = np.sum(np.log1p(np.einsum("nla,lab,nlb->nl", rows, inverse, rows)), axis=-1)
    gains[chosen] = -np.inf
    best = int(np.argmax(gains))
    return best, float(gains[best])


def _exchanged(rows: Array, chosen: list[int]) -> list[int]:
    """Each pose in turn against the best that could take its place, until none gives way."""
    settled, place = 0, 0
    for _ in range(MOST_EXCHANGES):
        if settled == len(chosen) or len(chosen) == len(rows):
            break
        others = [*chosen[:place], *chosen[place + 1 :]]
        best, gain = _best_addition(rows, others)
        kept = information(rows[chosen]) - information(rows[others])
        settled = settled + 1 if gain <= kept + 1e-9 else 0
        if settled == 0:
            chosen = [*chosen[:place], best, *chosen[place + 1 :]]
        place = (place + 1) % len(chosen)
    return chosen
