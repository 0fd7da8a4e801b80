"""Which poses to measure for a calibration: the most informative of many candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices
from robots.core.pose import as_pose, rotation_exp
from robots.stewart.calibration import (
    FEWEST_POSES,
    PARAMETERS,
    MeasurementNoise,
    nominal_parameters,
    weighted_jacobian,
)
from robots.stewart.errors import PlatformError
from robots.stewart.limits import PoseLimits
from robots.stewart.platform import Platform

# Information that every parameter has beforehand, as of one reading a thousand times too coarse:
# without it the determinant is zero until the seventh pose.
PRIOR = 1e-6
MOST_EXCHANGES = 300
BISECTIONS = 10
INSIDE = 0.99  # of the way from home to the border of what the limits allow


def choose_poses(
    platform: Platform,
    candidates: ArrayLike,
    count: int,
    *,
    noise: MeasurementNoise | None = None,
) -> Indices:
    """Indices of poses with a large determinant of the information (D-optimal), ascending.

    The best one is added until there are enough, then poses are exchanged for better ones while
    that helps: a local optimum. The work grows with the number of candidates; ten thousand take
    seconds.

    Args:
        platform: nominal.
        candidates: poses that can be taken and measured. T_base_platform. # (n, 4, 4)
        count: how many to choose, from 7 to n.
        noise: of the measurement, as in ``calibrate``.

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
    rows = weighted_jacobian(T, nominal_parameters(platform), noise)
    rows = rows / np.sqrt(np.mean(np.sum(rows * rows, axis=-1)))
    chosen: list[int] = []
    while len(chosen) < count:
        chosen.append(_best_addition(rows, chosen)[0])
    return np.array(sorted(_exchanged(rows, chosen)), dtype=np.int64)


def candidate_poses(
    limits: PoseLimits, count: int, *, shift: float, turn: float, seed: int = 0
) -> Array:
    """Poses near the border of the workspace, where they tell most. T_base_platform.

    From home, shifts and turns in random proportion are enlarged together until a limit stops
    them; each pose keeps every limit, the way to it is not looked at.

    Args:
        limits: of the platform; home must keep them.
        count: of poses.
        shift: largest, from home. [m]
        turn: largest, from home. [rad]
        seed: of the directions.

    Raises:
        PlatformError: home breaks a limit.
    """
    home = limits.platform.home
    if limits.worst(home) < 0.0:
        raise PlatformError(
            f"Calibration poses of {limits.platform.name!r} start from its home, which breaks a "
            f"limit by {-float(limits.worst(home)):.3g}; correct home or the limits.",
        )
    directions = np.random.default_rng(seed).normal(size=(count, 6))
    directions /= np.max(np.abs(directions.reshape(count, 2, 3)), axis=(-2, -1))[:, None]
    directions *= np.repeat([shift, turn], 3) / np.sqrt(3.0)
    reached, high = np.zeros(count), np.ones(count)
    middle = high
    for _ in range(BISECTIONS):
        good = limits.worst(_displaced(home, middle[:, None] * directions)) >= 0.0
        reached, high = np.where(good, middle, reached), np.where(good, high, middle)
        middle = 0.5 * (reached + high)
    inner = _displaced(home, INSIDE * reached[:, None] * directions)
    outer = _displaced(home, reached[:, None] * directions)
    return np.where((limits.worst(inner) >= 0.0)[:, None, None], inner, outer)


def _displaced(home: Array, displacement: Array) -> Array:
    """Home shifted and turned about its own origin. Args: displacement. # (n, 6) [m, rad]."""
    T = np.tile(home, (len(displacement), 1, 1))
    T[:, :3, :3] = rotation_exp(displacement[:, 3:]) @ home[:3, :3]
    T[:, :3, 3] += displacement[:, :3]
    return T


def information(rows: Array) -> float:
    """Logarithm of the determinant that ``choose_poses`` makes large. Args: rows. # (n, 6, 42)."""
    return float(np.linalg.slogdet(_matrix(rows))[1])


def _matrix(rows: Array) -> Array:
    flat = rows.reshape(-1, PARAMETERS)
    return np.asarray(flat.T @ flat + PRIOR * np.eye(PARAMETERS))


def _best_addition(rows: Array, chosen: list[int]) -> tuple[int, float]:
    """Which candidate to add, and the logarithm of the factor on the determinant."""
    # det(M + GᵀG) = det M · det(1 + G M⁻¹ Gᵀ), with M = L Lᵀ
    spread = rows @ np.linalg.inv(np.linalg.cholesky(_matrix(rows[chosen]))).T
    gains = np.linalg.slogdet(np.eye(6) + spread @ np.swapaxes(spread, -1, -2))[1]
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
