"""LaTeX: the same expressions for papers and slides.

``A_{11} = 2 V_{Z3} L_{2} (c_{23} s_{2}) + …``: s_{234} and c_{234} are sine and cosine of
q_2 + q_3 + q_4.

Source: [LIEGEOIS80], list of notations (c_i, s_ij)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from robots.core.symbols.condensed.reading import Reading
from robots.core.symbols.condensed.terms import Factor, GravityTorque, Slide, Sum, Symbol, Trig
from robots.core.symbols.condensed.text import number_text

_NAME = re.compile(r"([A-Za-zΑ-Ωα-ω]+?)((?:[XYZ]{1,2})?\d[\d_]*)$")
_SCIENTIFIC = re.compile(r"(.*)e([+-])0*(\d+)$")


class LatexReading(Reading[str]):
    """Prints sums in LaTeX's mathematics.

    Args:
        dof: number of joints of the chain, which decides how joint numbers are joined.
    """

    def __init__(self, dof: int) -> None:
        self._between = "," if dof > 9 else ""

    def symbol(self, factor: Symbol) -> str:
        r"""``VZ3`` becomes ``V_{Z3}``; an unknown form stands upright."""
        return symbol_latex(factor.name)

    def slide(self, factor: Slide) -> str:
        """``q_{4}``."""
        return f"q_{{{factor.joint}}}"

    def torque(self, factor: GravityTorque) -> str:
        """``Q_{4}``."""
        return f"Q_{{{factor.joint}}}"

    def trig(self, factor: Trig) -> str:
        """``s_{234}``, ``c_{2-3}``."""
        index = ""
        for place, (joint, sign) in enumerate(factor.angle):
            joined = "-" if sign < 0 else self._between
            index += f"{joined if place else ''}{joint}"
        return f"{'c' if factor.cosine else 's'}_{{{index}}}"

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, str]]) -> str:
        """Sign, number, factors; equal neighbours become powers."""
        sign = "-" if coefficient < 0.0 else "+"
        size = abs(coefficient)
        parts = [] if size == 1.0 and factors else [number_latex(size)]
        return f" {sign} " + r" \, ".join((*parts, *_powers(factors)))

    def total(self, terms: Sequence[str]) -> str:
        """Terms side by side, without a leading plus."""
        line = "".join(terms).strip().removeprefix("+").strip() or "0"
        return re.sub(r"^- ", "-", line)


def symbol_latex(name: str) -> str:
    """A constant's name with its index below."""
    found = _NAME.match(name)
    if found:
        head, index = found.groups()
        head = head if len(head) == 1 else rf"\mathit{{{head}}}"
        return f"{head}_{{{index.replace('_', ',')}}}"
    return name if len(name) == 1 else rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"


def number_latex(value: float) -> str:
    """A number, powers of ten written out."""
    found = _SCIENTIFIC.match(number_text(value))
    if not found:
        return number_text(value)
    digits, sign, power = found.groups()
    return rf"{digits} \cdot 10^{{{'-' if sign == '-' else ''}{power}}}"


def _powers(factors: Sequence[tuple[Factor, str]]) -> Iterator[str]:
    for (factor, name), group in groupby(factors, key=lambda pair: pair):
        count = len(list(group))
        text = rf"\left({name}\right)" if isinstance(factor, Sum) else name
        yield text if count == 1 else f"{text}^{{{count}}}"
