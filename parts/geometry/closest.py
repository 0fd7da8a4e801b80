"""Answers to closest-point questions."""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.arrays import Array, Indices, Mask, freeze_fields


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClosestPoints:
    """Closest point of the skin for every query.

    Args:
        points: on the skin. # (k, 3) [m]
        normals: outward unit normals there. # (k, 3)
        distances: from query to point, never below zero. # (k,) [m]
        faces: index of the face of each point. # (k,)
        triangles: index of the triangle next to each point. # (k,)
        analytic: True where point and normal are those of the analytic surface, exact; False
            where the point lies on a triangle, its normal that of the triangle ("facets") or
            interpolated between the corners ("freeform"). # (k,)
    """

    points: Array
    normals: Array
    distances: Array
    faces: Indices
    triangles: Indices
    analytic: Mask

    def __post_init__(self) -> None:
        names = ("points", "normals", "distances", "faces", "triangles", "analytic")
        freeze_fields(self, *names, copy=None)  # just computed; a copy would be felt here

    def __len__(self) -> int:
        """Number of queries k."""
        return len(self.distances)
