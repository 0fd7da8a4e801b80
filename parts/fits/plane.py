"""Planes by least squares: the closed answer of the singular values."""

from __future__ import annotations

import numpy as np

from parts.fits.frame import State, state_about
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Slope, Turns
from parts.fits.shape import Shape
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array


class PlaneModel(Model):
    """Heights over the frame's xy plane; free are the shift along z and the turns about x, y."""

    kind = "plane"
    word = "plane"
    freedoms = (2, 3, 4)
    spread = 2

    def level(self, q: Array, sizes: Array) -> Level:
        """Heights."""
        normal = np.zeros_like(q)
        normal[2] = 1.0
        return Level(q[2], normal, np.zeros((len(sizes), q.shape[1])))

    def starts(self, points: Array) -> list[State]:
        """The direction in which centred points spread least."""
        return [state_about(np.zeros(3), principal_axes(points)[2])]

    def settled(self, state: State) -> State:
        """The origin is the foot of the centroid."""
        return state.shifted((state.origin @ state.axis) * state.axis)

    def shape(self, state: State, reverse: bool) -> Shape:
        """A plane whose axis is its outward normal."""
        return Plane(point=state.origin, axis=-state.axis if reverse else state.axis)

    def state_of(self, shape: Shape) -> State:
        """Of a plane."""
        plane = expected(shape, Plane)
        return state_about(plane.point, -plane.axis if plane.reversed else plane.axis)

    def derived(self, state: State) -> dict[str, Slope]:
        """Point and axis."""
        turns = Turns(state, self.freedoms)
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
        }


def principal_axes(points: Array) -> Array:
    """Directions of greatest to least spread of centred points, as rows. # (3, k) to (3, 3)."""
    return np.asarray(np.linalg.svd(np.linalg.qr(points.T, mode="r"))[2])
