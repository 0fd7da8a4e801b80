"""Are measured and nominal points off by a factor that is a unit? Judged by their distances."""

from __future__ import annotations

import numpy as np

from parts.evaluation.errors import EvaluationError
from robots.core.arrays import Array

FACTORS = (10.0, 12.0, 25.4, 39.3700787, 100.0, 304.8, 1000.0)  # cm, ft, in and m, taken for mm
_NEAR = 0.03  # of the factor: no part is machined, nor a frame shifted, so wrongly
_SMALL = 1e-9  # [m]: points that do not spread say nothing


def check_factor(nominal: Array, measured: Array) -> None:
    """Refuse measured points whose spread is that of the nominal ones times the ratio of two units.

    Distances among the points do not change with the frame, so an alignment that is still to be
    found does not disturb. Fewer than two points are not judged.

    Args:
        nominal: # (k, 3) [m]
        measured: the same points. # (k, 3) [m]

    Raises:
        EvaluationError: they are off by a factor.
    """
    expected, seen = spread(nominal), spread(measured)
    factor = unit_factor(expected, seen)
    if factor is None:
        return
    raise EvaluationError(
        f"The measured points are off by a factor of {max(factor, 1.0 / factor):g}: they spread "
        f"{1e3 * seen:.4g} mm, {_compared(seen / expected)} the job's points, which spread "
        f"{1e3 * expected:.4g} mm (root mean square). Correct the unit of the measured file.",
        factor=factor,
        value=seen,
        limit=expected,
        unit="m",
    )


def _compared(ratio: float) -> str:
    return f"{ratio:.4g} times as far as" if ratio > 1.0 else f"1/{1.0 / ratio:.4g} as far as"


def unit_factor(expected: float, seen: float) -> float | None:
    """By what ratio of two units a size is off; None where it is none. [m] each."""
    if min(expected, seen) <= _SMALL:
        return None
    ratio = seen / expected
    factor = max(ratio, 1.0 / ratio)
    nearest = min(FACTORS, key=lambda known: abs(np.log(factor / known)))
    if abs(factor / nearest - 1.0) > _NEAR:
        return None
    return nearest if ratio > 1.0 else 1.0 / nearest


def spread(points: Array) -> float:
    """Root mean square distance from the middle. [m]."""
    return float(np.sqrt(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=1))))
