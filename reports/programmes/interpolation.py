"""Joint positions dense enough for the way in which a controller interpolates them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.motion.trajectory import MotionState, Side
from planner.plan import Plan, SegmentKind
from reports.programmes.axes import to_degrees
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.motion_law import TIME_OPTIMAL

TOLERANCE = 0.01  # [deg, or mm where a joint slides] between the motion and what a controller makes
MOST_POSTS = 50_000
TICK = 1e-6  # [s] instants are whole microseconds, as they are printed
_FEWEST = 4  # posts of a smooth piece
_EVEN = 16  # parts of a time-optimal motion
_LOOKS = np.array([0.12, 0.25, 0.4, 0.5, 0.6, 0.75, 0.88])  # no wave hides at all of them
_ROUNDS = 10
_MOST_PARTS = 32  # into which an interval is cut in one round
_STRAIGHT = 1e-7  # [deg, or mm] from a line that corners are left out of
_NONE = 1e-9  # of a segment's duration: a shorter piece is rounding


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
        error: of joints between posts, joined as they are meant to be. [deg, or mm]
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    segment: Indices
    error: float

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


def joint_paths(plan: Plan, departures: Departures, segments: Indices) -> dict[int, Array]:
    """Corners of segments as straight joint moves, without the posture each comes from.

    Args:
        plan: with motion.
        departures: of the plan.
        segments: places in its timeline. # (k,)

    Returns:
        By segment: # (p, n) [rad or m]; one row where the joints run straight.
    """
    pieces = smooth_pieces(plan, segments)
    found = refined(pieces, departures.bend, tolerance=TOLERANCE, order=2)
    corners = departures.state(found.segment, found.end, "left").q
    whole, scale = whole_segments(plan, segments), to_degrees(plan)
    starts = departures.state(segments, whole.start, "right").q
    ends = departures.state(segments, whole.end, "left").q
    paths: dict[int, Array] = {}
    first = np.searchsorted(found.segment, segments, side="left")
    after = np.searchsorted(found.segment, segments, side="right")
    places = zip(first.tolist(), after.tolist(), strict=True)
    for k, (low, high), start, end in zip(segments.tolist(), places, starts, ends, strict=True):
        own = np.vstack([corners[low : max(high - 1, low)], end])
        paths[k] = _without_straight(scale * start, scale * own) / scale
    return paths


def _without_straight(start: Array, corners: Array) -> Array:
    """Corners but those on the straight line from the one before to the one after."""
    kept = [start]
    for here, after in pairwise(corners):
        way, part = after - kept[-1], here - kept[-1]
        square = float(way @ way)
        along = float(part @ way) / square if square > 0.0 else 0.0
        if not 0.0 <= along <= 1.0 or float(np.abs(part - along * way).max()) > _STRAIGHT:
            kept.append(here)
    return np.array([*kept[1:], corners[-1]])


def _adaptive(
    departures: Departures, pieces: Intervals, error: Callable[[Intervals], Array], order: int
) -> JointPosts:
    tolerance = TOLERANCE
    found = refined(pieces, error, tolerance=tolerance, order=order)
    while len(found) > max(MOST_POSTS, len(pieces)):
        tolerance *= 2.0
        found = refined(pieces, error, tolerance=tolerance, order=order)
    return _at(departures, found, tolerance)


def _at(departures: Departures, intervals: Intervals, error: float) -> JointPosts:
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
        error=error,
    )


class Departures:
    """Errors of intervals of a plan's motion.

    Args:
        plan: whose motion it is.
    """

    def __init__(self, plan: Plan) -> None:
        self._trajectory = plan.trajectory
        self._scale = to_degrees(plan)  # one number bounds degrees and millimetres

    def linear(self, intervals: Intervals) -> Array:
        """Of joints that run straight from end to end. # (m,) [deg, or mm where it slides]."""
        first, last = self._ends(intervals)
        x = _LOOKS[:, None]
        straight = first.q[:, None] + (last.q - first.q)[:, None] * x
        return self._worst(intervals, straight)

    def quintic(self, intervals: Intervals) -> Array:
        """Of joints that follow polynomials of degree five. # (m,) [deg, or mm].

        Position, speed and acceleration agree at both ends, as in ROS's joint trajectory
        controller. A point has one acceleration, that after a switch of law, so an interval that
        ends at a switch ends with the wrong one; that is in the error.
        """
        first, last = self.after(intervals.start), self.after(intervals.end)
        T = (intervals.end - intervals.start)[:, None]
        return self._worst(intervals, _hermite(first, last, T, _LOOKS))

    def bend(self, intervals: Intervals) -> Array:
        """Of joints from the straight line through both ends, whatever their speed along it.

        # (m,) [deg, or mm where it slides]
        """
        first, last = (self._scale * state.q for state in self._ends(intervals))
        shape = (len(intervals), len(_LOOKS), self._scale.size)
        there = self._scale * self._inside(intervals).q.reshape(shape)
        way = (last - first)[:, None]
        length = np.sum(way * way, axis=2)
        along = np.sum((there - first[:, None]) * way, axis=2) / np.where(length > 0, length, 1.0)
        foot = first[:, None] + np.clip(along, 0.0, 1.0)[..., None] * way
        return np.asarray(np.abs(there - foot).max(axis=(1, 2), initial=0.0))

    def chord(self, intervals: Intervals) -> Array:
        """Of a ball that runs straight from end to end. # (m,) [m]."""
        first, last = (self._ball(state.q) for state in self._ends(intervals))
        there = self._inside(intervals)
        ball = self._ball(there.q).reshape(len(intervals), len(_LOOKS), 3)
        way = (last - first)[:, None]
        length = np.sum(way * way, axis=2)
        along = np.sum((ball - first[:, None]) * way, axis=2) / np.where(length > 0.0, length, 1.0)
        foot = first[:, None] + np.clip(along, 0.0, 1.0)[..., None] * way
        return np.asarray(np.linalg.norm(ball - foot, axis=2).max(axis=1, initial=0.0))

    def ball_speed(self, intervals: Intervals) -> Array:
        """Largest speed of the ball that is seen. # (m,) [m/s]."""
        state = self._inside(intervals)
        twist = self._trajectory.model.velocity(state.q, state.qd)[:, :3]
        speed = np.linalg.norm(twist, axis=1).reshape(len(intervals), len(_LOOKS))
        return np.asarray(speed.max(axis=1, initial=0.0))

    def after(self, t: Array) -> MotionState:
        """Joints at instants; at a switch of law the side after it. # (m,) -> (m, n)."""
        state = self._trajectory.state(t, "right")
        over = np.flatnonzero(t >= self._trajectory.duration)
        state.qdd[over] = self._trajectory.state(t[over], "left").qdd
        return state

    def state(self, segment: Indices, t: Array, side: Side) -> MotionState:
        """Joints at instants of given segments. # (m,) -> (m, n)."""
        return self._trajectory.segment_state(segment, t, side)

    def ball(self, segment: Indices, t: Array) -> Array:
        """Centre of the ball, base frame. # (m,) -> (m, 3) [m]."""
        return self._ball(self.state(segment, t, "left").q)

    def _ball(self, q: Array) -> Array:
        return np.asarray(self._trajectory.model.forward(q)[:, :3, 3])

    def _ends(self, intervals: Intervals) -> tuple[MotionState, MotionState]:
        return (
            self.state(intervals.segment, intervals.start, "right"),
            self.state(intervals.segment, intervals.end, "left"),
        )

    def _inside(self, intervals: Intervals) -> MotionState:
        t = intervals.inside(_LOOKS)
        return self.state(np.repeat(intervals.segment, len(_LOOKS)), t.ravel(), "right")

    def _worst(self, intervals: Intervals, made: Array) -> Array:
        q = self._inside(intervals).q.reshape(made.shape)
        return np.asarray(np.max(np.abs(made - q) * self._scale, axis=(1, 2), initial=0.0))


def _hermite(first: MotionState, last: MotionState, T: Array, x: Array) -> Array:
    """Polynomials of degree five between two states, at x of T. # (m, f, n)."""
    v0, v1, a0, a1 = first.qd * T, last.qd * T, first.qdd * T * T, last.qdd * T * T
    D = last.q - first.q
    c3 = 10.0 * D - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * D + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * D - 3.0 * (v0 + v1) + 0.5 * (a1 - a0)
    terms = (first.q, v0, 0.5 * a0, c3, c4, c5)
    made = np.zeros((len(D), len(x), D.shape[1]))
    for term in reversed(terms):
        made = made * x[:, None] + term[:, None]
    return made


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Stretches of time, each inside one segment.

    Args:
        segment: that each lies in. # (m,)
        start: [s] # (m,)
        end: [s] # (m,)
    """

    segment: Indices
    start: Array
    end: Array

    def __len__(self) -> int:
        """How many there are."""
        return len(self.segment)

    def take(self, rows: Mask | Indices) -> Intervals:
        """Some of them."""
        return Intervals(segment=self.segment[rows], start=self.start[rows], end=self.end[rows])

    def split(self, parts: Indices) -> Intervals:
        """Each cut into equal parts. # (m,)."""
        row = np.repeat(np.arange(len(self)), parts)
        place = np.arange(len(row)) - np.repeat(np.cumsum(parts) - parts, parts)
        span, many = (self.end - self.start)[row], parts[row]
        start = self.start[row] + span * (place / many)
        last = place + 1 == many
        end = np.where(last, self.end[row], self.start[row] + span * ((place + 1) / many))
        return Intervals(segment=self.segment[row], start=start, end=end)

    def inside(self, fractions: Array) -> Array:
        """Instants at fractions of each. # (m, f) [s]."""
        return np.asarray(self.start[:, None] + (self.end - self.start)[:, None] * fractions)

    def in_order(self) -> Intervals:
        """The same in order of time."""
        return self.take(np.lexsort((self.start, self.segment)))


def whole_segments(plan: Plan, chosen: Indices) -> Intervals:
    """Segments of a plan from end to end. # (m,)."""
    segments = [plan.timeline[i] for i in chosen]
    start = np.array([segment.start for segment in segments], dtype=np.float64)
    end = np.array([segment.end for segment in segments], dtype=np.float64)
    return Intervals(segment=chosen, start=start, end=end)


def smooth_pieces(plan: Plan, chosen: Indices | None = None) -> Intervals:
    """Segments that take time, all or some of them, cut where their laws switch.

    A time-optimal motion changes its acceleration all the way, by steps too small and too many to
    cut at each: it is cut evenly.
    """
    some = range(len(plan.timeline)) if chosen is None else chosen.tolist()
    moving = np.array([k for k in some if plan.timeline[k].duration > 0.0], dtype=np.int64)
    borders = {int(k): np.zeros(0) for k in moving}
    for stretch in plan.trajectory.stretches:
        pieces = stretch.motions.pieces
        index, piece = (
            np.repeat(stretch.index, pieces),
            np.tile(np.arange(pieces), len(stretch.index)),
        )
        s = stretch.motions.law_state(index, piece, np.zeros(len(index))).s
        for segment, row in zip(stretch.segment, s.reshape(-1, pieces), strict=True):
            if int(segment) in borders:
                even = plan.timeline[segment].law == TIME_OPTIMAL
                borders[int(segment)] = np.arange(1, _EVEN) / _EVEN if even else row
    whole = whole_segments(plan, moving)
    found = [_cut(whole, row, borders[int(segment)]) for row, segment in enumerate(whole.segment)]
    return _joined(found)


def refined(
    intervals: Intervals,
    error: Callable[[Intervals], Array],
    *,
    tolerance: float,
    order: int,
) -> Intervals:
    """Cut intervals until the error of each is within a tolerance.

    Args:
        intervals: to begin with.
        error: of each interval. # (m,)
        tolerance: in the unit of the error.
        order: the error falls with this power of an interval's length.
    """
    done, todo = [], intervals
    for _ in range(_ROUNDS):
        found = error(todo)
        bad = found > tolerance
        done.append(todo.take(~bad))
        if not bad.any():
            break
        parts = np.ceil((found[bad] / tolerance) ** (1.0 / order)).astype(np.int64)
        todo = todo.take(bad).split(np.clip(parts, 2, _MOST_PARTS))
    else:
        done.append(todo)
    return _joined(done).in_order()


def _cut(whole: Intervals, row: int, places: Array) -> Intervals:
    start, end = whole.start[row], whole.end[row]
    inside = np.unique(places[(places > _NONE) & (places < 1.0 - _NONE)])
    inside = inside[np.diff(inside, prepend=0.0) > _NONE]
    borders = np.concatenate([[start], start + (end - start) * inside, [end]])
    segment = np.full(len(inside) + 1, whole.segment[row])
    return Intervals(segment=segment, start=borders[:-1], end=borders[1:])


def _joined(parts: list[Intervals]) -> Intervals:
    empty = Intervals(segment=np.zeros(0, dtype=np.int64), start=np.zeros(0), end=np.zeros(0))
    parts = [empty, *parts]
    return Intervals(
        segment=np.concatenate([part.segment for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
    )
