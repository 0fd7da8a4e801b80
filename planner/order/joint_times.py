"""Times of travel between candidates, as the kernels need them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.order.graph import JERK, PEAKS, TRAPEZOID, direct
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.motion_law import motion_law

_HALVINGS = 60  # of an interval, until only rounding is left


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTimes:
    """Candidates with what makes times of their joints.

    Args:
        scaled: see ``Graph``. # (C, kinds · n)
        law: see ``Graph``. # (3,)
        ratios: largest speed over largest speed, acceleration and jerk of each joint. # (kinds, n)
    """

    scaled: Array
    law: Array
    ratios: Array

    @classmethod
    def of(cls, q: Array, limits: JointLimits, law_name: str) -> JointTimes:
        """Times between configurations.

        Args:
            q: one per candidate. # (C, n) [rad or m]
            limits: of the joints.
            law_name: of the motion law of travel.

        Raises:
            MotionError: no law of this name; the double-S law for a joint without jerk limit.
        """
        scales = [limits.max_speed, limits.max_acceleration]
        if law_name == "trapezoid":
            law = np.array([TRAPEZOID, 0.0, 0.0])
        elif law_name == "double-s":
            law = np.array([JERK, 0.0, 0.0])
            scales.append(limits.require_jerk())
        else:
            shape = motion_law(law_name)
            law = np.array([PEAKS, shape.peak_rate, shape.peak_acceleration])
        scaled = np.concatenate([q / scale for scale in scales], axis=1)
        ratios = np.array([limits.max_speed / scale for scale in scales])
        return cls(scaled=np.ascontiguousarray(scaled), law=law, ratios=ratios)

    @property
    def joints(self) -> int:
        """Number of joints n."""
        return int(self.ratios.shape[1])

    def take(self, chosen: Indices) -> JointTimes:
        """Some of the candidates, in the order given."""
        return replace(self, scaled=self.scaled[chosen])

    def between(self, start: Indices, end: Indices) -> Array:
        """Seconds of travel between pairs of candidates, all broadcast together. # (...)."""
        start, end = np.broadcast_arrays(start, end)
        out = np.empty(start.size)
        flat = [np.ascontiguousarray(side, dtype=np.int64).ravel() for side in (start, end)]
        PAIR_SECONDS(self.scaled, self.law, *flat, out)
        return out.reshape(start.shape)

    def alone(self, by_speed: Array) -> Array:
        """Seconds that each joint takes alone.

        Args:
            by_speed: its displacement over its largest speed. # (m, n) [s]

        Returns:
            # (m, n) [s]
        """
        (m, n), kinds = by_speed.shape, len(self.ratios)
        ends = np.zeros((m, n, kinds, n))
        for j in range(n):
            ends[:, j, :, j] = by_speed[:, j, None] * self.ratios[:, j]
        flat = np.concatenate([np.zeros((1, kinds * n)), ends.reshape(m * n, kinds * n)])
        times = replace(self, scaled=flat).between(np.array(0), np.arange(1, m * n + 1))
        return times.reshape(m, n)

    def range_of(self, duration: float) -> Array:
        """Displacement over largest speed that each joint alone makes in a time. # (n,) [s]."""
        low, high = np.zeros((1, self.joints)), np.full((1, self.joints), duration)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            within = self.alone(middle) <= duration
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        return np.asarray(low[0])


def pair_seconds(scaled: Array, law: Array, start: Indices, end: Indices, out: Array) -> None:
    """Direct travel between pairs of candidates.

    Args:
        scaled: see ``Graph``. # (C, kinds · n)
        law: see ``Graph``. # (3,)
        start: candidates. # (m,)
        end: the other ones. # (m,)
        out: filled. # (m,) [s]
    """
    for k in range(out.size):
        out[k] = direct(scaled, law, start[k], end[k])


PAIR_SECONDS = Loop(pair_seconds, "f8[2] f8[1] i8[1] i8[1] f8[1]")
