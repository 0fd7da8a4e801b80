"""Series of cosines Σ aₖ cos(k·angle): their values, tops and roots, as machine code.

A search looks at one place after the other, and most searches are for a few functions: calls of
NumPy for so few numbers take many times as long as the numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.kernels.loop import Loop

STEPS = 40  # of Newton's method
SETTLED = 1e-8  # of an angle: heights and areas are as exact as the square of its error


def values(series: Array, angle: Array) -> Array:
    """One value of each series. # (h, p), (h,) -> (h,)."""
    found = np.empty(len(angle))
    _EVALUATE(np.ascontiguousarray(series), np.ascontiguousarray(angle), found)
    return found


def tops(series: Array, start: Array, low: Array, high: Array) -> Array:
    """The highest values seen on the way to where each series falls after it has risen.

    Args:
        series: # (h, p)
        start: where the search begins, between the two places. # (h,)
        low: the series rises there. # (h,)
        high: the series falls there. # (h,)
    """
    return _settled(series, start, low, high, order=1)[1]


def rising_roots(series: Array, start: Array, low: Array, high: Array) -> Array:
    """Where each series passes zero, below it at the lower places. # (h, p), (h,)... -> (h,)."""
    return _settled(-series, start, low, high, order=0)[0]


def _settled(
    series: Array, start: Array, low: Array, high: Array, *, order: int
) -> tuple[Array, Array]:
    place, best = np.array(start), np.full(len(start), -np.inf)
    _SETTLE(np.ascontiguousarray(series), order, place, np.array(low), np.array(high), best)
    return place, best


def at(series: Any, angle: float) -> tuple[float, float, float]:
    """Value of one series and its first two derivatives by the angle. # (p,)."""
    z = complex(math.cos(angle), math.sin(angle))
    value = complex(series[-1], 0.0)
    first = second = complex(0.0, 0.0)
    for k in range(len(series) - 2, -1, -1):  # Horner, and two derivatives by z
        second = second * z + 2.0 * first
        first = first * z + value
        value = value * z + series[k]
    once = first * z  # Σ k a z^k
    return value.real, -once.imag, -(once + second * z * z).real


def evaluate(series: Any, angle: Any, found: Any) -> None:
    """Values of series at one place each.

    Args:
        series: # (h, p)
        angle: # (h,)
        found: filled. # (h,)
    """
    for row in range(len(angle)):
        found[row] = at(series[row], angle[row])[0]


_EVALUATE = Loop(evaluate, "f8[2] f8[1] f8[1]")


def settle(series: Any, order: int, place: Any, low: Any, high: Any, best: Any) -> None:
    """Places where series, or their slopes, fall through zero: Newton's method within bounds.

    Args:
        series: # (h, p)
        order: 0 for roots of the series, 1 for those of their slopes.
        place: where the search begins; where it ended. # (h,)
        low: what is looked for is above zero there; narrowed. # (h,)
        high: it is below zero there; narrowed. # (h,)
        best: filled with the highest value of the series on the way. # (h,)
    """
    for row in range(len(place)):
        for _ in range(STEPS):
            here = place[row]
            height, slope, bend = at(series[row], here)
            best[row] = max(best[row], height)
            value, change = (slope, bend) if order == 1 else (height, slope)
            if value > 0.0:
                low[row] = here
            else:
                high[row] = here
            step = -value / change if change < 0.0 else math.inf
            there = abs(step) <= SETTLED  # on a bound, too, where rounding has no sign
            if there or low[row] < here + step < high[row]:
                place[row] = here + step
            else:
                place[row] = 0.5 * (low[row] + high[row])
            if there or abs(place[row] - here) <= SETTLED:
                break


_SETTLE = Loop(settle, "f8[2] i8 f8[1] f8[1] f8[1] f8[1]")
