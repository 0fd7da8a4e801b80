"""Torques and work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.plan import Samples
from planner.proof.chebyshev import (
    COUNT,
    at_ends,
    basis,
    coefficients,
    derivative,
    integral,
    row_antiderivative,
    row_values,
)
from planner.proof.check import Check, Worst, check, scales
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.resolved_motion import by_blocks
from robots.core.arrays import Array
from robots.core.kernels.loop import Loop

TORQUE = 1e-10
BALANCE = 1e-8
WORK = 1e-8
ENERGY = 1e-8
# Uicker's traces are about the base: what a wrist body adds far out cancels down to its own small
# torque. This part of the largest torque is what 1e-10 of is still above that rounding.
_QUIET_TORQUE = 1e-4
_EXACT, _CARRIED = 1e-13, 0.1
_ROUNDINGS = 64.0
# The integral of T_n over [-1, 1] is 2/(1 - n²): of what is missed hardly anything stays.
_AVERAGED = 0.01
_TAIL = 3  # last coefficients: symmetric functions have every second one zero
_PANELS = 1e-11
_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_TORQUES = (
    "Newton-Euler torques of every sample, against A·q̈ + B·[q̇q̇] + C·[q̇²] + Q in Uicker's traces "
    "with motors and friction; relative to each joint's peak and 1e-4 of the largest"
)
_BALANCE = (
    "work of the drives less friction losses, against the change of kinetic and potential energy, "
    "over every smooth piece and the whole motion, beyond the stated rounding of both; relative to "
    "the largest work of one piece"
)
_NET = (
    "of every joint and in total, against the integral of Lagrange's power; relative to it and "
    "to what two right computations may differ by"
)
_ENERGY = (
    "that every drive delivers and in total, against the integral of the positive part of "
    "Lagrange's power between its zeros; relative to it and to what two right computations may "
    "differ by"
)
_LEFT_OUT = (
    "torques of samples, and torques, powers and energies reported, which have no value where the "
    "masses are not known; their number"
)
_RMS = (
    "against the integral of the square of Lagrange's torques; relative to it and to what two "
    "right computations may differ by"
)


class Dynamics(CheckGroup):
    """Torques of the samples, energy balance of the pieces, work and energy that are reported.

    What is compared are two ways through the same arithmetic, so each residual is measured against
    what it is part of *and* what the arithmetic may do to it: torques differ by their rounding,
    and polynomials miss what their last coefficients show. A joint that hardly works is then not
    measured by digits that it does not have.

    Args:
        evidence: the plan, Lagrange's torques and their scale.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        n = evidence.model.dof
        self._peak = scales(evidence.survey.torque, _QUIET_TORQUE)
        self._inexact = torque_rounding(evidence.survey.torque)
        self._torques, self._off = Worst(), Worst()
        self._work, self._delivered, self._squared = np.zeros((3, n))
        # Bounds of what two right computations of these may differ by. [J], [J], [N² m² s]
        self._doubt, self._doubt_work, self._doubt_squared = np.zeros((3, n))
        self._seconds = self._sum_off = self._sum_slack = self._exchanged = 0.0

    def on_segments(self, passage: Passage) -> None:
        """Work, energy and losses of every smooth piece."""
        motion = passage.motion
        length = motion.pieces.length
        work = integrals(motion.power, length)
        delivered = positive_parts(motion.power, length)
        self._work += np.sum(work, axis=0)
        self._delivered += np.sum(delivered.value, axis=0)
        self._squared += np.sum(integrals(motion.tau**2, length), axis=0)
        self._seconds += float(np.sum(length))
        moved = integrals(np.abs(motion.qd), length)
        missed = _missed(motion.power) * length[:, None]
        torque = np.max(np.abs(motion.tau), axis=1)
        # Rates of joints that hardly move are known to what rounding leaves of the busiest one's.
        rate = _EXACT * float(np.max(self._evidence.survey.speed, initial=0.0))
        rounding = self._inexact * moved + torque * rate * length[:, None]
        doubt = rounding + missed + delivered.unsure
        self._doubt += np.sum(doubt, axis=0)
        self._doubt_work += np.sum(rounding + _AVERAGED * missed, axis=0)
        inexact = self._inexact + _missed(motion.tau)
        self._doubt_squared += np.sum((2.0 * torque + inexact) * inexact * length[:, None], axis=0)
        self._balance(passage, work, np.sum(doubt, axis=1))

    def _balance(self, passage: Passage, work: Array, doubt: Array) -> None:
        """Work less change of energy and losses, piece by piece."""
        done = np.sum(work, axis=1)
        gained, rounding = self._gained(passage)
        off = done - gained - np.sum(self._lost(passage), axis=1)
        slack = doubt + rounding
        self._sum_off += float(np.sum(off))
        self._sum_slack += float(np.sum(slack))
        self._exchanged = max(self._exchanged, float(np.max(np.abs(done), initial=0.0)))
        beyond = np.maximum(np.abs(off) - slack, 0.0)
        self._off.take(beyond, self._evidence.in_pieces(passage.motion.pieces))

    def on_samples(self, samples: Samples) -> None:
        """Torques of samples, against Lagrange's."""
        expected = self._evidence.torques.full(samples.q, samples.qd, samples.qdd)
        self._torques.take(
            (samples.tau - expected) / self._peak, self._evidence.in_samples(samples)
        )

    def checks(self) -> list[Check]:
        """Of torques, work and energy."""
        plan, locate = self._evidence.plan, self._evidence.of_joint
        loads, totals = plan.joint_loads, plan.totals
        work, delivered, seconds = self._work, self._delivered, self._seconds
        rms = np.sqrt(self._squared / seconds) if seconds > 0.0 else self._squared
        # Integrals over panels are as exact as this part of what is given and taken back.
        exchanged = 2.0 * delivered - work
        panels = _PANELS * exchanged + _EPS * np.max(exchanged, initial=0.0)
        doubt, doubt_work = (a + panels for a in (self._doubt, self._doubt_work))
        doubt = np.append(doubt, np.sum(doubt))
        doubt_work = np.append(doubt_work, np.sum(doubt_work))
        own = np.append(work, np.sum(work))
        net = stated(*(one.net_work for one in loads), totals.net_work) - own
        energy = stated(*(one.energy for one in loads), totals.energy)
        energy -= np.append(delivered, np.sum(delivered))
        whole = np.append(delivered, np.sum(delivered))
        squares = stated(*(one.rms_torque for one in loads)) - rms
        # sqrt(a + d) - sqrt(a) is at most d over twice the root, and at most sqrt(d)
        mean = self._doubt_squared / max(seconds, _TINY)
        rough = np.minimum(mean / np.maximum(2.0 * rms, _TINY), np.sqrt(mean))
        off = max(self._off.value, abs(self._sum_off) - self._sum_slack, 0.0)
        if np.isnan(self._off.value) or np.isnan(self._sum_off):
            off = np.nan
        at = self._off.location
        return [
            check("torques by Lagrange", self._torques, TORQUE, "1", _TORQUES),
            check(
                "energy balance",
                off / max(self._exchanged, _TINY),
                BALANCE,
                "1",
                _BALANCE,
                lambda _: at,
            ),
            check(
                "reported net work",
                net / (np.abs(own) + doubt_work / WORK + _TINY),
                WORK,
                "1",
                _NET,
                locate,
            ),
            check(
                "reported energy",
                energy / (whole + doubt / ENERGY + _TINY),
                ENERGY,
                "1",
                _ENERGY,
                locate,
            ),
            check(
                "reported rms torque",
                squares / (rms + rough / ENERGY + _TINY),
                ENERGY,
                "1",
                _RMS,
                locate,
            ),
        ]

    def _gained(self, passage: Passage) -> tuple[Array, Array]:
        """Change of kinetic and potential energy, and what rounding does to it. # (P,) [J]."""
        first, last = at_ends(passage.c_q)
        speeds = at_ends(coefficients(passage.motion.qd))
        before = self._evidence.model.energies(first, speeds[0])
        after = self._evidence.model.energies(last, speeds[1])
        size = sum(np.abs(e) for one in (before, after) for e in (one.kinetic, one.potential))
        # Ends of polynomials are extrapolated from nodes: q is off by some ε·|q|, and the potential
        # with it, by q times the force of gravity.
        largest = np.maximum(np.abs(first), np.abs(last))
        carried = np.sum(largest * self._evidence.survey.torque, axis=1)
        rounding = _ROUNDINGS * np.finfo(np.float64).eps * (size + carried)
        gained = (after.kinetic + after.potential) - (before.kinetic + before.potential)
        return gained, np.asarray(rounding)

    def _lost(self, passage: Passage) -> Array:
        """To dry and viscous friction. # (P, n) [J]."""
        motion, torques = passage.motion, self._evidence.torques
        first, last = at_ends(passage.c_q)
        dry = torques.coulomb * motion.side * (last - first)
        return np.asarray(dry + torques.viscous * integrals(motion.qd**2, motion.pieces.length))


class NoLoads(CheckGroup):
    """That a plan states no torque, power or energy of a robot whose masses are not known.

    Args:
        evidence: the plan.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._plan = evidence.plan
        self._torques = 0

    def on_samples(self, samples: Samples) -> None:
        """Count torques that are numbers."""
        self._torques += int(np.count_nonzero(~np.isnan(samples.tau)))

    def checks(self) -> list[Check]:
        """One: how many numbers there are."""
        totals, loads = self._plan.totals, self._plan.joint_loads
        told = [totals.energy, totals.net_work, totals.peak_power, totals.min_power]
        for load in loads:
            told += [load.peak_torque, load.rms_torque, load.peak_power]
            told += [load.energy, load.net_work]
        count = self._torques + sum(value is not None for value in told)
        return [check("loads left out", float(count), 0.0, "", _LEFT_OUT)]


def stated(*values: float | None) -> Array:
    """Numbers that a plan states; one that it leaves out is NaN and fails its check. # (m,)."""
    return np.array([np.nan if value is None else value for value in values])


def torque_rounding(peak: Array) -> Array:
    """What rounding lets two right torques differ by, given the peaks. # (n,) [N m].

    Of a joint's own torque hardly anything; but Uicker's traces, taken about the base, leave of the
    largest torque some ε in the small one of a wrist.
    """
    return np.asarray(_EXACT * scales(peak, _CARRIED))


def _missed(values: Array) -> Array:
    """What the polynomials of functions miss, by their last coefficients. # (P, K, C) -> (P, C)."""
    return np.asarray(np.sum(np.abs(coefficients(values)[:, -_TAIL:]), axis=1))


# --------------------------------------------------------------------------------------- Delivered
# The positive part needs every zero of a polynomial. Zeros between places where the sign differs
# are bracketed; a pair of zeros between two places of one sign is possible only where the bend of
# the polynomial lets it come down to zero in between. Such cells are divided until they are
# decided, or until what they could hide is negligible; what is left undecided is a bound, not a
# hope.

_GRID = 96
_PLACES: Array = np.cos(np.pi * np.arange(_GRID, -1, -1) / _GRID)
_TO_GRID: Array = basis(_PLACES).T.copy()
# A polynomial of degree below K is nowhere larger than this times its largest value on the grid
# (Ehlich and Zeller 1964).
_BETWEEN = 1.0 / float(np.cos(np.pi * COUNT / (2 * _GRID)))
_PARTS = 8  # that an undecided cell is divided into
_DIVISIONS = 8  # at most: cells are then 1e-9 wide
_NEGLIGIBLE = 1e-14  # of the sum of the coefficients: an area that no sum would show
_STEPS = 60  # of bisection, most of which Newton's method saves
_CLOSE = 1e-12  # to a zero: an area up to there is off by the square of what is missing
_ROWS = 1024


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """Integrals of the positive parts of functions over time. # (P, C) each.

    Args:
        value: the integrals.
        unsure: bound of what pairs of zeros that were not looked for could add to them.
    """

    value: Array
    unsure: Array


def integrals(values: Array, lengths: Array) -> Array:
    """Integrate functions known at the nodes over time. # (P, K, C), (P,) -> (P, C)."""
    return np.asarray(integral(coefficients(values)) * (0.5 * lengths)[:, None])


def positive_parts(values: Array, lengths: Array) -> Parts:
    """Integrate max(f, 0) over time: half of the integrals of f and |f|. # -> (P, C)."""
    found = by_blocks(lambda rows: _positive(values[rows], lengths[rows]), len(values), _ROWS)
    return Parts(value=found[:, 0], unsure=found[:, 1])


def _positive(values: Array, lengths: Array) -> Array:
    """Integrals and their bounds. # (P, 2, C)."""
    c = coefficients(values)
    absolute, unsure = _absolute(c)
    half = 0.5 * (0.5 * lengths)[:, None]
    return np.stack([(integral(c) + absolute) * half, unsure * half], axis=1)


def _absolute(c: Array) -> tuple[Array, Array]:
    """Integral of |f| over [-1, 1] and what it may lack. # (P, K, C) -> (P, C) each."""
    pieces, _, columns = c.shape
    rows = np.ascontiguousarray(np.swapaxes(c, 1, 2)).reshape(-1, COUNT)
    whole = row_antiderivative(rows)
    ends = row_values(whole, np.tile([-1.0, 1.0], (len(rows), 1)))
    values = rows @ _TO_GRID
    total = _sign(values[:, -1]) * ends[:, 1] - _sign(values[:, 0]) * ends[:, 0]
    unsure = np.zeros(len(rows))
    functions = Functions(
        values=values,
        c=rows,
        slopes=np.ascontiguousarray(derivative(rows[:, :, None])[:, :, 0]),
        whole=whole,
        bends=_BETWEEN * np.max(np.abs(_second_derivative(rows) @ _TO_GRID), axis=1, initial=0.0),
        negligible=_NEGLIGIBLE * np.sum(np.abs(rows), axis=1),
    )
    _REFLECT(functions, _PLACES, np.empty((_DIVISIONS * _PARTS, 5)), total, unsure)
    return total.reshape(pieces, columns), unsure.reshape(pieces, columns)


def _sign(values: Array) -> Array:
    return np.where(values >= 0.0, 1.0, -1.0)


class Functions(NamedTuple):
    """Polynomials, one in a row.

    Args:
        values: at ``_PLACES``. # (R, grid)
        c: coefficients. # (R, K)
        slopes: coefficients of the derivatives. # (R, K)
        whole: coefficients of the integrals. # (R, K + 1)
        bends: bounds of the second derivatives. # (R,)
        negligible: areas that no sum would show. # (R,)
    """

    values: NDArray[np.float64]
    c: NDArray[np.float64]
    slopes: NDArray[np.float64]
    whole: NDArray[np.float64]
    bends: NDArray[np.float64]
    negligible: NDArray[np.float64]


def reflect(functions: Functions, places: Any, cells: Any, total: Any, unsure: Any) -> None:
    """Turn integrals whose sign was that of the last value into those of the sizes.

    Values at the ends of cells are kept: two ways to evaluate a polynomial disagree about the sign
    of zero, and a sign must be the same for both cells that it lies between.

    Args:
        functions: to be integrated.
        places: of the grid. # (grid,)
        cells: work: ends, values there, divisions so far. # (_DIVISIONS · _PARTS, 5)
        total: added to at every zero. # (R,)
        unsure: bounds of what pairs of zeros that were not looked for could add. # (R,)
    """
    for row in range(len(total)):
        bend, area, hidden = functions.bends[row], 0.0, 0.0
        for cell in range(len(places) - 1):
            low, high = places[cell], places[cell + 1]
            left, right = functions.values[row, cell], functions.values[row, cell + 1]
            if (left >= 0.0) != (right >= 0.0):
                area += _turned(functions, row, low, high, left)
                continue
            # Between two places h apart a function comes down by at most h²/8 times its bend.
            if not min(abs(left), abs(right)) < 0.125 * (high - low) ** 2 * bend:
                continue
            cells[0, 0], cells[0, 1], cells[0, 2], cells[0, 3], cells[0, 4] = (
                low,
                high,
                left,
                right,
                0.0,
            )
            waiting = 1
            while waiting > 0:
                waiting -= 1
                low, high = cells[waiting, 0], cells[waiting, 1]
                left, right = cells[waiting, 2], cells[waiting, 3]
                divisions = cells[waiting, 4] + 1.0
                width, last = (high - low) / _PARTS, right
                start, value = low, left
                for part in range(_PARTS):
                    end, after = high, last
                    if part < _PARTS - 1:
                        end = low + (part + 1) * width
                        after = _value(functions.c, row, end)
                    h = end - start
                    depth = 0.125 * h * h * bend
                    if (value >= 0.0) != (after >= 0.0):
                        area += _turned(functions, row, start, end, value)
                    elif min(abs(value), abs(after)) < depth:
                        if h * depth <= functions.negligible[row] or divisions == _DIVISIONS:
                            hidden += h * depth
                        else:
                            cells[waiting, 0], cells[waiting, 1] = start, end
                            cells[waiting, 2], cells[waiting, 3] = value, after
                            cells[waiting, 4] = divisions
                            waiting += 1
                    start, value = end, after
        total[row] += area
        unsure[row] = 2.0 * hidden


def _turned(functions: Functions, row: int, low: float, high: float, left: float) -> float:
    """What a zero in a cell adds: the integral up to it, once for the side that it ends."""
    up_to = _value(functions.whole, row, _zero(functions, row, low, high, left < 0.0))
    return -2.0 * up_to if left < 0.0 else 2.0 * up_to


def _zero(functions: Functions, row: int, low: float, high: float, rising: bool) -> float:
    """The zero in a cell: Newton's method kept in a bracket."""
    zero = 0.5 * (low + high)
    for _ in range(_STEPS):
        value = _value(functions.c, row, zero)
        slope = _value(functions.slopes, row, zero)
        if (value >= 0.0) == rising:
            high = zero
        else:
            low = zero
        step = value / slope if slope != 0.0 else math.inf
        # At a zero a step of rounding leaves the bracket, whose middle may be far from it.
        left = high - low > _CLOSE and abs(step) > _CLOSE
        if low <= zero - step <= high:
            zero -= step
        elif left:
            zero = 0.5 * (low + high)
        if not left:
            break
    return zero


def _value(c: Any, row: int, x: float) -> float:
    """A row's function, by Clenshaw."""
    later = last = 0.0
    for k in range(c.shape[1] - 1, 0, -1):
        last, later = 2.0 * x * last - later + c[row, k], last
    return float(c[row, 0] + x * last - later)


_REFLECT = Loop(reflect, "(f8[2] f8[2] f8[2] f8[2] f8[1] f8[1]) f8[1] f8[2] f8[1] f8[1]")


def _second_derivative(rows: Array) -> Array:
    return np.asarray(derivative(derivative(rows[:, :, None]))[:, :, 0])
