"""The cycle of every point as lengths along its probing line, measured from contact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.job.settings import BACK_OFF, SEARCH, Touch
from robots.core.arrays import Array

# Of a stop whose deceleration the job leaves to the joints: lines are that much longer than the
# search, and joints that need more are too weak for the speed of the search.
LONGEST_STOP = 0.02  # [s]
# No controller brakes within less than a cycle of its own.
SHORTEST_STOP = 0.001  # [s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CycleDistances:
    """What ``PlacedPoints`` says of the cycle. # (k,) each [m], speeds [m/s]."""

    search_before: Array
    search_after: Array
    depths: Array
    back_off: Array
    speeds: Array


def cycle_distances(touch: Touch, features: Sequence[str], distances: Array) -> CycleDistances:
    """The cycle of points of some features.

    Args:
        touch: of the job.
        features: of the points.
        distances: from contact to the clearance points. # (k,) [m]
    """
    rows = {name: row for row, name in enumerate(dict.fromkeys(features))}
    own = [touch.of(name) for name in rows]
    which = np.array([rows[name] for name in features], dtype=np.int64)
    search_after, depths, speeds = (
        np.array([value(one) for one in own], dtype=np.float64)[which]
        for value in (lambda t: t.search_after, _depth, _speed)
    )
    usual_start = np.minimum(SEARCH, 0.5 * distances)
    usual_back_off = np.minimum(BACK_OFF, distances)
    starts, back_offs = (
        np.array([np.nan if v is None else v for v in values], dtype=np.float64)[which]
        for values in ([t.search_before for t in own], [t.back_off for t in own])
    )
    return CycleDistances(
        search_before=np.where(np.isnan(starts), usual_start, starts),
        search_after=search_after,
        depths=depths,
        back_off=np.where(np.isnan(back_offs), usual_back_off, back_offs),
        speeds=speeds,
    )


def stop_distance(touch: Touch) -> float:
    """What the ball may go on after a trigger: at touch speed, then slowing down. [m]."""
    if not touch.searching:
        return 0.0
    v = touch.speed
    slowing = 0.5 * v * LONGEST_STOP
    if touch.deceleration is not None:
        slowing = max(v * v / (2.0 * touch.deceleration), 0.5 * v * SHORTEST_STOP)
    return v * touch.latency + slowing


def _depth(touch: Touch) -> float:
    return touch.search_after + stop_distance(touch)


def _speed(touch: Touch) -> float:
    return touch.speed if touch.searching else 0.0
