"""Spheres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.geometry.surfaces.surface import (
    Surface,
    carried,
    check_length,
    rows,
    unit_or,
)
from robots.core.arrays import Array, freeze_vectors

_UP = np.array([0.0, 0.0, 1.0])


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
