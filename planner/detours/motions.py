"""Detours as motions: exact states at any time, durations known in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from planner.clearance.certify import keeps
from planner.clearance.checker import Checker
from planner.clearance.paths import StraightPaths
from planner.job.solids import Cell
from planner.motion.motions import LawState
from planner.motion.travel import TravelMotions
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import PathState, at_rest
from robots.core.motion.joint_path import JointPath

if TYPE_CHECKING:
    from planner.motion.time_optimal import TimeOptimalMotions

LAW = "rounded"
"""Name of the law of detours: changes of velocity with a smooth bump of acceleration."""
_SLIVER = 1e-11  # of a motion
_ROUNDING = 1e-12  # relative: sums of products that proofs are made with


class DetourMotions:
    """Motions with round corners, from rest to rest; also paths over s = t/T to be certified.

    Args:
        motions: pieces of each; none where nothing moves.
        rests: joints of motions that do not move. # (k, n) [rad]
        limits: of the joints.
    """

    law = LAW

    def __init__(self, motions: Sequence[RoundedMotion], rests: Array, limits: JointLimits) -> None:
        k, n = rests.shape
        motions = [_without_slivers(pieces) for pieces in motions]
        self.pieces = max((len(pieces.duration) for pieces in motions), default=1) or 1
        self._limits = limits
        self._length = np.zeros((k, self.pieces))  # [s]
        self._q = np.repeat(rests[:, None], self.pieces, axis=1)
        self._before = np.zeros((k, self.pieces, n))
        self._after = np.zeros((k, self.pieces, n))
        for row, pieces in enumerate(motions):
            p = len(pieces.duration)
            self._length[row, :p] = pieces.duration
            self._q[row, :p], self._before[row, :p] = pieces.q, pieces.before
            self._after[row, :p] = pieces.after
        ends = np.cumsum(self._length, axis=1)
        # A joint may rest on some legs only: what no more than noise could move it by is no speed.
        whole = ends[:, -1, None, None]
        self._before = np.where(at_rest(self._before * whole), 0.0, self._before)
        self._after = np.where(at_rest(self._after * whole), 0.0, self._after)
        self.duration = ends[:, -1]
        """Least durations. # (k,) [s]."""
        scale = np.where(self.duration > 0.0, self.duration, 1.0)[:, None]
        # Empty pieces lie at the end, where s = 1. # (k, pieces)
        still = (self.duration == 0.0)[:, None]
        self._end = np.where((ends == self.duration[:, None]) | still, 1.0, ends / scale)
        self._start = np.concatenate([np.zeros((k, 1)), self._end[:, :-1]], axis=1)
        self._last = np.maximum(np.sum(self._length > 0.0, axis=1) - 1, 0)

    @property
    def count(self) -> int:
        """Number of motions."""
        return len(self.duration)

    @property
    def bindings(self) -> tuple[str, ...]:
        """The limit that each motion is at for the longest time; empty where nothing moves."""
        change = (self._after - self._before) / np.where(self._length > 0, self._length, np.inf)[
            ..., None
        ]
        by_speed = np.abs(self._before) / self._limits.max_speed
        by_acceleration = PEAK * np.abs(change) / self._limits.max_acceleration
        held = np.all(self._before == self._after, axis=2)
        shares = np.where(held[..., None], by_speed, by_acceleration)
        k, n = self.count, self._limits.dof
        column = np.argmax(shares, axis=2) + np.where(held, 0, n)
        total = np.zeros((k, 2 * n))
        np.add.at(total, (np.arange(k)[:, None], column), self._length)
        kinds = [f"{name} velocity" for name in self._limits.names]
        kinds += [f"{name} acceleration" for name in self._limits.names]
        return tuple(
            kinds[int(np.argmax(row))] if moves else ""
            for row, moves in zip(total, self.duration > 0.0, strict=True)
        )

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Place inside a piece; the law itself is r = s. # (m,) each."""
        start, end = self._start[index, piece], self._end[index, piece]
        return _identity(start + (end - start) * x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """At s; both sides of every border of pieces are alike. # (m,) each."""
        del index, seen
        return _identity(s)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints and derivatives by s. # (m, n) each."""
        piece = self._piece(index, law.r)
        tau, T = self._length[index, piece], self.duration[index]
        t = (law.r - self._start[index, piece]) * T
        u = np.clip(t / np.where(tau > 0.0, tau, 1.0), 0.0, 1.0)[:, None]
        before, change = self._before[index, piece], self._change(index, piece)
        length = tau[:, None]
        q = self._q[index, piece] + length * u * (before + change * u * u * (1.0 - 0.5 * u))
        # From the nearer end: near rest the other form is a difference that leaves only noise.
        w = 1.0 - u
        rising, falling = u * u * (3.0 - 2.0 * u), w * w * (3.0 - 2.0 * w)
        after = self._after[index, piece]
        speed = np.where(u < 0.5, before + change * rising, after - change * falling)
        bump = 6.0 * u * (1.0 - u) / np.where(length > 0.0, length, 1.0)
        T = T[:, None]
        return PathState(q=q, dq=T * speed, ddq=T * T * change * bump)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at s = λ, as a path. # (m, n)."""
        return self.states(index, _identity(lam)).q

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Proven bound of |q(λ) - q(middle)| for λ in [low, high]. # (m, n).

        Inside a piece every joint's speed lies between those at its ends, so the largest speed of
        an interval is at its ends or at a border of pieces.
        """
        ends = np.maximum(self._speed(index, low), self._speed(index, high))
        start = self._start[index]
        inside = (start > low[:, None]) & (start < high[:, None])
        borders = np.max(np.abs(self._before[index]) * inside[..., None], axis=1)
        half = 0.5 * (high - low) * self.duration[index]
        bound = half[:, None] * np.maximum(ends, borders)
        return np.asarray(bound * (1.0 + _ROUNDING) + _ROUNDING * 1e-3)

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """Zero: the spread is all that is known. # (m, n)."""
        del low, high
        return np.zeros((index.size, self._q.shape[2]))

    def path(self, motion: int) -> JointPath | None:
        """The same path without its time; None where nothing moves."""
        speed = self._limits.max_speed
        waypoints, widths = [self._q[motion, 0]], []
        along: Array | None = None  # q' of the leg before, where no corner lies between
        end = waypoints[0]
        for piece in np.flatnonzero(self._length[motion] > 0.0):
            before, after = self._before[motion, piece], self._after[motion, piece]
            q, length = self._q[motion, piece], self._length[motion, piece]
            shares = [float(np.max(np.abs(v) / speed)) for v in (before, after)]
            if shares[0] == 0.0 and shares[1] == 0.0:
                continue
            # At rest a piece goes the way of its other end.
            first = before / shares[0] if shares[0] > 0.0 else after / shares[1]
            last = after / shares[1] if shares[1] > 0.0 else first
            if _turns(first, last, speed):
                width = length * shares[0]
                waypoints.append(q + 0.5 * width * first)
                widths.append(width)
                along = None
            else:
                if along is not None and _turns(along, first, speed):
                    waypoints.append(q)
                    widths.append(0.0)
                along = first
            end = q + 0.5 * length * (before + after)
        if len(waypoints) == 1 and along is None:
            return None
        return JointPath.blended(np.array([*waypoints, end]), np.array(widths), speed)

    def take(self, chosen: Indices) -> DetourMotions:
        """Some of the motions, in the order given."""
        motions = [
            RoundedMotion(
                duration=self._length[k], q=self._q[k], before=self._before[k], after=self._after[k]
            )
            for k in chosen
        ]
        return DetourMotions(motions, self._q[chosen, 0], self._limits)

    def _speed(self, index: Indices, s: Array) -> Array:
        """|dq/dt| at s. # (m, n)."""
        T = np.where(self.duration[index] > 0.0, self.duration[index], 1.0)
        return np.asarray(np.abs(self.states(index, _identity(s)).dq) / T[:, None])

    def _piece(self, index: Indices, s: Array) -> Indices:
        piece = np.sum(s[:, None] >= self._end[index], axis=1)
        return np.asarray(np.minimum(piece, self._last[index]))

    def _change(self, index: Indices, piece: Indices) -> Array:
        return np.asarray(self._after[index, piece] - self._before[index, piece])


def _without_slivers(pieces: RoundedMotion) -> RoundedMotion:
    """The motion without pieces that rounding made: too short to move anything by more than noise.

    What is left of two corners that meet is a change of speed by 1e-13 in 1e-13 s, whose
    acceleration is a figure without meaning.
    """
    kept = pieces.duration > _SLIVER * np.sum(pieces.duration)
    if np.all(kept):
        return pieces
    return RoundedMotion(
        duration=pieces.duration[kept],
        q=pieces.q[kept],
        before=pieces.before[kept],
        after=pieces.after[kept],
    )


_SAME_WAY = 1e-9  # relative to the full speeds: velocities along one leg


def _turns(before: Array, after: Array, speed: Array) -> bool:
    """Whether two velocities at full speed are those of different legs."""
    return bool(np.any(np.abs(after - before) > _SAME_WAY * speed))


def _identity(s: Array) -> LawState:
    return LawState(s=s, r=s, dr=np.ones_like(s), ddr=np.zeros_like(s))


class MixedTravels:
    """Travels, some of which give way to detours or to faster motions.

    Args:
        straight: all travels as they would be otherwise.
        detours: those that go around, or along another law.
        travels: which ones these are. # (detours,)
    """

    def __init__(
        self,
        straight: TravelMotions | MixedTravels,
        detours: DetourMotions | TimeOptimalMotions,
        travels: Indices,
    ) -> None:
        self._straight, self._detours = straight, detours
        self._row = np.full(straight.count, -1, dtype=np.int64)
        self._row[travels] = np.arange(travels.size)
        self.pieces: int = max(straight.pieces, detours.pieces if travels.size else 1)

    @property
    def count(self) -> int:
        """Number of travels."""
        return self._straight.count

    @property
    def duration(self) -> Array:
        """Least times. # (k,) [s]."""
        duration = self._straight.duration.copy()
        around = self._row >= 0
        duration[around] = self._detours.duration[self._row[around]]
        return duration

    @property
    def bindings(self) -> tuple[str, ...]:
        """Limits that fix each duration; empty where nothing moves."""
        around = self._detours.bindings
        return tuple(
            around[row] if row >= 0 else binding
            for row, binding in zip(self._row, self._straight.bindings, strict=True)
        )

    def law_name(self, travel: int) -> str:
        """Name of a travel's law."""
        return self._detours.law if self._row[travel] >= 0 else self._straight.law_name(travel)

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece; a motion with fewer pieces ends with empty ones. # (m,)."""
        around = self._row[index] >= 0
        state = LawState(
            s=np.ones(x.size), r=np.ones(x.size), dr=np.zeros(x.size), ddr=np.zeros(x.size)
        )
        mine = np.nonzero(~around & (piece < self._straight.pieces))[0]
        _fill(state, mine, self._straight.law_state(index[mine], piece[mine], x[mine]))
        mine = np.nonzero(around & (piece < self._detours.pieces))[0]
        row = self._row[index[mine]]
        _fill(state, mine, self._detours.law_state(row, piece[mine], x[mine]))
        return state

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,)."""
        straight = self._straight.law_at(index, s, seen)
        state = LawState(s=s, r=straight.r.copy(), dr=straight.dr.copy(), ddr=straight.ddr.copy())
        mine = np.nonzero(self._row[index] >= 0)[0]
        part = None if seen is None else seen[mine]
        found = self._detours.law_at(self._row[index[mine]], s[mine], part)
        state.r[mine], state.dr[mine], state.ddr[mine] = found.r, found.dr, found.ddr
        return state

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""
        state = self._straight.states(index, law)
        mine = np.nonzero(self._row[index] >= 0)[0]
        if mine.size:
            part = LawState(s=law.s[mine], r=law.r[mine], dr=law.dr[mine], ddr=law.ddr[mine])
            found = self._detours.states(self._row[index[mine]], part)
            state.q[mine], state.dq[mine], state.ddq[mine] = found.q, found.dq, found.ddq
        return state

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints of the travels as paths, to be certified. # (m, n)."""
        q = self._straight.joints(index, lam)
        mine = np.nonzero(self._row[index] >= 0)[0]
        q[mine] = self._detours.joints(self._row[index[mine]], lam[mine])
        return q

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Proven bound of |q(λ) - q(middle)| for λ in [low, high]. # (m, n)."""
        bound = self._straight.spread(index, low, high)
        mine = np.nonzero(self._row[index] >= 0)[0]
        bound[mine] = self._detours.spread(self._row[index[mine]], low[mine], high[mine])
        return bound

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """Where the joints go together from the middle to ``high``. # (m, n)."""
        together = self._straight.along(index, low, high)
        mine = np.nonzero(self._row[index] >= 0)[0]
        together[mine] = self._detours.along(self._row[index[mine]], low[mine], high[mine])
        return together


def _fill(state: LawState, rows: Indices, part: LawState) -> None:
    state.s[rows], state.r[rows] = part.s, part.r
    state.dr[rows], state.ddr[rows] = part.dr, part.ddr


# ----------------------------------------------------------------------------------------- Rounded
# Along a leg the speed rises, holds and falls; near a corner the velocity turns from one leg's to
# the next. Every change of velocity follows the same smooth bump of acceleration, 6u(1 - u), which
# is zero at both ends: the motion has continuous acceleration, and inside a change every joint's
# speed stays between its two ends. So speed limits hold without a search, accelerations peak at 3/2
# of their mean, and both are used to the full. A corner's change of velocity stays inside the
# triangle of the corner and the two places where it begins and ends, which is what keeps it near
# the polyline.
#
# With σ the share of the greatest speed, a change of speed along a leg takes room in proportion to
# the change of σ², and so does a corner run through at σ: planning σ² is linear.

PEAK = 1.5  # of the bump 6u(1 - u), whose mean is 1
WIDEST = 0.5  # a corner takes at most half of each of its legs
_ROUNDED_ROUNDING = 1e-13  # relative
# [s] Floating point cannot say where in a shorter piece a late time lies, nor its acceleration: an
# hour into a job times are off by 2e-13 s, and accelerations by up to six times that part of it.
_SHORTEST = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundedMotion:
    """A motion as changes of velocity and stretches of constant velocity, in order of time.

    Args:
        duration: of each piece. # (p,) [s]
        q: joints at its start. # (p, n) [rad]
        before: velocity at its start. # (p, n) [rad/s]
        after: velocity at its end. # (p, n) [rad/s]
    """

    duration: Array
    q: Array
    before: Array
    after: Array


def without_repeats(waypoints: Array) -> Array:
    """The polyline without legs of no length. # (w, n) -> (v, n), v >= 1."""
    moved = np.any(np.diff(waypoints, axis=0) != 0.0, axis=1)
    return np.asarray(waypoints[np.concatenate([[True], moved])])


def direct_time(legs: Array, limits: JointLimits) -> Array:
    """Time of legs at full speed, the way to measure detours. # (..., n) -> (...) [s]."""
    return np.asarray(np.max(np.abs(legs) / limits.max_speed, axis=-1))


class Legs:
    """The legs of a polyline without repeats, with what its corners and speeds cost.

    Args:
        waypoints: # (w, n) [rad]
        limits: of the joints.
    """

    def __init__(self, waypoints: Array, limits: JointLimits) -> None:
        self.corners = waypoints
        self.D = np.diff(waypoints, axis=0)
        self.time = direct_time(self.D, limits)
        # Velocity of each leg at full speed. # (w - 1, n) [rad/s]
        self.velocity = self.D / self.time[:, None]
        own = np.max(np.abs(self.velocity) / limits.max_acceleration, axis=1, initial=0.0)
        turn = np.abs(np.diff(self.velocity, axis=0)) / limits.max_acceleration
        # How long a change takes: from rest to full speed, and in a corner at full speed. [s]
        self.rise = PEAK * own
        bend = PEAK * np.max(turn, axis=1, initial=0.0)
        self.turn = np.where(bend > 0.0, np.maximum(bend, _SHORTEST), 0.0)
        # Parts of a leg per σ²: for a change of speed, and for the corners at its end and start.
        self.rise_room = self.rise / (2.0 * self.time)
        self.end_room = self.turn / (2.0 * self.time[:-1])
        self.start_room = self.turn / (2.0 * self.time[1:])

    def corner_speeds(self, cuts: Array) -> Array:
        """Greatest σ² in each corner for itself.

        Args:
            cuts: part of both legs that a corner may take, at most ``WIDEST``. # (w - 2,)
        """
        room = np.maximum(self.end_room, self.start_room)
        return np.asarray(np.where(cuts < room, cuts / np.where(room > 0.0, room, 1.0), 1.0))

    def arcs(self, speeds: Array) -> RoundedMotion:
        """The corners run through with given σ². # (w - 2,) each."""
        sigma = np.sqrt(speeds)
        before = self.velocity[:-1] * sigma[:, None]
        after = self.velocity[1:] * sigma[:, None]
        duration = self.turn * sigma
        q = self.corners[1:-1] - before * (0.5 * duration)[:, None]
        return RoundedMotion(duration=duration, q=q, before=before, after=after)

    def pieces(self, cuts: Array) -> RoundedMotion:
        """The whole motion, from rest to rest. Args: cuts, as in ``corner_speeds``."""
        speeds = self._reachable(np.concatenate([[0.0], self.corner_speeds(cuts), [0.0]]))
        arcs = self.arcs(speeds[1:-1])
        found = [_rows(arcs, slice(0, 0))]
        for leg in range(len(self.D)):
            found.append(self._along(leg, speeds[leg], speeds[leg + 1]))
            if leg < len(self.D) - 1:
                found.append(_rows(arcs, slice(leg, leg + 1)))
        pieces = RoundedMotion(
            duration=np.concatenate([part.duration for part in found]),
            q=np.concatenate([part.q for part in found]),
            before=np.concatenate([part.before for part in found]),
            after=np.concatenate([part.after for part in found]),
        )
        # What rounding leaves of a piece of no length is none.
        least = _ROUNDED_ROUNDING * float(np.sum(pieces.duration))
        return _rows(pieces, pieces.duration > least)

    def _reachable(self, speeds: Array) -> Array:
        """σ² lowered until every leg is long enough for its change of speed. # (w,)."""
        speeds = speeds.copy()
        first, last = np.append(0.0, self.start_room), np.append(self.end_room, 0.0)
        for leg in range(len(self.D)):
            rise = self.rise_room[leg]
            most = (1.0 + (rise - first[leg]) * speeds[leg]) / (rise + last[leg])
            speeds[leg + 1] = min(speeds[leg + 1], most)
        for leg in reversed(range(len(self.D))):
            rise = self.rise_room[leg]
            most = (1.0 + (rise - last[leg]) * speeds[leg + 1]) / (rise + first[leg])
            speeds[leg] = min(speeds[leg], most)
        return speeds

    def _along(self, leg: int, start: float, end: float) -> RoundedMotion:
        """One leg between its corners: faster, constant, slower. # (1 to 3 pieces)."""
        rise, D = self.rise_room[leg], self.D[leg]
        begin = self.start_room[leg - 1] * start if leg > 0 else 0.0
        finish = self.end_room[leg] * end if leg < len(self.end_room) else 0.0
        room = max(1.0 - begin - finish, 0.0)
        top = min(1.0, max((room / rise + start + end) / 2.0, start, end))
        speeding, slowing = rise * (top - start), rise * (top - end)
        held = max(room - speeding - slowing, 0.0)
        sigma = np.sqrt([start, top, top, end])
        part = np.array([speeding, held, slowing])
        while True:
            mean = 0.5 * (sigma[:-1] + sigma[1:])
            duration = part * self.time[leg] / np.where(part > 0.0, mean, 1.0)
            short = int(np.argmin(duration))
            if duration[short] >= _SHORTEST or part.size == 1:
                break
            # With its neighbour: the change of speed is slower there, the leg as long.
            beside = short - 1 if short else 1
            if 0 < short < part.size - 1 and duration[short + 1] > duration[short - 1]:
                beside = short + 1
            first = min(short, beside)
            part = np.delete(part, first + 1) + np.where(
                np.arange(part.size - 1) == first, part[first + 1], 0.0
            )
            sigma = np.delete(sigma, first + 1)
        # From the leg's far end backwards, so that the last piece ends where the corner begins.
        ends = 1.0 - finish - np.append(np.cumsum(part[:0:-1])[::-1], 0.0)
        places = np.append(begin, ends[:-1])
        return RoundedMotion(
            duration=duration,
            q=self.corners[leg] + places[:, None] * D,
            before=sigma[:-1, None] * self.velocity[leg],
            after=sigma[1:, None] * self.velocity[leg],
        )


def _rows(pieces: RoundedMotion, rows: slice | Mask) -> RoundedMotion:
    return RoundedMotion(
        duration=pieces.duration[rows],
        q=pieces.q[rows],
        before=pieces.before[rows],
        after=pieces.after[rows],
    )


class DetourKind(Enum):
    """By which way a travel goes around."""

    PLANE = "over the clearance plane"
    CUBE = "around the clearance cube"
    LIFTED = "lifted over what is in the way"
    EARLIER = "along an earlier detour"
    SEARCHED = "along a searched way"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TravelSpace:
    """What travel may use: the robot, its limits and the clearance it must keep.

    Args:
        model: of the robot.
        cell: what stands around the robot.
        checker: of the robot in that cell.
        limits: of the joints' speeds and accelerations.
        lower: least joint values, the job's margin taken off. # (n,) [rad]
        upper: greatest joint values, likewise. # (n,) [rad]
        required: clearance. [m]
    """

    model: Model
    cell: Cell
    checker: Checker
    limits: JointLimits
    lower: Array
    upper: Array
    required: float

    def inside(self, q: Array) -> Mask:
        """Postures within the joint limits. # (..., n) -> (...)."""
        return np.asarray(np.all((q >= self.lower) & (q <= self.upper), axis=-1))

    def legs_keep(self, starts: Array, ends: Array) -> Mask:
        """Straight joint motions that are proven to keep the clearance. # (m, n) -> (m,)."""
        if len(starts) == 0:
            return np.zeros(0, dtype=bool)
        return keeps(self.checker, StraightPaths(starts, ends), self.required)

    def routes_keep(self, routes: Array) -> Mask:
        """Polylines of one size whose every leg keeps the clearance. # (k, w, n) -> (k,)."""
        k, w, n = routes.shape
        if k == 0:
            return np.zeros(0, dtype=bool)
        starts, ends = routes[:, :-1].reshape(-1, n), routes[:, 1:].reshape(-1, n)
        # Postures first: a single one that collides spares the proof of all legs.
        clear = ~self.checker.collides(routes.reshape(-1, n), self.required)
        kept = np.all(clear.reshape(k, w), axis=1)
        legs = np.repeat(kept, w - 1)
        legs[legs] = self.legs_keep(starts[legs], ends[legs])
        return np.asarray(np.all(legs.reshape(k, w - 1), axis=1))
