"""Joints at chosen instants, dense enough for the way a controller joins them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.plan import Plan, SegmentKind
from reports.programmes.departures import Departures
from reports.programmes.intervals import Intervals, refined, smooth_pieces
from robots.core.arrays import Array, Indices, Mask

TOLERANCE = 0.01  # [deg, or mm where a joint slides] between the motion and what a controller makes
MOST_POSTS = 50_000
TICK = 1e-6  # [s] instants are whole microseconds, as they are printed
_FEWEST = 4  # posts of a smooth piece
_PERIODS = (0.008, 0.004, 0.002)  # [s] of streamed joints; controllers have cycles of 2 ms or 8 ms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointPosts:
    """States of the joints; the first is where the motion begins, at rest.

    At a switch of law the acceleration after it is meant; that of the last post is before its end.

    Args:
        t: rising. # (m,) [s]
        q: # (m, n) [rad] or [m]
        qd: # (m, n) [rad/s] or [m/s]
        qdd: # (m, n) [rad/s²] or [m/s²]
        segment: that leads to each post. # (m,)
        rest: whether that segment ends there. # (m,)
        error: of joints between posts, joined as they are meant to be. [deg, or mm]
        period: from post to post; None where they are as dense as they need to be. [s]
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    segment: Indices
    rest: Mask
    error: float
    period: float | None = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self.t)


def linear_posts(plan: Plan) -> JointPosts:
    """For controllers that join joints by straight lines."""
    departures, pieces = Departures(plan), smooth_pieces(plan)
    rests = [plan.timeline[k].kind is SegmentKind.DWELL for k in pieces.segment]
    # A spline through posts far apart beside posts close together would swing.
    first = pieces.split(np.where(rests, 1, _FEWEST))
    return _adaptive(departures, first, departures.linear, 2)


def quintic_posts(plan: Plan) -> JointPosts:
    """For controllers that join position, speed and acceleration by polynomials of degree five."""
    departures = Departures(plan)
    return _adaptive(departures, smooth_pieces(plan), departures.quintic, 6)


def streamed_posts(plan: Plan) -> JointPosts:
    """At a constant period, for controllers that are sent joints; straight lines between."""
    departures = Departures(plan)
    for period in _periods(plan.trajectory.duration):
        grid = _grid(plan, period)
        error = float(departures.linear(grid).max(initial=0.0))
        if error <= TOLERANCE:
            break
    return _at(departures, grid, max(error, TOLERANCE), period=period)


def _periods(duration: float) -> list[float]:
    """Periods that need no more posts than are written, the longest first. [s]."""
    good = [period for period in _PERIODS if duration / period < MOST_POSTS]
    period = _PERIODS[0]
    while duration / period >= MOST_POSTS:
        period *= 2.0
    return good or [period]


def _grid(plan: Plan, period: float) -> Intervals:
    """Intervals of one period; the last one ends with the motion."""
    total = plan.trajectory.duration
    count = max(int(np.ceil(total / period - 1e-6)), 1)
    t = np.minimum(np.arange(count + 1) * period, total)
    segment = plan.trajectory.segment_at(t[1:], "left")
    return Intervals(segment=segment, start=t[:-1], end=t[1:])


def _adaptive(
    departures: Departures, pieces: Intervals, error: Callable[[Intervals], Array], order: int
) -> JointPosts:
    tolerance = TOLERANCE
    found = refined(pieces, error, tolerance=tolerance, order=order)
    while len(found) > max(MOST_POSTS, len(pieces)):
        tolerance *= 2.0
        found = refined(pieces, error, tolerance=tolerance, order=order)
    return _at(departures, found, tolerance)


def _at(
    departures: Departures, intervals: Intervals, error: float, period: float | None = None
) -> JointPosts:
    """Posts at the ends of intervals; those of one tick are one."""
    exact = np.concatenate([intervals.start[:1], intervals.end])
    ticks = np.round(exact / TICK)
    kept = np.diff(ticks, prepend=-1.0) > 0.0
    segment = np.concatenate([intervals.segment[:1], intervals.segment])[kept]
    state = departures.after(exact[kept])
    return JointPosts(
        t=ticks[kept] * TICK,
        q=state.q,
        qd=state.qd,
        qdd=state.qdd,
        segment=segment,
        rest=np.diff(segment, append=-1) != 0,
        error=error,
        period=period,
    )
