"""Intervals: guaranteed bounds of sums while the joints stay in their ranges.

Equal factors of a product become powers, so that s² lies in [0, 1] and not in [-1, 1].
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from robots.core.symbols.condensed.reading import Reading
from robots.core.symbols.condensed.terms import (
    Factor,
    GravityTorque,
    Slide,
    Sum,
    Symbol,
    Term,
    Trig,
    collected,
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


UNIT = Interval(-1.0, 1.0)


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
    """Whether the interval holds phase + 2π·m for some whole m."""
    turn = 2.0 * math.pi
    return math.floor((angle.high - phase) / turn) >= math.ceil((angle.low - phase) / turn)
