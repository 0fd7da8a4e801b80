"""The feature that measured points are, with the points that do not belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from parts.evaluation.deviations import Deviations
from parts.evaluation.nominal_feature import FREEFORM, NominalFeature
from parts.evaluation.strays import strays
from parts.fits import Fit, FitError, Outlier, Shape, fit
from parts.fits.fitted import Fitted
from robots.core.arrays import Array, Indices


class Measurable(Protocol):
    """What characteristics need of a feature that was measured."""

    @property
    def name(self) -> str:
        """Of the feature."""

    @property
    def nominal(self) -> NominalFeature:
        """As it should be."""

    @property
    def fit(self) -> Fitted | None:
        """As it was measured."""

    @property
    def refusal(self) -> str:
        """Why there is no fit."""

    @property
    def points(self) -> Array:
        """That the fit rests on. # (k, 3) [m]."""

    @property
    def targets(self) -> Array:
        """Where these should be. # (k, 3) [m]."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of these points."""

    @property
    def profile(self) -> Array:
        """Deviations of these points. # (k,) [m]."""

    def __len__(self) -> int:
        """Points of the feature, those that were dropped included."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """Measured points of one feature beside what they should be.

    Args:
        name: of the feature.
        nominal: the feature as it should be.
        deviations: of its points, those that were dropped included.
        kept: rows of ``deviations`` that the fit rests on. # (k,)
        fit: by least squares; None for "freeform", or where there is no fit.
        refusal: why there is no fit.
        outliers: the worst first; rows of ``deviations``.
    """

    name: str
    nominal: NominalFeature
    deviations: Deviations
    kept: Indices
    fit: Fit | None = None
    refusal: str = ""
    outliers: tuple[Outlier, ...] = ()

    def __len__(self) -> int:
        """Points of the feature, those that were dropped included."""
        return len(self.deviations)

    @property
    def points(self) -> Array:
        """That the fit rests on. # (k, 3) [m]."""
        return np.asarray(self.deviations.measured[self.kept])

    @property
    def targets(self) -> Array:
        """Where these should be. # (k, 3) [m]."""
        return np.asarray(self.deviations.nominal[self.kept])

    @property
    def names(self) -> tuple[str, ...]:
        """Of these points."""
        return tuple(self.deviations.names[row] for row in self.kept.tolist())

    @property
    def profile(self) -> Array:
        """Deviations of these points. # (k,) [m]."""
        return np.asarray(self.deviations.profile[self.kept])

    def redrawn(self, measured: Array) -> Subject:
        """The same feature from other coordinates of its points: fitted again, near the old one.

        Args:
            measured: of all its points, in the order of ``deviations``. # (n, 3) [m]

        Raises:
            FitError: these points hold no such feature.
        """
        moved = measured - self.deviations.measured
        along = np.einsum("ij,ij->i", moved, self.deviations.normals)
        deviations = replace(
            self.deviations, measured=measured, surface=self.deviations.surface + along
        )
        if self.fit is None:
            return replace(self, deviations=deviations)
        again = _fit(self.nominal.kind, deviations.kept(self.kept), self.fit.shape)
        return replace(self, deviations=deviations, fit=again)


def associated(
    name: str, nominal: NominalFeature, deviations: Deviations, *, drop: bool = False
) -> Subject:
    """Fit a feature to its measured points.

    Args:
        name: of the feature.
        nominal: what it should be.
        deviations: of its points.
        drop: whether points that do not belong are left out of the fit.
    """
    kept = np.arange(len(deviations))
    subject = Subject(name=name, nominal=nominal, deviations=deviations, kept=kept)
    if nominal.kind == FREEFORM:
        return subject
    found = strays(nominal.kind, deviations.measured)
    if drop and found:
        kept = np.setdiff1d(kept, [stray.index for stray in found])
    subject = replace(subject, outliers=found, kept=kept)
    refusal = ""
    for hint in (None, nominal.shape):  # few points may hold several features; one is nominal
        try:
            return replace(subject, fit=_fit(nominal.kind, deviations.kept(kept), hint))
        except FitError as error:
            refusal = refusal or error.message
    return replace(subject, refusal=refusal)


def sizes_of(shape: Shape | None) -> Mapping[str, float]:
    """Sizes of a feature by name. [m] or [rad]."""
    if shape is None:
        return {}
    doubled = {
        "radius": "diameter",
        "major_radius": "major diameter",
        "minor_radius": "minor diameter",
        "half_angle": "apex angle",
    }
    return {
        name: 2.0 * float(getattr(shape, half))
        for half, name in doubled.items()
        if hasattr(shape, half)
    }


def _fit(kind: str, points: Deviations, hint: Shape | None) -> Fit:
    if kind == "line3d":
        return fit(kind, points.measured)
    if hint is None:
        return fit(kind, points.measured, outward=points.normals)
    return fit(kind, points.measured, outward=points.normals, hint=hint)
