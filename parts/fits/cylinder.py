"""Cylinders by least squares."""

from __future__ import annotations

import numpy as np

from parts.fits.circle import radial
from parts.fits.directions import best_apart, likely_axes, seen_along
from parts.fits.frame import State, state_about
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Slope, Turns
from parts.fits.shape import Shape
from parts.geometry.surfaces import Cylinder
from robots.core.arrays import Array

_STARTS = 8


class CylinderModel(Model):
    """About the frame's z; free are the shifts across it, the turns of it, and the radius."""

    kind = "cylinder"
    word = "cylinder"
    freedoms = (0, 1, 3, 4)
    size_units = ("m",)
    spread = 3
    hollow = True

    def level(self, q: Array, sizes: Array) -> Level:
        """Distance from the axis less the radius."""
        rho, normal = radial(q)
        return Level(rho - sizes[0], normal, np.full((1, q.shape[1]), -1.0))

    def starts(self, points: Array) -> list[State]:
        """The best of the directions along which points may look like a circle."""
        view = seen_along(likely_axes(points), points, conical=False)
        costs = view.rho.var(axis=1)
        view = view.only(best_apart(view.axes, costs, _STARTS, points.shape[1]))
        radii = view.rho.mean(axis=1).tolist()
        return [
            state_about(centre, axis, radius)
            for centre, axis, radius in zip(view.centres, view.axes, radii, strict=True)
        ]

    def settled(self, state: State) -> State:
        """The origin is the foot of the centroid."""
        return state.shifted(state.origin - (state.origin @ state.axis) * state.axis)

    def shape(self, state: State, reverse: bool) -> Shape:
        """A cylinder."""
        radius = float(state.sizes[0])
        return Cylinder(point=state.origin, axis=state.axis, radius=radius, reversed=reverse)

    def state_of(self, shape: Shape) -> State:
        """Of a cylinder."""
        cylinder = expected(shape, Cylinder)
        return state_about(cylinder.point, cylinder.axis, cylinder.radius)

    def derived(self, state: State) -> dict[str, Slope]:
        """Point, axis and diameter."""
        turns = Turns(state, self.freedoms)
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
            "diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
        }
