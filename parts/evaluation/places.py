"""Where features are: the point, the axis and the ends that tolerances are taken from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from parts.fits import Shape, SpaceCircle, SpaceLine
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Torus
from robots.core.arrays import Array

PlaceKind = Literal["plane", "axis", "point"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Place:
    """What is left of a feature when its sizes are taken away.

    Args:
        kind: "plane", "axis" or "point".
        point: the centre, or the foot of the measured points' middle on plane or axis. # (3,) [m]
        direction: normal of the plane, or direction of the axis, unit; NaN for a point. # (3,)
        ends: of the piece of the axis beside the measured points; both ``point`` for others.
            # (2, 3) [m]
    """

    kind: PlaceKind
    point: Array
    direction: Array
    ends: Array

    @property
    def length(self) -> float:
        """Of the piece of the axis. [m]."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))

    def away(self, points: Array) -> Array:
        """Distances from the plane, the axis or the point. # (k, 3) -> (k,) [m]."""
        offset = points - self.point
        if self.kind == "point":
            return np.asarray(np.linalg.norm(offset, axis=1))
        along = offset @ self.direction
        if self.kind == "plane":
            return np.abs(along)
        return np.asarray(np.linalg.norm(offset - along[:, None] * self.direction, axis=1))


def place_of(shape: Shape, points: Array) -> Place:
    """The place of a feature beside points that were measured on it.

    Args:
        shape: of the feature.
        points: # (k, 3) [m]

    Raises:
        TypeError: a feature of a plane, not of space.
    """
    middle = points.mean(axis=0)
    if isinstance(shape, Plane):
        foot = shape.project(middle[None])[0]
        normal = -shape.axis if shape.reversed else shape.axis
        return Place(kind="plane", point=foot, direction=normal, ends=np.stack([foot, foot]))
    if isinstance(shape, Sphere | SpaceCircle | Torus):
        centre = shape.centre
        axis = np.full(3, np.nan) if isinstance(shape, Sphere) else shape.axis
        return Place(kind="point", point=centre, direction=axis, ends=np.stack([centre, centre]))
    if isinstance(shape, Cylinder | SpaceLine | Cone):
        base = shape.apex if isinstance(shape, Cone) else shape.point
        along = (points - base) @ shape.axis
        ends = base + np.outer([along.min(), along.max()], shape.axis)
        foot = base + ((middle - base) @ shape.axis) * shape.axis
        return Place(kind="axis", point=foot, direction=shape.axis, ends=ends)
    raise TypeError(f"A {type(shape).__name__} has no place in space.")


def angle_between(one: Place, other: Place) -> float:
    """Angle between the lines of two directions, from 0 to π/2. [rad]."""
    sine = float(np.linalg.norm(np.cross(one.direction, other.direction)))
    return float(np.arctan2(sine, abs(float(one.direction @ other.direction))))


def distance_between(one: Place, other: Place) -> float:
    """Distance of two places: a plane's or an axis's to the point that stands for the other. [m].

    Of two planes, or two axes, the point of the first is taken, so that small errors of their
    directions count over no more than the distance between their measured points.
    """
    planes = (one.kind == "plane", other.kind == "plane")
    if planes == (True, False) or (other.kind == "point" and one.kind == "axis"):
        one, other = other, one
    return float(other.away(one.point[None])[0])
