"""Patches: bounded pieces of a surface or curve, with coordinates that share out area evenly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask, freeze_fields


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfacePoints:
    """Points of a surface.

    Args:
        positions: # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
    """

    positions: Array
    normals: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "positions", "normals", dtype=np.float64)

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.positions)

    def where(self, mask: Mask) -> SurfacePoints:
        """Those of the points that are wanted."""
        return SurfacePoints(positions=self.positions[mask], normals=self.normals[mask])


class Patch(ABC):
    """A bounded piece that is reached by coordinates (u, v) in the unit square.

    Equal areas of the square are equal areas of the patch (equal lengths on a curve, which uses u
    only), so that points laid out evenly in the square lie evenly on the patch.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def kind(self) -> str:
        """Kind of the feature: "plane", "line", "circle", "cylinder" and so on."""

    @property
    @abstractmethod
    def width(self) -> float:
        """Mean length along u. [m]."""

    @property
    @abstractmethod
    def height(self) -> float:
        """Length along v; zero on a curve. [m]."""

    @property
    def round(self) -> bool:
        """Whether u is an angle about an axis."""
        return False

    @property
    def measure(self) -> float:
        """Area, or length of a curve. [m²] or [m]."""
        return self.width * (self.height or 1.0)

    @abstractmethod
    def at(self, uv: Array) -> SurfacePoints:
        """Points and outward normals. Args: uv in the unit square. # (k, 2)."""

    @abstractmethod
    def inset(self, margin: float) -> Patch:
        """The same piece without a strip of this width along its bounds. Args: margin [m].

        Raises:
            FeatureError: nothing is left.
        """

    def sizes(self, points: SurfacePoints) -> dict[str, Array]:
        """How the signed distance of points changes with each size that a fit estimates. # (k,)."""
        del points
        return {}
