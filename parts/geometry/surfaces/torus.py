"""Tori."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.geometry.surfaces.surface import (
    Surface,
    across,
    carried,
    check_length,
    rotated,
    rows,
    unit_or,
)
from robots.core.arrays import Array, freeze_directions, freeze_vectors


class _Ring(NamedTuple):
    """What the circle of the torus is to points."""

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
        return Torus(
            centre=carried(transform, self.centre),
            axis=rotated(transform, self.axis),
            major_radius=self.major_radius,
            minor_radius=self.minor_radius,
            reversed=self.reversed,
        )

    def _ring(self, points: ArrayLike) -> _Ring:
        q = rows(points)
        offset = q - self.centre
        radial = unit_or(offset - (offset @ self.axis)[:, None] * self.axis, across(self.axis))
        radial = unit_or(radial - (radial @ self.axis)[:, None] * self.axis, across(self.axis))
        ring = self.centre + self.major_radius * radial
        return _Ring(ring, radial, q - ring)
