"""Where the motion is smooth: segments cut where their law switches.

Switches of known laws are told by the motion itself (``switches``); those of any other law are
searched where a piece turns out not to be smooth (``kinks``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.plan import Plan, SegmentKind
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.motion.motion_law import LAW_NAMES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothPieces:
    """Stretches of time without a switch inside.

    A piece's place is kept relative to its segment: absolute time has lost digits by then.

    Args:
        segment: that each lies in. # (P,)
        origin: start of that segment. # (P,) [s]
        offset: of the piece's start from it. # (P,) [s]
        length: # (P,) [s]
    """

    segment: Indices
    origin: Array
    offset: Array
    length: Array

    def __len__(self) -> int:
        """Number of pieces P."""
        return len(self.segment)

    @property
    def start(self) -> Array:
        """Absolute starts. # (P,) [s]."""
        return self.origin + self.offset

    def take(self, rows: Mask | Indices | slice) -> SmoothPieces:
        """Some of the pieces."""
        return SmoothPieces(
            segment=self.segment[rows],
            origin=self.origin[rows],
            offset=self.offset[rows],
            length=self.length[rows],
        )

    def parts(self, x: Array) -> SmoothPieces:
        """Every piece cut at its own place x in (-1, 1); left parts, then right parts."""
        left = self.length * 0.5 * (x + 1.0)
        return SmoothPieces(
            segment=np.concatenate([self.segment, self.segment]),
            origin=np.concatenate([self.origin, self.origin]),
            offset=np.concatenate([self.offset, self.offset + left]),
            length=np.concatenate([left, self.length - left]),
        )


def moving_segments(plan: Plan) -> Indices:
    """Segments that take time, in order."""
    rows = [i for i, segment in enumerate(plan.timeline) if segment.duration > 0.0]
    return np.array(rows, dtype=np.int64)


def smooth_pieces(plan: Plan, model: Model, segments: Indices | None = None) -> SmoothPieces:
    """The pieces of segments that take time, in order; of all of them when none are named."""
    rows: list[tuple[int, float, float, float]] = []
    segments = moving_segments(plan) if segments is None else segments
    for index, inside in zip(segments.tolist(), switches(plan, model, segments), strict=True):
        segment = plan.timeline[index]
        edges = [0.0, *inside.tolist(), 1.0]
        rows += [
            (index, segment.start, a * segment.duration, (b - a) * segment.duration)
            for a, b in pairwise(edges)
        ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return SmoothPieces(
        segment=table[:, 0].astype(np.int64),
        origin=table[:, 1],
        offset=table[:, 2],
        length=table[:, 3],
    )


def states_at(plan: Plan, pieces: SmoothPieces, x: Array) -> tuple[Array, Array, Array]:
    """q, qd, qdd at places x of every piece. # (m,) or (P, m) -> (P, m, n) each.

    An instant late in a long job is a multiple of a coarse step of floating point; the state is
    carried over the small rest of time, so that differences are not spoiled by it.
    """
    if len(pieces) == 0:  # a plan without segments has no state to ask for
        nothing = np.zeros((0, x.shape[-1], plan.job.mechanism.dof))
        return nothing, nothing, nothing
    t, late = _instants(pieces, x)
    state = plan.trajectory.state(t.ravel())
    shape = (*t.shape, plan.job.mechanism.dof)
    q, qd, qdd = (np.asarray(a).reshape(shape) for a in (state.q, state.qd, state.qdd))
    return q - qd * late[..., None], qd - qdd * late[..., None], qdd


def lateness(pieces: SmoothPieces, x: Array) -> Array:
    """How much later than meant ``states_at`` asks, for want of digits. # (P, m) [s]."""
    return _instants(pieces, x)[1]


def _instants(pieces: SmoothPieces, x: Array) -> tuple[Array, Array]:
    local = pieces.offset[:, None] + pieces.length[:, None] * (0.5 * (x + 1.0))
    t = pieces.origin[:, None] + local
    return t, (t - pieces.origin[:, None]) - local


# ---------------------------------------------------------------------------------------- Switches
# Of laws that are not listed here the planner's tables are believed. They are only told where to
# cut: a wrong place leaves a piece that no polynomial fits, which is then searched and cut
# elsewhere.
#
# - trapezoid: the speed in the middle over the first acceleration is the time to speed up;
# - double-S: the way made at the speed V in the middle takes T - t_a, so t_a = T - D/V; speed and
#   acceleration A in the middle of speeding up are V = A·(t_a - t_j).

_NEAR_START = 1e-6  # of the duration: inside the first piece of any trapezoid worth the name
_ONE = 1e-9  # of the duration: two switches closer than this are one


def switches(plan: Plan, model: Model, segments: Indices) -> list[Array]:
    """Instants where the acceleration jumps or bends, as parts of each segment's duration.

    Args:
        plan: with segments of any law.
        model: of the robot.
        segments: that take time. # (m,)

    Returns:
        One rising list per segment.
    """
    found: list[Array] = [np.zeros(0)] * len(segments)
    laws = np.array([plan.timeline[i].law for i in segments], dtype=object)
    for place in np.flatnonzero(laws == "bang-bang"):
        found[place] = np.array([0.5])
    for place in np.flatnonzero(~np.isin(laws, [*LAW_NAMES, "rest"])):
        (found[place],) = _distinct(_claimed(plan, int(segments[place]))[None])
    for law, of in (("trapezoid", _trapezoid), ("double-s", _double_s)):
        places = np.flatnonzero(laws == law)
        if places.size:
            table = of(_Course(plan, model, segments[places]))
            for place, row in zip(places, _distinct(table), strict=True):
                found[place] = row
    return found


def _trapezoid(course: _Course) -> Array:
    """# (m, 2)."""
    first = course.at(np.full(course.count, _NEAR_START))
    with np.errstate(divide="ignore", invalid="ignore"):
        f = course.middle.speed / (first.acceleration * course.duration)
    return np.stack([f, 1.0 - f], axis=1)


def _double_s(course: _Course) -> Array:
    """# (m, 6)."""
    V, T = course.middle.speed, course.duration
    with np.errstate(divide="ignore", invalid="ignore"):
        f = 1.0 - course.way / (V * T)
        A = course.at(np.where((f > 0.0) & (f < 1.0), 0.5 * f, 0.5)).acceleration
        j = f - V / (A * T)
    first = [j, f - j, f]
    return np.stack([*first, *(1.0 - s for s in reversed(first))], axis=1)


def _claimed(plan: Plan, segment: int) -> Array:
    """Starts of the pieces of a segment's law as the planner has them."""
    for stretch in plan.trajectory.stretches:
        own = stretch.index[stretch.segment == segment]
        if own.size:
            piece = np.arange(stretch.motions.pieces)
            index = np.full(piece.size, own[0])
            return np.sort(stretch.motions.law_state(index, piece, np.zeros(piece.size)).s)
    return np.zeros(0)


def _distinct(places: Array) -> list[Array]:
    """Each row's places inside its motion, without repeats. # (m, k).

    A row is empty where the law is not what its name says: places that fall or are no numbers.
    """
    with np.errstate(invalid="ignore"):
        good = np.isfinite(places).all(axis=1) & np.all(np.diff(places) > -_ONE, axis=1)
        passed = np.where(places > _ONE, places, 0.0)
        apart = np.diff(passed, prepend=0.0) > _ONE
    inside = apart & (places < 1.0 - _ONE) & good[:, None]
    return [row[kept] for row, kept in zip(places, inside, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pace:
    """Sizes along the way. # (m,)."""

    speed: Array
    acceleration: Array


class _Course:
    """Segments along a way: the ball's, or in a travel that of the joint that moves most.

    Args:
        plan: that holds them.
        model: of the robot.
        segments: # (m,)
    """

    def __init__(self, plan: Plan, model: Model, segments: Indices) -> None:
        own = [plan.timeline[i] for i in segments]
        self._plan, self._model = plan, model
        self.count = len(own)
        self._start = np.array([s.start for s in own])
        self.duration = np.array([s.duration for s in own])
        self._travel = np.array([s.kind is SegmentKind.TRAVEL for s in own])
        middle = plan.trajectory.state(self._start + 0.5 * self.duration)
        self._most = np.argmax(np.abs(middle.qd), axis=1)[:, None]
        self.middle = self.at(np.full(self.count, 0.5))

    @property
    def way(self) -> Array:
        """Length between the ends. # (m,)."""
        ends = self._start, np.array(self._start + self.duration)
        first = self._plan.trajectory.state(ends[0], "right").q
        last = self._plan.trajectory.state(ends[1], "left").q
        balls = (self._model.forward(q)[:, :3, 3] for q in (last, first))
        ball = np.linalg.norm(np.subtract(*balls), axis=1)
        return np.where(self._travel, self._joint(last - first), ball)

    def at(self, s: Array) -> _Pace:
        """At parts of the durations. # (m,)."""
        state = self._plan.trajectory.state(self._start + s * self.duration)
        twist = self._model.velocity(state.q, state.qd)[:, :3]
        push = self._model.acceleration(state.q, state.qd, state.qdd)[:, :3]
        return _Pace(
            speed=np.where(self._travel, self._joint(state.qd), np.linalg.norm(twist, axis=1)),
            acceleration=np.where(
                self._travel, self._joint(state.qdd), np.linalg.norm(push, axis=1)
            ),
        )

    def _joint(self, values: Array) -> Array:
        return np.asarray(np.abs(np.take_along_axis(values, self._most, axis=1)[:, 0]))
