"""The motion as polynomials: what is true between samples follows from them.

Every smooth piece is asked at Chebyshev's instants for the exact state, and at witnesses between
them. A piece whose last coefficients, or whose witnesses, show more than the tolerance is cut and
asked again; so a bump that any instant meets is followed to its top. A cut in the middle smooths
what is smooth by orders of magnitude; where it does not, the next cut is at the kink. What is left
is the check "resolution", and the bound of what the polynomials can miss. Switches of known laws
are told by the motion itself (``switches``); those of any other law are searched where a piece
turns out not to be smooth (``kinks``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from planner.plan import Plan, SegmentKind
from planner.proof.chebyshev import (
    COUNT,
    NODES,
    WITNESSES,
    at_ends,
    basis,
    coefficients,
    row_values,
)
from planner.proof.check import scales
from planner.proof.lagrange_torques import LagrangeTorques
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.motion.motion_law import LAW_NAMES

TOLERANCE = 1e-8  # of each joint's peak
_TAIL = 3  # last coefficients looked at: symmetric functions have every second one zero
_DEEPEST = 40  # cuts of one piece
_MOST = 64  # pieces that one may become on average, so that a motion without end of bends ends
_FEW = 4096  # pieces that are never too many
_ROWS = 1024  # pieces resolved at once
_KINKED = 0.03  # a cut that leaves more than this part of the roughness has met a kink
# A piece below this that a run of cuts does not smooth is as smooth as rounding allows. One cut
# says nothing: beside a sharp bend, as near a singularity, the roughness falls slowly at first.
_ROUNDING = 1e-5
_RUN = 5
_SLIVER = 1e-9  # of a segment
_STILL = 1e-9  # of a joint's fastest speed in a piece: what turns no faster is not cut
_AT_REST = 1e-6  # likewise, at the ends of a piece
_BISECTIONS = 55
_PLACES: Array = np.concatenate([[-1.0], NODES, [1.0]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResolvedMotion:
    """Values at ``NODES`` of every piece, pieces in order of time; torques by Lagrange.

    Args:
        pieces: where they are.
        q: # (P, K, n) [rad]
        qd: # (P, K, n) [rad/s]
        qdd: # (P, K, n) [rad/s²]
        tau: # (P, K, n) [N m]
        side: sign of the speed that dry friction acts against. # (P, n)
        roughness: worst tail or departure of a witness, over the joint's peak. # (P,)
    """

    pieces: SmoothPieces
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    side: Array
    roughness: Array

    def take(self, rows: Mask | Indices | slice) -> ResolvedMotion:
        """Some of the pieces."""
        return ResolvedMotion(
            pieces=self.pieces.take(rows),
            q=self.q[rows],
            qd=self.qd[rows],
            qdd=self.qdd[rows],
            tau=self.tau[rows],
            side=self.side[rows],
            roughness=self.roughness[rows],
        )

    @property
    def power(self) -> Array:
        """Of each joint. # (P, K, n) [W]."""
        return np.asarray(self.tau * self.qd)


def resolve(
    plan: Plan, pieces: SmoothPieces, torques: LagrangeTorques, survey: Survey
) -> ResolvedMotion:
    """Cut pieces until every one is a polynomial to within ``TOLERANCE``.

    Args:
        plan: to be asked.
        pieces: to begin with, in order of time.
        torques: of its robot.
        survey: of its motion.
    """
    most = max(_MOST * len(pieces), _FEW)
    seconds = np.array([segment.duration for segment in plan.timeline])
    found = [_asked(plan, pieces.take(slice(0, 0)), torques)]
    before, at_kink = np.full(len(pieces), np.inf), np.zeros(len(pieces), dtype=bool)
    run = np.zeros(len(pieces), dtype=np.int64)  # cuts one after another that smoothed nothing
    for depth in range(_DEEPEST + 1):
        if len(pieces) == 0:
            break
        motion = _asked(plan, pieces, torques)
        motion = replace(motion, roughness=_all_roughness(plan, motion, survey))
        rough, stuck = motion.roughness > TOLERANCE, motion.roughness > _KINKED * before
        run = np.where(motion.roughness > 0.5 * before, run + 1, 0)
        hopeless = (run >= _RUN) & (motion.roughness < _ROUNDING)
        # Turns are told by a polynomial that fits. What is left beside one may be a sliver whose
        # speeds are noise: it is not cut again.
        tellable = (~rough | hopeless) & (pieces.length > _SLIVER * seconds[pieces.segment])
        turning = turns(motion.qd, torques.coulomb) & tellable[:, None]
        cut = (rough & ~hopeless) | np.any(turning, axis=1)
        made = sum(len(part.pieces) for part in found) + len(pieces)
        if depth == _DEEPEST or made + np.count_nonzero(cut) > most:
            cut[:] = False
        found.append(motion.take(~cut))
        # Beside a sharp bend only halving helps, so no piece is cut at its kink twice in a row.
        at_kink = (stuck & rough & ~at_kink & ~np.any(turning, axis=1))[cut]
        x = cutting_places(motion.qd[cut], turning[cut])
        pieces = pieces.take(cut)
        x[at_kink] = kinks(plan, pieces.take(at_kink), survey)
        pieces, at_kink, run = pieces.parts(x), np.tile(at_kink, 2), np.tile(run[cut], 2)
        before = np.tile(motion.roughness[cut], 2)
    return _joined(found)


def _asked(plan: Plan, pieces: SmoothPieces, torques: LagrangeTorques) -> ResolvedMotion:
    """States and torques at the nodes of some pieces."""
    q, qd, qdd = states_at(plan, pieces, NODES)
    side = sides(qd)
    return ResolvedMotion(
        pieces=pieces,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=torques.smooth(q, qd, qdd) + torques.coulomb * side[:, None, :],
        side=side,
        roughness=np.zeros(len(pieces)),
    )


def _all_roughness(plan: Plan, motion: ResolvedMotion, survey: Survey) -> Array:
    peaks = roughness_scale(survey)

    def some(rows: slice) -> Array:
        return roughness(plan, motion.take(rows), peaks)

    return by_blocks(some, len(motion.pieces), _ROWS)


def roughness_scale(survey: Survey) -> Array:
    """What parts of speeds, accelerations, torques, powers and joints are parts of. # (5n,)."""
    return np.concatenate([survey.resolution, np.ones(survey.speed.size)])


def roughness(plan: Plan, motion: ResolvedMotion, peaks: Array) -> Array:
    """Worst part of a column's peak that the polynomial of a piece may miss. # (P,).

    Args:
        plan: to be asked.
        motion: at the nodes.
        peaks: see ``roughness_scale``; of all pieces or of each. # (5n,) or (P, 5n)
    """
    n = motion.q.shape[-1]
    columns = (motion.qd, motion.qdd, motion.tau, motion.power, motion.q)
    c = coefficients(np.concatenate(columns, axis=-1))
    peaks = np.atleast_2d(peaks)[:, None, :]
    tail = np.max(np.abs(c[:, -_TAIL:]) / peaks, axis=(1, 2), initial=0.0)
    q, qd, qdd = states_at(plan, motion.pieces, WITNESSES)
    expected = np.matmul(basis(WITNESSES), c[..., [*range(2 * n), *range(4 * n, 5 * n)]])
    off = np.abs(np.concatenate([qd, qdd, q], axis=-1) - expected)
    off = np.max(off / np.delete(peaks, slice(2 * n, 4 * n), axis=-1), axis=(1, 2))
    return np.asarray(np.maximum(tail, off))


def _joined(parts: Sequence[ResolvedMotion]) -> ResolvedMotion:
    """All parts, in order of time."""
    pieces = SmoothPieces(
        **{
            name: np.concatenate([getattr(part.pieces, name) for part in parts])
            for name in ("segment", "origin", "offset", "length")
        }
    )
    order = np.argsort(pieces.start, kind="stable")
    values = {
        name: np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("q", "qd", "qdd", "tau", "side", "roughness")
    }
    return ResolvedMotion(pieces=pieces.take(order), **values)


def sides(qd: Array) -> Array:
    """Sign of each joint's speed in a piece, zero where it is at rest. # (P, n)."""
    largest = np.take_along_axis(qd, np.argmax(np.abs(qd), axis=1)[:, None, :], axis=1)[:, 0]
    return np.asarray(np.sign(largest))


def turns(qd: Array, coulomb: Array) -> Mask:
    """Joints with dry friction that change direction inside a piece. # (P, n)."""
    least = _STILL * np.max(np.abs(qd), axis=1)
    values = _with_ends(qd)
    both = (np.max(values, axis=1) > least) & (np.min(values, axis=1) < -least)
    return np.asarray(both & (coulomb > 0.0))


def _with_ends(qd: Array) -> Array:
    """Speeds at ``_PLACES``: joints may turn before the first node. # (P, K + 2, n).

    An end that is all but at rest has the sign of rounding and counts as what it is next to.
    """
    first, last = at_ends(coefficients(qd))
    small = _AT_REST * np.max(np.abs(qd), axis=1)
    first = np.where(np.abs(first) <= small, qd[:, 0], first)
    last = np.where(np.abs(last) <= small, qd[:, -1], last)
    return np.concatenate([first[:, None], qd, last[:, None]], axis=1)


def cutting_places(qd: Array, turning: Mask) -> Array:
    """The middle, or where the first joint with dry friction turns. # (P,)."""
    x = np.zeros(len(qd))
    rows = np.nonzero(np.any(turning, axis=1))[0]
    joints = np.argmax(turning[rows], axis=1)
    c = coefficients(qd[rows])[np.arange(rows.size), :, joints]
    values = _with_ends(qd[rows])[np.arange(rows.size), :, joints]
    signs = np.sign(values)
    at = np.argmax(signs[:, 1:] != signs[:, :-1], axis=1)
    low, high, before = _PLACES[at], _PLACES[at + 1], signs[np.arange(rows.size), at]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        left = np.sign(row_values(c, middle[:, None])[:, 0]) == before
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    x[rows] = 0.5 * (low + high)
    return x


# ------------------------------------------------------------------------------------------- Kinks
# Zooming: the largest of the fourth differences runs over it. A jump of a state, or of its slope,
# outweighs all that is smooth as steps shrink; before that a wrong guess only cuts a smooth piece
# in two.

_CELLS = 32
_ORDER = 4  # of the differences, so each runs over four cells
_ZOOMS = 11  # eight times narrower each: to 1e-10 of the piece
_STEPS: Array = np.linspace(0.0, 1.0, _CELLS + 1)


def kinks(plan: Plan, pieces: SmoothPieces, survey: Survey) -> Array:
    """Place of the sharpest jump or bend inside every piece. # (P,) in (-1, 1).

    Args:
        plan: to be asked.
        pieces: that hold one.
        survey: for the sizes of speeds and accelerations.
    """
    size = np.concatenate([np.ones_like(survey.speed), survey.speed, survey.acceleration])
    size = np.where(size > 0.0, size, 1.0)
    return by_blocks(lambda rows: _zoomed(plan, pieces.take(rows), size), len(pieces), _ROWS)


def _zoomed(plan: Plan, pieces: SmoothPieces, size: Array) -> Array:
    # Beyond the first and last node nothing is ever asked, so no kink can be told there.
    low, high = np.full(len(pieces), NODES[0]), np.full(len(pieces), NODES[-1])
    for _ in range(_ZOOMS):
        x = low[:, None] + (high - low)[:, None] * _STEPS
        values = np.concatenate(states_at(plan, pieces, x), axis=2) / size
        bends = np.max(np.abs(np.diff(values, n=_ORDER, axis=1)), axis=2, initial=0.0)
        first = np.argmax(bends, axis=1)
        step = (high - low) / _CELLS
        low, high = low + first * step, low + (first + _ORDER) * step
    return np.asarray(0.5 * (low + high))


# ------------------------------------------------------------------------------------------- Survey
# How large speeds, accelerations, torques and powers of a motion are, for residuals' sake.

_INSTANTS: Array = NODES[[0, 5, 11, 18, 23]]  # of every piece: peaks to within a few per cent
_SEGMENTS = 4096  # looked at at once
# Rates of a line come out of the task Jacobian with an error of about ε·κ of the busiest joint's.
# The tolerance of the resolution, 1e-8, times this part is 1e-13: κ of 450.
_QUIET = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """Peaks of every joint at a few instants of every smooth piece. # (n,) each.

    Args:
        speed: [rad/s]
        acceleration: [rad/s²]
        torque: by Lagrange. [N m]
        power: [W]
    """

    speed: Array
    acceleration: Array
    torque: Array
    power: Array

    @property
    def resolution(self) -> Array:
        """What roughness of speeds, accelerations, torques and powers is part of. # (4n,)."""
        peaks = (self.speed, self.acceleration, self.torque, self.power)
        speed, *others = (scales(peak, _QUIET) for peak in peaks)
        # Differences of q miss up to K times as much of the speed as its own polynomial does.
        return np.concatenate([speed / COUNT, *others])


def survey(plan: Plan, model: Model, torques: LagrangeTorques) -> Survey:
    """Peaks of the whole motion, zero where nothing moves."""
    moving = moving_segments(plan)
    peaks = np.zeros((4, model.dof))
    for rows in blocks(len(moving), _SEGMENTS):
        pieces = smooth_pieces(plan, model, moving[rows])
        q, qd, qdd = states_at(plan, pieces, _INSTANTS)
        tau = torques.full(q, qd, qdd)
        found = [np.max(np.abs(a), axis=(0, 1), initial=0.0) for a in (qd, qdd, tau, tau * qd)]
        peaks = np.maximum(peaks, found)
    speed, acceleration, torque, power = peaks
    return Survey(speed=speed, acceleration=acceleration, torque=torque, power=power)


# ------------------------------------------------------------------------------------ Smooth pieces


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


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices that cover 0 to ``count``."""
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def by_blocks(function: Callable[[slice], Array], count: int, size: int) -> Array:
    """Rows of a function of slices, one after another; of nothing too, for its shape."""
    parts = [function(rows) for rows in blocks(count, size)] or [function(slice(0, 0))]
    return np.concatenate(parts)
