"""Reading: one visitor over the term structure; every output is a reading.

Text, LaTeX, numbers, intervals and operation counts say only what a factor, a product and a sum
are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from robots.core.symbols.condensed.terms import Factor, GravityTorque, Slide, Sum, Symbol, Trig

T = TypeVar("T")


class Reading(ABC, Generic[T]):
    """What a sum of products becomes."""

    def read(self, body: Sum) -> T:
        """The reading of a whole sum."""
        return self.total(
            [
                self.product(
                    term.coefficient, [(factor, self.factor(factor)) for factor in term.factors]
                )
                for term in body.terms
            ]
        )

    def factor(self, factor: Factor) -> T:
        """The reading of one factor; a bracket is read as a sum."""
        if isinstance(factor, Sum):
            return self.read(factor)
        if isinstance(factor, Symbol):
            return self.symbol(factor)
        if isinstance(factor, Trig):
            return self.trig(factor)
        return self.slide(factor) if isinstance(factor, Slide) else self.torque(factor)

    @abstractmethod
    def symbol(self, factor: Symbol) -> T:
        """A named constant."""

    @abstractmethod
    def trig(self, factor: Trig) -> T:
        """Sine or cosine of a grouped angle."""

    @abstractmethod
    def slide(self, factor: Slide) -> T:
        """The variable of a prismatic joint."""

    @abstractmethod
    def torque(self, factor: GravityTorque) -> T:
        """Gravity torque of a parallel joint farther out."""

    @abstractmethod
    def product(self, coefficient: float, factors: Sequence[tuple[Factor, T]]) -> T:
        """A number times factors that have been read."""

    @abstractmethod
    def total(self, terms: Sequence[T]) -> T:
        """A sum of terms that have been read; none means zero."""
