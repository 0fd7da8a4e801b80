"""Factors of a polynomial in sines and cosines.

Because sin² + cos² = 1, such a polynomial can be written in many ways, and its expanded form often
hides its factors. In t = tan(θ/2) it becomes an ordinary polynomial whose factors are unique; those
of even degree in every t are polynomials in sine and cosine again. What is left (sin θ is a product
of two odd ones) is factored as it stands.
"""

from __future__ import annotations

from typing import Any

from robots.core.singularities.trigonometric_ring import TrigonometricRing

Element = Any
Factors = list[tuple[Element, int]]

# Above this the half-angle form takes longer to factor than a reader would wait.
_MOST_TERMS = 400


def factors(ring: TrigonometricRing, element: Element) -> tuple[Any, Factors]:
    """Number and factors with their powers; their product equals the element.

    Args:
        ring: of the element.
        element: not zero, in normal form.
    """
    if len(element) > _MOST_TERMS:
        return _as_it_stands(element)
    half = _HalfAngles(ring, element)
    rest, found, product = half.rest, [], ring.ring.one
    for factor, power in half.even:
        found.append((factor, power))
        product *= factor**power
    number, others = _as_it_stands(ring.reduced(rest))
    for factor, power in others:
        product *= factor**power
    # The halves carry powers of two: the number is what makes the product right.
    whole = ring.reduced(product)
    return element.LC / whole.LC if whole else number, found + others


def _as_it_stands(element: Element) -> tuple[Any, Factors]:
    number, found = element.factor_list()
    return number, list(found)


class _HalfAngles:
    """The polynomial in t = tan(θ/2), factored and brought back."""

    def __init__(self, ring: TrigonometricRing, element: Element) -> None:
        self.ring = ring
        self.angles = list(ring.cosines)
        # The generators are sin, cos (in the ring's order) of the angles, then the others.
        self.count = len(self.angles)
        self.degree = [self._degree(element, i) for i in range(self.count)]
        self.even: Factors = []
        self.rest = self._split(self._halved(element))

    def _degree(self, element: Element, i: int) -> int:
        return max(int(m[i] + m[i + self.count]) for m in element.monoms())

    def _halved(self, element: Element) -> Element:
        import sympy
        from sympy.polys.rings import ring

        names = [sympy.Dummy(f"t{i}") for i in range(self.count)]
        half, *generators = ring([*names, *self.ring.ring.symbols[2 * self.count :]], sympy.QQ)
        cosine_first = self._cosines_lead()
        total = half.zero
        for exponents, coefficient in element.terms():
            term = half.one * coefficient
            for i in range(self.count):
                t, first, second = generators[i], exponents[i], exponents[i + self.count]
                c, s = (first, second) if cosine_first else (second, first)
                term *= (2 * t) ** s * (1 - t**2) ** c * (1 + t**2) ** (self.degree[i] - c - s)
            for k, power in enumerate(exponents[2 * self.count :]):
                term *= generators[self.count + k] ** power
            total += term
        return total

    def _cosines_lead(self) -> bool:
        if not self.count:
            return True
        return bool(self.ring.cosines[self.angles[0]] == self.ring.ring.gens[0])

    def _split(self, halved: Element) -> Element:
        """Collect the even factors; return the product of the others. # in the ring."""
        _, found = halved.factor_list()
        odd, left = halved.ring.one, list(self.degree)
        for factor, power in found:
            degrees = [max(m[i] for m in factor.monoms()) for i in range(self.count)]
            if any(d % 2 for d in degrees):
                odd *= factor**power
                continue
            whole = self._whole(factor, [d // 2 for d in degrees])
            left = [n - power * d // 2 for n, d in zip(left, degrees, strict=True)]
            if not whole.is_ground:
                self.even.append((whole, power))
        return self._whole(odd, left)

    def _whole(self, halved: Element, degrees: list[int]) -> Element:
        """Sines and cosines of a polynomial in t, times Π cos(θ/2)^(2·degree)."""
        total = self.ring.ring.zero
        others = self.ring.ring.gens[2 * self.count :]
        for exponents, coefficient in halved.terms():
            term = self.ring.ring.one * coefficient
            for i, angle in enumerate(self.angles):
                term *= self._monomial(angle, exponents[i], degrees[i])
            for k, power in enumerate(exponents[self.count :]):
                term *= others[k] ** power
            total += term
        return self.ring.reduced(total).primitive()[1] if total else total

    def _monomial(self, angle: Any, power: int, degree: int) -> Element:
        """sin(θ/2)^power · cos(θ/2)^(2·degree - power), without its powers of ½."""
        c, s = self.ring.cosines[angle], self.ring.sines[angle]
        pairs, odd = divmod(power, 2)
        return s**odd * (1 - c) ** pairs * (1 + c) ** (degree - pairs - odd)
