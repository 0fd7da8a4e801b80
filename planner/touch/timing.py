"""How long the cycle of every point takes: approach, search, stop, back-off, retract; and the miss.

The ball starts at rest, comes to the start of the search with the touch speed, by a polynomial of
degree five, and keeps that speed through the nominal surface. Touched, it goes on for the latency
and slows down evenly. Everything is along the probing line, so that every duration follows from
lengths and speeds of the ball, but for the least times of approach, back-off and retract under the
limits of the joints. The miss is the other branch: the search to its end, a stop, the retract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from planner.job import Job
from planner.motion.extremes import Evaluate, highest, hilltops
from planner.motion.loads import Detail, reversed_loads, stretch_loads
from planner.motion.motions import LawTable
from planner.motion.sampled_loads import magnitudes
from planner.motion.timing import Durations, Schedule, Timing, load_scope, timing, travels
from planner.motion.travel import TravelMotions
from planner.plan import PlacedPoints, SegmentKind
from planner.reach.lines import Lines
from planner.touch.cycle import SHORTEST_STOP
from planner.touch.lines import (
    LineMotions,
    LineTimes,
    ball_column,
    least_line_times,
    rough_line_times,
    time_ratios,
)
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.motion_law import trapezoid
from robots.core.rounding import apart_digits

if TYPE_CHECKING:
    from planner.detours.motions import MixedTravels

_LINE, _SHORT = 33, 9  # places of a line, and of a short stretch of one
_AT_TOUCH_SPEED = ("linear", "stop")  # laws of motions whose duration the touch speed fixes
_EASE = 0.1  # of the back-off, in which the ball speeds up
# At this multiple of the mean speed the quintic's speed rises all the way to the touch speed; above
# 2.5 it would start backwards.
RISING = 2.0
_ROUNDS = 8
_LOCAL_ROUNDS = 4
_SETTLED = 1e-12  # of a duration
_STEP = 1.0 / 16  # of a motion: the foot of a hill of a grid
_GROWTH = 1.2  # of an approach that is too heavy for a joint
_BISECTIONS = 52


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timings:
    """The motions of a plan with durations and loads, in visiting order.

    Args:
        cycle: the kinds of one touch, in order of time.
        travel: between the points.
        miss: what replaces the end of the cycle where the search finds nothing; empty without
            search.
        overruns: how far the ball goes on after a trigger, at most. # (k,) [m]
        hurried: points whose approach keeps the joints' limits with no duration that ends at the
            touch speed, by number in visiting order.
    """

    cycle: Mapping[SegmentKind, Timing]
    travel: Timing
    miss: Mapping[SegmentKind, Schedule] = field(default_factory=dict)
    overruns: Array = field(default_factory=lambda: np.zeros(0))
    hurried: tuple[int, ...] = ()

    @property
    def batches(self) -> tuple[Timing, ...]:
        """All that is part of the plan's motion."""
        return (*self.cycle.values(), self.travel)

    @property
    def duration(self) -> float:
        """Of all motions, without rests. [s]."""
        return float(sum(np.sum(batch.times.duration) for batch in self.batches))


def timings(
    lines: Lines,
    placed: PlacedPoints,
    limits: JointLimits,
    job: Job,
    travel: TravelMotions | MixedTravels | None = None,
    hardest_stops: Array | None = None,
) -> Timings:
    """Time the touches in visiting order, and the travel between them.

    Args:
        lines: one per point.
        placed: their points, in the same order.
        limits: of the joints, torques included.
        job: for the laws and the cycle.
        travel: between their clearance points; straight when None.
        hardest_stops: that the joints allow, where that is known. # (k,) [m/s²]
    """
    travel = travels(lines, limits, job) if travel is None else travel
    travel_times = _slow_ball(lines.model, travel, job.touch.positioning_speed)
    detail = Detail.SMOOTH if job.touch.searching else Detail.WHOLE
    moved = timing(lines.model, travel, travel_times, limits, detail=detail)
    if not job.touch.searching:
        return Timings(
            cycle=_to_rest(lines, limits, job), travel=moved, overruns=np.zeros(len(lines))
        )
    return _SearchCycle(lines, placed, limits, job, hardest_stops).timings(moved)


def _to_rest(lines: Lines, limits: JointLimits, job: Job) -> dict[SegmentKind, Timing]:
    """From the clearance point to rest at contact, and back."""
    model, law = lines.model, job.approach.law
    motions, backward = LineMotions(lines, law), LineMotions(lines, law, backward=True)
    least = least_line_times(motions, limits, job.touch.positioning_speed)
    times = Durations(duration=least.duration, bindings=least.bindings)
    probe = timing(model, motions, times, limits, law)
    # Without friction a retract is its line run backwards, torques and limits included.
    retract = (
        timing(model, backward, times, limits, law)
        if _has_friction(model.mechanism)
        else Timing(
            motions=backward,
            times=probe.times,
            law=law,
            loads=reversed_loads(probe.loads),
            impossible=probe.impossible,
        )
    )
    return {SegmentKind.PROBE: probe, SegmentKind.RETRACT: retract}


def _has_friction(mechanism: Mechanism) -> bool:
    return any(joint.coulomb != 0.0 or joint.viscous != 0.0 for joint in mechanism.movable)


def _slow_ball(model: Model, travel: TravelMotions | MixedTravels, speed: float) -> Durations:
    """Durations of travels on which the ball is not faster than the positioning speed."""
    times = Durations(duration=travel.duration, bindings=travel.bindings)
    if not np.isfinite(speed) or travel.count == 0:
        return times

    def square(index: Indices, piece: Indices, x: Array) -> Array:
        path = travel.states(index, travel.law_state(index, piece, x))
        ball = model.velocity(path.q, path.dq)[:, :3] / speed
        return np.asarray(np.sum(ball * ball, axis=1, keepdims=True))

    needed = np.sqrt(highest(square, travel.count, travel.pieces).value[:, 0])
    slow = needed > times.duration
    return Durations(
        duration=np.where(slow, needed, times.duration),
        bindings=tuple(
            "positioning speed" if over else binding
            for over, binding in zip(slow, times.bindings, strict=True)
        ),
    )


class _SearchCycle:
    """The cycle with a search, along some lines.

    Args:
        lines: one per point.
        placed: their points, in the same order.
        limits: of the joints.
        job: for the cycle.
        hardest: stops that the joints allow; worked out when None. # (k,) [m/s²]
    """

    def __init__(
        self,
        lines: Lines,
        placed: PlacedPoints,
        limits: JointLimits,
        job: Job,
        hardest: Array | None,
    ) -> None:
        self._lines, self._placed, self._limits = lines, placed, limits
        self._model, self._touch = lines.model, job.touch
        self._speed = placed.touch_speeds
        self._start = placed.distances - placed.search_before  # from the clearance point [m]
        self._gentlest = gentlest_stop(placed, job.touch.latency)
        if hardest is None:
            hardest = SearchZone(lines, placed, job.touch.latency).decelerations(limits)
        self._hardest = hardest
        if job.touch.deceleration is not None:
            hardest = np.minimum(hardest, job.touch.deceleration)
        hardest = np.minimum(hardest, self._speed / SHORTEST_STOP)
        # Candidates that need more than their line has for the stop were refused before.
        self._deceleration = np.maximum(hardest, self._gentlest)
        self._hurried: tuple[int, ...] = ()

    def timings(self, travel: Timing) -> Timings:
        """The cycle, the miss, and the travel beside them."""
        placed, v = self._placed, self._speed
        self._soften_stops()
        overruns = v * self._touch.latency + v * v / (2.0 * self._deceleration)
        backed = placed.distances - placed.back_off
        cycle = {
            SegmentKind.PROBE: self._approach(),
            SegmentKind.SEARCH: self._with_loads(self._search(placed.distances), Detail.SHORT),
            SegmentKind.STOP: self._with_loads(
                self._stop_from(placed.distances, self._touch.latency), Detail.SHORT
            ),
            SegmentKind.BACK_OFF: self._back_off(placed.distances + overruns, backed),
            SegmentKind.RETRACT: self._with_loads(self._retract(backed), Detail.SMOOTH),
        }
        return Timings(
            cycle=cycle,
            travel=travel,
            miss=self._miss(),
            overruns=overruns,
            hurried=self._hurried,
        )

    def _between(self, first: Array, last: Array, law: str | LawTable) -> LineMotions:
        """Motions between places so far from the clearance point. # (k,) each [m]."""
        lengths = self._placed.lengths
        return LineMotions(self._lines, law, between=(first / lengths, last / lengths))

    def _approach(self) -> Timing:
        """From rest to the start of the search, with the touch speed there."""
        limits, v, start = self._limits, self._speed, self._start
        times, kept = arriving_times(
            self._lines,
            (np.zeros(len(v)), start / self._placed.lengths),
            (v, start),
            limits,
            self._touch.positioning_speed,
        )
        self._hurried = tuple(np.flatnonzero(~kept).tolist())
        duration, bindings = times.duration.copy(), list(times.bindings)
        impossible: dict[int, str] = {}
        if np.any(np.isfinite(limits.max_effort)):
            heavy = np.flatnonzero(self._too_heavy(np.arange(len(v)), duration))
            slower = self._slower(heavy, duration[heavy])
            for k, seconds in zip(heavy.tolist(), slower.tolist(), strict=True):
                if np.isnan(seconds):
                    impossible[k] = (
                        "no duration of an approach that ends at the touch speed keeps the torque "
                        "limits"
                    )
                else:
                    duration[k], bindings[k] = seconds, "torque"
        motions = self._arriving(np.arange(len(v)), duration)
        return Timing(
            motions=motions,
            times=Durations(duration=duration, bindings=tuple(bindings)),
            law="quintic",
            loads=stretch_loads(
                self._model, motions, duration, load_scope(limits), detail=Detail.SMOOTH
            ),
            impossible=impossible,
        )

    def _arriving(self, rows: Indices, duration: Array) -> LineMotions:
        """Approaches of some lines; the law changes with the duration."""
        start, v = self._start[rows], self._speed[rows]
        between = (np.zeros(rows.size), start / self._placed.lengths[rows])
        law = arriving_law(v * duration / start)
        return LineMotions(self._lines.take(rows), law, between=between)

    def _too_heavy(self, rows: Indices, duration: Array) -> Mask:
        motions, scope = self._arriving(rows, duration), load_scope(self._limits)
        loads = stretch_loads(self._model, motions, duration, scope, detail=Detail.SMOOTH)
        return np.asarray(np.any(loads.torque > self._limits.max_effort, axis=1))

    def _slower(self, rows: Indices, duration: Array) -> Array:
        """Durations of approaches that keep the torque limits, NaN where none was found. # (m,)."""
        longest = RISING * self._start[rows] / self._speed[rows]
        low, high = duration.copy(), np.full(rows.size, np.nan)
        tried = duration
        while np.any(np.isnan(high) & (tried < longest)):
            tried = np.minimum(_GROWTH * tried, longest)
            good = np.isnan(high) & ~self._too_heavy(rows, tried)
            high[good] = tried[good]
            low[np.isnan(high)] = tried[np.isnan(high)]
        found = np.flatnonzero(np.isfinite(high))
        for _ in range(_BISECTIONS if found.size else 0):
            middle = 0.5 * (low[found] + high[found])
            heavy = self._too_heavy(rows[found], middle)
            low[found] = np.where(heavy, middle, low[found])
            high[found] = np.where(heavy, high[found], middle)
        return high

    def _search(self, end: Array) -> Schedule:
        """At constant speed from the start of the search."""
        return self._at_touch_speed(
            self._between(self._start, end, "linear"), (end - self._start) / self._speed, "linear"
        )

    def _soften_stops(self) -> None:
        """Use all that the line has for stops that would be too hard for the torques."""
        if not np.any(np.isfinite(self._limits.max_effort)):
            return
        touched = self._stop_from(self._placed.distances, self._touch.latency)
        missed = self._stop_from(self._placed.distances + self._placed.search_after, 0.0)
        for stop in (touched, missed):
            weak = list(self._with_loads(stop, Detail.SHORT).impossible)
            self._deceleration[weak] = self._gentlest[weak]

    def _stop_from(self, place: Array, latency: float) -> Schedule:
        v, a = self._speed, self._deceleration
        length = v * latency + v * v / (2.0 * a)
        law = stopping_law(np.full(len(v), latency), v, a)
        return self._at_touch_speed(
            self._between(place, place + length, law), latency + v / a, "stop"
        )

    def _at_touch_speed(self, motions: LineMotions, duration: Array, law: str) -> Schedule:
        """Motions whose duration is fixed by the touch speed."""
        bindings = ("touch speed",) * motions.count
        return Schedule(
            motions=motions, times=Durations(duration=duration, bindings=bindings), law=law
        )

    def _back_off(self, first: Array, last: Array) -> Timing:
        """As slowly as the surface was touched: the stylus is still bent."""
        law = trapezoid(_EASE)
        motions = self._between(first, last, LawTable([law] * len(self._lines)))
        duration = law.peak_rate * motions.lengths / self._speed
        bindings = ["touch speed"] * motions.count
        # In the zone of the search the joints keep the touch speed; what is left is speeding up.
        push = law.peak_acceleration * motions.lengths / (duration * duration)
        inside = self._placed.back_off <= self._placed.search_before
        hard = np.flatnonzero(~(inside & (push <= self._hardest)))
        if hard.size:
            some = LineMotions(
                self._lines.take(hard),
                LawTable([law] * hard.size),
                between=motions.ends(hard),
            )
            least = least_line_times(some, self._limits, self._speed[hard], points=_SHORT)
            duration[hard] = least.duration
            of_ball = least.column == ball_column(self._limits)
            for k, own, binding in zip(hard.tolist(), of_ball, least.bindings, strict=True):
                bindings[k] = "touch speed" if own else binding
        times = Durations(duration=duration, bindings=tuple(bindings))
        return self._with_loads(
            Schedule(motions=motions, times=times, law="trapezoid"), Detail.SHORT
        )

    def _retract(self, first: Array) -> Schedule:
        motions = self._between(first, np.zeros(len(first)), "quintic")
        fastest = self._touch.positioning_speed
        least = least_line_times(motions, self._limits, fastest, points=_LINE)
        times = Durations(duration=least.duration, bindings=least.bindings)
        return Schedule(motions=motions, times=times, law="quintic")

    def _miss(self) -> dict[SegmentKind, Schedule]:
        """The search to its end, a stop, and all the way back."""
        v, a = self._speed, self._deceleration
        end = self._placed.distances + self._placed.search_after
        miss = {
            SegmentKind.SEARCH: self._search(end),
            SegmentKind.STOP: self._stop_from(end, 0.0),
            SegmentKind.RETRACT: self._retract(end + v * v / (2.0 * a)),
        }
        if not np.any(np.isfinite(self._limits.max_effort)):
            return miss  # nothing depends on the loads of what is not meant to happen
        detail = {SegmentKind.RETRACT: Detail.SMOOTH}
        return {k: self._with_loads(one, detail.get(k, Detail.SHORT)) for k, one in miss.items()}

    def _with_loads(self, schedule: Schedule, detail: Detail) -> Timing:
        """Loads of motions; those whose speed is the touch speed cannot be slowed down."""
        motions, times, limits = schedule.motions, schedule.times, self._limits
        if schedule.law not in _AT_TOUCH_SPEED:
            return timing(self._model, motions, times, limits, schedule.law, detail=detail)
        scope = load_scope(limits)
        loads = stretch_loads(self._model, motions, times.duration, scope, detail=detail)
        over = loads.torque - limits.max_effort
        impossible = {
            int(k): _weight(limits, loads.torque[k], int(np.argmax(over[k])))
            for k in np.nonzero(np.any(over > 0.0, axis=1))[0]
        }
        return Timing(
            motions=motions,
            times=times,
            law=schedule.law,
            loads=loads,
            impossible=impossible,
        )


def _weight(limits: JointLimits, torque: Array, joint: int) -> str:
    bears, allowed = apart_digits(float(torque[joint]), float(limits.max_effort[joint]), 4)
    unit = "N" if limits.units[joint] == "m" else "N m"
    return (
        f"joint {limits.names[joint]} bears {bears} {unit} at the touch speed, its limit is "
        f"{allowed} {unit}"
    )


# -------------------------------------------------------------------------------------------- Laws


def arriving_law(beta: Array) -> LawTable:
    """Quintics from rest to a speed, without acceleration at either end.

    Args:
        beta: speed at the end over the mean speed of the motion. # (k,)
    """
    zero = np.zeros_like(beta)
    powers = (zero, zero, zero, 10.0 - 4.0 * beta, 7.0 * beta - 15.0, 6.0 - 3.0 * beta)
    return LawTable.polynomials(
        np.ones((len(beta), 1)), np.zeros((len(beta), 1)), np.stack(powers, axis=1)[:, None]
    )


def stopping_law(latency: Array, speed: Array, deceleration: Array) -> LawTable:
    """Constant speed for the latency, then an even deceleration to rest. # (k,) each."""
    duration = latency + speed / deceleration
    length = speed * latency + speed * speed / (2.0 * deceleration)
    one, zero = np.ones_like(duration), np.zeros_like(duration)
    cruise = np.stack([zero, speed * duration / length, zero], axis=1)
    braking = -deceleration * duration * duration / (2.0 * length)
    slowing = np.stack([one, zero, braking], axis=1)
    return LawTable.polynomials(
        np.stack([latency / duration, one], axis=1),
        np.stack([zero, one], axis=1),
        np.stack([cruise, slowing], axis=1),
    )


def arriving_times(
    lines: Lines,
    between: tuple[Array, Array],
    arrival: tuple[Array, Array],
    limits: JointLimits,
    positioning_speed: float,
) -> tuple[Durations, Mask]:
    """Least times of approaches that end at a speed of the ball, exactly, and which are possible.

    The law's shape depends on its duration T, so T is a fixed point: the least time of the shape
    that T gives. A full search finds the place that binds; there the fixed point is solved, and a
    full search tells whether another place binds now. Where that does not settle the approach takes
    the longest time in which the ball does not turn back. An approach that passes a limit of the
    joints in its time, or is lost on its way, is not possible.

    Args:
        lines: geometry.
        between: λ where the approaches start and end. # (k,) each
        arrival: speed at the end [m/s], and length [m]. # (k,) each
        limits: of the joints.
        positioning_speed: largest speed of the ball, not below the speed at the end. [m/s]
    """
    speed, length = arrival
    longest = RISING * length / speed
    shortest = _shares(positioning_speed / speed) * length / speed
    rough = rough_line_times(LineMotions(lines, "quintic", between=between), limits)
    duration = np.clip(rough.duration, shortest, longest)
    motions = LineMotions(lines, arriving_law(speed * duration / length), between=between)
    least = rough_line_times(motions, limits)
    bindings: tuple[str, ...] = ()
    for _ in range(_ROUNDS):
        duration = np.clip(
            _local_durations(lines, between, arrival, limits, least), shortest, longest
        )
        motions = LineMotions(lines, arriving_law(speed * duration / length), between=between)
        least = least_line_times(motions, limits, points=_LINE)
        found = np.clip(least.duration, shortest, longest)
        bindings = tuple(
            "positioning speed" if slow else binding
            for slow, binding in zip(least.duration < shortest, least.bindings, strict=True)
        )
        done = np.abs(found - duration) <= _SETTLED * found
        duration = found
        if np.all(done):
            break
    needed = least.duration.copy()
    undone = np.flatnonzero(~done)
    if undone.size:
        duration[undone] = longest[undone]
        law = arriving_law(np.full(undone.size, RISING))
        slowest = LineMotions(lines.take(undone), law, between=motions.ends(undone))
        needed[undone] = least_line_times(slowest, limits, points=_LINE).duration
    kept = needed <= duration * (1.0 + _SETTLED)  # what is NaN is not
    return Durations(duration=duration, bindings=bindings), np.asarray(kept)


def _shares(ratio: Array) -> Array:
    """Least speed at the end, over the mean speed, with which no speed is above a multiple of it.

    The quintic's speed r' has its peak where r'' = 0, a quadratic beside s = 0; the peak over the
    speed at the end falls with that speed, to 1 where the speed rises all the way.

    Args:
        ratio: of the largest speed allowed to the speed at the end, 1 or more. # (k,)
    """
    low, high = np.zeros_like(ratio), np.full_like(ratio, RISING)
    for _ in range(_BISECTIONS if np.any(np.isfinite(ratio)) else 0):
        beta = 0.5 * (low + high)
        fits = _peak_rate(beta) <= ratio * beta
        low, high = np.where(fits, low, beta), np.where(fits, beta, high)
    return np.where(np.isfinite(ratio), high, 0.0)


def _peak_rate(beta: Array) -> Array:
    """Largest r' of quintics that arrive with a speed. # (k,)."""
    a3, a4, a5 = 10.0 - 4.0 * beta, 7.0 * beta - 15.0, 6.0 - 3.0 * beta
    # r'' / (6 s) = a3 + 2 a4 s + (10/3) a5 s²; a4 < 0: the first root, without cancellation.
    root = np.sqrt(np.maximum(a4 * a4 - (10.0 / 3.0) * a3 * a5, 0.0))
    s = np.clip(a3 / (root - a4), 0.0, 1.0)
    return np.maximum(s * s * (3.0 * a3 + s * (4.0 * a4 + s * 5.0 * a5)), beta)


def _local_durations(
    lines: Lines,
    between: tuple[Array, Array],
    arrival: tuple[Array, Array],
    limits: JointLimits,
    least: LineTimes,
) -> Array:
    """Durations that are the least ones at the places that bind. # (k,) [s]."""
    speed, length = arrival
    duration = least.duration
    longest = RISING * length / speed
    left = np.maximum(least.x - _STEP, 0.0)
    right = np.minimum(least.x + _STEP, 1.0)
    for _ in range(_LOCAL_ROUNDS):
        duration = np.minimum(duration, longest)
        motions = LineMotions(lines, arriving_law(speed * duration / length), between=between)
        ratios = time_ratios(motions, limits)

        def binding(hill: Indices, x: Array, ratios: Evaluate = ratios) -> Array:
            values = ratios(hill, np.zeros_like(hill), x)
            return np.abs(values[np.arange(hill.size), least.column[hill]])

        before = duration
        square = hilltops(binding, left, right).value
        duration = np.sqrt(square)
        if np.all(np.abs(duration - before) <= _SETTLED * duration):
            break
    return duration


# ---------------------------------------------------------------------------------- Where it may be


def gentlest_stop(placed: PlacedPoints, latency: float) -> Array:
    """The deceleration that uses up what lines have for it. # (k,) [m/s²]."""
    v = placed.touch_speeds
    return np.asarray(v * v / (2.0 * (placed.depths - placed.search_after - v * latency)))


class SearchZone:
    """What the joints allow where the ball searches, wherever it triggers, latency included.

    Args:
        lines: geometry.
        placed: their points, in the same order.
        latency: from a trigger to the begin of the stop. [s]
    """

    def __init__(self, lines: Lines, placed: PlacedPoints, latency: float) -> None:
        self._speeds = placed.touch_speeds
        lengths = placed.lengths
        first = (placed.distances - placed.search_before) / lengths
        deepest = placed.distances + placed.search_after + placed.touch_speeds * latency
        last = np.minimum(deepest / lengths, 1.0)
        n = lines.model.dof

        def slopes(index: Indices, _: Indices, x: Array) -> Array:
            lam = first[index] + (last - first)[index] * x
            path, length = lines.path(index, lam), lengths[index, None]
            return np.concatenate([path.dq / length, path.ddq / (length * length)], axis=1)

        peaks = magnitudes(slopes, len(lines), (slice(0, n), slice(n, None)), Detail.SHORT.value)
        # Of the joints, per metre of the ball: # (k, n) each.
        self._slopes, self._bends = peaks[:, :n], peaks[:, n:]

    def decelerations(self, limits: JointLimits) -> Array:
        """The hardest stop from the touch speed; not above zero where there is none. # (k,)."""
        v = self._speeds[:, None]
        left = limits.max_acceleration - self._bends * v * v
        return _least(left, self._slopes)

    def speeds(self, limits: JointLimits) -> Array:
        """The largest constant speed of the ball. # (k,) [m/s]."""
        by_speed = _least(limits.max_speed, self._slopes)
        by_acceleration = np.sqrt(_least(limits.max_acceleration, self._bends))
        return np.asarray(np.minimum(by_speed, by_acceleration))

    def stoppable_speeds(self, limits: JointLimits, seconds: float) -> Array:
        """The largest speed that the joints can stop in so many seconds. # (k,) [m/s].

        Of a joint's acceleration limit the path's bend takes b·v², the stop s·v/seconds.
        """
        s, b = self._slopes / seconds, self._bends
        # The root in a form that holds for b = 0, too.
        root = np.sqrt(s * s + 4.0 * b * limits.max_acceleration)
        return _least(2.0 * limits.max_acceleration, s + root)


def _least(limit: Array, used: Array) -> Array:
    """Least of limit / used over the joints. # (k, n) -> (k,).

    Infinite where none is used; zero where that is not known of one (NaN).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(used == 0.0, np.inf, limit / used)
    share[np.isnan(limit + used)] = 0.0
    return np.asarray(np.min(share, axis=1, initial=np.inf))
