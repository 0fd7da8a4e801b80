"""Polynomials in sines and cosines, reduced by sin² + cos² = 1, with determinant and factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from robots.core.caps import Cap
from robots.core.equations.functions import Functions
from robots.core.errors import EquationError

Element = Any  # of a SymPy polynomial ring
Expression = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TrigonometricRing:
    """Polynomials over whole numbers in cos θ, sin θ of some angles, and other symbols.

    Args:
        ring: SymPy's.
        cosines: angle to generator.
        sines: angle to generator.
        relations: c² + s² - 1 per angle; the square of one of both is written by the other.
    """

    ring: Any
    cosines: dict[Expression, Element]
    sines: dict[Expression, Element]
    relations: tuple[Element, ...]

    @classmethod
    def over(
        cls, angles: Sequence[Expression], others: Sequence[Expression], *, keep: str = "cos"
    ) -> TrigonometricRing:
        """Ring whose normal form keeps squares of cosines ("cos") or of sines ("sin")."""
        import sympy
        from sympy.polys.orderings import lex
        from sympy.polys.rings import ring

        functions = (sympy.sin, sympy.cos) if keep == "cos" else (sympy.cos, sympy.sin)
        symbols = [f(angle) for f in functions for angle in angles]
        made, *generators = ring([*symbols, *others], sympy.QQ, lex)
        leading = dict(zip(angles, generators, strict=False))
        kept = dict(zip(angles, generators[len(angles) :], strict=False))
        return cls(
            ring=made,
            cosines=kept if keep == "cos" else leading,
            sines=leading if keep == "cos" else kept,
            relations=tuple(leading[a] ** 2 + kept[a] ** 2 - 1 for a in angles),
        )

    def functions(self) -> Functions:
        """Sine and cosine of sums of the angles and of quarter turns."""
        return Functions(sin=self.sin, cos=self.cos, sign=_undefined, sqrt=_undefined)

    def cos(self, angle: Expression) -> Element:
        """Cosine as an element."""
        return self._pair(angle)[0]

    def sin(self, angle: Expression) -> Element:
        """Sine as an element."""
        return self._pair(angle)[1]

    def element(self, expression: Expression) -> Element:
        """A polynomial expression as an element."""
        return self.ring.from_expr(expression)

    def reduced(self, element: Element) -> Element:
        """Normal form modulo the relations."""
        return element.rem(list(self.relations)) if self.relations else element

    def determinant(self, rows: Sequence[Sequence[Element]]) -> Element:
        """Determinant by minors, each computed once, without division.

        Raises:
            EquationError: it has too many terms to be of use.
        """
        size = len(rows)

        @cache
        def minor(row: int, columns: tuple[int, ...]) -> Element:
            if row == size:
                return self.ring.one
            total = self.ring.zero
            for k, column in enumerate(columns):
                entry = rows[row][column]
                if entry:
                    rest = minor(row + 1, columns[:k] + columns[k + 1 :])
                    total += entry * rest * (-1) ** k
            return self._checked(self.reduced(total))

        return minor(0, tuple(range(size)))

    def _checked(self, element: Element) -> Element:
        cap = Cap.DETERMINANT_TERMS  # factoring more takes minutes
        if len(element) > cap.limit:
            raise EquationError(
                f"The determinant has more than {cap.limit} terms; ask for a task with fewer "
                f"coordinates, analyse single postures, or {cap.advice}.",
                terms=len(element),
            )
        return element

    def _pair(self, angle: Expression) -> tuple[Element, Element]:
        import sympy

        if angle in self.cosines:
            return self.cosines[angle], self.sines[angle]
        angle = sympy.sympify(angle)
        if angle.is_Add:
            c, s = self.ring.one, self.ring.zero
            for part in angle.args:
                cp, sp = self._pair(part)
                c, s = c * cp - s * sp, s * cp + c * sp
            return c, s
        return self.element(sympy.cos(angle)), self.element(sympy.sin(angle))


def _undefined(_: Expression) -> Element:
    raise EquationError("Roots and signs are not polynomials.")
