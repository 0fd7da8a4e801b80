"""Which candidates can do the cycle at the touch speed, and what the others allow."""

from __future__ import annotations

import numpy as np

from planner.job.settings import Touch
from planner.plan import PlacedPoints
from planner.reach.lines import Lines
from planner.reach.reach import Candidates, some_points
from planner.touch.cycle import LONGEST_STOP
from planner.touch.lines import LineMotions, least_line_times, rough_line_times
from planner.touch.timing import RISING, SearchZone, arriving_law, gentlest_stop
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.joint_limits import JointLimits

# Of the touch speed that a grid says is possible: what is nearer is asked exactly. What a grid
# misses by more is found out where the approach is timed (``Timings.hurried``).
_NEAR = 0.5
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
        speeds: the largest touch speed that was found possible, zero for a candidate that is lost
            on its way, NaN where it was not asked. # (c,) [m/s]
        decelerations: the hardest stop from the touch speed, likewise. # (c,) [m/s²]
    """

    def __init__(
        self, placed: PlacedPoints, found: Candidates, limits: JointLimits, touch: Touch
    ) -> None:
        self._placed, self._found, self._limits, self._touch = placed, found, limits, touch
        self.refused = np.zeros(found.point.size, dtype=bool)
        self.speeds = np.full(found.point.size, np.nan)
        self.decelerations = np.full(found.point.size, np.nan)

    def extended(self, found: Candidates, rows: Indices) -> TouchLimits:
        """The same of more candidates, with all that is known.

        Args:
            found: candidates, those of this one among them in the same order.
            rows: where these are now, rising. # (c,)
        """
        other = TouchLimits(self._placed, found, self._limits, self._touch)
        for name in ("refused", "speeds", "decelerations"):
            getattr(other, name)[rows] = getattr(self, name)
        return other

    def prove(self, candidates: Indices) -> Mask:
        """Whether candidates can be approached, searched and stopped at the touch speed. # (k,)."""
        lines = self._found.lines.take(candidates)
        rows = some_points(self._placed, self._found.point[candidates])
        zone, latency = SearchZone(lines, rows, self._touch.latency), self._touch.latency
        v, limits = rows.touch_speeds, self._limits
        fastest = np.minimum(zone.speeds(limits), self._approach_speeds(rows, lines))
        needed = gentlest_stop(rows, latency) * (1.0 - _ROUNDING)
        hardest = zone.decelerations(limits)
        stops = hardest >= needed
        kept = (v <= fastest * (1.0 + _ROUNDING)) & stops
        if self._touch.deceleration is None:
            fastest = np.minimum(fastest, zone.stoppable_speeds(limits, LONGEST_STOP))
        self.speeds[candidates], self.decelerations[candidates] = fastest, hardest
        self.refused[candidates[~kept]] = True
        return np.asarray(kept)

    def _approach_speeds(self, rows: PlacedPoints, lines: Lines) -> Array:
        """Touch speeds that the approach can end with, at its slowest. # (k,) [m/s]."""
        start = rows.distances - rows.search_before
        law = arriving_law(np.full(len(rows), RISING))
        between = (np.zeros(len(rows)), start / rows.lengths)
        motions = LineMotions(lines, law, between=between)
        seconds = rough_line_times(motions, self._limits).duration
        near = np.flatnonzero(rows.touch_speeds * seconds > _NEAR * RISING * start)
        if near.size:
            law = arriving_law(np.full(near.size, RISING))
            some = LineMotions(lines.take(near), law, between=motions.ends(near))
            seconds[near] = least_line_times(some, self._limits).duration
        seconds[np.isnan(seconds)] = np.inf  # lost on the way: no speed is possible
        return np.asarray(RISING * start / np.maximum(seconds, np.finfo(float).tiny))
