"""Circular cylinders."""

from __future__ import annotations

from dataclasses import dataclass

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
