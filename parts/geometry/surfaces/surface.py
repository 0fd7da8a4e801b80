"""What every analytic surface of a CAD face can tell, and the geometry they share."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from robots.core.arrays import Array


class Surface(ABC):
    """An unbounded analytic surface with an outside; faces are pieces of it.

    ``reversed`` False means that the outside is where the surface's own normal points: away from
    the axis or the centre, for a torus away from its circle. True is a hole.
    """

    __slots__ = ()

    reversed: bool

    @property
    @abstractmethod
    def kind(self) -> str:
        """One of "plane", "cylinder", "cone", "sphere", "torus"."""

    @abstractmethod
    def project(self, points: ArrayLike) -> Array:
        """Closest point of the surface to each point.

        Where all directions are equally near (on an axis, in a centre) one of them is taken,
        always the same.

        Args:
            points: anywhere. # (k, 3) [m]

        Returns:
            On the surface. # (k, 3) [m]
        """

    @abstractmethod
    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normal of the surface at ``project(points)``. # (k, 3)."""

    @abstractmethod
    def distance(self, points: ArrayLike) -> Array:
        """Signed distance of points, positive on the outer side. # (k,) [m]."""

    @abstractmethod
    def moved(self, transform: ArrayLike) -> Surface:
        """The same surface after a rigid motion. # transform (4, 4)."""


def rows(points: ArrayLike) -> Array:
    """Points as an array of rows.

    Raises:
        PartError: another shape than (k, 3), or a value that is not finite.
    """
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise PartError(f"The points have shape {array.shape}; expected (k, 3).", found=array.shape)
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise PartError(
            f"Point {row} is {array[row].tolist()}; expected finite numbers in metres.", row=row
        )
    return array


def check_length(value: float, what: str) -> None:
    """Refuse a length that is not above zero.

    Raises:
        PartError: it is not.
    """
    if not (np.isfinite(value) and value > 0.0):
        raise PartError(f"The {what} is {value} m; expected a length above zero.", found=value)


def across(axis: Array) -> Array:
    """A unit vector perpendicular to an axis, always the same for the same axis. # (3,)."""
    other = np.zeros(3)
    other[np.argmin(np.abs(axis))] = 1.0
    result = np.cross(axis, other)
    return np.asarray(result / np.linalg.norm(result))


def unit_or(vectors: Array, fallback: Array) -> Array:
    """Unit vectors; ``fallback`` where a vector has no direction. # (k, 3)."""
    lengths = np.linalg.norm(vectors, axis=1)
    good = lengths > 0.0
    result = np.where(good[:, None], vectors / np.where(good, lengths, 1.0)[:, None], fallback)
    return np.asarray(result)


def rotated(transform: ArrayLike, direction: Array) -> Array:
    """A direction after a motion. # (3,)."""
    return np.asarray(_rigid(transform)[:3, :3] @ direction)


def carried(transform: ArrayLike, point: Array) -> Array:
    """A point after a motion. # (3,) [m]."""
    T = _rigid(transform)
    return np.asarray(T[:3, :3] @ point + T[:3, 3])


def _rigid(transform: ArrayLike) -> Array:
    T = np.asarray(transform, dtype=np.float64)
    if T.shape != (4, 4) or not np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-9):
        raise PartError("The motion is not a rotation and a translation; expected a (4, 4) pose.")
    return T
