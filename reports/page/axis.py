"""Round numbers beside an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One number beside an axis.

    Args:
        at: where.
        text: as a reader sees it.
    """

    at: float
    text: str


def ticks(low: float, high: float, count: int) -> tuple[Tick, ...]:
    """About as many round numbers as asked for, all inside.

    Args:
        low: end of the axis.
        high: other end, above.
        count: how many intervals there is room for.
    """
    rough = (high - low) / count
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(scale * s for s in _STEPS if scale * s >= rough * (1.0 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(Tick(at=k * step, text=_text(k * step, step)) for k in range(first, last + 1))


def _text(value: float, step: float) -> str:
    if value and not 1e-4 <= step < 1e6:
        return f"{value:.3g}".replace("-", "−")
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1  # steps of 2.5
    return f"{value:.{decimals}f}".replace("-", "−") if value else "0"
