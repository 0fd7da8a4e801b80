"""Neglect of small terms over an operating range, with a guaranteed torque error bound.

A term goes when its torque stays below the threshold for every posture, speed and acceleration in
the operating ranges. The error bound of a joint adds up what went: interval bounds of the removed
sums, so it holds for every state in the ranges.

Source: [LIEGEOIS80] §5 lets the user remove small terms once masses have values; the test by
intervals and the bound are ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, freeze_field
from robots.core.errors import EquationError
from robots.core.mechanism import Mechanism
from robots.core.symbols.condensed.equations import CondensedEquations
from robots.core.symbols.condensed.terms import (
    ZERO,
    Factor,
    GravityTorque,
    Reading,
    Slide,
    Sum,
    Symbol,
    Term,
    Trig,
    collected,
    weighted,
)

# Bounds are added up in floating point; this covers what that may lose.
ROUNDING = 1.0 + 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NeglectedEquations:
    """Remaining equations, and the error bound.

    Args:
        equations: without the neglected terms.
        error_bound: largest possible torque error of each joint. # (n,) [N m or N]
        threshold: below which a term went. # (n,) [N m or N]
        kept: number of products left, of all coefficients.
        dropped: number of products that went.
    """

    equations: CondensedEquations
    error_bound: Array
    threshold: Array
    kept: int
    dropped: int


def neglect(
    equations: CondensedEquations,
    threshold: float | Array,
    ranges: OperatingRanges,
    values: Mapping[str, float] | None = None,
) -> NeglectedEquations:
    """Drop every term whose torque stays below ``threshold`` anywhere in ``ranges``.

    Args:
        equations: the full ones.
        threshold: one for all joints, or one per joint. # () or (n,) [N m or N]
        ranges: joint limits, speeds and accelerations that the robot keeps to.
        values: of symbols the chain has no value for. [SI]

    Raises:
        EquationError: a negative threshold, ranges for another number of joints, a slide without
            limits, a symbol without a value.
    """
    n = equations.dof
    limits = np.broadcast_to(np.asarray(threshold, dtype=np.float64), (n,)).copy()
    _check(equations, limits, ranges)
    reading = IntervalReading(equations.constant_values(values), ranges.intervals)
    sieve = _Sieve(reading=reading, threshold=limits, error=np.zeros(n))
    A = _inertia(equations, sieve, ranges.qdd_max)
    left = CondensedEquations(
        chain=equations.chain,
        constants=equations.constants,
        A=A,
        B=_coriolis(equations, sieve, ranges.qd_max),
        C=_centrifugal(equations, sieve, ranges.qd_max),
        Q=_gravity(equations, sieve),
    )
    kept = sum(body.size for body in left.sums())
    return NeglectedEquations(
        equations=left,
        error_bound=sieve.error * ROUNDING,
        threshold=limits,
        kept=kept,
        dropped=sum(body.size for body in equations.sums()) - kept,
    )


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from ``low`` to ``high``."""

    low: float
    high: float

    @property
    def magnitude(self) -> float:
        """Largest absolute value."""
        return max(abs(self.low), abs(self.high))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def power(self, exponent: int) -> Interval:
        """The interval of x**exponent."""
        ends = sorted((self.low**exponent, self.high**exponent))
        if exponent % 2 == 0 and self.low < 0.0 < self.high:
            return Interval(0.0, ends[1])
        return Interval(ends[0], ends[1])


class IntervalReading(Reading[Interval]):
    """Bounds of sums.

    Args:
        constants: every symbol's value, by name.
        ranges: of the joint variables, by joint number less one. [rad or m]
    """

    def __init__(self, constants: Mapping[str, float], ranges: Sequence[Interval]) -> None:
        self._constants = constants
        self._ranges = ranges

    def magnitude(self, body: Sum) -> float:
        """Bound of the absolute value, equal products of variables taken together first."""
        return self.read(collected(Sum(terms=tuple(self._numeric(body))))).magnitude

    def _numeric(self, body: Sum) -> Iterator[Term]:
        """The terms with brackets multiplied out and constants as numbers."""
        for term in body.terms:
            brackets = [factor for factor in term.factors if isinstance(factor, Sum)]
            others = [factor for factor in term.factors if not isinstance(factor, Sum)]
            size = term.coefficient
            for factor in others:
                size *= self._constants[factor.name] if isinstance(factor, Symbol) else 1.0
            kept = tuple(factor for factor in others if not isinstance(factor, Symbol))
            if len(brackets) > 1:
                yield Term(coefficient=size, factors=(*kept, *brackets))
                continue
            for leaf in self._numeric(brackets[0]) if brackets else (Term(),):
                yield Term(coefficient=size * leaf.coefficient, factors=(*kept, *leaf.factors))

    def symbol(self, factor: Symbol) -> Interval:
        """The constant, exactly."""
        value = self._constants[factor.name]
        return Interval(value, value)

    def slide(self, factor: Slide) -> Interval:
        """The joint's range."""
        return self._ranges[factor.joint - 1]

    def torque(self, factor: GravityTorque) -> Interval:  # noqa: ARG002
        """Zero: what a referenced torque loses is booked where it is defined."""
        return Interval(0.0, 0.0)

    def trig(self, factor: Trig) -> Interval:
        """Range of sine or cosine over the range of the summed angle."""
        angle = Interval(0.0, 0.0)
        for joint, sign in factor.angle:
            angle += self._ranges[joint - 1] * Interval(sign, sign)
        return cosine_range(angle) if factor.cosine else sine_range(angle)

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, Interval]]) -> Interval:
        """Product of powers of the different factors."""
        value = Interval(coefficient, coefficient)
        known = dict(factors)
        for factor, exponent in Counter(factor for factor, _ in factors).items():
            value *= known[factor].power(exponent)
        return value

    def total(self, terms: Sequence[Interval]) -> Interval:
        """The sum of the bounds."""
        value = Interval(0.0, 0.0)
        for term in terms:
            value += term
        return value


@dataclass(slots=True, kw_only=True, eq=False)
class _Sieve:
    """Keeps large terms and books the bounds of the others, joint by joint."""

    reading: IntervalReading
    threshold: Array
    error: Array

    def sift(self, body: Sum, rates: Mapping[int, float]) -> Sum:
        """What is left of a coefficient.

        Args:
            body: the coefficient.
            rates: what it is multiplied with in the equation of each joint that it enters.
        """
        kept: list[Term] = []
        gone: list[Term] = []
        for term in body.terms:
            large, small = self._split(term, rates)
            kept.extend(large.terms)
            gone.extend(small.terms)
        size = self.reading.magnitude(Sum(terms=tuple(gone)))
        for joint, rate in rates.items():
            self.error[joint] += size * rate
        return Sum(terms=tuple(kept))

    def _split(self, term: Term, rates: Mapping[int, float]) -> tuple[Sum, Sum]:
        """(large, small) parts of a term; the products of a bracket are judged one by one."""
        inside = [factor for factor in term.factors if isinstance(factor, Sum)]
        if len(inside) != 1:
            whole = Sum(terms=(term,))
            return (ZERO, whole) if self._small(whole, rates) else (whole, ZERO)
        outside = tuple(factor for factor in term.factors if not isinstance(factor, Sum))
        head = Term(coefficient=term.coefficient, factors=outside)
        large: list[Term] = []
        small: list[Term] = []
        for leaf in inside[0].terms:
            product = Sum(
                terms=(
                    Term(
                        coefficient=head.coefficient * leaf.coefficient,
                        factors=(*head.factors, *leaf.factors),
                    ),
                )
            )
            (small if self._small(product, rates) else large).append(leaf)
        return _under(head, large), _under(head, small)

    def _small(self, body: Sum, rates: Mapping[int, float]) -> bool:
        if any(isinstance(f, GravityTorque) for term in body.terms for f in term.factors):
            return False
        size = self.reading.read(body).magnitude
        return all(size * rate < self.threshold[joint] for joint, rate in rates.items())


def _under(head: Term, leaves: Sequence[Term]) -> Sum:
    return weighted(head, Sum(terms=tuple(leaves))) if leaves else ZERO


def _inertia(
    equations: CondensedEquations, sieve: _Sieve, qdd: Array
) -> tuple[tuple[Sum, ...], ...]:
    """A stays symmetric: a term goes only if it is small in both joints' equations."""
    n = equations.dof
    upper = {
        (i, j): sieve.sift(equations.A[i][j], {i: float(qdd[j]), j: float(qdd[i])})
        for i in range(n)
        for j in range(i, n)
    }
    return tuple(tuple(upper[min(i, j), max(i, j)] for j in range(n)) for i in range(n))


def _coriolis(
    equations: CondensedEquations, sieve: _Sieve, qd: Array
) -> tuple[tuple[tuple[Sum, ...], ...], ...]:
    n = range(equations.dof)
    return tuple(
        tuple(
            tuple(sieve.sift(equations.B[i][j][k], {i: float(qd[j] * qd[k])}) for k in n) for j in n
        )
        for i in n
    )


def _centrifugal(
    equations: CondensedEquations, sieve: _Sieve, qd: Array
) -> tuple[tuple[Sum, ...], ...]:
    n = range(equations.dof)
    return tuple(tuple(sieve.sift(equations.C[i][j], {i: float(qd[j] ** 2)}) for j in n) for i in n)


def _gravity(equations: CondensedEquations, sieve: _Sieve) -> tuple[Sum, ...]:
    """What goes from Q(4) goes from every Q that refers to it, so it must be small in all."""
    users: dict[int, list[int]] = {index: [index] for index in range(equations.dof)}
    for index, body in enumerate(equations.Q):
        # References point outwards, so all users of this torque are known when it is reached.
        for term in body.terms:
            for factor in term.factors:
                if isinstance(factor, GravityTorque):
                    users[factor.joint - 1] += users[index]
    left = [
        sieve.sift(body, dict.fromkeys(users[index], 1.0)) for index, body in enumerate(equations.Q)
    ]
    for index in reversed(range(equations.dof)):  # a reference points to a torque farther out
        left[index] = _without_empty(left[index], left)
    return tuple(left)


def _without_empty(body: Sum, Q: Sequence[Sum]) -> Sum:
    """Without references to torques of which nothing is left."""
    return Sum(
        terms=tuple(
            term
            for term in body.terms
            if not any(isinstance(f, GravityTorque) and not Q[f.joint - 1] for f in term.factors)
        )
    )


def _check(equations: CondensedEquations, threshold: Array, ranges: OperatingRanges) -> None:
    robot, n = equations.chain.name, equations.dof
    if not np.all(threshold >= 0.0):
        raise EquationError(f"Robot {robot!r}: the threshold {threshold.tolist()} is below zero.")
    if len(ranges.q_min) != n:
        raise EquationError(
            f"Robot {robot!r} has {n} joints; the operating ranges are for {len(ranges.q_min)}."
        )
    for index, (link, span) in enumerate(zip(equations.chain.links, ranges.intervals, strict=True)):
        if not link.turns and not np.isfinite(span.high - span.low):
            raise EquationError(
                f"Robot {robot!r}, joint {index + 1}: a slide without limits bounds no torque; "
                "set q_min and q_max in the robot file."
            )


# -------------------------------------------------------------------------------- Operating ranges


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OperatingRanges:
    """Operating ranges of positions, speeds and accelerations.

    Args:
        q_min: lower joint limits; -inf for a joint that turns freely. # (n,) [rad or m]
        q_max: upper joint limits. # (n,) [rad or m]
        qd_max: largest speeds, absolute. # (n,) [rad/s or m/s]
        qdd_max: largest accelerations, absolute. # (n,) [rad/s² or m/s²]

    Raises:
        EquationError: lengths differ, a speed or acceleration without bound, limits exchanged.
    """

    q_min: Array
    q_max: Array
    qd_max: Array
    qdd_max: Array

    def __post_init__(self) -> None:
        for name in ("q_min", "q_max", "qd_max", "qdd_max"):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.ndim != 1 or np.any(np.isnan(values)):
                raise EquationError(f"Operating ranges: {name} = {values.tolist()}; give numbers.")
            freeze_field(self, name, values)
        sizes = {len(v) for v in (self.q_min, self.q_max, self.qd_max, self.qdd_max)}
        if len(sizes) != 1:
            raise EquationError(f"Operating ranges: lengths {sorted(sizes)} differ.")
        if np.any(self.q_min > self.q_max):
            raise EquationError("Operating ranges: a lower limit is above its upper limit.")
        for name in ("qd_max", "qdd_max"):
            values = getattr(self, name)
            if not np.all(np.isfinite(values)) or np.any(values < 0.0):
                raise EquationError(
                    f"Operating ranges: {name} = {values.tolist()}; neglecting needs a finite "
                    "bound, zero or more, for every joint: set the joints' limits in the robot "
                    "file or give ranges."
                )

    @classmethod
    def of(cls, mechanism: Mechanism) -> OperatingRanges:
        """The limits that a mechanism's joints state."""
        return cls(
            q_min=mechanism.q_min,
            q_max=mechanism.q_max,
            qd_max=mechanism.max_speed,
            qdd_max=mechanism.max_acceleration,
        )

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """Ranges of q."""
        return tuple(
            Interval(float(low), float(high))
            for low, high in zip(self.q_min, self.q_max, strict=True)
        )


# --------------------------------------------------------------------------------------- Intervals
# Equal factors of a product become powers, so that s² lies in [0, 1] and not in [-1, 1].

UNIT = Interval(-1.0, 1.0)


def sine_range(angle: Interval) -> Interval:
    """Exact range of the sine over an interval of angles."""
    quarter = math.pi / 2.0
    return cosine_range(Interval(angle.low - quarter, angle.high - quarter))


def cosine_range(angle: Interval) -> Interval:
    """Exact range of the cosine over an interval of angles; [-1, 1] when it has no bound."""
    if not angle.high - angle.low < 2.0 * math.pi:
        return UNIT
    ends = (math.cos(angle.low), math.cos(angle.high))
    peak = _holds(angle, 0.0)
    trough = _holds(angle, math.pi)
    return Interval(-1.0 if trough else min(ends), 1.0 if peak else max(ends))


def _holds(angle: Interval, phase: float) -> bool:
    """Return whether the interval holds phase + 2π·m for some whole m."""
    turn = 2.0 * math.pi
    return math.floor((angle.high - phase) / turn) >= math.ceil((angle.low - phase) / turn)
