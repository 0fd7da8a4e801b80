"""Coarser meshes for drawing: corners that share a cell of a grid become one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices

_ROUNDS = 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarseMesh:
    """Triangles that were left.

    Args:
        vertices: # (v, 3) [m]
        faces: # (f, 3)
        moved: the farthest that a corner was moved. [m]
    """

    vertices: Array
    faces: Indices
    moved: float


def decimated(vertices: Array, faces: Indices, most: int) -> CoarseMesh:
    """A mesh with at most so many triangles; the same one where it has no more.

    The edge of the grid's cells grows until few enough triangles keep three corners. Corners of a
    cell meet in their mean, so that a plane stays plane.

    Args:
        vertices: # (v, 3) [m]
        faces: # (f, 3)
        most: triangles to keep, at least 1.
    """
    if len(faces) <= most:
        return CoarseMesh(vertices=vertices, faces=faces, moved=0.0)
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = float(np.linalg.norm(across, axis=1).sum()) / 2.0
    size = float(np.ptp(vertices, axis=0).max())
    # A flat skin of squares, each of two triangles; never so small that cells have no number.
    cell = max(np.sqrt(2.0 * area / most), 1e-6 * size, 1e-12)
    for _ in range(_ROUNDS):
        coarse = _clustered(vertices, faces, cell)
        if len(coarse.faces) <= most:
            return coarse
        cell *= max(1.03, np.sqrt(len(coarse.faces) / most))
    return _clustered(vertices, faces, 4.0 * size + 1e-12)


def _clustered(vertices: Array, faces: Indices, cell: float) -> CoarseMesh:
    low = vertices.min(axis=0)
    cells = np.floor((vertices - low) / cell).astype(np.int64)
    spans = cells.max(axis=0) + 1
    key = (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    means = np.stack(
        [np.bincount(place, weights=vertices[:, axis] - low[axis]) / count for axis in range(3)],
        axis=1,
    )
    means += low
    moved = float(np.linalg.norm(means[place] - vertices, axis=1).max())
    return CoarseMesh(vertices=means, faces=_different(place[faces]), moved=moved)


def _different(faces: Indices) -> Indices:
    """Triangles with three corners, each once."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    # The least corner first keeps the side that the triangle shows.
    turn = np.argmin(faces, axis=1)[:, None] if len(faces) else np.zeros((0, 1), dtype=np.int64)
    turned = np.take_along_axis(faces, (turn + np.arange(3)) % 3, axis=1)
    _, first = np.unique(turned, axis=0, return_index=True)
    return np.asarray(turned[np.sort(first)])
