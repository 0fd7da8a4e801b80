"""Exact conversion between the decimals written in files and the SI doubles used inside.

A file's number is read as the decimal that is printed there, scaled as a decimal and rounded once.
``409.82`` mm is then the double nearest to 0.40982 m, ``90`` degrees the double nearest to π/2, and
every double can be written so that it reads back unchanged. Scaling doubles would lose both.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation

# Fifty digits of π: the double nearest to a converted angle is then settled far beyond rounding.
_RADIAN_PER_DEGREE = Decimal("3.14159265358979323846264338327950288419716939937511") / 180
_CONTEXT = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_MOST_DIGITS = 25


def decimal_of(text: str) -> Decimal:
    """The decimal written in ``text``; what has no value becomes a quiet NaN, refused later."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("NaN")


def metres(millimetres: Decimal) -> float:
    """Millimetres of a file as metres, correctly rounded."""
    return float(_CONTEXT.multiply(millimetres, Decimal("0.001")))


def radians(degrees: Decimal) -> float:
    """Degrees of a file as radians, correctly rounded."""
    return float(_CONTEXT.multiply(degrees, _RADIAN_PER_DEGREE))


def number_text(value: float) -> str:
    """A double as the shortest decimal that reads back to it."""
    return _plain(Decimal(repr(float(value))))


def millimetres_text(value: float) -> str:
    """Metres as the decimal millimetres that read back to the same double."""
    return _plain(Decimal(repr(float(value))).scaleb(3))


def degrees_text(value: float) -> str:
    """Radians as the fewest decimal degrees that read back to the same double."""
    exact = _CONTEXT.divide(Decimal(float(value)), _RADIAN_PER_DEGREE)
    for digits in range(6, _MOST_DIGITS):
        short = Context(prec=digits).plus(exact)
        if radians(short) == value:
            return _plain(short)
    return _plain(Context(prec=_MOST_DIGITS).plus(exact))


def rounded_length(value: float) -> float:
    """The length with at most twelve decimal digits of its millimetres."""
    if not math.isfinite(value):
        return value
    return metres(Context(prec=12).plus(Decimal(float(value)).scaleb(3, _CONTEXT)))


def rounded_angle(value: float) -> float:
    """The angle with at most twelve decimal digits of its degrees."""
    if not math.isfinite(value):
        return value
    exact = _CONTEXT.divide(Decimal(float(value)), _RADIAN_PER_DEGREE)
    return radians(Context(prec=12).plus(exact))


def _plain(value: Decimal) -> str:
    """Decimal notation without trailing zeros; an exponent only where zeros would be many."""
    if not value:
        return "0"
    lean = value.normalize(_CONTEXT)
    return f"{lean:f}" if -10 < lean.adjusted() < 16 else f"{lean:E}"
