"""Distances of convex pieces by another method than the planner's: edges and corners asked.

Where two polyhedra are nearest, an edge of one is, or a corner of one beside a face of the other.
So the edges of a piece are measured against the skin of a solid, as axes of capsules are, and the
corners of the solid against the skin of the piece. Nothing of the planner's search is used.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from parts.geometry import TriangleMesh
from planner.job.solids import Solid, SolidKind
from planner.proof.surface_distance import SurfaceDistance, surface_of
from robots.core.arrays import Array
from robots.core.capsule import Capsule

_ROWS = 64  # postures looked at once


class PieceDistance:
    """The skin of a capsule's piece, in the frame of its link.

    Args:
        capsule: with corners.
    """

    def __init__(self, capsule: Capsule) -> None:
        from scipy.spatial import ConvexHull

        hull = ConvexHull(capsule.corners)
        inner = capsule.corners[hull.vertices].mean(axis=0)
        faces = np.asarray(hull.simplices, dtype=np.int64)
        a, b, c = (capsule.corners[faces[:, k]] for k in range(3))
        turned = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - inner) < 0.0
        faces[turned] = faces[turned][:, ::-1]
        self._mesh = TriangleMesh(vertices=capsule.corners, faces=faces)
        sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        edges = np.unique(np.sort(sides, axis=1), axis=0)
        self._edges = capsule.corners[edges]  # (e, 2, 3)
        self._centre = inner
        self._size = float(np.linalg.norm(capsule.corners - inner, axis=1).max())

    @cached_property
    def surface(self) -> SurfaceDistance:
        """The skin and the inside."""
        solid = Solid(name="piece", kind=SolidKind.OBSTACLE, mesh=self._mesh, closed=True)
        return surface_of(solid)

    def outside(self, places: Array, T: Array) -> Array:
        """Signed distances of places from the piece, each in its own posture. # (m,) [m]."""
        return self.surface.signed(_seen_from(T, places[:, None])[:, 0])

    def solid_shortfalls(self, surface: SurfaceDistance, T: Array, needs: Array) -> Array:
        """What the piece comes nearer to a solid than it may, in postures of its link.

        Args:
            surface: of the solid.
            T: poses of the link. # (m, 4, 4)
            needs: distances to be kept. # (m,) [m]

        Returns:
            Below zero where it does not. # (m,) [m]
        """
        worst = np.empty(len(T))
        for first in range(0, len(T), _ROWS):
            rows = slice(first, first + _ROWS)
            edges = _placed(T[rows], self._edges.reshape(-1, 3)).reshape(-1, len(self._edges), 2, 3)
            worst[rows] = _most(surface, edges, needs[rows])
        for row, (pose, need) in enumerate(zip(T, needs, strict=True)):
            centre = pose[:3, :3] @ self._centre + pose[:3, 3]
            corners = surface.corners_near(centre, self._size + max(need, 0.0))
            own = _seen_from(pose[None], corners[None])[0]
            if len(own):
                found = self.surface.shortfalls(own, own, np.full(len(own), need))
                worst[row] = max(worst[row], float(found.max()))
        return worst

    def axis_shortfalls(self, T: Array, axes: Array, needs: Array) -> Array:
        """The same of segments in the base frame, in place of a solid. # axes (m, 2, 3) [m]."""
        own = _seen_from(T, axes)
        return self.surface.shortfalls(own[:, 0], own[:, 1], needs)

    def piece_shortfalls(
        self, T: Array, other: PieceDistance, other_T: Array, needs: Array
    ) -> Array:
        """The same of another piece in place of a solid. # (m,) [m]."""
        worst = np.full(len(T), -np.inf)
        for one, pose, against, frame in (
            (self, T, other, other_T),
            (other, other_T, self, T),
        ):
            for first in range(0, len(T), _ROWS):
                rows = slice(first, first + _ROWS)
                edges = _placed(pose[rows], one._edges.reshape(-1, 3))
                edges = _seen_from(frame[rows], edges).reshape(-1, len(one._edges), 2, 3)
                worst[rows] = np.maximum(worst[rows], _most(against.surface, edges, needs[rows]))
        return worst


def _most(surface: SurfaceDistance, edges: Array, needs: Array) -> Array:
    """The greatest shortfall of the edges of each row. # (m, e, 2, 3) -> (m,)."""
    count = edges.shape[1]
    flat = edges.reshape(-1, 2, 3)
    found = surface.shortfalls(flat[:, 0], flat[:, 1], np.repeat(needs, count))
    return np.asarray(found.reshape(-1, count).max(axis=1))


def _placed(T: Array, points: Array) -> Array:
    """Points of a link in the base frame. # (m, 4, 4), (k, 3) -> (m, k, 3)."""
    return np.asarray(np.einsum("mij,kj->mki", T[:, :3, :3], points) + T[:, None, :3, 3])


def _seen_from(T: Array, points: Array) -> Array:
    """Points of the base frame in that of a link. # (m, 4, 4), (m, k, 3) -> (m, k, 3)."""
    return np.asarray(np.einsum("mij,mki->mkj", T[:, :3, :3], points - T[:, None, :3, 3]))
