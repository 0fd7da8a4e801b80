"""Neglecting: equations without the terms that stay small, and the torque error this can cost.

A term goes when its torque stays below the threshold for every posture, speed and acceleration in
the operating ranges. The error bound of a joint adds up what went: interval bounds of the removed
sums, so it holds for every state in the ranges.

Source: [LIEGEOIS80] §5 lets the user remove small terms once masses have values; the test by
intervals and the bound are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.symbols.condensed.equations import CondensedEquations
from robots.core.symbols.condensed.intervals import IntervalReading
from robots.core.symbols.condensed.operating_ranges import OperatingRanges
from robots.core.symbols.condensed.terms import (
    ZERO,
    GravityTorque,
    Sum,
    Term,
    weighted,
)

# Bounds are added up in floating point; this covers what that may lose.
ROUNDING = 1.0 + 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NeglectedEquations:
    """What is left, and what it can cost.

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
