"""What operations give for plain numbers: constants fold as they meet."""

from __future__ import annotations

import math
from collections.abc import Callable

from robots.core.recording.programme import Operation

FOLD: dict[Operation, Callable[[float], float]] = {
    Operation.SIN: math.sin,
    Operation.COS: math.cos,
    Operation.SIGN: lambda x: math.copysign(1.0, x) if x and not math.isnan(x) else x,
    Operation.SQRT: lambda x: math.sqrt(x) if x >= 0.0 else math.nan,
    Operation.OPPOSITE: lambda x: x - math.copysign(math.pi, x),
}

FOLD_TWO: dict[Operation, Callable[[float, float], float]] = {
    Operation.ATAN2: math.atan2,
    Operation.MAXIMUM: max,
}
