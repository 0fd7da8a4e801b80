"""Points spread over triangles, dense and thinned, for distances that are nearly exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


_FINEST = 2e-3  # [m] spread of the densest points, if they are not too many
_MOST = 100_000
_FEW = 64  # thinner is not worth it


class SpreadPoints:
    """Sets of points, each thinner than the one before.

    Args:
        triangles: corners. # (t, 3, 3) [m]

    Attributes:
        spreads: how far any place of the triangles may be from a point of each set. # (s,) [m]
    """

    def __init__(self, triangles: Array) -> None:
        from scipy.spatial import cKDTree

        points, dense = _dense(triangles)
        spreads, self._trees = [dense], [_tree(cKDTree, points)]
        while len(points) > _FEW:
            cell = 2.0 * spreads[-1]
            points = _thinned(points, cell)
            # A place is near a point of the set before, which shares a cell with one that is left.
            spreads.append(spreads[-1] + float(np.sqrt(3.0)) * cell)
            self._trees.append(_tree(cKDTree, points))
        self.spreads = np.array(spreads)

    def gaps(self, places: Array, wanted: Array, bounds: Array) -> tuple[Array, Array]:
        """Distances of places from points near them, each in the thinnest set that is good enough.

        Args:
            places: # (m, 3) [m]
            wanted: spread of the set; where none is so dense, the densest serves. # (m,) [m]
            bounds: distances less the spread that are not worth knowing. # (m,) [m]

        Returns:
            Distances, or inf; and the spreads. # (m,) each [m]
        """
        level = np.maximum(np.searchsorted(self.spreads, wanted, side="right") - 1, 0)
        gaps, spread = np.full(len(places), np.inf), self.spreads[level]
        for k in np.unique(level):
            own = np.flatnonzero(level == k)
            farthest = float(np.max(bounds[own] + self.spreads[k]))
            gaps[own], _ = self._trees[k].query(places[own], distance_upper_bound=farthest)
        return gaps, np.asarray(spread)


def _tree(kind: type[cKDTree], points: Array) -> cKDTree:
    return kind(points, balanced_tree=False, compact_nodes=False)


def _thinned(points: Array, cell: float) -> Array:
    """One point of every cell of a grid."""
    _, first = np.unique(np.floor(points / cell).astype(np.int64), axis=0, return_index=True)
    return np.asarray(points[np.sort(first)])


def _dense(triangles: Array) -> tuple[Array, float]:
    """Points of triangles, and how far anything on these may be from one of them."""
    edges = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
    # The centre of a triangle is within two thirds of its longest edge from all of it.
    radius = 2.0 / 3.0 * np.max(edges, axis=1)
    spread, most = _FINEST, max(_MOST, 2 * len(triangles))
    while np.sum(np.ceil(radius / spread) ** 2) > most:
        spread *= 1.25
    parts = np.maximum(np.ceil(radius / spread), 1.0).astype(np.int64)
    return np.concatenate([_centres(triangles[parts == n], n) for n in np.unique(parts)]), spread


def _centres(triangles: Array, n: int) -> Array:
    """Centres of the n² equal parts of triangles."""
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    upright, turned = i + j <= n - 1, i + j <= n - 2
    u = np.concatenate([i[upright] + 1 / 3, i[turned] + 2 / 3]) / n
    v = np.concatenate([j[upright] + 1 / 3, j[turned] + 2 / 3]) / n
    weights = np.stack([1.0 - u - v, u, v], axis=1)
    return np.asarray(np.einsum("pk,tkx->tpx", weights, triangles).reshape(-1, 3))
