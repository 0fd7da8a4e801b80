"""What an evaluation says of features and their characteristics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation.deviations import Deviations
from parts.evaluation.verdict import Uncertainty, Verdict, verdict_of
from parts.fits import Fit, Outlier, Shape

if TYPE_CHECKING:
    from parts.fits.zone import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class Characteristic:
    """One number that is compared with its tolerance.

    Args:
        name: feature and kind, such as "bore diameter".
        feature: that it belongs to.
        kind: of the tolerance, such as "flatness".
        nominal: what it should be; 0 for zones. [m]
        measured: what it is. [m]
        tolerance: width of the zone, or the largest deviation either way; None where nothing is
            asked. [m]
        datum: feature that it is taken from, or nothing.
        worst: name of the point that decides it; empty where no single point does.
        least_squares: a form error by the least-squares feature, where ``measured`` is that of the
            minimum zone. [m]
        uncertainty: of ``measured``; None where it is not known.
        method: how it was found, a few words.
    """

    name: str
    feature: str
    kind: str
    nominal: float
    measured: float
    tolerance: float | None = None
    datum: str = ""
    worst: str = ""
    least_squares: float | None = None
    uncertainty: Uncertainty | None = None
    method: str = ""

    @property
    def deviation(self) -> float:
        """Measured less nominal. [m]."""
        return self.measured - self.nominal

    @property
    def verdict(self) -> Verdict | None:
        """Whether the tolerance is kept; None where there is none."""
        if self.tolerance is None:
            return None
        return verdict_of(abs(self.deviation), self.tolerance, self.uncertainty)

    def with_uncertainty(self, uncertainty: Uncertainty | None) -> Characteristic:
        """The same with its uncertainty."""
        return replace(self, uncertainty=uncertainty)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureResult:
    """A measured feature.

    Args:
        name: of the feature.
        kind: of the fit: one of ``parts.fits.FIT_KINDS``, or "freeform" where nothing is fitted.
        fit: by least squares, to the measured points in the part frame; None where there is none.
        zone: by minimum zone; None where it was not sought.
        nominal: the same feature as it should be; None for "freeform".
        refusal: why there is no fit; empty where there is one, or none is sought.
        deviations: of its points.
        sizes: measured sizes by name ("diameter", "half angle", …). [m] or [rad]
        nominal_sizes: of the nominal feature, by the same names. [m] or [rad]
        outliers: points that do not belong, the worst first; they are still in the fit unless they
            are ``dropped``.
        dropped: names of points that the job leaves out of the fit.
        characteristics: of this feature, with their verdicts and uncertainties.
    """

    name: str
    kind: str
    deviations: Deviations
    fit: Fit | None = None
    zone: Zone | None = None
    nominal: Shape | None = None
    refusal: str = ""
    sizes: Mapping[str, float] = field(default_factory=dict)
    nominal_sizes: Mapping[str, float] = field(default_factory=dict)
    outliers: tuple[Outlier, ...] = ()
    dropped: tuple[str, ...] = ()
    characteristics: tuple[Characteristic, ...] = ()

    def __post_init__(self) -> None:
        for name in ("sizes", "nominal_sizes"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def form_error(self) -> float | None:
        """Width of the zone about the least-squares feature; None where none is seen. [m]."""
        return self.fit.form_error if self.fit is not None and self.fit.has_redundancy else None

    @property
    def rms(self) -> float | None:
        """Of the residuals; None where the points hold the feature without one to spare. [m]."""
        return self.fit.rms if self.fit is not None and self.fit.has_redundancy else None

    @property
    def zone_error(self) -> float | None:
        """Width of the minimum zone. [m]."""
        return None if self.zone is None else self.zone.width

    @property
    def mean(self) -> float:
        """Mean deviation of its points. [m]."""
        return float(np.mean(self.deviations.profile))
