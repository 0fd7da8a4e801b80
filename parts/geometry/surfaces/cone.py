"""Circular cones, one nappe."""

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
    rotated,
    rows,
    unit_or,
)
from robots.core.arrays import Array, freeze_directions, freeze_vectors


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
