"""Analytic surfaces of CAD faces: planes, cylinders, cones, spheres and tori."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from robots.core.arrays import Array, freeze_directions, freeze_vectors

_ALIKE = 5e-3  # components of a direction that are equal but for what a face of a mesh is off
_UP = np.array([0.0, 0.0, 1.0])


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
    x, y, z = axis.tolist()
    size = np.abs(axis)
    least = int(np.argmax(size <= size.min() + _ALIKE))  # rounding must not choose among equals
    result = np.array([(0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)][least]) + 0.0
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plane(Surface):
    """A plane.

    Args:
        point: on it. # (3,) [m]
        axis: unit normal; outward unless ``reversed``. # (3,)
        reversed: the outside is against ``axis``.
    """

    point: Array
    axis: Array
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "point", of=self.kind, error=PartError)
        freeze_directions(self, "axis", of=self.kind, error=PartError)

    @property
    def kind(self) -> str:
        """Word for this surface in ``KINDS``."""
        return "plane"

    def project(self, points: ArrayLike) -> Array:
        """Feet of the perpendiculars. # (k, 3) [m]."""
        q = rows(points)
        return np.asarray(q - ((q - self.point) @ self.axis)[:, None] * self.axis)

    def normal(self, points: ArrayLike) -> Array:
        """The outward normal, once for every point. # (k, 3)."""
        n = -self.axis if self.reversed else self.axis
        return np.tile(n, (len(rows(points)), 1))

    def distance(self, points: ArrayLike) -> Array:
        """Signed height over the plane. # (k,) [m]."""
        height = (rows(points) - self.point) @ self.axis
        return np.asarray(-height if self.reversed else height)

    def moved(self, transform: ArrayLike) -> Plane:
        """The plane after a rigid motion."""
        return Plane(
            point=carried(transform, self.point),
            axis=rotated(transform, self.axis),
            reversed=self.reversed,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cylinder(Surface):
    """A circular cylinder without ends.

    Args:
        point: on the axis. # (3,) [m]
        axis: unit direction. # (3,)
        radius: above zero. # [m]
        reversed: a hole: the outside is towards the axis.
    """

    point: Array
    axis: Array
    radius: float
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "point", of=self.kind, error=PartError)
        freeze_directions(self, "axis", of=self.kind, error=PartError)
        check_length(self.radius, "radius of the cylinder")

    @property
    def kind(self) -> str:
        """Word for this surface in ``KINDS``."""
        return "cylinder"

    def project(self, points: ArrayLike) -> Array:
        """Closest points. # (k, 3) [m]."""
        offset = rows(points) - self.point
        along = (offset @ self.axis)[:, None] * self.axis
        return np.asarray(self.point + along + self.radius * self._radial(offset - along))

    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normals. # (k, 3)."""
        offset = rows(points) - self.point
        n = self._radial(offset - (offset @ self.axis)[:, None] * self.axis)
        return -n if self.reversed else n

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside. # (k,) [m]."""
        offset = rows(points) - self.point
        across_axis = offset - (offset @ self.axis)[:, None] * self.axis
        height = np.linalg.norm(across_axis, axis=1) - self.radius
        return np.asarray(-height if self.reversed else height)

    def moved(self, transform: ArrayLike) -> Cylinder:
        """The cylinder after a rigid motion."""
        return Cylinder(
            point=carried(transform, self.point),
            axis=rotated(transform, self.axis),
            radius=self.radius,
            reversed=self.reversed,
        )

    def _radial(self, across_axis: Array) -> Array:
        """Unit vectors away from the axis."""
        r = unit_or(across_axis, across(self.axis))
        # a second pass removes what cancellation left along the axis when a point is far along it
        return unit_or(r - (r @ self.axis)[:, None] * self.axis, across(self.axis))


class _Meridian(NamedTuple):
    """Points in the half plane through the axis."""

    height: Array  # above the apex, (k,) [m]
    radius: Array  # from the axis, (k,) [m]
    radial: Array  # unit direction away from the axis, (k, 3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cone(Surface):
    """One nappe of a circular cone.

    Args:
        apex: its tip. # (3,) [m]
        axis: unit direction from the apex into the nappe. # (3,)
        half_angle: between axis and surface, above 0 and below π/2. # [rad]
        reversed: a countersink: the outside is towards the axis.
    """

    apex: Array
    axis: Array
    half_angle: float
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "apex", of=self.kind, error=PartError)
        freeze_directions(self, "axis", of=self.kind, error=PartError)
        if not 0.0 < self.half_angle < np.pi / 2:
            raise PartError(
                f"The half angle of the cone is {self.half_angle} rad; expected above 0 and below "
                "π/2.",
                found=self.half_angle,
            )

    @property
    def kind(self) -> str:
        """Word for this surface in ``KINDS``."""
        return "cone"

    def project(self, points: ArrayLike) -> Array:
        """Closest points; the apex for points that see nothing but it. # (k, 3) [m]."""
        height, radius, radial = self._meridian(points)
        c, s = np.cos(self.half_angle), np.sin(self.half_angle)
        along = np.maximum(height * c + radius * s, 0.0)[:, None]
        return np.asarray(self.apex + along * (c * self.axis + s * radial))

    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normals; at the apex that of the meridian next to the point. # (k, 3)."""
        radial = self._meridian(points).radial
        n = np.cos(self.half_angle) * radial - np.sin(self.half_angle) * self.axis
        return np.asarray(-n if self.reversed else n)

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside. # (k,) [m]."""
        height, radius, _ = self._meridian(points)
        c, s = np.cos(self.half_angle), np.sin(self.half_angle)
        beyond = height * c + radius * s < 0.0
        offset = np.where(beyond, np.hypot(height, radius), radius * c - height * s)
        return np.asarray(-offset if self.reversed else offset)

    def moved(self, transform: ArrayLike) -> Cone:
        """The cone after a rigid motion."""
        return Cone(
            apex=carried(transform, self.apex),
            axis=rotated(transform, self.axis),
            half_angle=self.half_angle,
            reversed=self.reversed,
        )

    def _meridian(self, points: ArrayLike) -> _Meridian:
        offset = rows(points) - self.apex
        height = offset @ self.axis
        across_axis = offset - height[:, None] * self.axis
        radial = unit_or(across_axis, across(self.axis))
        radial = unit_or(radial - (radial @ self.axis)[:, None] * self.axis, across(self.axis))
        return _Meridian(height, np.linalg.norm(across_axis, axis=1), radial)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sphere(Surface):
    """A sphere.

    Args:
        centre: its centre. # (3,) [m]
        radius: above zero. # [m]
        reversed: a socket: the outside is towards the centre.
    """

    centre: Array
    radius: float
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of=self.kind, error=PartError)
        check_length(self.radius, "radius of the sphere")

    @property
    def kind(self) -> str:
        """Word for this surface in ``KINDS``."""
        return "sphere"

    def project(self, points: ArrayLike) -> Array:
        """Closest points. # (k, 3) [m]."""
        return np.asarray(self.centre + self.radius * unit_or(rows(points) - self.centre, _UP))

    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normals. # (k, 3)."""
        n = unit_or(rows(points) - self.centre, _UP)
        return -n if self.reversed else n

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside. # (k,) [m]."""
        height = np.linalg.norm(rows(points) - self.centre, axis=1) - self.radius
        return np.asarray(-height if self.reversed else height)

    def moved(self, transform: ArrayLike) -> Sphere:
        """The sphere after a rigid motion."""
        return Sphere(
            centre=carried(transform, self.centre), radius=self.radius, reversed=self.reversed
        )


class _Ring(NamedTuple):
    """Points relative to the centre circle of a torus."""

    points: Array  # closest of the circle, (k, 3) [m]
    radial: Array  # their unit directions from the centre, (k, 3)
    offset: Array  # from them to the queries, (k, 3) [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Torus(Surface):
    """A torus: the points at ``minor_radius`` from a circle.

    Where the minor radius is the larger one the torus crosses itself at the axis; only its outer
    sheet is meant.

    Args:
        centre: of the circle. # (3,) [m]
        axis: unit normal of the circle's plane. # (3,)
        major_radius: of the circle, above zero. # [m]
        minor_radius: of the tube, above zero. # [m]
        reversed: an inner fillet: the outside is towards the circle.
    """

    centre: Array
    axis: Array
    major_radius: float
    minor_radius: float
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of=self.kind, error=PartError)
        freeze_directions(self, "axis", of=self.kind, error=PartError)
        check_length(self.major_radius, "major radius of the torus")
        check_length(self.minor_radius, "minor radius of the torus")

    @property
    def kind(self) -> str:
        """Word for this surface in ``KINDS``."""
        return "torus"

    def project(self, points: ArrayLike) -> Array:
        """Closest points. # (k, 3) [m]."""
        ring, radial, offset = self._ring(points)
        return np.asarray(ring + self.minor_radius * unit_or(offset, radial))

    def normal(self, points: ArrayLike) -> Array:
        """Outward unit normals. # (k, 3)."""
        _, radial, offset = self._ring(points)
        n = unit_or(offset, radial)
        return -n if self.reversed else n

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside. # (k,) [m]."""
        height = np.linalg.norm(self._ring(points).offset, axis=1) - self.minor_radius
        return np.asarray(-height if self.reversed else height)

    def moved(self, transform: ArrayLike) -> Torus:
        """The torus after a rigid motion."""
        axis = rotated(transform, self.axis)
        return replace(self, centre=carried(transform, self.centre), axis=axis)

    def _ring(self, points: ArrayLike) -> _Ring:
        q = rows(points)
        offset = q - self.centre
        radial = unit_or(offset - (offset @ self.axis)[:, None] * self.axis, across(self.axis))
        radial = unit_or(radial - (radial @ self.axis)[:, None] * self.axis, across(self.axis))
        ring = self.centre + self.major_radius * radial
        return _Ring(ring, radial, q - ring)
