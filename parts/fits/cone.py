"""Cones by least squares."""

from __future__ import annotations

import numpy as np

from parts.fits.circle import radial
from parts.fits.directions import View, best_apart, likely_axes, seen_along
from parts.fits.frame import State, state_about
from parts.fits.hint import expected
from parts.fits.model import Level, Model, Slope, Turns
from parts.fits.shape import Shape
from parts.geometry.surfaces import Cone
from robots.core.arrays import Array

_STARTS = 10
_TILTS = tuple(np.radians([-75.0, -60.0, -45.0, -30.0, -15.0, 0.0, 15.0, 30.0, 45.0, 60.0, 75.0]))


class ConeModel(Model):
    """About the frame's z, widening along it.

    The sizes are the orthogonal distance s from the origin to the surface and the half angle α:
    ρ cos α - z sin α - s. They suit slender cones too, whose apex is far away; a tip's own
    neighbourhood, where the nearest point is the apex, is not seen.
    """

    kind = "cone"
    word = "cone"
    freedoms = (0, 1, 3, 4)
    size_units = ("m", "rad")
    spread = 3
    hollow = True
    free_axis = False

    def level(self, q: Array, sizes: Array) -> Level:
        """Distance from the ruling in the point's half plane."""
        s, alpha = sizes
        sine, cosine = np.sin(alpha), np.cos(alpha)
        rho, normal = radial(q)
        by_angle = -rho * sine - q[2] * cosine
        normal[:2] *= cosine
        normal[2] = -sine
        distance = rho * cosine - q[2] * sine - s
        return Level(distance, normal, np.stack([np.full_like(rho, -1.0), by_angle]))

    def starts(self, points: Array) -> list[State]:
        """The best of the directions along which points may look like a growing circle."""
        axes = likely_axes(points, _TILTS)
        states: list[State] = []
        for conical in (True, False):
            states += _best(seen_along(axes, points, conical), _STARTS // 2)
        return [self.settled(state) for state in states]

    def settled(self, state: State) -> State:
        """Origin at the foot of the centroid, half angle from 0 to π/2."""
        s, alpha = state.sizes.tolist()
        along = float(state.origin @ state.axis)
        state = state.shifted(state.origin - along * state.axis)
        s -= along * np.sin(alpha)
        alpha = float(np.arctan2(np.sin(alpha), np.cos(alpha)))
        if np.cos(alpha) < 0.0:  # the same surface, seen from its other side
            s, alpha = -s, float(np.arctan2(-np.sin(alpha), -np.cos(alpha)))
        if alpha < 0.0:
            return state.flipped().sized(s, -alpha)
        return state.sized(s, alpha)

    def sound(self, points: Array, state: State) -> bool:
        """A cone, with all points on the nappe into which the axis points."""
        s, alpha = state.sizes
        if not 0.0 < alpha < 0.5 * np.pi:
            return False
        q = state.local(points)
        along = radial(q).rho * np.sin(alpha) + (q[2] + s / np.sin(alpha)) * np.cos(alpha)
        return bool(along.min() > 0.0)

    def shape(self, state: State, reverse: bool) -> Shape:
        """A cone."""
        return Cone(
            apex=_apex(state),
            axis=state.axis,
            half_angle=float(state.sizes[1]),
            reversed=reverse,
        )

    def state_of(self, shape: Shape) -> State:
        """Of a cone: the distance from its apex is zero."""
        cone = expected(shape, Cone)
        return state_about(cone.apex, cone.axis, 0.0, cone.half_angle)

    def derived(self, state: State) -> dict[str, Slope]:
        """Point, axis, distance from the point to the surface, full apex angle, apex."""
        turns = Turns(state, self.freedoms)
        s, alpha = state.sizes
        sine = np.sin(alpha)
        by_apex = -turns.size(0) / sine + turns.size(1) * s * np.cos(alpha) / sine**2
        apex = turns.origin() - s / sine * turns.axis() + state.axis[:, None] * by_apex
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
            "distance": Slope(state.sizes[:1], turns.size(0), "m"),
            "apex_angle": Slope(2.0 * state.sizes[1:], 2.0 * turns.size(1), "rad"),
            "apex": Slope(_apex(state), apex, "m"),
        }


def _apex(state: State) -> Array:
    s, alpha = state.sizes
    return np.asarray(state.origin - s / np.sin(alpha) * state.axis)


def _best(view: View, count: int) -> list[State]:
    """Radius a + b h by regression in each view; the cost is orthogonal to the rulings."""
    h = view.height
    mean_h, mean_rho = h.mean(axis=1), view.rho.mean(axis=1)
    centred = h - mean_h[:, None]
    rise = np.sum(centred * view.rho, axis=1) / np.maximum(np.sum(centred**2, axis=1), 1e-300)
    off = view.rho - mean_rho[:, None] - rise[:, None] * centred
    costs = np.mean(off**2, axis=1) / (1.0 + rise**2)
    alpha = np.arctan(rise)
    s = (mean_rho - rise * mean_h) * np.cos(alpha)
    return [
        state_about(view.centres[i], view.axes[i], float(s[i]), float(alpha[i]))
        for i in best_apart(view.axes, costs, count, h.shape[1]).tolist()
    ]
