"""The probing cycle: speed of the ball in search and back-off, overrun, speed limit of positioning.

Everything is measured on the ball, by the forward model of the joints and their speeds; speeds,
lengths and times asked for are read from the job again.
"""

from __future__ import annotations

import numpy as np

from planner.job.settings import Touch
from planner.plan import Plan, Samples, SegmentKind
from planner.proof.chebyshev import NODES, coefficients
from planner.proof.check import Check, Location, Worst, check
from planner.proof.evidence import CheckGroup, Evidence, Passage, touches
from planner.proof.peaks import OVER, ColumnBounds, peaks
from planner.proof.resolved_motion import SmoothPieces, states_at
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.joint_motion import REST

SPEED = 1e-9  # relative
PLACE = 1e-9  # [m]
_REST = 1e-9  # [s] of the dwell
# Of the squared speed over its limit: last coefficients of a polynomial that fits; what has to fit
# because it is so large; how far a polynomial that does not fit may be off, in last coefficients.
_RESOLVED, _NEAR, _FAR = 1e-9, 0.9, 100.0
_TAIL = 3
_DEEPEST = 8  # halvings
_SLOW = (SegmentKind.BACK_OFF,)
_POSITIONING = (SegmentKind.PROBE, SegmentKind.RETRACT, SegmentKind.TRAVEL)
_SEARCH = (
    "speed of the ball less the touch speed of its point, relative: at Chebyshev's instants of "
    "every search, of samples what they are above it, and touch speeds stated of every point"
)
_OVERRUN = (
    "what the ball goes on beyond the end of every search, by forward geometry, against the "
    "overrun stated, against latency and deceleration of the job, and against the end of the line"
)
_SETTLED = "rests after stops, against those that the job asks for"
_POSITIONED = (
    "bound of the ball's speed over the whole motion: of back-offs over the touch speed, of "
    "approaches, retracts and travels over the positioning speed where the job gives one"
)


class TouchCheck(CheckGroup):
    """Speeds and lengths of the cycle of every point.

    Args:
        evidence: the plan and forward models.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._plan, self._model = evidence, evidence.plan, evidence.model
        timeline = self._plan.timeline
        self._touches = touches(self._plan)
        self._point = np.array([s.point_index for s in timeline], dtype=np.int64)
        self._search = _of_kinds(self._plan, (SegmentKind.SEARCH,))
        self._limit = self._speed_limits()
        self._speed, self._bounds = Worst(), ColumnBounds(1)

    def _speed_limits(self) -> Array:
        """Largest speed of the ball in every segment; infinite for none. # (m,) [m/s]."""
        own = [self._touches[int(k)] for k in self._point]
        slow, positioning = (_of_kinds(self._plan, kinds) for kinds in (_SLOW, _POSITIONING))
        limits = np.where(slow, [touch.speed for touch in own], np.inf)
        return np.where(positioning, [touch.positioning_speed for touch in own], limits)

    def on_segments(self, passage: Passage) -> None:
        """The ball's speed at Chebyshev's instants."""
        motion = passage.motion
        segments = motion.pieces.segment
        if segments.size == 0:
            return
        rows = np.flatnonzero(self._search[segments])
        if rows.size:
            asked = self._asked(segments[rows])[:, None]
            q, qd = motion.q[rows], motion.qd[rows]
            length = self._plan.placed.lengths[self._point[segments[rows]], None]
            off = np.abs(self._ball_speed(q, qd) / asked - 1.0) - self._unmoved(q, qd, length)
            locate = self._evidence.in_pieces(motion.pieces.take(rows), NODES)
            self._speed.take(np.maximum(off, 0.0), locate)
        limited = np.flatnonzero(np.isfinite(self._limit[segments]))
        pieces, q, qd = motion.pieces.take(limited), motion.q[limited], motion.qd[limited]
        for depth in range(_DEEPEST + 1):
            if len(pieces) == 0:
                break
            ratio = self._ball_speed(q, qd) / self._limit[pieces.segment][:, None]
            squares = (ratio * ratio)[..., None]
            # Joints that a polynomial fits may carry the ball along a path that it does not fit.
            tail = np.max(np.abs(coefficients(squares)[:, -_TAIL:, 0]), axis=1)
            near = np.max(squares[..., 0], axis=1) + _FAR * tail > _NEAR
            cut = (tail > _RESOLVED) & near & (depth < _DEEPEST)
            # What no halving resolves is bounded by what its polynomial may miss.
            squares[(tail > _RESOLVED) & near & ~cut] += _FAR * np.max(tail, initial=0.0)
            self._take(pieces.take(~cut), squares[~cut])
            pieces = pieces.take(cut)
            pieces = pieces.parts(np.zeros(len(pieces)))
            q, qd, _ = states_at(self._plan, pieces, NODES)

    def _take(self, pieces: SmoothPieces, squares: Array) -> None:
        """Bounds of the ball's speed, squared and over its limit, in pieces. # (P, K, 1)."""
        if len(pieces):
            highest = peaks(lambda rows: squares[rows], len(pieces), self._bounds.value)
            self._bounds.take(highest, pieces)

    def on_samples(self, samples: Samples) -> None:
        """Samples in a search are not faster than it."""
        rows = np.flatnonzero(self._search[samples.segment])
        if rows.size == 0:
            return
        speed = self._ball_speed(samples.q[rows], samples.qd[rows])
        over = np.maximum(speed / self._asked(samples.segment[rows]) - 1.0, 0.0)
        locate = self._evidence.in_samples(samples)
        self._speed.take(over, lambda index: locate((int(rows[index[0]]),)))

    def checks(self) -> list[Check]:
        """Of speeds, overruns and rests."""
        found = []
        if any(s.kind is SegmentKind.PROBE for s in self._plan.timeline):  # a miss has no reading
            found.append(check("dwell", _dwells(self._plan, self._touches), _REST, "s", _SETTLED))
        if np.any(self._search):
            self._speed.take(self._stated_speeds())
            found += [
                check("touch speed", self._speed, SPEED, "1", _SEARCH),
                check("overrun", self._overruns(), PLACE, "m", _OVERRUN),
            ]
        if np.any(np.isfinite(self._limit)):

            def locate(index: tuple[int, ...]) -> Location:
                return self._bounds.location(self._evidence, index[0])

            most = np.sqrt(np.maximum(self._bounds.upper[:1], 0.0))
            found.append(check("speed of the ball", most, 1.0 + OVER, "1", _POSITIONED, locate))
        return found

    def _stated_speeds(self) -> Array:
        """Touch speeds that points state, less those asked for, relative. # (...) [1]."""
        rows = [k for k, point in enumerate(self._plan.planned_points) if point.reachable]
        asked = np.array([touch.speed for touch in self._touches])
        stated = np.array([self._plan.planned_points[k].touch_speed for k in rows])
        off = [stated / asked[rows] - 1.0, self._plan.placed.touch_speeds / asked - 1.0]
        return np.asarray(np.abs(np.concatenate(off)))

    def _unmoved(self, q: Array, qd: Array, length: Array) -> Array:
        """What joints that count as resting may lack of the ball's speed, relative. # (P, 1)."""
        still = np.all(qd == 0.0, axis=1)
        lever = np.linalg.norm(self._model.jacobian(q[:, 0])[:, :3], axis=1)
        missing = np.sum(np.where(still, lever, 0.0), axis=1, keepdims=True) * REST
        return np.asarray(missing / length)

    def _asked(self, segments: Indices) -> Array:
        return np.array([self._touches[int(k)].speed for k in self._point[segments]])

    def _ball_speed(self, q: Array, qd: Array) -> Array:
        """# (..., n) -> (...)."""
        n = q.shape[-1]
        velocity = self._model.velocity(q.reshape(-1, n), qd.reshape(-1, n))[:, :3]
        return np.asarray(np.linalg.norm(velocity, axis=1).reshape(q.shape[:-1]))

    def _overruns(self) -> Array:
        """Of every stop: not farther than stated, nor than the line; not later, nor harder.

        A stop that begins with a latency covers v·t at constant speed, then v²/2a = v·(T - t)/2.
        """
        plan, placed = self._plan, self._plan.placed
        rows = np.flatnonzero(_of_kinds(plan, (SegmentKind.STOP,)))
        if rows.size == 0:
            return np.zeros(0)
        own = [plan.timeline[i] for i in rows]
        point = self._point[rows]
        first = np.array([s.start for s in own])
        last = np.array([s.end for s in own])
        states = plan.trajectory.state(first, "right"), plan.trajectory.state(last, "left")
        ball = [self._model.forward(state.q)[:, :3, 3] for state in states]
        away = placed.directions[point]
        depth = np.sum((placed.contacts[point] - ball[1]) * away, axis=1)
        gone = np.sum((ball[0] - ball[1]) * away, axis=1)
        stated = np.array([plan.planned_points[int(k)].overrun for k in point])
        speed = np.array([self._touches[int(k)].speed for k in point])
        seconds = np.array([s.duration for s in own])
        latency = np.clip(2.0 * gone / speed - seconds, 0.0, None)
        allowed = np.array([self._touches[int(k)].latency for k in point])
        hardest = [self._touches[int(k)].deceleration for k in point]
        slowest = np.array([0.0 if a is None else 0.5 / a for a in hardest]) * speed * speed
        return np.concatenate(
            [
                np.maximum(gone - stated, 0.0),
                np.maximum(depth - placed.depths[point], 0.0),
                speed * np.maximum(latency - allowed, 0.0),
                np.maximum(slowest - 0.5 * speed * (seconds - latency), 0.0),
            ]
        )


def _of_kinds(plan: Plan, kinds: tuple[SegmentKind, ...]) -> Mask:
    return np.array([s.kind in kinds for s in plan.timeline], dtype=bool)


def _dwells(plan: Plan, asked: list[Touch]) -> Array:
    """Rest at every visited point, less what is asked for. # (p,) [s]."""
    rest = dict.fromkeys((s.point_index for s in plan.timeline), 0.0)
    for segment in plan.timeline:
        if segment.kind is SegmentKind.DWELL:
            rest[segment.point_index] += segment.duration
    return np.array([seconds - asked[k].settle for k, seconds in rest.items()])
