"""Nearest triangle of a mesh for many points, exact.

A k-d tree over sample points of the triangles gives each query one triangle that is near; its
distance is an upper bound. A triangle can only be nearer if its box is within that bound, so the
tree of boxes names all that need be measured: the answer is proven, not approximate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.errors import PartError
from parts.geometry.box_tree import BoxTree, Pairs
from parts.geometry.mesh import TriangleMesh
from parts.geometry.triangle_distance import closest_on_triangles
from robots.core.arrays import Array, Indices

CHUNK = 100_000  # queries at once; bounds the memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nearest:
    """Nearest points of a mesh.

    Args:
        points: on the triangles. # (k, 3) [m]
        triangles: rows of the mesh's faces. # (k,)
        distances: from the queries. # (k,) [m]
    """

    points: Array
    triangles: Indices
    distances: Array


class NearestTriangles:
    """A search structure over the triangles that have an area.

    Args:
        mesh: to be searched; unchanged.

    Raises:
        PartError: no triangle has an area.
    """

    __slots__ = ("_boxes", "_corners", "_ids", "_sample_ids", "_samples")

    def __init__(self, mesh: TriangleMesh) -> None:
        from scipy.spatial import cKDTree

        self._ids = np.flatnonzero(mesh.areas > 0.0)
        if not self._ids.size:
            raise PartError("No triangle of the mesh has an area; there is nothing to probe.")
        self._corners = mesh.triangles[self._ids]
        self._boxes = BoxTree(self._corners.min(axis=1), self._corners.max(axis=1))
        points, self._sample_ids = _samples(self._corners)
        self._samples = cKDTree(points, balanced_tree=False, compact_nodes=False)

    def nearest(self, points: Array) -> Nearest:
        """Nearest point of the mesh for every query; of equal triangles the first of the mesh.

        Args:
            points: queries. # (k, 3) [m]
        """
        found = np.empty((len(points), 3))
        triangles = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), CHUNK):
            part = slice(start, start + CHUNK)
            found[part], triangles[part] = self._chunk(points[part])
        distances = np.linalg.norm(points - found, axis=1)
        return Nearest(points=found, triangles=self._ids[triangles], distances=distances)

    def _chunk(self, points: Array) -> tuple[Array, Indices]:
        triangles = self._sample_ids[self._samples.query(points)[1]]
        feet = closest_on_triangles(points, self._corners[triangles])
        best = _Best(triangles, feet, _squares(points - feet))
        for pairs in self._boxes.near(points, np.sqrt(best.squares)):
            self._improve(points, pairs, best)
        return best.feet, best.triangles

    def _improve(self, points: Array, pairs: Pairs, best: _Best) -> None:
        """Measure the triangles of pairs and keep the nearest of each query."""
        other = pairs.items != best.triangles[pairs.queries]
        queries, items = pairs.queries[other], pairs.items[other]
        if not queries.size:
            return
        feet = closest_on_triangles(points[queries], self._corners[items])
        squares = _squares(points[queries] - feet)
        order = np.lexsort((items, squares, queries))
        row = order[np.concatenate([[True], np.diff(queries[order]) > 0])]
        best.take(queries[row], items[row], feet[row], squares[row])


class _Best(NamedTuple):
    """The best answers so far; the arrays are changed in place."""

    triangles: Indices  # (k,)
    feet: Array  # (k, 3) [m]
    squares: Array  # of the distances, (k,) [m²]

    def take(self, owners: Indices, items: Indices, feet: Array, squares: Array) -> None:
        """Take over answers that are better; of equal ones the first triangle of the mesh."""
        equal = (squares == self.squares[owners]) & (items < self.triangles[owners])
        better = (squares < self.squares[owners]) | equal
        rows = owners[better]
        self.triangles[rows] = items[better]
        self.feet[rows] = feet[better]
        self.squares[rows] = squares[better]


def _samples(corners: Array) -> tuple[Array, Indices]:
    """Centres of the triangles, and of pieces of those that are large among their like.

    More samples only make the upper bound tighter, so their number is a matter of speed alone.
    """
    pieces, owners = corners, np.arange(len(corners))
    most = 3 * len(corners) + 4096
    target = 2.0 * _median_radius(corners)
    centres: list[Array] = []
    ids: list[Indices] = []
    kept = 0
    while len(pieces):
        radius = _radii(pieces)
        large = radius > target
        if kept + len(owners) + int(large.sum()) > most:
            large[:] = False
        centres.append(pieces[~large].mean(axis=1))
        ids.append(owners[~large])
        kept += len(ids[-1])
        pieces, owners = _halved(pieces[large]), np.repeat(owners[large], 2)
    return np.concatenate(centres), np.concatenate(ids)


def _radii(triangles: Array) -> Array:
    """Largest distance of a corner from the centre. # (n,) [m]."""
    offsets = triangles - triangles.mean(axis=1, keepdims=True)
    return np.asarray(np.sqrt(np.einsum("nij,nij->ni", offsets, offsets).max(axis=1)))


def _median_radius(corners: Array) -> float:
    """A length that few pieces should exceed: by number, but also by what the area allows."""
    radii = _radii(corners)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = float(np.linalg.norm(across, axis=1).sum()) / 2.0
    by_area = float(np.sqrt(area / (4096 + 2 * len(corners))))
    return max(float(np.median(radii)) / 2.0, by_area)


def _halved(triangles: Array) -> Array:
    """Both halves of triangles, cut across their longest edge, one after the other."""
    edges = _squares_of_edges(triangles)
    first = np.argmax(edges, axis=1)
    turn = (first[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(triangles, turn[:, :, None], axis=1), 1, 0)
    middle = (a + b) / 2.0
    halves = np.stack([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)], axis=1)
    return np.asarray(halves.reshape(-1, 3, 3))


def _squares_of_edges(triangles: Array) -> Array:
    along = np.roll(triangles, -1, axis=1) - triangles
    return np.asarray(np.einsum("nij,nij->ni", along, along))


def _squares(vectors: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors))
