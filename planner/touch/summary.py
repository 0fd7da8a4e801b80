"""What a reader wants to know of the touches of a plan: speed, search, overrun, miss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.job.settings import TouchMode
from planner.plan import Plan, SegmentKind

_INSTANTS = np.array(
    [0.0, 0.25, 0.5, 0.75, 1.0]
)  # of a search, whose speed is meant to be constant


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchSummary:
    """The touches of a plan; lengths and speeds are the largest of all measured points.

    Args:
        mode: "search" or "to-rest".
        speed: of the ball through the nominal surface, zero to rest. [m/s]
        speed_in_search: that the motion has there, by forward rates. [m/s]
        search_before: from the start of a search to the nominal surface. [m]
        search_after: from there to its end. [m]
        overrun: of the ball after a trigger. [m]
        overtravel: that the stylus gives; infinite where the job does not say. [m]
    """

    mode: TouchMode
    speed: float
    speed_in_search: float
    search_before: float
    search_after: float
    overrun: float
    overtravel: float


def touch_summary(plan: Plan) -> TouchSummary:
    """Sum up the touches of the points that are measured."""
    rows = [k for k, point in enumerate(plan.planned_points) if point.reachable]
    placed, points = plan.placed, [plan.planned_points[k] for k in rows]
    searches = [s for s in plan.timeline if s.kind is SegmentKind.SEARCH]
    fastest = 0.0
    if searches:
        first = np.array([s.start for s in searches])[:, None]
        seconds = np.array([s.duration for s in searches])[:, None]
        # A hair inside, so that both ends belong to the search.
        inside = 1e-9 + (1.0 - 2e-9) * _INSTANTS
        state = plan.trajectory.state((first + seconds * inside).ravel())
        twist = plan.trajectory.model.velocity(state.q, state.qd)
        fastest = float(np.max(np.linalg.norm(twist[:, :3], axis=1)))
    return TouchSummary(
        mode=plan.job.touch.mode,
        speed=max((point.touch_speed for point in points), default=0.0),
        speed_in_search=fastest,
        search_before=float(np.max(placed.search_before[rows], initial=0.0)),
        search_after=float(np.max(placed.search_after[rows], initial=0.0)),
        overrun=max((point.overrun for point in points), default=0.0),
        overtravel=plan.job.probe.overtravel,
    )
