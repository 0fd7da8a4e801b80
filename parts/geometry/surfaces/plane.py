"""Planes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.geometry.surfaces.surface import (
    Surface,
    carried,
    rotated,
    rows,
)
from robots.core.arrays import Array, freeze_directions, freeze_vectors


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
