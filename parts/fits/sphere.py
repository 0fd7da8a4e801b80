"""Spheres by least squares."""

from __future__ import annotations

import numpy as np

from parts.fits.circle import algebraic_round
from parts.fits.frame import State
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Slope, Turns
from parts.fits.plane import principal_axes
from parts.fits.shape import Shape
from parts.geometry.surfaces import Sphere
from robots.core.arrays import Array


class SphereModel(Model):
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
        return Level(length - sizes[0], normal, np.full((1, q.shape[1]), -1.0))

    def starts(self, points: Array) -> list[State]:
        """The algebraic sphere, its mirror image in the points' plane, one about the centroid."""
        found = algebraic_round(points)
        normal = principal_axes(points)[2]
        mirrored = found.centre - 2.0 * (found.centre @ normal) * normal
        size = float(np.sqrt(np.mean(np.sum(points**2, axis=0))))
        pair = [_state(centre, found.radius) for centre in (found.centre, mirrored)]
        return [*pair, _state(np.zeros(3), size)]

    def shape(self, state: State, reverse: bool) -> Shape:
        """A sphere."""
        return Sphere(centre=state.origin, radius=float(state.sizes[0]), reversed=reverse)

    def state_of(self, shape: Shape) -> State:
        """Of a sphere."""
        sphere = expected(shape, Sphere)
        return _state(sphere.centre, sphere.radius)

    def derived(self, state: State) -> dict[str, Slope]:
        """Centre and diameter."""
        turns = Turns(state, self.freedoms)
        return {
            "centre": Slope(state.origin, turns.origin(), "m"),
            "diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
        }


def _state(centre: Array, radius: float) -> State:
    return State(origin=np.array(centre), R=np.eye(3), sizes=np.array([radius]))
