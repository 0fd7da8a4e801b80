"""A path in joint space: q as a function of s in [0, 1], not yet of time.

With s = t/T, q̇ = q'/T and q̈ = q''/T²: the path decides the shape, the duration only scales it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from robots.core.arrays import Array
from robots.core.motion.motion_law import Side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathState:
    """Joint values along a path and their derivatives with respect to s.

    Args:
        q: # (..., n) [rad or m]
        dq: first derivative q'. # (..., n) [rad or m]
        ddq: second derivative q''. # (..., n) [rad or m]
    """

    q: Array
    dq: Array
    ddq: Array


class Path(Protocol):
    """What time scaling needs to know of a path; the motion law is part of it."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Values of s, rising and inside (0, 1), where q' or q'' jumps."""

    def state(self, s: Array, side: Side = "right") -> PathState:
        """State at s, from the given side of a break. Args: s. # (...)."""
