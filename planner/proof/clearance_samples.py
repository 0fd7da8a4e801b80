"""Postures of segments whose clearance a plan states: spread ones, and where it is the least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import Plan, SegmentKind
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.motion.motion_law import LAW_NAMES

POSTURES = 12_000  # looked at in all
_MOST = 16  # on one segment
_GOLDEN = 0.6180339887498949  # multiples of it spread evenly, whatever is left out
_HALVINGS = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClearancePostures:
    """Some postures of a plan.

    Args:
        segment: that each belongs to. # (m,)
        q: # (m, n) [rad or m]
    """

    segment: Indices
    q: Array

    def finite(self) -> ClearancePostures:
        """Those that are numbers."""
        rows = np.all(np.isfinite(self.q), axis=1)
        return ClearancePostures(segment=self.segment[rows], q=self.q[rows])


def watched_segments(plan: Plan) -> Indices:
    """Segments that take time; of very many an even choice."""
    postures = _postures(plan)
    rows = np.array([i for i, s in enumerate(plan.timeline) if s.duration > 0.0], dtype=np.int64)
    share = min(1.0, postures / (2.0 * max(len(rows), 1)))
    return np.asarray(rows[(_GOLDEN * np.arange(len(rows))) % 1.0 < share])


def _postures(plan: Plan) -> int:
    """Without solids only the robot itself is near, and it moves little from one to the next."""
    return POSTURES if plan.job.cell.solids else POSTURES // 4


def spread_postures(plan: Plan, segments: Indices) -> ClearancePostures:
    """Postures at other parts of the duration on every segment; one where the robot rests."""
    each = int(np.clip(_postures(plan) // max(len(segments), 1), 1, _MOST))
    rests = np.array([plan.timeline[i].kind is SegmentKind.DWELL for i in segments], dtype=bool)
    counts = np.where(rests, 1, each)
    segment = np.repeat(segments, counts)
    place = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
    s = (place + (_GOLDEN * segment) % 1.0) / each
    start, duration = _times(plan, segment)
    return ClearancePostures(segment=segment, q=plan.trajectory.state(start + s * duration).q)


def stated_postures(plan: Plan, model: Model, segments: Indices) -> ClearancePostures:
    """Where segments that move say that they come nearest.

    A place is a part of the way of the ball from clearance point to search end, also of a retract;
    of a straight travel, a part of the joints' way; of any other travel, a part of its duration.
    """
    own = [plan.timeline[i] for i in segments]
    moving = [s.kind is not SegmentKind.DWELL and s.clearance is not None for s in own]
    segments = segments[np.array(moving, dtype=bool)]
    stated = [plan.timeline[i].clearance for i in segments]
    at = np.array([np.nan if one is None else one.at for one in stated])
    start, duration = _times(plan, segments)
    progress = _Progress(plan, model, segments)
    low, high = np.zeros(len(segments)), np.ones(len(segments))
    back = progress.at(start + duration) < progress.at(start)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        later = (progress.at(start + middle * duration) < at) != back
        low, high = np.where(later, middle, low), np.where(later, high, middle)
    s = np.where(progress.timed, at, 0.5 * (low + high))
    return ClearancePostures(segment=segments, q=plan.trajectory.state(start + s * duration).q)


class _Progress:
    """How far segments are on their way, from 0 to 1.

    Args:
        plan: that holds them.
        model: of the robot.
        segments: that move. # (m,)
    """

    def __init__(self, plan: Plan, model: Model, segments: Indices) -> None:
        own = [plan.timeline[i] for i in segments]
        self._plan, self._model = plan, model
        self._travel = np.array([s.kind is SegmentKind.TRAVEL for s in own], dtype=bool)
        straight = np.array([s.law in LAW_NAMES for s in own], dtype=bool)
        self.timed = self._travel & ~straight
        start, duration = _times(plan, segments)
        first = plan.trajectory.state(start, "right").q
        last = plan.trajectory.state(start + duration, "left").q
        point = np.array([s.point_index for s in own], dtype=np.int64)
        self._q = _StraightPaths(first, last)
        self._ball = _StraightPaths(plan.placed.clearances[point], plan.placed.search_ends[point])

    def at(self, t: Array) -> Array:
        """At an instant of each segment. # (m,)."""
        q = self._plan.trajectory.state(t).q
        ball = self._model.forward(q)[:, :3, 3]
        return np.where(self._travel, self._q.share(q), self._ball.share(ball))


class _StraightPaths:
    """Straight ways between places of any number of coordinates. # (m, d) each."""

    def __init__(self, start: Array, end: Array) -> None:
        self._start, self._along = start, end - start
        self._square = np.sum(self._along * self._along, axis=1)

    def share(self, places: Array) -> Array:
        """Parts of the ways that are behind. # (m, d) -> (m,)."""
        gone = np.sum((places - self._start) * self._along, axis=1)
        return np.asarray(gone / np.where(self._square > 0.0, self._square, 1.0))


def _times(plan: Plan, segments: Indices) -> tuple[Array, Array]:
    """Starts and durations. # (m,) [s]."""
    own = [plan.timeline[i] for i in segments]
    return np.array([s.start for s in own]), np.array([s.duration for s in own])
