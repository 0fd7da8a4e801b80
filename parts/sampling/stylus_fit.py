"""Whether the stylus gets to a point: ball and shank against the rest of the part.

The ball stands on the point, its centre one radius out along the normal; no surface may be nearer
to that centre than the radius. The shank is a cylinder from the ball along the stylus; no surface
may be nearer to its axis than its radius. Surfaces may come nearer by the tessellation's deflection
and half a percent of the ball, as the ball always touches its own surface.
"""

from __future__ import annotations

import numpy as np

from parts.features.patch import SurfacePoints
from parts.geometry.geometry import Geometry
from parts.probe import Tip, uncompensate
from robots.core.arrays import Array, Mask

_TOUCH = 0.005  # of the ball's radius
_FINEST = 200  # pieces of a shank


def stylus_fits(
    geometry: Geometry, points: SurfacePoints, tip: Tip, away: Array | None = None
) -> Mask:
    """Whether the tip can stand on each point. # (k,).

    Args:
        geometry: of the part.
        points: to touch.
        tip: ball, shank and length count.
        away: from the ball along the stylus, unit, in the part frame; otherwise the normal of
            each point. # (3,)
    """
    slack = 2.0 * max(face.deflection for face in geometry.faces) + _TOUCH * tip.ball_radius
    centres = uncompensate(points.positions, points.normals, tip.ball_radius)
    fits = np.ones(len(points), dtype=bool)
    if tip.ball_radius > 0.0:
        fits &= _clear(geometry, centres, tip.ball_radius - slack)
    if tip.shank_radius > 0.0 and tip.length > tip.ball_radius:
        directions = points.normals if away is None else np.tile(away, (len(points), 1))
        fits[fits] = _shank_clear(geometry, centres[fits], directions[fits], tip, slack)
    return fits


def _shank_clear(
    geometry: Geometry, centres: Array, directions: Array, tip: Tip, slack: float
) -> Mask:
    """Spheres along the axis, large enough to cover the shank between their centres."""
    room = np.sqrt(max(tip.ball_radius**2 - tip.shank_radius**2, 0.0))
    step = max(room, (tip.length - tip.ball_radius) / _FINEST)
    count = int(np.ceil((tip.length - tip.ball_radius) / step)) + 1
    places = np.linspace(tip.ball_radius, tip.length, count)
    half = 0.5 * (places[1] - places[0])
    cover = float(np.hypot(tip.shank_radius, half)) - slack
    clear = np.ones(len(centres), dtype=bool)
    for place in places:
        clear[clear] = _clear(geometry, (centres + place * directions)[clear], cover)
    return clear


def _clear(geometry: Geometry, centres: Array, radius: float) -> Mask:
    if not len(centres):
        return np.zeros(0, dtype=bool)
    return np.asarray(geometry.closest(centres).distances >= radius)
