"""Result of a fit: the feature, its residuals, covariance and certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError
from robots.core.arrays import Array, frozen

_GRADIENT = 1e-6
_STEP = 1e-8
T = TypeVar("T")


class Fitted(Protocol):
    """A feature that was fitted, and what it leaves."""

    @property
    def kind(self) -> str:
        """As for ``Fit``."""

    @property
    def shape(self) -> FittedShape:
        """The feature."""

    @property
    def residuals(self) -> Array:
        """Signed as those of ``Fit``. # (k,) [m]."""

    @property
    def form_error(self) -> float:
        """Width of the zone about the feature that holds all points. [m]."""


def form_error_of(kind: str, residuals: Array) -> float:
    """Largest less smallest residual; about a line in space, the round zone's diameter. [m]."""
    return float(2.0 * residuals.max() if kind == "line3d" else np.ptp(residuals))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derived:
    """A named result and how it follows the minimal coordinates.

    Args:
        value: # (d,) [unit]
        slope: its derivative with the minimal coordinates. # (d, p)
        unit: "m", "rad" or "1".
    """

    value: Array
    slope: Array
    unit: str

    def __post_init__(self) -> None:
        for name in ("value", "slope"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCertificate:
    """Bound on the distance of the answer from a minimum of the sum of squares.

    Args:
        gradient: largest cosine between the residuals and a column of the Jacobian; zero means
            that they are orthogonal, so that the first derivative vanishes. Residuals that are
            below 1e-8 of the points' size count as that.
        step: length of the Newton step that is left, in units of the points' root mean square
            distance from their centroid (turns in radians).
        iterations: linear systems solved, from the start that was taken to the end.
        condition: of the Jacobian at the answer with its columns at length one.
        least_curvature: smallest eigenvalue of the true second derivative of the sum of squares,
            its second-order part included, beside Gauss-Newton's (the identity): 1 where
            residuals vanish, above zero at a strict local minimum.
        starts: places from which the minimum was searched.
        agreeing: how many of them ended in this minimum.
        rival: root mean square residual of the next minimum that another start has ended in;
            infinite where there is none. On sets larger than the search's sample, that of the
            sample. [m]
        searched: points in the sample of the search.
    """

    gradient: float
    step: float
    iterations: int
    condition: float
    least_curvature: float
    starts: int
    agreeing: int
    rival: float
    searched: int

    @property
    def stationary(self) -> bool:
        """Whether the first derivative vanishes, as far as rounding lets it."""
        return self.gradient <= _GRADIENT and self.step <= _STEP

    @property
    def strict_minimum(self) -> bool:
        """Whether every small change of the answer makes the sum of squares larger."""
        return self.stationary and self.least_curvature > 0.0


class FittedShape(Protocol):
    """A fitted feature: a surface of ``parts.geometry.surfaces``, or a curve of this package."""

    @property
    def kind(self) -> str:
        """Word for the feature."""

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside the material. # (k,) [m]."""

    def normal(self, points: ArrayLike) -> Array:
        """Unit normals there, outward. # (k, 3)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A feature by least squares.

    Residuals are signed: positive outside the material, along the outward normal; those of a line
    in space are its points' distances, which have no sign. Those of a circle in space are radial in
    its plane; the heights over the plane are the residuals of ``carrier``.

    A ``point`` is the foot of the points' centroid on the plane or the axis, and a cone's
    ``distance`` belongs to it. Their covariances are those of the feature at that place; how far
    noise shifts the centroid along the feature is no uncertainty of the feature, and not in them.

    Args:
        kind: "line2d", "line3d", "plane", "circle2d", "circle3d", "sphere", "cylinder", "cone" or
            "torus".
        shape: the feature.
        residuals: # (k,) [m]
        sum_squares: of all residuals, a carrier's included. [m²]
        dof: degrees of freedom: residuals less minimal coordinates.
        given_sigma: of each measured point along the normal, where the caller knew it. [m]
        cofactor: covariance of the minimal coordinates for σ = 1: (JᵀJ)⁻¹, shifts and turns in the
            feature's own frame, then sizes. # (p, p)
        derived: centre, axis, diameter and the like, by name.
        certificate: of the minimum.
        carrier: the plane of a circle in space.
    """

    kind: str
    shape: FittedShape
    residuals: Array
    sum_squares: float
    dof: int
    given_sigma: float | None
    cofactor: Array
    derived: Mapping[str, Derived]
    certificate: FitCertificate
    carrier: Fit | None = None

    def __post_init__(self) -> None:
        for name in ("residuals", "cofactor"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))
        object.__setattr__(self, "derived", MappingProxyType(dict(self.derived)))

    @property
    def rms(self) -> float:
        """Root mean square of the residuals. [m]."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    @property
    def form_error(self) -> float:
        """Width of the zone about the fitted feature that holds all points. [m].

        Largest less smallest residual; about a line in space, the diameter of the round zone.
        """
        return form_error_of(self.kind, self.residuals)

    @property
    def has_redundancy(self) -> bool:
        """Whether there are more points than hold the feature: without, its form is not seen."""
        return self.dof > 0 if self.carrier is None else min(self.dof, self.carrier.dof) > 0

    @property
    def estimated_sigma(self) -> float:
        """Standard deviation of one residual, from the residuals. [m].

        Raises:
            FitError: there are no degrees of freedom.
        """
        if self.dof < 1:
            raise FitError(
                f"{len(self.residuals)} points hold the {self.kind} without any to spare (0 "
                "degrees of freedom), so its residuals say nothing about their noise; measure "
                "more points or give sigma [m].",
                value=self.dof,
                limit=1,
                unit="1",
            )
        return float(np.sqrt(self.sum_squares / self.dof))

    @property
    def sigma(self) -> float:
        """The given standard deviation, or the estimated one. [m].

        Raises:
            FitError: neither exists.
        """
        return self.estimated_sigma if self.given_sigma is None else self.given_sigma

    @property
    def covariance(self) -> Array:
        """Of the minimal coordinates. # (p, p)."""
        return np.asarray(self.sigma**2 * self.cofactor)

    def value(self, name: str) -> Array:
        """A derived result. # (d,).

        Raises:
            FitError: the feature has none of this name.
        """
        return self._named(name).value

    def covariance_of(self, name: str) -> Array:
        """Covariance of a derived result, to first order. # (d, d) [unit²]."""
        slope = self._named(name).slope
        return np.asarray(slope @ self.covariance @ slope.T)

    def deviation_of(self, name: str) -> Array:
        """Standard deviations of a derived result's components. # (d,) [unit]."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance_of(name)), 0.0)))

    def joint_covariance(self, *names: str) -> Array:
        """Covariance of several derived results together, stacked in order. # (Σd, Σd)."""
        slope = np.concatenate([self._named(name).slope for name in names])
        return np.asarray(slope @ self.covariance @ slope.T)

    def _named(self, name: str) -> Derived:
        if name not in self.derived:
            raise FitError(
                f"A {self.kind} has no {name!r}; it has {', '.join(self.derived)}.", value=name
            )
        return self.derived[name]


def shape_of_kind(shape: object, kind: type[T]) -> T:
    """The hint as the type that the fit needs.

    Raises:
        FitError: another feature was given.
    """
    if not isinstance(shape, kind):
        raise FitError(
            f"The hint is a {type(shape).__name__}; expected a {kind.__name__}. Give a feature of "
            "the kind that is fitted, or none: the fit finds its own start.",
            value=type(shape).__name__,
        )
    return shape
