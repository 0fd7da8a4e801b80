"""Are measurements of an arm in a wrong unit? Judged beside what the arm itself says."""

from __future__ import annotations

import numpy as np

from parts.evaluation.unit_guard import spread, unit_factor
from planner.errors import StatesError
from robots.core.arrays import Array
from robots.core.identification import ArmMeasurements, MeasurementKind
from robots.core.mechanism import Mechanism
from robots.core.model import Model


def check_measured_unit(given: ArmMeasurements, mechanism: Mechanism, origin: str) -> None:
    """Refuse coordinates or lengths that are off by the ratio of two units.

    Args:
        given: joint readings and what was measured.
        mechanism: nominal arm; no arm is built so wrongly that it is taken for another unit.
        origin: of the measurements, for the message.

    Raises:
        StatesError: they are.
    """
    if given.kind is MeasurementKind.SPHERE:  # joint readings alone have no length
        return
    balls = Model(mechanism, "single-use").forward(given.q)[:, :3, 3]
    if given.kind is MeasurementKind.POINT:
        what, expected, seen = "points spread", spread(balls), spread(given.points)
    else:
        apart = np.linalg.norm(balls[given.pairs[:, 0]] - balls[given.pairs[:, 1]], axis=1)
        what, expected, seen = "lengths are", _size(apart), _size(given.lengths)
    factor = unit_factor(expected, seen)
    if factor is not None:
        raise StatesError(
            f"{origin}: the measured {what} {1e3 * seen:.4g} mm, by the nominal arm "
            f"{1e3 * expected:.4g} mm (root mean square): a factor of "
            f"{max(factor, 1.0 / factor):g}. Correct the unit in the columns' names, such as _mm "
            "or _m.",
            file=origin,
            factor=factor,
            value=seen,
            limit=expected,
            unit="m",
        )


def _size(lengths: Array) -> float:
    return float(np.sqrt(np.mean(lengths**2)))
