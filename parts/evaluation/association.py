"""Association of measured points with a feature, and the feature that nominal points lie on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, Unpack

import numpy as np

from parts.errors import FitError
from parts.evaluation.outliers import outlying_points
from parts.evaluation.results import PointDeviations
from parts.fits.fit_result import Fit, Fitted, FittedShape
from parts.fits.fitting import Outlier, fit, minimum_rms
from parts.fits.opposed_planes import (
    WIDTH,
    OpposedPlanes,
    fit_opposed_planes,
    opposed_planes,
)
from parts.fits.solver import Options
from parts.geometry.surfaces import Cylinder
from robots.core.arrays import Array, Indices


class Measurable(Protocol):
    """A measured feature, as characteristics read it."""

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
class NominalFeature:
    """A feature as it should be.

    Args:
        kind: one of ``parts.fits.FIT_KINDS`` in space, "width", or "freeform".
        shape: the feature itself; None for "freeform".
    """

    kind: str
    shape: FittedShape | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeaturePoints:
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
    deviations: PointDeviations
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

    def seen_as(self, deviations: PointDeviations) -> FeaturePoints:
        """The same feature from the same points in another frame, fitted there.

        Args:
            deviations: of its points in that frame, in the order of its own.
        """
        if self.fit is None:
            return replace(self, deviations=deviations)
        again = _fit(self.nominal, deviations.kept(self.kept), self.nominal.shape)
        return replace(self, deviations=deviations, fit=again)

    def redrawn(self, measured: Array) -> FeaturePoints:
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
        again = _fit(self.nominal, deviations.kept(self.kept), self.fit.shape)
        return replace(self, deviations=deviations, fit=again)


def associate(
    name: str, nominal: NominalFeature, deviations: PointDeviations, *, drop: bool = False
) -> FeaturePoints:
    """Fit a feature to its measured points.

    Args:
        name: of the feature.
        nominal: what it should be.
        deviations: of its points.
        drop: whether points that do not belong are left out of the fit.
    """
    kept = np.arange(len(deviations))
    subject = FeaturePoints(name=name, nominal=nominal, deviations=deviations, kept=kept)
    if nominal.kind == FREEFORM:
        return subject
    found = () if nominal.kind == WIDTH else outlying_points(nominal.kind, deviations.measured)
    if drop and found:
        kept = np.setdiff1d(kept, [stray.index for stray in found])
    subject = replace(subject, outliers=found, kept=kept)
    refusal = ""
    for hint in (None, nominal.shape):  # few points may hold several features; one is nominal
        try:
            return replace(subject, fit=_fit(nominal, deviations.kept(kept), hint))
        except FitError as error:
            refusal = refusal or error.message
    return replace(subject, refusal=refusal)


def sizes_of(shape: FittedShape | None) -> Mapping[str, float]:
    """Sizes of a feature by name. [m] or [rad]."""
    if shape is None:
        return {}
    doubled = {
        "radius": "diameter",
        "major_radius": "major diameter",
        "minor_radius": "minor diameter",
        "half_angle": "apex angle",
    }
    sizes = {
        name: 2.0 * float(getattr(shape, half))
        for half, name in doubled.items()
        if hasattr(shape, half)
    }
    return {WIDTH: shape.width} if isinstance(shape, OpposedPlanes) else sizes


def _fit(nominal: NominalFeature, points: PointDeviations, hint: FittedShape | None) -> Fit:
    kind = nominal.kind
    if kind == "line3d":
        return fit(kind, points.measured)
    if isinstance(nominal.shape, OpposedPlanes):
        sides = nominal.shape.sides(points.normals)
        return fit_opposed_planes(points.measured, sides, nominal.shape)
    if hint is None:
        return fit(kind, points.measured, outward=points.normals)
    return fit(kind, points.measured, outward=points.normals, hint=hint)


# --------------------------------------------------------------------------------- Nominal feature

FREEFORM = "freeform"
_ROUNDED = 2e-6  # [m]: nominal coordinates are printed with a micrometre, some with less
_SHARE = 1e-5  # of the extent, likewise
_TURN = 2e-2  # [rad] of a normal: printed with two digits
_FEWEST = {"sphere": 5, "cylinder": 6, "cone": 7, "torus": 8}  # one more than any five fit
_FLAT = 1e-3  # cosine of a normal that lies in the points' plane
_SAMPLE = 400  # points that can rule a kind out


def nominal_feature(points: Array, normals: Array) -> NominalFeature:
    """The simplest feature that holds nominal points and their normals.

    Args:
        points: # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)
    """
    extent = float(np.linalg.norm(np.ptp(points, axis=0)))
    tolerance = _ROUNDED + _SHARE * extent
    sides = opposed_planes(points, normals) if len(points) > 3 else None
    if sides is not None:
        return NominalFeature(kind=WIDTH, shape=sides)
    for kind in _candidates(points, normals, tolerance):
        if _ruled_out(kind, points, tolerance):
            continue
        found = _fitted(kind, points, normals)
        if found is not None and _holds(found, points, normals, tolerance):
            return NominalFeature(kind=kind, shape=found.shape)
    return NominalFeature(kind=FREEFORM)


def _candidates(points: Array, normals: Array, tolerance: float) -> list[str]:
    """Kinds worth a trial, the simplest first."""
    if len(points) < 2:
        return []
    centred = points - points.mean(axis=0)
    _, spread, Vt = np.linalg.svd(centred, full_matrices=False)
    widths = spread / np.sqrt(len(points))
    if len(points) == 2 or widths[1] <= tolerance:
        return ["line3d"]
    kinds: list[str] = []
    if widths[2] <= tolerance:  # (2 points have gone)
        across = np.abs(normals @ Vt[2])
        kinds = ["plane"] if across.min() > 1.0 - _FLAT else []
        kinds += ["circle3d"] if across.max() < _TURN and len(points) > 3 else []
    return kinds + [kind for kind, least in _FEWEST.items() if len(points) >= least]


def _ruled_out(kind: str, points: Array, tolerance: float) -> bool:
    """Return whether some of many points say that no feature of a kind holds them all.

    None leaves less on these than their own least squares, and its largest residual on all is no
    less than its root mean square on these.
    """
    if kind not in _FEWEST or len(points) <= 2 * _SAMPLE:
        return False
    rows = np.linspace(0, len(points) - 1, _SAMPLE).astype(np.intp)
    try:
        return minimum_rms(kind, points[rows]) > tolerance
    except FitError:
        return False


def _fitted(kind: str, points: Array, normals: Array) -> Fit | None:
    """The fit; None where the points do not hold it: another kind is tried then."""
    if kind == "line3d":
        return _tried(kind, points)
    found = _tried(kind, points, outward=normals)
    if found is None and kind == "cylinder":  # few points lie on several; their normals are of one
        return _tried(kind, points, outward=normals, hint=_of_normals(points, normals))
    return found


def _tried(kind: str, points: Array, **options: Unpack[Options]) -> Fit | None:
    try:
        return fit(kind, points, **options)
    except FitError:
        return None


def _of_normals(points: Array, normals: Array) -> Cylinder:
    """The cylinder whose normals are those of the points, about their middle."""
    axis = np.linalg.svd(normals, full_matrices=False)[2][2]
    middle = points.mean(axis=0)
    away = points - middle
    radius = float(np.linalg.norm(away - np.outer(away @ axis, axis), axis=1).mean())
    return Cylinder(point=middle, axis=axis, radius=radius)


def _holds(found: Fit, points: Array, normals: Array, tolerance: float) -> bool:
    if float(np.abs(found.residuals).max()) > tolerance:
        return False
    if found.kind == "line3d":
        return True
    turns = np.einsum("ij,ij->i", found.shape.normal(points), normals)
    return bool(turns.min() > np.cos(_TURN))
