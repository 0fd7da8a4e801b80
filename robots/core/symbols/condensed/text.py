"""Text: the report's printed form, which is also valid Python (Q(4) is then a call).

``+2*VZ3*L2*(+C23*S2)``: S and C stand for sine and cosine of the sum of the joints' angles; a joint
that turns against the others is written with an M, C2M3 = cos(q2 - q3). From ten joints on the
numbers of a sum are kept apart by underscores, C9_10.

Source: [LIEGEOIS80] §4.3-4.5
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from robots.core.symbols.condensed.reading import Reading
from robots.core.symbols.condensed.terms import Factor, GravityTorque, Slide, Sum, Symbol, Trig


class TextReading(Reading[str]):
    """Prints sums on one line.

    Args:
        dof: number of joints of the chain, which decides how joint numbers are joined.
    """

    def __init__(self, dof: int) -> None:
        self._between = "_" if dof > 9 else ""

    def read(self, body: Sum) -> str:
        """A sum; its leading plus goes when the sum says so."""
        line = super().read(body)
        return line if body.signed else line.removeprefix("+")

    def symbol(self, factor: Symbol) -> str:
        """The name."""
        return factor.name

    def slide(self, factor: Slide) -> str:
        """``q4``."""
        return f"q{factor.joint}"

    def torque(self, factor: GravityTorque) -> str:
        """``Q(4)``."""
        return f"Q({factor.joint})"

    def trig(self, factor: Trig) -> str:
        """``S234``, ``C2M3``."""
        name = "C" if factor.cosine else "S"
        for place, (joint, sign) in enumerate(factor.angle):
            joined = "M" if sign < 0 else self._between
            name += f"{joined if place else ''}{joint}"
        return name

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, str]]) -> str:
        """Sign, number, factors; always with its sign."""
        sign = "-" if coefficient < 0.0 else "+"
        size = abs(coefficient)
        parts = [] if size == 1.0 and factors else [number_text(size)]
        return sign + "*".join((*parts, *self._powers(factors)))

    def total(self, terms: Sequence[str]) -> str:
        """Terms side by side; ``0`` when there is none."""
        return "".join(terms) or "0"

    def _powers(self, factors: Sequence[tuple[Factor, str]]) -> Iterator[str]:
        """Constants met several times become powers, D1**2; trigonometry is left as it came."""
        for text, group in groupby(factors, key=lambda pair: pair):
            count = len(list(group))
            factor, name = text
            if isinstance(factor, Sum):
                name = f"({name})"
            if count > 1 and isinstance(factor, Symbol | Slide):
                yield f"{name}**{count}"
            else:
                yield from [name] * count


def number_text(value: float) -> str:
    """Shortest digits that give the number back; whole numbers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
