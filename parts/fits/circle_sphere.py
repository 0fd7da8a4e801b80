"""Circles, in a plane and in space (ISO convention), and spheres by least squares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.curves import FlatCircle, SpaceCircle
from parts.fits.fit_result import Derived, Fit, FittedShape, shape_of_kind
from parts.fits.least_squares import FeatureModel, FeatureState, FeatureStates, Level, Slope, Turns
from parts.fits.line_plane import PlaneModel, principal_axes
from parts.fits.solver import Options, solve
from parts.geometry.surfaces import Plane, Sphere, across
from robots.core.arrays import Array

_FLATTEST = 1e-12  # curvature beside the points' size that arithmetic can still tell from none


class Round(NamedTuple):
    """A circle or a sphere."""

    centre: Array  # (d,)
    radius: float


def algebraic_round(points: Array) -> Round:
    """Taubin's algebraic fit in d dimensions: nearly unbiased on short arcs.

    a |p|² + b·p + c = 0 with the mean square of its gradient held at one; the last right singular
    vector of the centred monomials is the answer. Where the points are straight, the answer is a
    circle as large as arithmetic can hold.

    Args:
        points: of size 1. # (d, k)
    """
    mean = points.mean(axis=1)
    p = points - mean[:, None]
    square = np.sum(p**2, axis=0)
    level = float(square.mean())
    monomials = np.concatenate([((square - level) / (2.0 * np.sqrt(level)))[None], p])
    vector = np.linalg.svd(np.linalg.qr(_padded(monomials).T, mode="r"))[2][-1]
    a, b = vector[0] / (2.0 * np.sqrt(level)), vector[1:]
    a = a if abs(a) > _FLATTEST else np.copysign(_FLATTEST, a)
    radius = np.sqrt(b @ b + 4.0 * a * a * level) / (2.0 * abs(a))
    return Round(mean - b / (2.0 * a), float(radius))


def _padded(monomials: Array) -> Array:
    """At least as many columns as rows, so that the triangle is square."""
    missing = max(0, len(monomials) - monomials.shape[1])
    return np.pad(monomials, ((0, 0), (0, missing)))


class FlatCircleModel(FeatureModel):
    """A circle in the plane z = 0."""

    kind = "circle2d"
    word = "circle"
    dimension = 2
    freedoms = (0, 1)
    size_units = ("m",)
    spread = 2
    hollow = True
    free_axis = False

    def level(self, q: Array, sizes: Array) -> Level:
        """Distance from the axis less the radius."""
        rho, normal = radial(q)
        return Level(rho - sizes[0], normal, np.full((1, *q.shape[1:]), -1.0))

    def starts(self, points: Array) -> FeatureStates:
        """The algebraic circle, its mirror image in the points' line, one about the centroid."""
        found = algebraic_round(points[:2])
        normal = np.linalg.svd(np.linalg.qr(points[:2].T, mode="r"))[2][1]
        mirrored = found.centre - 2.0 * (found.centre @ normal) * normal
        size = float(np.sqrt(np.mean(np.sum(points**2, axis=0))))
        pair = [_state(centre, found.radius) for centre in (found.centre, mirrored)]
        return FeatureStates.of([*pair, _state(np.zeros(2), size)])

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A circle."""
        return FlatCircle(centre=state.origin[:2], radius=float(state.sizes[0]), reversed=reverse)

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a circle."""
        circle = shape_of_kind(shape, FlatCircle)
        return _state(circle.centre, circle.radius)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Centre and diameter."""
        turns = Turns(state, self.freedoms)
        return {
            "centre": Slope(state.origin[:2], turns.origin()[:2], "m"),
            "diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
        }


def _state(centre: Array, radius: float) -> FeatureState:
    origin = np.array([centre[0], centre[1], 0.0])
    return FeatureState(origin=origin, R=np.eye(3), sizes=np.array([radius]))


class Radial(NamedTuple):
    """Points beside the frame's z axis."""

    rho: Array  # distance from it, (k,)
    normal: Array  # unit direction away from it, (3, k)


def radial(q: Array) -> Radial:
    """Distances from z; a point on the axis sees x. Args: q # (3, k)."""
    rho = np.sqrt(q[0] * q[0] + q[1] * q[1])
    safe = np.maximum(rho, np.finfo(float).tiny)
    normal = np.empty_like(q)
    np.divide(q[0], safe, out=normal[0])
    np.divide(q[1], safe, out=normal[1])
    normal[2] = 0.0
    normal[0, rho == 0.0] = 1.0
    return Radial(rho, normal)


# -------------------------------------------------------------------------------- Circles in space


def space_circle(points: ArrayLike, options: Options) -> Fit:
    """The plane by least squares, then the circle in it of the projected points.

    Source: the convention of ISO and NIST reference algorithms for circles in space. The plane
    sees the noise across it and the circle the noise in it, so to first order their covariances
    stand side by side; σ is estimated from both.
    """
    plane_options, circle_options = _split(options)
    carrier = solve(PlaneModel(), points, plane_options)
    plane = shape_of_kind(carrier.shape, Plane)
    x = across(plane.axis)
    frame = np.stack([x, np.cross(plane.axis, x)], axis=1)  # (3, 2)
    flat = (np.asarray(points, dtype=np.float64) - plane.point) @ frame
    if "hint" in options:
        hint = shape_of_kind(options["hint"], SpaceCircle)
        centre = (hint.centre - plane.point) @ frame
        circle_options["hint"] = FlatCircle(centre=centre, radius=hint.radius)
    if "outward" in options:
        circle_options["outward"] = np.asarray(options["outward"], dtype=np.float64) @ frame
    return _joined(carrier, solve(FlatCircleModel(), flat, circle_options), frame, plane)


def _split(options: Options) -> tuple[Options, Options]:
    """What the plane is told, and what the circle."""
    plane, circle = Options(), Options()
    if "sigma" in options:
        plane["sigma"] = circle["sigma"] = options["sigma"]
    if "hollow" in options:
        circle["hollow"] = options["hollow"]
    if "hint" in options:
        hint = shape_of_kind(options["hint"], SpaceCircle)
        plane["hint"] = Plane(point=hint.centre, axis=hint.axis)
    return plane, circle


def _joined(carrier: Fit, flat: Fit, frame: Array, plane: Plane) -> Fit:
    circle = shape_of_kind(flat.shape, FlatCircle)
    cofactor = np.zeros((6, 6))
    cofactor[:3, :3], cofactor[3:, 3:] = carrier.cofactor, flat.cofactor
    arm = frame @ circle.centre
    axis = carrier.derived["axis"]
    # the centre leaves the plane's foot with it: its height follows the tilt over the arm
    lift = carrier.derived["point"].slope - np.outer(plane.axis, arm @ axis.slope)
    centre = Derived(
        value=plane.point + arm,
        slope=np.concatenate([lift, frame @ flat.derived["centre"].slope], axis=1),
        unit="m",
    )
    diameter = flat.derived["diameter"]
    return Fit(
        kind="circle3d",
        shape=SpaceCircle(
            centre=centre.value, axis=plane.axis, radius=circle.radius, reversed=circle.reversed
        ),
        residuals=flat.residuals,
        sum_squares=carrier.sum_squares + flat.sum_squares,
        dof=carrier.dof + flat.dof,
        given_sigma=flat.given_sigma,
        cofactor=cofactor,
        derived={
            "centre": centre,
            "axis": Derived(value=axis.value, slope=_wide(axis.slope, 3), unit="1"),
            "diameter": Derived(
                value=diameter.value, slope=_wide(diameter.slope, 0), unit=diameter.unit
            ),
        },
        certificate=flat.certificate,
        carrier=carrier,
    )


def _wide(slope: Array, after: int) -> Array:
    """Zeros beside a slope: after it, for the plane's, or before it, for the circle's."""
    return np.pad(slope, ((0, 0), (0, after) if after else (3, 0)))


# ----------------------------------------------------------------------------------------- Spheres


class SphereModel(FeatureModel):
    """Free are the centre and the radius."""

    kind = "sphere"
    word = "sphere"
    freedoms = (0, 1, 2)
    size_units = ("m",)
    spread = 3
    hollow = True
    free_axis = False

    def level(self, q: Array, sizes: Array) -> Level:
        """Distance from the centre less the radius."""
        length = np.sqrt(np.sum(q * q, axis=0))
        normal = q / np.maximum(length, np.finfo(float).tiny)
        normal[:, length == 0.0] = np.array([[0.0], [0.0], [1.0]])
        return Level(length - sizes[0], normal, np.full((1, *q.shape[1:]), -1.0))

    def starts(self, points: Array) -> FeatureStates:
        """The algebraic sphere, its mirror image in the points' plane, one about the centroid."""
        found = algebraic_round(points)
        normal = principal_axes(points)[2]
        mirrored = found.centre - 2.0 * (found.centre @ normal) * normal
        size = float(np.sqrt(np.mean(np.sum(points**2, axis=0))))
        pair = [_sphere_state(centre, found.radius) for centre in (found.centre, mirrored)]
        return FeatureStates.of([*pair, _sphere_state(np.zeros(3), size)])

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A sphere."""
        return Sphere(centre=state.origin, radius=float(state.sizes[0]), reversed=reverse)

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a sphere."""
        sphere = shape_of_kind(shape, Sphere)
        return _sphere_state(sphere.centre, sphere.radius)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Centre and diameter."""
        turns = Turns(state, self.freedoms)
        return {
            "centre": Slope(state.origin, turns.origin(), "m"),
            "diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
        }


def _sphere_state(centre: Array, radius: float) -> FeatureState:
    return FeatureState(origin=np.array(centre), R=np.eye(3), sizes=np.array([radius]))
