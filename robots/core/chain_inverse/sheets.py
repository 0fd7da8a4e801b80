"""Numbers with square roots in them that are never taken: a + b·w, where w² is known.

A step with two roots puts its joint on two sheets, +w and -w. Calculating with the pair (a, b)
instead of a value holds both at once, and their product, a² - b²·w², is free of the root: it is a
polynomial wherever the equations are. Roots may stand in later roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robots.core.equations.algebra import Functions, Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A root that is not taken.

    Args:
        level: 1 of the first.
        square: of it, in roots of lower levels.
    """

    level: int
    square: Sheet


class Sheet:
    """One number: a + b·root, both in roots of lower levels; a scalar where there is no root."""

    __slots__ = ("a", "b", "root")
    a: Any
    b: Any
    root: Root | None
    __array_ufunc__ = None  # arrays leave their products with a sheet to it

    def __init__(self, a: Any, root: Root | None = None, b: Any = 0.0) -> None:
        self.a = a
        self.root, self.b = root, b

    @property
    def level(self) -> int:
        """Level of its last root; zero of a scalar."""
        return 0 if self.root is None else self.root.level

    @property
    def norm(self) -> Scalar:
        """Product over all its sheets."""
        return self.a if self.root is None else self._both_signs(self.root).norm

    def __neg__(self) -> Sheet:
        return Sheet(-self.a, self.root, -self.b)

    def __add__(self, other: Any) -> Sheet:
        low, high = _by_level(self, other)
        if high.root is None:
            return Sheet(_sum(low.a, high.a))
        if low.level < high.level:
            return Sheet(high.a + low, high.root, high.b)
        return _with_root(low.a + high.a, high.root, low.b + high.b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Sheet:
        return self + -_number(other)

    def __rsub__(self, other: Any) -> Sheet:
        return -self + _number(other)

    def __mul__(self, other: Any) -> Sheet:
        low, high = _by_level(self, other)
        if high.root is None:
            return Sheet(_product(low.a, high.a))
        if low.level < high.level:
            return _with_root(high.a * low, high.root, high.b * low)
        a = low.a * high.a + low.b * high.b * high.root.square
        return _with_root(a, high.root, low.a * high.b + low.b * high.a)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Sheet:
        return self * _number(other)._inverse()

    def __rtruediv__(self, other: Any) -> Sheet:
        return self._inverse() * _number(other)

    def _inverse(self) -> Sheet:
        if self.root is None:
            return Sheet(1.0 / self.a)
        return Sheet(self.a, self.root, -self.b) * self._both_signs(self.root)._inverse()

    def _both_signs(self, root: Root) -> Sheet:
        """Product with the other sign of the last root: free of it."""
        product: Sheet = self.a * self.a - self.b * self.b * root.square
        return product


def sheet_functions() -> Functions:
    """Functions of equations over sheets: roots are not taken, nothing is clamped, no angles."""
    count = 0

    def root(square: Any) -> Sheet:
        nonlocal count
        count += 1
        return Sheet(Sheet(0.0), Root(count, _number(square)), Sheet(1.0))

    def none(_: Any) -> Any:
        raise TypeError("a number on sheets has no sine, cosine or sign")

    return Functions(sin=none, cos=none, sign=none, sqrt=root, maximum=lambda value, _: value)


def _by_level(one: Sheet, other: Any) -> tuple[Sheet, Sheet]:
    """Two numbers, the one of the lower level first."""
    number = _number(other)
    return (one, number) if one.level <= number.level else (number, one)


def _number(value: Scalar | Sheet) -> Sheet:
    return value if isinstance(value, Sheet) else Sheet(value)


def _with_root(a: Sheet, root: Root, b: Sheet) -> Sheet:
    return a if _is(b.a, 0.0) and b.root is None else Sheet(a, root, b)


def _sum(a: Scalar, b: Scalar) -> Scalar:
    return b if _is(a, 0.0) else a if _is(b, 0.0) else a + b


def _product(a: Scalar, b: Scalar) -> Scalar:
    """Product in which constants 0 and 1 fold, as they do where it is recorded."""
    if _is(a, 0.0) or _is(b, 0.0):
        return 0.0
    return b if _is(a, 1.0) else a if _is(b, 1.0) else a * b


def _is(value: Scalar, constant: float) -> bool:
    return isinstance(value, float) and value == constant
