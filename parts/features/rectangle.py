"""Rectangles on planes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import FeatureError
from parts.features.patch import Patch, SurfacePoints
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array, freeze_directions, freeze_vectors


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rectangle(Patch):
    """A rectangle; u runs along its x axis, v along the other side.

    Args:
        surface: the plane, with its outside.
        centre: of the rectangle, on the plane. # (3,) [m]
        x_axis: unit, in the plane. # (3,)
        size: lengths of the sides. # (2,) [m]
    """

    surface: Plane
    centre: Array
    x_axis: Array
    size: tuple[float, float]

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of=self.kind, error=FeatureError)
        freeze_directions(self, "x_axis", of=self.kind, error=FeatureError)
        if min(self.size) <= 0.0:
            raise FeatureError(
                f"The plane's sides are {self.size[0]:g} and {self.size[1]:g} m; expected lengths "
                "above zero.",
                found=self.size,
            )

    @property
    def kind(self) -> str:
        """Always "plane"."""
        return "plane"

    @property
    def width(self) -> float:
        """Along the x axis. [m]."""
        return self.size[0]

    @property
    def height(self) -> float:
        """Across it. [m]."""
        return self.size[1]

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their shares of the sides."""
        y_axis = np.cross(self.surface.axis, self.x_axis)
        x, y = ((uv - 0.5) * self.size).T
        place = self.centre + x[:, None] * self.x_axis + y[:, None] * y_axis
        positions = self.surface.project(place)
        return SurfacePoints(positions=positions, normals=self.surface.normal(positions))

    def inset(self, margin: float) -> Rectangle:
        """Every side moves inward by the margin."""
        if min(self.size) <= 2.0 * margin:
            raise FeatureError(
                f"No plane is left {margin:g} m away from its edges: its sides are "
                f"{self.size[0]:g} and {self.size[1]:g} m. Give a smaller edge margin.",
                margin=margin,
            )
        return replace(self, size=(self.width - 2.0 * margin, self.height - 2.0 * margin))
