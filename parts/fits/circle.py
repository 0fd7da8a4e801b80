"""Circles and spheres by least squares: the start of both, and the circle in a plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.curves import FlatCircle
from parts.fits.frame import State
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Slope, Turns
from parts.fits.shape import Shape
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


class FlatCircleModel(Model):
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
        return Level(rho - sizes[0], normal, np.full((1, q.shape[1]), -1.0))

    def starts(self, points: Array) -> list[State]:
        """The algebraic circle, its mirror image in the points' line, one about the centroid."""
        found = algebraic_round(points[:2])
        normal = np.linalg.svd(np.linalg.qr(points[:2].T, mode="r"))[2][1]
        mirrored = found.centre - 2.0 * (found.centre @ normal) * normal
        size = float(np.sqrt(np.mean(np.sum(points**2, axis=0))))
        pair = [_state(centre, found.radius) for centre in (found.centre, mirrored)]
        return [*pair, _state(np.zeros(2), size)]

    def shape(self, state: State, reverse: bool) -> Shape:
        """A circle."""
        return FlatCircle(centre=state.origin[:2], radius=float(state.sizes[0]), reversed=reverse)

    def state_of(self, shape: Shape) -> State:
        """Of a circle."""
        circle = expected(shape, FlatCircle)
        return _state(circle.centre, circle.radius)

    def derived(self, state: State) -> dict[str, Slope]:
        """Centre and diameter."""
        turns = Turns(state, self.freedoms)
        return {
            "centre": Slope(state.origin[:2], turns.origin()[:2], "m"),
            "diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
        }


def _state(centre: Array, radius: float) -> State:
    origin = np.array([centre[0], centre[1], 0.0])
    return State(origin=origin, R=np.eye(3), sizes=np.array([radius]))


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
