"""Ticks of an axis: few round values, told with as many decimals as they need."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reports.content.numbers import raised, signed

_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticks:
    """Values at which an axis is marked.

    Args:
        values: ascending, between the axis' ends.
        labels: one each, in units of the factor.
        factor: such as "10⁻⁵"; empty for one.
    """

    values: tuple[float, ...]
    labels: tuple[str, ...]
    factor: str


def ticks(low: float, high: float, count: int) -> Ticks:
    """Round values between two ends.

    Args:
        low: end of the axis.
        high: other end, above it.
        count: of intervals, at most.
    """
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(s for s in _STEPS if s * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = tuple(k * step for k in range(first, last + 1))
    largest = max(map(abs, values), default=0.0)
    exponent = math.floor(math.log10(largest)) if largest else 0
    exponent = 0 if -3 <= exponent <= 4 else exponent
    scale = 10.0**exponent
    decimals = max(0, -math.floor(math.log10(step / scale) + 1e-9))
    labels = tuple(signed(f"{value / scale:.{decimals}f}") for value in values)
    factor = f"10{raised(exponent)}" if exponent else ""
    return Ticks(values=values, labels=labels, factor=factor)
