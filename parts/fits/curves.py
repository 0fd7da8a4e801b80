"""Fitted lines and circles, in space and in a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError
from parts.geometry.surfaces import across, check_length, rows, unit_or
from robots.core.arrays import Array, freeze_directions, freeze_field, freeze_vectors


def flat_rows(points: ArrayLike) -> Array:
    """Points of a plane. # (k, 2).

    Raises:
        FitError: another shape, or a value that is not finite.
    """
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or not np.isfinite(array).all():
        raise FitError(
            f"The points have shape {array.shape}; expected (k, 2), all finite.", found=array.shape
        )
    return array


def _fixed_flat(value: object, what: str, *names: str) -> None:
    for name in names:
        array = np.array(flat_rows([getattr(value, name)])[0])
        length = float(np.linalg.norm(array))
        if name == "direction":
            if abs(length - 1.0) > 1e-9:
                raise FitError(f"The {what}'s direction has length {length:g}; expected 1.")
            array /= length
        freeze_field(value, name, array)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlatLine:
    """A straight line in a plane.

    Args:
        point: on it. # (2,) [m]
        direction: unit; the outside is to its left unless ``reversed``. # (2,)
        reversed: the outside is to the right.
    """

    point: Array
    direction: Array
    reversed: bool = False

    def __post_init__(self) -> None:
        _fixed_flat(self, "line", "point", "direction")

    @property
    def kind(self) -> str:
        """Word for the feature."""
        return "line2d"

    @property
    def left(self) -> Array:
        """Outward unit normal. # (2,)."""
        n = np.array([-self.direction[1], self.direction[0]])
        return -n if self.reversed else n

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside. # (k,) [m]."""
        return np.asarray((flat_rows(points) - self.point) @ self.left)

    def normal(self, points: ArrayLike) -> Array:
        """The outward normal, once for every point. # (k, 2)."""
        return np.tile(self.left, (len(flat_rows(points)), 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpaceLine:
    """A straight line in space.

    Args:
        point: on it. # (3,) [m]
        axis: unit direction. # (3,)
    """

    point: Array
    axis: Array

    def __post_init__(self) -> None:
        freeze_vectors(self, "point", of="line", error=FitError)
        freeze_directions(self, "axis", of="line", error=FitError)

    @property
    def kind(self) -> str:
        """Word for the feature."""
        return "line3d"

    def distance(self, points: ArrayLike) -> Array:
        """Distances; a line has no outside. # (k,) [m]."""
        return np.asarray(np.linalg.norm(self._across(points), axis=1))

    def normal(self, points: ArrayLike) -> Array:
        """Unit directions away from the line. # (k, 3)."""
        return unit_or(self._across(points), across(self.axis))

    def _across(self, points: ArrayLike) -> Array:
        offset = rows(points) - self.point
        return np.asarray(offset - (offset @ self.axis)[:, None] * self.axis)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlatCircle:
    """A circle in a plane.

    Args:
        centre: # (2,) [m]
        radius: above zero. [m]
        reversed: a hole: the outside is towards the centre.
    """

    centre: Array
    radius: float
    reversed: bool = False

    def __post_init__(self) -> None:
        _fixed_flat(self, "circle", "centre")
        check_length(self.radius, "radius of the circle")

    @property
    def kind(self) -> str:
        """Word for the feature."""
        return "circle2d"

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside. # (k,) [m]."""
        height = np.linalg.norm(flat_rows(points) - self.centre, axis=1) - self.radius
        return np.asarray(-height if self.reversed else height)

    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normals. # (k, 2)."""
        n = unit_or(flat_rows(points) - self.centre, np.array([1.0, 0.0]))
        return -n if self.reversed else n


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpaceCircle:
    """A circle in space.

    Args:
        centre: # (3,) [m]
        axis: unit normal of its plane. # (3,)
        radius: above zero. [m]
        reversed: a hole: the outside is towards the centre.
    """

    centre: Array
    axis: Array
    radius: float
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of="circle", error=FitError)
        freeze_directions(self, "axis", of="circle", error=FitError)
        check_length(self.radius, "radius of the circle")

    @property
    def kind(self) -> str:
        """Word for the feature."""
        return "circle3d"

    def distance(self, points: ArrayLike) -> Array:
        """Signed radial distances of the projections into its plane. # (k,) [m]."""
        height = np.linalg.norm(self._flat(points), axis=1) - self.radius
        return np.asarray(-height if self.reversed else height)

    def height(self, points: ArrayLike) -> Array:
        """Signed heights over its plane. # (k,) [m]."""
        return np.asarray((rows(points) - self.centre) @ self.axis)

    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normals in its plane. # (k, 3)."""
        n = unit_or(self._flat(points), across(self.axis))
        return -n if self.reversed else n

    def _flat(self, points: ArrayLike) -> Array:
        offset = rows(points) - self.centre
        return np.asarray(offset - (offset @ self.axis)[:, None] * self.axis)
