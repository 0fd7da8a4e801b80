"""Minimum zones of ISO 1101, and circumscribed and inscribed features.

Each answer carries a certificate that says whether it is proven to be the global optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError
from parts.fits.curves import FlatCircle, FlatLine, SpaceCircle, SpaceLine
from parts.fits.fit_result import Fit, FittedShape, shape_of_kind
from parts.fits.fitting import FIT_KINDS, model_of
from parts.fits.fitting import fit as least_squares
from parts.fits.global_optimality import (
    OptimalityProof,
    ProvenOptimum,
    convex_ball,
    inscribed_ball,
    proven_optimum,
    starts_for,
)
from parts.fits.least_squares import FeatureState
from parts.fits.minimax import Best, MinimaxGoal, lowest
from parts.fits.opposed_planes import OpposedPlanes
from parts.fits.solver import cloud_of
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Torus, across
from robots.core.arrays import Array, Indices, freeze_fields

_EXACT = 64.0 * np.finfo(float).eps  # of the points' size and distance
Proved = Literal["global", "local"]
_ROUND = (FlatCircle, SpaceCircle, Sphere, Cylinder, Cone, Torus)


def minimum_zone(
    kind: str, points: ArrayLike, fit: Fit | None = None, *, direction: ArrayLike | None = None
) -> Zone:
    """The narrowest zone that holds all points: Chebyshev's fit.

    Never wider than the least-squares feature's form error. A line in space has the round zone of
    ISO 1101, or with a direction the zone of two parallel planes, measured along that direction
    square to the line. A circle in space has its zone in the plane by least squares.

    Args:
        kind: one of ``FIT_KINDS``.
        points: # (k, 3) [m], (k, 2) for the kinds in a plane
        fit: least squares of the same points, where it exists; it says which side is outside.
        direction: of measuring, for "line3d" only; positive residuals are towards it. # (3,)

    Raises:
        FitError: the points hold no such feature, by the same rules as the fit's; or the fit or
            the direction does not belong to them.
    """
    fitted = fit_of(kind, points, fit)
    if direction is not None:
        if kind != "line3d":
            raise FitError(
                f"A zone along a direction was requested of a {kind}; only a line3d has one. "
                "Leave the direction out.",
                where="direction",
                value=kind,
            )
        drawing = drawing_along(fitted.shape, direction)
        flat = drawing.flat(points)
        zone = _zone(flat, least_squares("line2d", flat, hint=drawing.x_axis()))
        return replace(zone, kind=kind, geometry=drawing.slab(zone.geometry))
    if fitted.carrier is not None:
        drawing = drawing_of_plane(fitted.carrier.shape)
        flat = drawing.flat(points)
        zone = _zone(flat, least_squares("circle2d", flat, hollow=is_reversed(fitted.shape)))
        return replace(zone, kind=kind, geometry=drawing.circle(zone.geometry))
    return _zone(points, fitted)


def _zone(points: ArrayLike, fitted: Fit) -> Zone:
    """Of features with one distance per point."""
    model = model_of(fitted.kind)
    cloud = cloud_of(points, model)
    state = model.settled(cloud.unitary(model.state_of(fitted.shape), model.size_units))
    sides = (1.0,) if model.components > 1 else (1.0, -1.0)
    goal = MinimaxGoal(model=model, points=cloud.unit, sides=sides, sized=True)
    reverse = is_reversed(fitted.shape)
    far = 1.0 + float(np.abs(cloud.centroid).max()) / cloud.scale
    if float(np.abs(goal.distances(state)).max()) <= _EXACT * far:
        return _exact(fitted)
    found = proven_optimum(goal, state)
    ended = found.best.ended
    d = cloud.scale * goal.distances(ended.state)
    settled = model.settled(ended.state)
    sign = -1.0 if reverse else 1.0
    return Zone(
        kind=model.kind,
        geometry=model.shape(cloud.physical(settled, model.size_units), reverse),
        width=min(2.0 * cloud.scale * ended.peak, fitted.form_error),  # equal but for rounding
        residuals=sign * d,
        contacts=ended.touching.points,
        sides=sign * ended.touching.sides,
        multipliers=ended.touching.multipliers,
        certificate=certificate_of(goal, found.best, found.proof, 2.0 * cloud.scale),
        proved="global" if found.proof.whole else "local",
    )


def _exact(fitted: Fit) -> Zone:
    """No zone is narrower than none at all."""
    return Zone(
        kind=fitted.kind,
        geometry=fitted.shape,
        width=fitted.form_error,
        residuals=fitted.residuals,
        contacts=np.zeros(0, dtype=np.intp),
        sides=np.zeros(0),
        multipliers=np.zeros(0),
        certificate=exact_certificate(),
        proved="global",
    )


# ------------------------------------------------------------ Circumscribed and inscribed features

ENVELOPE_KINDS = ("circle2d", "circle3d", "sphere", "cylinder")
_BALLS = ("circle2d", "sphere")


def circumscribed(kind: str, points: ArrayLike, fit: Fit | None = None) -> Envelope:
    """The least circle, sphere or cylinder about all points: the mating size of a shaft.

    A circle in space is taken in the plane by least squares.

    Args:
        kind: one of ``ENVELOPE_KINDS``.
        points: # (k, 3) [m], (k, 2) for "circle2d"
        fit: least squares of the same points, where it exists.

    Raises:
        FitError: no such kind, or the points hold no such feature.
    """
    return _envelope(kind, points, fit, 1.0)


def inscribed(kind: str, points: ArrayLike, fit: Fit | None = None) -> Envelope:
    """The largest circle, sphere or cylinder amid the points: the mating size of a hole.

    It is the one that least squares lead to: among points that do not close round it there may be
    a larger one elsewhere, and ``proved`` says whether there can be.

    Args:
        kind: one of ``ENVELOPE_KINDS``.
        points: # (k, 3) [m], (k, 2) for "circle2d"
        fit: least squares of the same points, where it exists.

    Raises:
        FitError: no such kind, or the points hold no such feature, or do not close round one.
    """
    return _envelope(kind, points, fit, -1.0)


def material_envelope(kind: str, points: ArrayLike, fit: Fit) -> Envelope:
    """The maximum-material envelope: circumscribed about a shaft, inscribed in a hole.

    Args:
        kind: one of ``ENVELOPE_KINDS``.
        points: # (k, 3) [m], (k, 2) for "circle2d"
        fit: least squares of the same points; its shape says which side is outside.

    Raises:
        FitError: as for ``circumscribed`` and ``inscribed``.
    """
    return _envelope(kind, points, fit, -1.0 if is_reversed(fit.shape) else 1.0)


def _envelope(kind: str, points: ArrayLike, fit: Fit | None, side: float) -> Envelope:
    if kind not in ENVELOPE_KINDS:
        raise FitError(
            f"A {kind!r} has no circumscribed or inscribed feature; expected one of "
            f"{', '.join(ENVELOPE_KINDS)}.",
            value=kind,
        )
    fitted = fit_of(kind, points, fit)
    if fitted.carrier is None:
        return _of(points, fitted, side)
    drawing = drawing_of_plane(fitted.carrier.shape)
    flat = drawing.flat(points)
    circle = least_squares("circle2d", flat, hollow=is_reversed(fitted.shape))
    found = _of(flat, circle, side)
    return replace(found, kind=kind, geometry=drawing.circle(found.geometry))


def _of(points: ArrayLike, fitted: Fit, side: float) -> Envelope:
    """With the sizes at zero, distances are from the centre or the axis."""
    model = model_of(fitted.kind)
    cloud = cloud_of(points, model)
    state = model.settled(cloud.unitary(model.state_of(fitted.shape), model.size_units))
    goal = MinimaxGoal(model=model, points=cloud.unit, sides=(side,), sized=False)
    found = _lowest(goal, state.sized(0.0))
    ended = found.best.ended
    radius = side * ended.peak
    reverse = is_reversed(fitted.shape)
    settled = model.settled(ended.state).sized(radius)
    sign = -1.0 if reverse else 1.0
    return Envelope(
        kind=model.kind,
        geometry=model.shape(cloud.physical(settled, model.size_units), reverse),
        diameter=2.0 * cloud.scale * radius,
        residuals=sign * cloud.scale * (goal.distances(ended.state) - radius),
        contacts=ended.touching.points,
        sides=ended.touching.sides,
        multipliers=ended.touching.multipliers,
        certificate=certificate_of(goal, found.best, found.proof, 2.0 * cloud.scale),
        proved="global" if found.proof.whole else "local",
    )


def _lowest(goal: MinimaxGoal, state: FeatureState) -> ProvenOptimum:
    if goal.model.kind in _BALLS:
        best = lowest(goal, state, 0)
        judge = convex_ball if goal.sides[0] > 0.0 else inscribed_ball
        return ProvenOptimum(best, judge(goal, best.ended.state, best.ended.touching))
    others = starts_for(goal)
    words = f"the neighbourhood, and {1 + others} starts about least squares; not a proof for all"
    return ProvenOptimum(lowest(goal, state, others), OptimalityProof(False, 0.0, words))


# ------------------------------------------------------------------------ Results and certificates

_BALANCE = 1e-8
_LEVEL = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneCertificate:
    """Kuhn-Tucker's conditions at the answer, and what is known beyond its neighbourhood.

    Args:
        balance: length of Σ λ σ ∇d in unknowns of which each moves the surface by its length;
            zero at an optimum.
        level: how far the contacts are from being equally far, in sizes of the points.
        excess: how far any other point lies beyond the contacts, in sizes of the points.
        least_multiplier: λ must not be negative.
        curvature: least second derivative along directions in which the contacts hold nothing to
            first order; infinite where they hold the feature, above zero at a strict optimum.
        sharpness: how fast the width grows with the distance from the answer, at least, by the
            contacts alone; zero where that was not asked for or is not so. Global proofs use it.
        proof: in words, why no other answer is better, or what has been tried.
        iterations: linear programmes and Newton steps, from the start that was taken.
        starts: places from which the optimum was searched.
        agreeing: how many of them ended in it.
        rival: the next optimum that a start has ended in; infinite where there is none. [m]
    """

    balance: float
    level: float
    excess: float
    least_multiplier: float
    curvature: float
    sharpness: float
    proof: str
    iterations: int
    starts: int
    agreeing: int
    rival: float

    @property
    def optimal(self) -> bool:
        """Whether every small change makes the answer worse, as far as rounding lets one see."""
        return (
            self.balance <= _BALANCE
            and self.level <= _LEVEL
            and self.excess <= _LEVEL
            and self.least_multiplier >= 0.0
            and self.curvature > 0.0
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Extreme:
    """The fields that zones and envelopes share; see there."""

    kind: str
    geometry: FittedShape
    residuals: Array
    contacts: Indices
    sides: Array
    multipliers: Array
    certificate: ZoneCertificate
    proved: Proved

    def __post_init__(self) -> None:
        freeze_fields(self, "residuals", "contacts", "sides", "multipliers")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Zone(_Extreme):
    """The narrowest zone of ISO 1101 about a feature that holds all points.

    Args:
        kind: as for the fits.
        geometry: in the middle of the zone; its two limits are half a width to each side.
        width: of the zone; about a line in space, the diameter of the round zone. [m]
        residuals: signed distances from the geometry, positive outside the material; about a line
            in space without sign. # (k,) [m]
        contacts: points on the zone's limits that hold it, by index. # (n,)
        sides: +1 for contacts at the outer limit, -1 at the inner one. # (n,)
        multipliers: Kuhn and Tucker's, of sum 1: how much of a move of each contact the half
            width follows. # (n,)
        certificate: of the optimum.
        proved: "global" where no narrower zone exists, "local" where only the neighbourhood and
            what the certificate's starts have found are known.
    """

    width: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Envelope(_Extreme):
    """The least circumscribed or largest inscribed circle, sphere or cylinder.

    Args:
        kind: as for the fits.
        geometry: the envelope, which touches the contacts.
        diameter: of it. [m]
        residuals: signed distances from it, positive outside the material. # (k,) [m]
        contacts: points on it that hold it, by index. # (n,)
        sides: +1 for contacts of a circumscribed, -1 of an inscribed feature. # (n,)
        multipliers: Kuhn and Tucker's, of sum 1. # (n,)
        certificate: of the optimum.
        proved: as for ``Zone``; an inscribed feature is global among those whose centre is amid
            the points (in their convex hull).
    """

    diameter: float


def certificate_of(
    goal: MinimaxGoal, best: Best, proof: OptimalityProof, unit: float
) -> ZoneCertificate:
    """Kuhn and Tucker's conditions measured at the answer.

    Args:
        goal: with all points.
        best: the answer.
        proof: what is known beyond the neighbourhood.
        unit: what a peak of 1 is as a rival's width or diameter. [m]
    """
    ended = best.ended
    held = ended.touching
    d = goal.distances(ended.state)
    rows = goal.rows(ended.state, held.points)
    gradient = best.scale.W.T @ (rows.jacobian @ (held.multipliers * held.sides))
    levels = held.sides * rows.residuals
    return ZoneCertificate(
        balance=float(np.linalg.norm(gradient)),
        level=float(np.ptp(levels)),
        excess=max(0.0, goal.peak(d) - float(levels.max())),
        least_multiplier=float(held.multipliers.min()),
        curvature=ended.curvature,
        sharpness=proof.sharpness,
        proof=proof.words,
        iterations=ended.iterations,
        starts=best.starts,
        agreeing=best.agreeing,
        rival=unit * abs(best.rival),
    )


def exact_certificate() -> ZoneCertificate:
    """Of points that lie on the feature as far as rounding lets one see."""
    return ZoneCertificate(
        balance=0.0,
        level=0.0,
        excess=0.0,
        least_multiplier=0.0,
        curvature=float("inf"),
        sharpness=0.0,
        proof="the points lie on the feature to rounding, so that no contact holds it",
        iterations=0,
        starts=1,
        agreeing=1,
        rival=float("inf"),
    )


# ------------------------------------------------------------------------------ Drawing in a plane

_ALONG = 1e-6  # sine between a direction and the line: below it there is no plane of both


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawingPlane:
    """A plane in space with coordinates.

    Args:
        origin: # (3,) [m]
        frame: its two unit directions as columns. # (3, 2)
    """

    origin: Array
    frame: Array

    def flat(self, points: ArrayLike) -> Array:
        """Feet of points in the plane. # (k, 3) to (k, 2) [m]."""
        return np.asarray((np.asarray(points, dtype=np.float64) - self.origin) @ self.frame)

    def x_axis(self) -> FlatLine:
        """The first direction, as a line of the plane."""
        return FlatLine(point=np.zeros(2), direction=np.array([1.0, 0.0]))

    def circle(self, shape: FittedShape) -> SpaceCircle:
        """A circle of the plane, in space."""
        circle = shape_of_kind(shape, FlatCircle)
        return SpaceCircle(
            centre=self.origin + self.frame @ circle.centre,
            axis=np.cross(self.frame[:, 0], self.frame[:, 1]),
            radius=circle.radius,
            reversed=circle.reversed,
        )

    def slab(self, shape: FittedShape) -> Plane:
        """The plane square to this one through a line of it, its axis to the line's left."""
        line = shape_of_kind(shape, FlatLine)
        return Plane(point=self.origin + self.frame @ line.point, axis=self.frame @ line.left)


def drawing_of_plane(carrier: FittedShape) -> DrawingPlane:
    """In a fitted plane."""
    plane = shape_of_kind(carrier, Plane)
    x = across(plane.axis)
    return DrawingPlane(origin=plane.point, frame=np.stack([x, np.cross(plane.axis, x)], axis=1))


def drawing_along(line: FittedShape, direction: ArrayLike) -> DrawingPlane:
    """In the plane of a line (x) and a direction (y, square to the line).

    Raises:
        FitError: no direction, or one along the line.
    """
    base = shape_of_kind(line, SpaceLine)
    given = np.asarray(direction, dtype=np.float64)
    if given.shape != (3,) or not np.isfinite(given).all() or not np.any(given):
        raise FitError(
            f"The direction of the zone is {direction!r}; expected three numbers, not all zero.",
            where="direction",
        )
    unit = given / np.linalg.norm(given)
    y = unit - (unit @ base.axis) * base.axis
    sine = float(np.linalg.norm(y))
    if sine < _ALONG:
        raise FitError(
            f"The direction {given.tolist()} lies along the line (sine {sine:.2g}, limit "
            f"{_ALONG:g}); give one across it.",
            where="direction",
            value=sine,
            limit=_ALONG,
            unit="1",
        )
    y = y / sine
    return DrawingPlane(origin=base.point, frame=np.stack([base.axis, y], axis=1))


def fit_of(kind: str, points: ArrayLike, fit: Fit | None) -> Fit:
    """The fit that was given, if it belongs to the points, or a new one.

    Raises:
        FitError: it does not, or the points hold no such feature.
    """
    if kind not in FIT_KINDS or fit is None:
        return least_squares(kind, points)
    count = len(np.asarray(points))
    if fit.kind != kind or len(fit.residuals) != count:
        raise FitError(
            f"The fit given is of a {fit.kind} with {len(fit.residuals)} points; expected a "
            f"{kind} with these {count}. Leave it out to have it made.",
            where="fit",
            value=fit.kind,
            limit=kind,
        )
    return fit


def is_reversed(shape: FittedShape) -> bool:
    """Return whether a feature of size is hollow; the outside of others is their frame's own."""
    return isinstance(shape, (*_ROUND, OpposedPlanes)) and shape.reversed
