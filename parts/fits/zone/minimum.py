"""Minimum zones of ISO 1101: straightness, flatness, roundness, cylindricity and their kin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.cloud import cloud_of
from parts.fits.dispatch import fit as least_squares
from parts.fits.dispatch import model_of
from parts.fits.errors import FitError
from parts.fits.fitted import Fit
from parts.fits.zone.certified import certificate_of, exact_certificate
from parts.fits.zone.drawing import drawing_along, drawing_of_plane
from parts.fits.zone.given import fit_of, is_reversed
from parts.fits.zone.globally import proved_lowest
from parts.fits.zone.goal import Goal
from parts.fits.zone.result import Zone

_EXACT = 64.0 * np.finfo(float).eps  # of the points' size and distance


def minimum_zone(
    kind: str,
    points: ArrayLike,
    fit: Fit | None = None,
    *,
    direction: ArrayLike | None = None,
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
                f"A zone along a direction is asked of a {kind}; only a line3d has one. Leave the "
                "direction out.",
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
    goal = Goal(model=model, points=cloud.unit, sides=sides, sized=True)
    reverse = is_reversed(fitted.shape)
    far = 1.0 + float(np.abs(cloud.centroid).max()) / cloud.scale
    if float(np.abs(goal.distances(state)).max()) <= _EXACT * far:
        return _exact(fitted)
    found = proved_lowest(goal, state)
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
