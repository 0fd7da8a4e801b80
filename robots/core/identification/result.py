"""What a calibration found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.geometric_errors import GeometricParameter
from robots.core.identification.identifiable import Dropped
from robots.core.mechanism import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """How far computed and measured lie apart: root mean square and largest. [m]."""

    rms: float
    largest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """Misfit of measurements that the parameters were not found from.

    Args:
        before: of the nominal arm.
        after: of the calibrated arm.
        folds: how many times a part was kept out; each measurement was, once.
    """

    before: Misfit
    after: Misfit
    folds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlier:
    """A measurement that contradicts the others.

    Args:
        block: its place among the measurements.
        label: what it is.
        misfit: with the parameters found without it. [m]
        ratio: its distance in standard deviations over the limit; above one.
    """

    block: int
    label: str
    misfit: float
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmCalibration:
    """The corrections found, with how well they are known.

    Args:
        parameters: those that were found.
        values: true less nominal value of each. # (m,) [rad or m]
        covariance: of ``values``; from the noise where it was given, else from the residuals, NaN
            where none are left over. # (m, m)
        dropped: parameters that stay nominal, and why.
        mechanism: the arm with the corrections.
        centres: of the spheres, in the base frame, by name. [m]
        before: misfit of the nominal arm.
        after: misfit of the calibrated arm, with the measurements it was found from.
        validation: with measurements it was not found from; absent where there are too few.
        outliers: worst first.
        condition: of the weighted equations with columns of length one.
        observability: geometric mean of the singular values over √measurements, columns by the
            change of the ball centre that a parameter makes: Borm and Menq's index.
        chi_squared: weighted sum of squares; it should be near ``freedom`` when noise was given.
        freedom: equations less unknowns.
        iterations: of the search.
        count: measurements used.
    """

    parameters: tuple[GeometricParameter, ...]
    values: Array
    covariance: Array
    dropped: tuple[Dropped, ...]
    mechanism: Mechanism
    centres: dict[str, Array]
    before: Misfit
    after: Misfit
    validation: Validation | None
    outliers: tuple[Outlier, ...]
    condition: float
    observability: float
    chi_squared: float
    freedom: int
    iterations: int
    count: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters that were found."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def deviations(self) -> Array:
        """Standard deviations of ``values``. # (m,) [rad or m]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def improved(self) -> bool:
        """Whether the calibrated arm does better, with measurements kept out where there are."""
        if self.validation is None:
            return self.after.rms < self.before.rms
        return self.validation.after.rms < self.validation.before.rms
