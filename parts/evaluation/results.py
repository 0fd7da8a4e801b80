"""Results of an evaluation: point deviations, features and their characteristics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from parts.drawing.drawing import DatumReference
from parts.evaluation.tolerance import (
    Conformance,
    Material,
    ToleranceKind,
    Uncertainty,
    conformance_of,
    system_text,
)
from parts.fits.fit_result import Fit, FittedShape
from parts.fits.fitting import Outlier
from robots.core.arrays import Array, Indices, freeze_fields

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
        middle: of the limits of a size, less its nominal value. [m]
        datum: feature that it is taken from, or nothing.
        datums: datum system that it stands in; empty for the frame of the alignment.
        material: "M" or "L" for a material requirement.
        size: mating diameter or width, of a material requirement; NaN for others. [m]
        bonus: that the zone grows by; below zero where the size is beyond its limit. [m]
        projected: length of a projected zone; 0 for none. [m]
        datum_shift: what ``measured`` has gained by datums within their material boundaries. [m]
        worst: name of the point that decides it; empty where no single point does.
        least_squares: a form error by the least-squares feature, where ``measured`` is that of the
            minimum zone. [m]
        uncertainty: of ``measured``; None where it is not known.
        method: how it was found, a few words.
    """

    name: str
    feature: str
    kind: ToleranceKind
    nominal: float
    measured: float
    tolerance: float | None = None
    middle: float = 0.0
    datum: str = ""
    datums: tuple[DatumReference, ...] = ()
    material: Material = ""
    size: float = float("nan")
    bonus: float = 0.0
    projected: float = 0.0
    datum_shift: float = 0.0
    worst: str = ""
    least_squares: float | None = None
    uncertainty: Uncertainty | None = None
    method: str = ""

    @property
    def deviation(self) -> float:
        """Measured less nominal. [m]."""
        return self.measured - self.nominal

    @property
    def system(self) -> str:
        """Its datum system as in a feature control frame: "A|B(M)|C"; or its datum."""
        return system_text(self.datums) or self.datum

    @property
    def limit(self) -> float | None:
        """The tolerance with its bonus; None where nothing is asked. [m]."""
        return None if self.tolerance is None else self.tolerance + self.bonus

    @property
    def verdict(self) -> Conformance | None:
        """Whether the tolerance is kept; None where there is none."""
        if self.limit is None:
            return None
        return conformance_of(abs(self.deviation - self.middle), self.limit, self.uncertainty)

    def with_uncertainty(self, uncertainty: Uncertainty | None) -> Characteristic:
        """The same with its uncertainty."""
        return replace(self, uncertainty=uncertainty)


# -------------------------------------------------------------------------------------- Deviations


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointDeviations:
    """All points of an evaluation, column by column; iterating gives ``PointDeviation``.

    Args:
        names: of the points.
        features: that they belong to.
        nominal: # (n, 3) [m]
        normals: # (n, 3) unit
        measured: on the surface, aligned, in the part frame. # (n, 3) [m]
        surface: signed distances from the geometry; NaN without one. # (n,) [m]
    """

    names: tuple[str, ...]
    features: tuple[str, ...]
    nominal: Array
    normals: Array
    measured: Array
    surface: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "nominal", "normals", "measured", "surface", dtype=np.float64)

    def __len__(self) -> int:
        """Number of points n."""
        return len(self.names)

    @property
    def along(self) -> Array:
        """Deviations along the nominal normals, positive out of the material. # (n,) [m]."""
        return np.asarray(np.einsum("ij,ij->i", self.measured - self.nominal, self.normals))

    @property
    def offsets(self) -> Array:
        """Distances from the nominal points across the normals. # (n,) [m]."""
        away = self.measured - self.nominal
        return np.asarray(np.linalg.norm(away - self.along[:, None] * self.normals, axis=1))

    @property
    def profile(self) -> Array:
        """From the geometry where there is one, otherwise along the normals. # (n,) [m]."""
        return np.where(np.isnan(self.surface), self.along, self.surface)

    @property
    def rms(self) -> float:
        """Root mean square of ``profile``. [m]."""
        return float(np.sqrt(np.mean(self.profile**2)))

    @property
    def worst(self) -> int:
        """Row of the point that is farthest off."""
        return int(np.argmax(np.abs(self.profile)))

    def rows_of(self, feature: str) -> Indices:
        """Rows of the points of a feature. # (k,)."""
        return np.flatnonzero([name == feature for name in self.features])

    def kept(self, rows: Indices) -> PointDeviations:
        """Some of the points, in the order of ``rows``."""
        some = rows.tolist()
        return PointDeviations(
            names=tuple(self.names[row] for row in some),
            features=tuple(self.features[row] for row in some),
            nominal=self.nominal[rows],
            normals=self.normals[rows],
            measured=self.measured[rows],
            surface=self.surface[rows],
        )

    def __iter__(self) -> Iterator[PointDeviation]:
        """Point by point."""
        along, offsets = self.along, self.offsets
        for row, name in enumerate(self.names):
            yield PointDeviation(
                name=name,
                feature=self.features[row],
                nominal=self.nominal[row],
                normal=self.normals[row],
                measured=self.measured[row],
                deviation=float(along[row]),
                offset=float(offsets[row]),
                surface=float(self.surface[row]),
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureResult:
    """A measured feature.

    Args:
        name: of the feature.
        kind: of the fit: one of ``parts.fits.FIT_KINDS``, "width" for the two sides of a slot or
            tongue, or "freeform" where nothing is fitted.
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
    deviations: PointDeviations
    fit: Fit | None = None
    zone: Zone | None = None
    nominal: FittedShape | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointDeviation:
    """One measured point beside its nominal one, in the part frame after alignment.

    Args:
        name: of the point.
        feature: that it belongs to, or nothing.
        nominal: where it should be. # (3,) [m]
        normal: out of the material there, unit. # (3,)
        measured: where it is, on the surface. # (3,) [m]
        deviation: along the normal, positive out of the material. [m]
        offset: from the nominal point across the normal: how far beside it was touched. [m]
        surface: signed distance from the part's geometry, positive outside; NaN without one. [m]
    """

    name: str
    feature: str
    nominal: Array
    normal: Array
    measured: Array
    deviation: float
    offset: float
    surface: float
