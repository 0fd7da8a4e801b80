"""The part of a surface of revolution that points on it span."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.features.band import FULL_TURN, Band, axis_of, origin_of
from parts.geometry.surfaces import Surface
from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array

_ON_AXIS = 1e-9  # of the largest radius: a point there has no angle


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spanned:
    """Points in the coordinates of a band.

    Args:
        band: all round, of some length: it has the axes.
        size: a length that every meridian of the surface has. [m]
        along: place of each point on the meridian. # (k,) [m]
        angles: of the points that lie off the axis. # (≤ k,) [rad]
    """

    band: Band
    size: float
    along: Array
    angles: Array


def spanned(surface: Surface, points: Array, outward: Array) -> Spanned:
    """Where points of a surface of revolution lie on it.

    Args:
        surface: of revolution.
        points: on it. # (k, 3) [m]
        outward: mean direction of the points' piece: the axis of a sphere, which has none. # (3,)
    """
    axis, origin = axis_of(surface, outward), origin_of(surface)
    size = float(getattr(surface, "minor_radius", getattr(surface, "radius", 1.0)))
    band = Band(surface=surface, origin=origin, axis=axis, x_axis=across(axis), start=0.0, end=size)
    arms = points - origin
    heights = arms @ axis
    radii = np.linalg.norm(arms - np.outer(heights, axis), axis=1)
    off_axis = arms[radii > _ON_AXIS * radii.max(initial=0.0)]
    return Spanned(
        band=band,
        size=size,
        along=band.meridian.place(radii, heights),
        angles=angles_about(axis, off_axis),
    )


def angles_about(axis: Array, arms: Array) -> Array:
    """Angles about an axis, from the direction that ``across`` gives. # (k, 3) -> (k,) [rad]."""
    x_axis = across(axis)
    return np.asarray(np.arctan2(arms @ np.cross(axis, x_axis), arms @ x_axis))


def swept(angles: Array, opening: float) -> tuple[float, float]:
    """First angle and sweep of the range that leaves out the widest gap. [rad].

    Args:
        angles: # (k,) [rad]
        opening: a gap up to this is none: points go all round. [rad]
    """
    ordered = np.sort(angles)
    if not ordered.size:
        return 0.0, FULL_TURN
    gaps = np.diff(np.append(ordered, ordered[0] + FULL_TURN))
    widest = int(np.argmax(gaps))
    if gaps[widest] <= opening or gaps[widest] >= FULL_TURN:
        return 0.0, FULL_TURN
    return float(ordered[(widest + 1) % ordered.size]), float(FULL_TURN - gaps[widest])
