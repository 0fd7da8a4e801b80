"""Coverage intervals of drawn values, and how well drawn statistics are settled.

Source: JCGM 101:2008 (GUM Supplement 1) §7.7 intervals, §7.9 adaptive procedure
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from planner.job.uncertainty import Interval
from robots.core.arrays import Array


def coverage_interval(values: Array, coverage: float, kind: Interval) -> tuple[float, float]:
    """Interval that holds a stated part of the drawn values.

    Args:
        values: draws. # (m,)
        coverage: probability, above 0 and below 1.
        kind: "symmetric": as many values beyond either end; "shortest": the narrowest.
    """
    ordered = np.sort(values)
    m = ordered.size
    inside = min(max(math.floor(coverage * m + 0.5), 1), m - 1)
    if kind == "symmetric":
        first = (m - inside) // 2
    else:
        first = int(np.argmin(ordered[inside:] - ordered[: m - inside]))
    return float(ordered[first]), float(ordered[first + inside])


def normal_interval(sigma: float, coverage: float) -> tuple[float, float]:
    """Interval of a normal distribution about zero."""
    half = NormalDist().inv_cdf(0.5 + 0.5 * coverage) * sigma
    return -half, half


def block_size(coverage: float) -> int:
    """Draws of one block of the adaptive procedure: enough beyond the ends of the interval."""
    return max(math.ceil(100.0 / (1.0 - coverage)), 10_000)


def tolerance(sigma: float, digits: int) -> float:
    """Half a unit in the last of some significant digits of a standard deviation."""
    if sigma <= 0.0:
        return 0.0
    exponent = math.floor(math.log10(sigma)) - digits + 1
    if round(sigma / 10.0**exponent) >= 10**digits:  # 0.0996 to two digits is 0.10
        exponent += 1
    return 0.5 * 10.0**exponent


def settled(blocks: Sequence[Array], sigma: float, digits: int) -> bool:
    """Whether twice the standard deviation of every mean statistic is below the tolerance.

    Args:
        blocks: mean, standard deviation, both ends of the interval, of each block. # each (4,)
        sigma: standard deviation of all draws so far.
        digits: significant digits of it that are to hold.
    """
    if len(blocks) < 2:
        return False
    spread = np.std(np.array(blocks), axis=0, ddof=1) / math.sqrt(len(blocks))
    return bool(np.all(2.0 * spread <= tolerance(sigma, digits)))
