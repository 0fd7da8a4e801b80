"""Least circumscribed and largest inscribed circles, spheres and cylinders."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from parts.fits.cloud import cloud_of
from parts.fits.dispatch import fit as least_squares
from parts.fits.dispatch import model_of
from parts.fits.errors import FitError
from parts.fits.fitted import Fit
from parts.fits.frame import State
from parts.fits.zone.certified import certificate_of
from parts.fits.zone.descents import lowest
from parts.fits.zone.drawing import drawing_of_plane
from parts.fits.zone.given import fit_of, is_reversed
from parts.fits.zone.globally import Proved, starts_for
from parts.fits.zone.goal import Goal
from parts.fits.zone.proofs import Proof, convex_ball, inscribed_ball
from parts.fits.zone.result import Envelope

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
    goal = Goal(model=model, points=cloud.unit, sides=(side,), sized=False)
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


def _lowest(goal: Goal, state: State) -> Proved:
    if goal.model.kind in _BALLS:
        best = lowest(goal, state, 0)
        judge = convex_ball if goal.sides[0] > 0.0 else inscribed_ball
        return Proved(best, judge(goal, best.ended.state, best.ended.touching))
    others = starts_for(goal)
    words = f"the neighbourhood, and {1 + others} starts about least squares; not a proof for all"
    return Proved(lowest(goal, state, others), Proof(False, 0.0, words))
