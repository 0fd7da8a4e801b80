"""Which candidates can do the cycle at the touch speed, and what the others allow."""

from __future__ import annotations

import numpy as np

from planner.job.settings import Touch
from planner.plan import PlacedPoints
from planner.reach.candidates import Candidates
from planner.reach.reach import some_points
from planner.touch.cycle import LONGEST_STOP
from planner.touch.lines import LineMotions, least_line_times
from planner.touch.timing import RISING, SearchZone, arriving_law, gentlest_stop
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.joint_limits import JointLimits

_SHORT = 17  # places of an approach: whether it can be done at its slowest needs no more
_ROUNDING = 1e-9


class TouchLimits:
    """Candidates judged by what their search, stop and approach ask of the joints.

    Args:
        placed: the points.
        found: the candidates.
        limits: of the joints.
        touch: the cycle.

    Attributes:
        refused: candidates that were judged and cannot do it. # (c,)
        speeds: the largest touch speed that was found possible, NaN where it was not asked.
            # (c,) [m/s]
        decelerations: the hardest stop from the touch speed, likewise. # (c,) [m/s²]
    """

    def __init__(
        self, placed: PlacedPoints, found: Candidates, limits: JointLimits, touch: Touch
    ) -> None:
        self._placed, self._found, self._limits, self._touch = placed, found, limits, touch
        self.refused = np.zeros(found.point.size, dtype=bool)
        self.speeds = np.full(found.point.size, np.nan)
        self.decelerations = np.full(found.point.size, np.nan)

    def prove(self, candidates: Indices) -> Mask:
        """Whether candidates can be approached, searched and stopped at the touch speed. # (k,)."""
        lines = self._found.lines.take(candidates)
        rows = some_points(self._placed, self._found.point[candidates])
        zone, latency = SearchZone(lines, rows, self._touch.latency), self._touch.latency
        v, limits = rows.touch_speeds, self._limits
        fastest = np.minimum(zone.speeds(limits), self._approached(rows, candidates))
        needed = gentlest_stop(rows, latency) * (1.0 - _ROUNDING)
        hardest = zone.decelerations(limits)
        stops = hardest >= needed
        kept = (v <= fastest * (1.0 + _ROUNDING)) & stops
        if self._touch.deceleration is None:
            fastest = np.minimum(fastest, zone.stoppable_speeds(limits, LONGEST_STOP))
        self.speeds[candidates], self.decelerations[candidates] = fastest, hardest
        self.refused[candidates[~kept]] = True
        return np.asarray(kept)

    def _approached(self, rows: PlacedPoints, candidates: Indices) -> Array:
        """Touch speeds that the approach can end with, at its slowest. # (k,) [m/s]."""
        start = rows.distances - rows.search_before
        still = np.zeros(len(rows))
        law = arriving_law(np.full(len(rows), RISING))
        lines = self._found.lines.take(candidates)
        motions = LineMotions(lines, law, between=(still, start / rows.lengths))
        least = least_line_times(motions, self._limits, points=_SHORT).duration
        return np.asarray(RISING * start / np.where(least > 0.0, least, np.finfo(float).tiny))
