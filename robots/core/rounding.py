"""Numbers rounded for a reader without changing what they say.

A value that misses its limit by a micrometre must not be printed as the limit itself, an amount
that is missing not as zero, and a proven distance not as a longer one.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

_MOST_DECIMALS = 17
_MOST_DIGITS = 17  # tell any two float64 numbers apart
_SHORTFALL_DIGITS = 2  # of an amount that would vanish otherwise


def apart(value: float, limit: float, decimals: int) -> tuple[str, str]:
    """Both numbers with equal decimals, more than asked for where they would look equal.

    Args:
        value: what was found.
        limit: what it is compared with.
        decimals: that are enough in most cases.
    """
    for shown in range(decimals, _MOST_DECIMALS):
        pair = f"{value:.{shown}f}", f"{limit:.{shown}f}"
        if pair[0] != pair[1] or value == limit:
            return pair
    return f"{value:.{_MOST_DIGITS}g}", f"{limit:.{_MOST_DIGITS}g}"


def apart_digits(value: float, limit: float, digits: int) -> tuple[str, str]:
    """Both numbers with significant digits, more than asked for where they would look equal."""
    for shown in range(digits, _MOST_DIGITS):
        pair = f"{value:.{shown}g}", f"{limit:.{shown}g}"
        if pair[0] != pair[1] or value == limit:
            return pair
    return f"{value:.{_MOST_DIGITS}g}", f"{limit:.{_MOST_DIGITS}g}"


def balance(value: float, amount: float, digits: int) -> float:
    """A difference of amounts, to the last digit shown of them: finer is rounding, and so is zero.

    Args:
        value: the difference.
        amount: how large what it is a difference of is, above zero.
        digits: significant ones of the amount that are shown.
    """
    if not (amount > 0.0 and math.isfinite(value)):
        return value
    return round(value, digits - 1 - math.floor(math.log10(amount))) + 0.0


def readable(amount: float, decimals: int) -> str:
    """An amount above zero, rounded to the nearest, with more decimals where it would vanish."""
    return f"{amount:.{_decimals(amount, decimals)}f}"


def at_least(amount: float, decimals: int) -> str:
    """An amount that is missing or in excess, rounded up: nobody is asked for too little.

    Args:
        amount: zero or more.
        decimals: that are enough in most cases; one that rounds to zero has more.
    """
    return _rounded(amount, decimals, up=True)


def at_most(amount: float, decimals: int) -> str:
    """An amount that is proven or kept, rounded down: nobody is promised too much."""
    return _rounded(amount, decimals, up=False)


def _rounded(amount: float, decimals: int, *, up: bool) -> str:
    if not math.isfinite(amount):
        return str(amount)
    decimals = _decimals(amount, decimals)
    # what float arithmetic adds in the last digits is no reason for another unit in the shown one
    exact = Decimal(f"{amount:.12g}")
    shown = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_CEILING if up else ROUND_FLOOR)
    return f"{shown:f}" if shown else f"{0:.{decimals}f}"


def _decimals(amount: float, decimals: int) -> int:
    """Those asked for, or as many as show an amount above zero."""
    if amount > 0.0 and float(f"{amount:.{decimals}f}") == 0.0:
        return _SHORTFALL_DIGITS - 1 - math.floor(math.log10(amount))
    return decimals
