"""Circles in space by the ISO convention: plane, projection, circle in the plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.circle import FlatCircleModel
from parts.fits.curves import FlatCircle, SpaceCircle
from parts.fits.fitted import Derived, Fit
from parts.fits.hint import expected
from parts.fits.plane import PlaneModel
from parts.fits.solve import Options, solve
from parts.geometry.surfaces import Plane
from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array


def space_circle(points: ArrayLike, options: Options) -> Fit:
    """The plane by least squares, then the circle in it of the projected points.

    Source: the convention of ISO and NIST reference algorithms for circles in space. The plane
    sees the noise across it and the circle the noise in it, so to first order their covariances
    stand side by side; σ is estimated from both.
    """
    plane_options, circle_options = _split(options)
    carrier = solve(PlaneModel(), points, plane_options)
    plane = expected(carrier.shape, Plane)
    x = across(plane.axis)
    frame = np.stack([x, np.cross(plane.axis, x)], axis=1)  # (3, 2)
    flat = (np.asarray(points, dtype=np.float64) - plane.point) @ frame
    if "hint" in options:
        hint = expected(options["hint"], SpaceCircle)
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
        hint = expected(options["hint"], SpaceCircle)
        plane["hint"] = Plane(point=hint.centre, axis=hint.axis)
    return plane, circle


def _joined(carrier: Fit, flat: Fit, frame: Array, plane: Plane) -> Fit:
    circle = expected(flat.shape, FlatCircle)
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
            centre=centre.value,
            axis=plane.axis,
            radius=circle.radius,
            reversed=circle.reversed,
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
