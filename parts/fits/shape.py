"""What every fitted feature can tell: distances and normals."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from robots.core.arrays import Array


class Shape(Protocol):
    """A fitted feature: a surface of ``parts.geometry.surfaces``, or a curve of this package."""

    @property
    def kind(self) -> str:
        """Word for the feature."""

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances, positive outside the material. # (k,) [m]."""

    def normal(self, points: ArrayLike) -> Array:
        """Unit normals there, outward. # (k, 3)."""
