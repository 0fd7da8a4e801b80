"""Limits and reported peaks, over the whole motion and not over the samples.

The bounds are proven for the polynomials of the smooth pieces. That these are the motion is what
the check "resolution" says, to half of the tolerance used here; it rests on coefficients and
on instants between their nodes, so a bump narrower than a thirtieth of a piece could hide, unless a
sample meets it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from planner.plan import Plan, SegmentKind
from planner.proof.chebyshev import NODES, basis, coefficients, derivative
from planner.proof.check import Check, Locate, Location, check
from planner.proof.dynamics import stated, torque_rounding
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.peaks import OVER, ColumnBounds, Peaks, peaks
from planner.proof.rates import rounding
from planner.proof.resolved_motion import ResolvedMotion, lateness
from robots.core.arrays import Array, Indices, Mask

UNDER = 1e-9  # what a reported peak may be below a value that the motion has, relative
_ROUNDING = 1e-13  # of the busiest joint's rate: ε·κ, see ``survey``
_SMALLEST = 1e-14  # of the largest power
_STILL = 1e-9  # of a joint's peak speed


class Limits(CheckGroup):
    """Bounds of the resolved motion against limits, and against the peaks that are reported.

    Columns: q, qd, qdd, tau, power of every joint, total power; then the negatives of all.

    Args:
        evidence: the plan and its torques by Lagrange.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        n = evidence.model.dof
        self._bounds = ColumnBounds(5 * n + 1)
        self._real = np.full(10 * n + 2, -np.inf)
        self._at_rest = np.zeros(n)

    def on_segments(self, passage: Passage) -> None:
        """Highest and lowest values of the pieces' polynomials."""
        motion = passage.motion

        def values(rows: Any) -> Array:
            power = motion.tau[rows] * motion.qd[rows]
            total = np.sum(power, axis=2, keepdims=True)
            states = (motion.q[rows], motion.qd[rows], motion.qdd[rows])
            return np.concatenate([*states, motion.tau[rows], power, total], axis=2)

        found = peaks(values, len(motion.pieces), self._bounds.value)
        self._bounds.take(found, motion.pieces)
        if len(motion.pieces):
            self._real = np.maximum(self._real, _real(self._evidence, motion, found))
        segments = np.flatnonzero(np.bincount(motion.pieces.segment))
        self._at_rest = np.maximum(self._at_rest, torques_at_rest(self._evidence, segments))

    def within(self) -> list[Check]:
        """Of positions, speeds and accelerations."""
        n = self._evidence.model.dof
        none = np.isneginf(self._bounds.upper)  # nothing moves
        highest, lowest = np.split(np.where(none, 0.0, self._bounds.upper), 2)
        return _limits(self._evidence, self._bounds, highest[: 3 * n], -lowest[: 3 * n])

    def checks(self) -> list[Check]:
        """Of the same and of reported peaks."""
        n = self._evidence.model.dof
        none = np.isneginf(self._bounds.upper)
        upper, real = (np.where(none, 0.0, a) for a in (self._bounds.upper, self._real))
        within = self.within()
        upper, real = _pairs(upper, n), _pairs(real, n)
        for values in (upper, real):
            values[2 * n : 3 * n] = np.maximum(values[2 * n : 3 * n], self._at_rest)
        return [*within, *_reported(self._evidence, self._bounds, upper, real)]


def _limits(evidence: Evidence, bounds: ColumnBounds, highest: Array, lowest: Array) -> list[Check]:
    mechanism, n = evidence.plan.job.mechanism, evidence.model.dof

    def locate(kind: int) -> Locate:
        return lambda index: bounds.location(evidence, kind * n + index[0])

    high, low = np.split(highest, 3), np.split(lowest, 3)
    outside = np.maximum(high[0] - mechanism.q_max, mechanism.q_min - low[0])
    turning = all(joint.kind.angular for joint in mechanism.movable)
    unit = "rad" if turning else "rad or m"
    speed = np.maximum(high[1], -low[1]) / mechanism.max_speed
    acceleration = np.maximum(high[2], -low[2]) / mechanism.max_acceleration
    how = (
        "bound of {} over the whole motion, not only at samples: highest values of the pieces' "
        "polynomials, and what these can reach between the places asked"
    )
    return [
        check(
            "position limits",
            np.maximum(outside, 0.0),
            1e-9,
            unit,
            how.format("what joints pass their limits by"),
            locate(0),
        ),
        check(
            "speed limits", speed, 1.0 + OVER, "1", how.format("speed over its limit"), locate(1)
        ),
        check(
            "acceleration limits",
            acceleration,
            1.0 + OVER,
            "1",
            how.format("acceleration over its limit"),
            locate(2),
        ),
    ]


def _reported(evidence: Evidence, bounds: ColumnBounds, upper: Array, real: Array) -> list[Check]:
    """Peaks of the plan against a bound above and a value that the motion really has.

    Where the masses are not known those of torque and power are neither stated nor compared.
    """
    plan, n = evidence.plan, evidence.model.dof
    reported = _stated_peaks(plan)
    size = upper + np.finfo(np.float64).tiny
    # What two right computations may differ by: rates by rounding, torques likewise, powers by that
    # times the speed.
    speed, acceleration, torque, watts = np.split(upper[:-2], 4)
    effort = torque_rounding(torque)
    # A joint that hardly moves has a power that rounding of the busiest one's speed makes
    # uncertain, and none is found more exactly than a part of the largest.
    power = effort * speed + torque * _ROUNDING * np.max(speed, initial=0.0)
    power = power + _SMALLEST * np.max(watts, initial=0.0)
    rounding = np.concatenate(
        [
            np.full(n, _ROUNDING * np.max(speed, initial=0.0)),
            np.full(n, _ROUNDING * np.max(acceleration, initial=0.0)),
            effort,
            power,
            np.full(2, np.sum(power)),
        ]
    )
    missing = np.maximum(real - reported, 0.0) / (size + rounding / UNDER)
    excess = np.maximum(reported - upper, 0.0) / (size + rounding / OVER)
    if not evidence.torques.known:
        missing, excess = missing[: 2 * n], excess[: 2 * n]

    def locate(index: tuple[int, ...]) -> Location:
        return bounds.location(evidence, n + index[0] if index[0] < 4 * n else 5 * n)

    what = "speed, acceleration, torque and power"
    if not evidence.torques.known:
        what = "speed and acceleration"
    return [
        check(
            "peaks not understated",
            missing,
            UNDER,
            "1",
            f"{what} that the motion has at the places found, less the peaks reported; relative",
            locate,
        ),
        check(
            "peaks not overstated",
            excess,
            OVER,
            "1",
            "peaks reported, less the bounds of the resolved motion; relative",
            locate,
        ),
    ]


def _stated_peaks(plan: Plan) -> Array:
    """Speeds, accelerations, torques, powers; most and least total power, negated. # (4n + 2,)."""
    loads, totals = plan.joint_loads, plan.totals
    return stated(
        *(load.peak_velocity for load in loads),
        *(load.peak_acceleration for load in loads),
        *(load.peak_torque for load in loads),
        *(load.peak_power for load in loads),
        totals.peak_power,
        None if totals.min_power is None else -totals.min_power,
    )


def torques_at_rest(evidence: Evidence, segments: Indices) -> Array:
    """Largest |tau| of joints that stand still where a segment starts or ends. # (n,) [N m].

    Dry friction has no side there and may be absent: the drive bears the rest.
    """
    plan, n = evidence.plan, evidence.model.dof
    if segments.size == 0:
        return np.zeros(n)
    start = np.array([plan.timeline[i].start for i in segments])
    end = np.array([plan.timeline[i].end for i in segments])
    states = plan.trajectory.state(start, "right"), plan.trajectory.state(end, "left")
    found = np.zeros(n)
    for state in states:
        tau = np.abs(evidence.torques.smooth(state.q, state.qd, state.qdd))
        still = np.abs(state.qd) <= _STILL * evidence.survey.speed
        found = np.maximum(found, np.max(np.where(still, tau, 0.0), axis=0))
    return np.asarray(found)


def _pairs(values: Array, n: int) -> Array:
    """Largest sizes of qd, qdd, tau, power by joint, then most and least total power, negated."""
    up, down = np.split(values, 2)
    sizes = np.maximum(up, down)[n : 5 * n]
    return np.concatenate([np.maximum(sizes, 0.0), np.maximum([up[-1], down[-1]], 0.0)])


def _real(evidence: Evidence, motion: ResolvedMotion, found: Peaks) -> Array:
    """Values of the motion itself, torques by Lagrange, where the peaks were found."""
    n = evidence.model.dof
    own = motion.pieces.take(found.piece)
    t = own.origin + (own.offset + own.length * (0.5 * (found.x + 1.0)))
    edge = np.abs(found.x) == 1.0
    right, left = (evidence.plan.trajectory.state(t, side) for side in ("right", "left"))
    states = [
        np.where((edge & (found.x > 0.0))[:, None], a, b)
        for a, b in ((left.q, right.q), (left.qd, right.qd), (left.qdd, right.qdd))
    ]
    # With the side of the piece: where it starts or ends at rest, friction is there at once.
    torques = evidence.torques
    tau = torques.smooth(*states) + torques.coulomb * motion.side[found.piece]
    power = tau * states[1]
    columns = [*states, tau, power, np.sum(power, axis=1, keepdims=True)]
    values = np.concatenate(columns, axis=1)
    values = np.concatenate([values, -values], axis=1)
    return np.asarray(np.diagonal(values)[: 10 * n + 2])


# ----------------------------------------------------------------------------------- Effort limits
# Where a finding says that no duration keeps a motion within the torque limits, the plan claims
# nothing, and nothing is checked.

_IMPOSSIBLE = "P105"


class _Ratios(CheckGroup):
    """One quantity of some segments over the joints' limits; nothing where none is limited.

    Args:
        evidence: the plan and its torques by Lagrange.
        limits: infinite where a joint has none. # (n,)
        segments: that are looked at.
    """

    name: str
    how: str

    def __init__(self, evidence: Evidence, limits: Array, segments: Mask) -> None:
        self._evidence, self._limits, self._segments = evidence, limits, segments
        self._bounds = ColumnBounds(evidence.model.dof)
        self._at_rest = np.zeros(evidence.model.dof)
        self._wanted = bool(np.any(segments)) and bool(np.any(np.isfinite(limits)))

    def on_segments(self, passage: Passage) -> None:
        """Highest values of the pieces, over their limits."""
        if not self._wanted:
            return
        pieces = passage.motion.pieces
        own = np.flatnonzero(self._segments[pieces.segment])
        ratios = self._ratios(passage.motion, own)
        self._bounds.take(
            peaks(lambda rows: ratios[rows], own.size, self._bounds.value), pieces.take(own)
        )

    def checks(self) -> list[Check]:
        """One, where there is a limit to keep."""
        if not self._wanted:
            return []
        sizes = np.maximum(self._bounds.sizes, self._at_rest)
        return [check(self.name, sizes, 1.0 + OVER, "1", self.how, self._locate)]

    def _locate(self, index: tuple[int, ...]) -> Location:
        return self._bounds.location(self._evidence, index[0])

    @abstractmethod
    def _ratios(self, motion: ResolvedMotion, own: Indices) -> Array:
        """Values at the nodes of some pieces, over the limits. # (p, K, n)."""


class EffortLimits(_Ratios):
    """Torques keep the drives' limits and the job's.

    Args:
        evidence: the plan and its torques by Lagrange.
    """

    name = "torque limits"
    how = (
        "bound of torque over its limit over the whole motion, not only at samples: highest values "
        "of polynomials through Lagrange's torques, and what these can reach between the places "
        f"asked; motions to and from points with finding {_IMPOSSIBLE} left out"
    )

    def __init__(self, evidence: Evidence) -> None:
        plan = evidence.plan
        limits = np.broadcast_to(plan.job.effort_limits, (evidence.model.dof,))
        super().__init__(evidence, limits, _claimed(plan))

    def _ratios(self, motion: ResolvedMotion, own: Indices) -> Array:
        # A joint that stands still may bear its torque without the help of friction.
        held = torques_at_rest(self._evidence, np.unique(motion.pieces.segment[own]))
        self._at_rest = np.maximum(self._at_rest, held / self._limits)
        return np.asarray(motion.tau[own] / self._limits)


def _claimed(plan: Plan) -> Mask:
    """Segments that serve no point of which a finding says that its limits cannot be kept."""
    impossible = {
        finding.subject.point for finding in plan.finding_list if finding.code == _IMPOSSIBLE
    }
    return np.array([s.point not in impossible for s in plan.timeline], dtype=bool)


# ------------------------------------------------------------------------------------- Jerk limits
# The plan states no jerk; it is the derivative of the accelerations' polynomials.

_LAW = "double-s"
_BASIS: Array = basis(NODES)


class JerkLimits(_Ratios):
    """Travels by the double-S law keep the joints' jerk limits.

    Args:
        evidence: the plan.
    """

    name = "jerk limits"
    how = (
        "bound of jerk over its limit over all travels by the double-S law, not only at samples: "
        "derivatives of the accelerations' polynomials, and what these can reach between the "
        "places asked"
    )

    def __init__(self, evidence: Evidence) -> None:
        plan = evidence.plan
        by_law = [s.law == _LAW and s.kind is SegmentKind.TRAVEL for s in plan.timeline]
        limits = plan.job.mechanism.max_jerk
        super().__init__(evidence, limits, np.array(by_law, dtype=bool))

    def _ratios(self, motion: ResolvedMotion, own: Indices) -> Array:
        """Very short pieces magnify rounding."""
        pieces, qdd = motion.pieces.take(own), motion.qdd[own]
        per_time = (2.0 / pieces.length)[:, None, None]

        def differentiated(values: Array) -> Array:
            return np.asarray(np.matmul(_BASIS, derivative(coefficients(values))) * per_time)

        # The acceleration, too, is carried over what the clock's digits cannot say.
        exact = qdd - differentiated(qdd) * lateness(pieces, NODES)[..., None]
        return np.asarray(differentiated(exact) / (self._limits + rounding(qdd, pieces.length)))
