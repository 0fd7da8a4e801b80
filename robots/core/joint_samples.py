"""Joint postures spread evenly and repeatably over the joint ranges.

Additive recurrence on the generalised golden ratio: the k-th point is frac(½ + k·(g⁻¹, g⁻², …))
with g^(n+1) = g + 1. No random numbers, any count, and every prefix is spread as well.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import StateError
from robots.core.mechanism import Mechanism


def unit_samples(count: int, dimension: int, skip: int = 0) -> Array:
    """Points in the unit cube, ``skip`` being left out at the head. # (count, dimension).

    Raises:
        StateError: a count below zero.
    """
    if count < 0:
        raise StateError(f"The number of samples is {count}; it must be zero or more.")
    g = 2.0
    for _ in range(60):  # the fixed-point iteration gains half a digit or more each time
        g = (1.0 + g) ** (1.0 / (dimension + 1))
    steps = g ** -np.arange(1.0, dimension + 1)
    k = np.arange(skip, skip + count, dtype=np.float64)
    return np.asarray((0.5 + k[:, None] * steps) % 1.0)


def joint_ranges(mechanism: Mechanism, slide: float) -> tuple[Array, Array]:
    """Ranges to sample: the limits, or a full turn and ``slide`` metres where there are none.

    Returns:
        Lower and upper ends. # (n,), (n,) [rad or m]
    """
    half = np.array([np.pi if joint.kind.angular else slide for joint in mechanism.movable])
    low, high = mechanism.q_min, mechanism.q_max
    start = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * half, -half))
    return start, np.where(np.isfinite(high), high, start + 2 * half)


def joint_samples(mechanism: Mechanism, count: int, *, slide: float, skip: int = 0) -> Array:
    """Postures within the limits; the first is mid-range. # (count, n) [rad or m]."""
    low, high = joint_ranges(mechanism, slide)
    return np.asarray(low + (high - low) * unit_samples(count, mechanism.dof, skip))
