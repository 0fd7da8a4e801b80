"""Points of space drawn in a plane, and what was found there raised into space again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.curves import FlatCircle, FlatLine, SpaceCircle, SpaceLine
from parts.fits.errors import FitError
from parts.fits.hint import expected
from parts.fits.shape import Shape
from parts.geometry.surfaces import Plane
from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array

_ALONG = 1e-6  # sine between a direction and the line: below it there is no plane of both


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawing:
    """A plane in space with coordinates.

    Args:
        origin: # (3,) [m]
        frame: its two unit directions as columns. # (3, 2)
    """

    origin: Array
    frame: Array

    def flat(self, points: ArrayLike) -> Array:
        """Feet of points in the plane. # (k, 3) to (k, 2) [m]."""
        return np.asarray((np.asarray(points, dtype=np.float64) - self.origin) @ self.frame)

    def x_axis(self) -> FlatLine:
        """The first direction, as a line of the plane."""
        return FlatLine(point=np.zeros(2), direction=np.array([1.0, 0.0]))

    def circle(self, shape: Shape) -> SpaceCircle:
        """A circle of the plane, in space."""
        circle = expected(shape, FlatCircle)
        return SpaceCircle(
            centre=self.origin + self.frame @ circle.centre,
            axis=np.cross(self.frame[:, 0], self.frame[:, 1]),
            radius=circle.radius,
            reversed=circle.reversed,
        )

    def slab(self, shape: Shape) -> Plane:
        """The plane square to this one through a line of it, its axis to the line's left."""
        line = expected(shape, FlatLine)
        return Plane(point=self.origin + self.frame @ line.point, axis=self.frame @ line.left)


def drawing_of_plane(carrier: Shape) -> Drawing:
    """In a fitted plane."""
    plane = expected(carrier, Plane)
    x = across(plane.axis)
    return Drawing(origin=plane.point, frame=np.stack([x, np.cross(plane.axis, x)], axis=1))


def drawing_along(line: Shape, direction: ArrayLike) -> Drawing:
    """In the plane of a line (x) and a direction (y, square to the line).

    Raises:
        FitError: no direction, or one along the line.
    """
    base = expected(line, SpaceLine)
    given = np.asarray(direction, dtype=np.float64)
    if given.shape != (3,) or not np.isfinite(given).all() or not np.any(given):
        raise FitError(
            f"The direction of the zone is {direction!r}; expected three numbers, not all zero.",
            where="direction",
        )
    unit = given / np.linalg.norm(given)
    y = unit - (unit @ base.axis) * base.axis
    sine = float(np.linalg.norm(y))
    if sine < _ALONG:
        raise FitError(
            f"The direction {given.tolist()} lies along the line (sine {sine:.2g}, limit "
            f"{_ALONG:g}); give one across it.",
            where="direction",
            value=sine,
            limit=_ALONG,
            unit="1",
        )
    y = y / sine
    return Drawing(origin=base.point, frame=np.stack([base.axis, y], axis=1))
