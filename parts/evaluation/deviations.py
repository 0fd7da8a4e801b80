"""Deviations of measured points from nominal ones, along the normals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, freeze_fields


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Deviations:
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

    def kept(self, rows: Indices) -> Deviations:
        """Some of the points, in the order of ``rows``."""
        some = rows.tolist()
        return Deviations(
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
