"""Tori by least squares."""

from __future__ import annotations

import numpy as np

from parts.fits.circle import radial
from parts.fits.frame import State, state_about
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Slope, Turns
from parts.fits.shape import Shape
from parts.fits.torus_starts import torus_starts
from parts.geometry.surfaces import Torus
from robots.core.arrays import Array


class TorusModel(Model):
    """About the frame's z; free are the centre, the turns of the axis, and both radii."""

    kind = "torus"
    word = "torus"
    freedoms = (0, 1, 2, 3, 4)
    size_units = ("m", "m")
    spread = 3
    hollow = True

    def level(self, q: Array, sizes: Array) -> Level:
        """Distance from the circle of the tube less the tube's radius."""
        ring, tube = sizes
        rho, normal = radial(q)
        u = rho - ring
        length = np.sqrt(u * u + q[2] * q[2])
        safe = np.maximum(length, np.finfo(float).tiny)
        cosine = u / safe
        normal[:2] *= cosine
        normal[2] = q[2] / safe
        return Level(length - tube, normal, np.stack([-cosine, np.full_like(rho, -1.0)]))

    def starts(self, points: Array) -> list[State]:
        """From the whole, from the patch in the middle, and from the tube."""
        return torus_starts(points)

    def shape(self, state: State, reverse: bool) -> Shape:
        """A torus."""
        ring, tube = state.sizes.tolist()
        return Torus(
            centre=state.origin,
            axis=state.axis,
            major_radius=ring,
            minor_radius=tube,
            reversed=reverse,
        )

    def state_of(self, shape: Shape) -> State:
        """Of a torus."""
        torus = expected(shape, Torus)
        return state_about(torus.centre, torus.axis, torus.major_radius, torus.minor_radius)

    def derived(self, state: State) -> dict[str, Slope]:
        """Centre, axis and both diameters."""
        turns = Turns(state, self.freedoms)
        return {
            "centre": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
            "major_diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
            "minor_diameter": Slope(2.0 * state.sizes[1:], 2.0 * turns.size(1), "m"),
        }
