"""Motions as paths of the joints over λ in [0, 1], with proven bounds of how far they stray.

Clearance does not depend on when a robot is somewhere, so a path has no law and no duration.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from planner.motion.extremes import highest
from planner.reach.lines import Lines
from robots.core.arrays import Array, Indices

_ROUNDING = 1e-9  # relative: what is added to bounds found in floating point


class Paths(Protocol):
    """A batch of motions, numbered from 0, as paths over λ in [0, 1]."""

    @property
    def count(self) -> int:
        """How many there are."""

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints of path ``index`` at λ. # (m,) each -> (m, n) [rad or m]."""

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Bound of |q(λ) − q(middle)| for λ in [low, high], per joint. # (m,) each -> (m, n).

        It holds for parts of the interval too: |q(λ) − q(middle)| is at most the bound times the
        share |λ − middle| / (half the width). Bounds |q'|·d and |q'(middle)|·d + ½ |q''|·d² of a
        distance d do that.
        """

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """Where the joints go together from the middle to ``high``. # (m,) each -> (m, n).

        |q(λ) − q(middle) − t·along| is at most |t|·(spread − |along|), t being the share
        (λ − middle) / (half the width). It is zero where nothing is known but the spread.
        """


class StraightPaths:
    """Synchronised joint motions: all joints go straight from start to end.

    Args:
        starts: # (k, n) [rad or m]
        ends: # (k, n) [rad or m]
    """

    def __init__(self, starts: Array, ends: Array) -> None:
        self.starts = np.asarray(starts, dtype=np.float64)
        self.displacements = np.asarray(ends, dtype=np.float64) - self.starts

    @property
    def count(self) -> int:
        """Number of motions."""
        return len(self.starts)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ. # (m, n)."""
        return np.asarray(self.starts[index] + self.displacements[index] * lam[:, None])

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Half of what the joints turn in the interval. # (m, n)."""
        half = 0.5 * (high - low)[:, None]
        return np.asarray(np.abs(self.displacements[index]) * (half * (1.0 + _ROUNDING)))

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """All that the joints turn. # (m, n)."""
        return np.asarray(self.displacements[index] * (0.5 * (high - low))[:, None])


class LinePaths:
    """Probing lines, from clearance point to line end.

    The bounds stand on the largest |q'| and |q''| of each joint along each line, which are found
    exactly (``planner.motion.extremes``); a line that is refused as singular has none.

    Args:
        lines: geometry.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self.lines)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ. # (m, n)."""
        return self.lines.joints(index, lam)

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Bound by the speed at the middle and the largest curvature. # (m, n)."""
        d = 0.5 * (high - low)[:, None]
        middle = np.abs(self.lines.path(index, 0.5 * (low + high)).dq)
        n = middle.shape[1]
        speed, bend = self._largest[index, :n], self._largest[index, n:]
        return np.asarray(np.minimum(speed * d, middle * d + 0.5 * bend * d * d))

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """By the velocity at the middle, where the curvature bounds the spread. # (m, n)."""
        d = 0.5 * (high - low)[:, None]
        middle = self.lines.path(index, 0.5 * (low + high)).dq
        n = middle.shape[1]
        speed, bend = self._largest[index, :n], self._largest[index, n:]
        straight = np.abs(middle) + 0.5 * bend * d <= speed
        return np.asarray(np.where(straight, middle * d, 0.0))

    @cached_property
    def _largest(self) -> Array:
        """Largest |q'| and |q''| of each joint along each line. # (k, 2n)."""
        n = self.lines.model.dof

        def rates(index: Indices, _: Indices, lam: Array) -> Array:
            path = self.lines.path(index, lam)
            return np.concatenate([path.dq, path.ddq], axis=1)

        found = highest(rates, self.count, 1, magnitudes=2 * n).value.reshape(self.count, 2 * n)
        return np.asarray(found * (1.0 + _ROUNDING))
