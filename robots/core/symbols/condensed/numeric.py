"""Numbers: the value of sums at postures, and the arithmetic that they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.recording.programme import OperationCounts
from robots.core.symbols.condensed.augmented import Constant
from robots.core.symbols.condensed.chain import SymbolicChain
from robots.core.symbols.condensed.reading import Reading
from robots.core.symbols.condensed.terms import Factor, GravityTorque, Slide, Symbol, Trig


class NumberReading(Reading[Array]):
    """Values at postures.

    Args:
        constants: every symbol's value, by name.
        q: joint variables. # (..., n) [rad or m]
    """

    def __init__(self, constants: Mapping[str, float], q: Array) -> None:
        self._constants = constants
        self._q = q
        self._known: dict[Trig, Array] = {}
        self.torques: dict[int, Array] = {}

    def symbol(self, factor: Symbol) -> Array:
        """The constant's value."""
        return np.asarray(self._constants[factor.name])

    def slide(self, factor: Slide) -> Array:
        """The joint's variable."""
        return np.asarray(self._q[..., factor.joint - 1])

    def torque(self, factor: GravityTorque) -> Array:
        """The torque entered before, tip to base."""
        return self.torques[factor.joint]

    def trig(self, factor: Trig) -> Array:
        """Sine or cosine of the summed angles."""
        if factor not in self._known:
            angle = sum(sign * self._q[..., joint - 1] for joint, sign in factor.angle)
            self._known[factor] = np.cos(angle) if factor.cosine else np.sin(angle)
        return self._known[factor]

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, Array]]) -> Array:
        """The product."""
        value = np.asarray(coefficient)
        for _, factor in factors:
            value = value * factor
        return value

    def total(self, terms: Sequence[Array]) -> Array:
        """The sum, of the postures' batch shape."""
        value = np.zeros(self._q.shape[:-1])
        for term in terms:
            value = value + term
        return value


class CountReading(Reading[OperationCounts]):
    """Arithmetic of a sum as printed; each different sine or cosine is counted by its owner."""

    def __init__(self) -> None:
        self.trigs: set[Trig] = set()

    def symbol(self, factor: Symbol) -> OperationCounts:  # noqa: ARG002
        """Nothing."""
        return counts()

    def slide(self, factor: Slide) -> OperationCounts:  # noqa: ARG002
        """Nothing."""
        return counts()

    def torque(self, factor: GravityTorque) -> OperationCounts:  # noqa: ARG002
        """Nothing: it is counted where it is defined."""
        return counts()

    def trig(self, factor: Trig) -> OperationCounts:
        """Nothing here: noted in ``trigs``, where equal ones meet."""
        self.trigs.add(factor)
        return counts()

    def product(
        self, coefficient: float, factors: Sequence[tuple[Factor, OperationCounts]]
    ) -> OperationCounts:
        """One multiplication fewer than there are factors, a number other than ±1 included."""
        values = len(factors) + (abs(coefficient) != 1.0)
        return combined(counts(multiplications=max(values - 1, 0)), *(f for _, f in factors))

    def total(self, terms: Sequence[OperationCounts]) -> OperationCounts:
        """One addition fewer than there are terms."""
        return combined(counts(additions=max(len(terms) - 1, 0)), *terms)


def counts(
    *, multiplications: int = 0, additions: int = 0, sines_cosines: int = 0
) -> OperationCounts:
    """Counts without divisions."""
    return OperationCounts(
        multiplications=multiplications,
        additions=additions,
        divisions=0,
        sines_cosines=sines_cosines,
        others=0,
    )


def combined(*parts: OperationCounts) -> OperationCounts:
    """Counts of everything together."""
    return counts(
        multiplications=sum(part.multiplications for part in parts),
        additions=sum(part.additions for part in parts),
        sines_cosines=sum(part.sines_cosines for part in parts),
    )


def trig_counts(trigs: set[Trig]) -> OperationCounts:
    """Sines and cosines, and the additions inside their angles, each angle added up once."""
    angles = {trig.angle for trig in trigs}
    return counts(sines_cosines=len(trigs), additions=sum(len(angle) - 1 for angle in angles))


def constant_values(
    constants: Sequence[Constant], chain: SymbolicChain, given: Mapping[str, float]
) -> dict[str, float]:
    """Values of all constants, in the order of their definitions.

    Args:
        constants: of the equations.
        chain: whose symbols they stand on; its own values come first.
        given: further values, which win.

    Raises:
        EquationError: symbols without a value; the message lists them.
    """
    values = {**chain.values, **given}
    missing = sorted(chain.symbols() - set(values))
    if missing:
        raise EquationError(
            f"Robot {chain.name!r}: no value is known for {', '.join(missing)}; "
            "give one for each in ``values``.",
            missing=tuple(missing),
        )
    wrong = sorted(name for name in chain.symbols() if not np.isfinite(values[name]))
    if wrong:
        raise EquationError(
            f"Robot {chain.name!r}: the values of {', '.join(wrong)} are not finite numbers.",
            wrong=tuple(wrong),
        )
    for constant in constants:
        reading = NumberReading(values, np.zeros(0))
        values[constant.name] = float(reading.read(constant.definition))
    return values
