"""Edges of a mesh, counted by sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCounts:
    """How the edges of a mesh are used.

    Args:
        edges: different ones.
        open: used by one triangle.
        non_manifold: used by more than two.
        miswound: used by two triangles in the same direction.
    """

    edges: int
    open: int
    non_manifold: int
    miswound: int


def count_edges(faces: Indices, vertices: int) -> EdgeCounts:
    """Count the edges of triangles.

    Args:
        faces: without degenerate ones. # (f, 3)
        vertices: their number, above every index.
    """
    if not len(faces):
        return EdgeCounts(edges=0, open=0, non_manifold=0, miswound=0)
    keys, forward = _keys(faces, vertices)
    # the direction is the lowest bit, so that one sort of plain integers groups and orders
    keys = np.sort(keys * 2 + forward)
    edge, forward = keys >> 1, keys & 1
    starts = np.flatnonzero(np.concatenate([[True], edge[1:] != edge[:-1]]))
    uses = np.diff(np.append(starts, len(edge)))
    ahead = np.add.reduceat(forward, starts)
    return EdgeCounts(
        edges=len(starts),
        open=int((uses == 1).sum()),
        non_manifold=int((uses > 2).sum()),
        miswound=int(((uses == 2) & (ahead != 1)).sum()),
    )


def _keys(faces: Indices, vertices: int) -> tuple[Indices, Indices]:
    """One integer per edge without direction, and 1 where it runs from low to high vertex."""
    start = faces.ravel(order="F")
    end = np.roll(faces, -1, axis=1).ravel(order="F")
    low, high = np.minimum(start, end), np.maximum(start, end)
    return low * vertices + high, (start < end).astype(np.int64)


def count_pieces(faces: Indices, vertices: int) -> int:
    """Number of groups of triangles that share vertices.

    Args:
        faces: any. # (f, 3)
        vertices: their number, above every index; those of no triangle do not count.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    start = np.concatenate([faces[:, 0], faces[:, 1]])
    end = np.concatenate([faces[:, 1], faces[:, 2]])
    links = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(vertices,) * 2)
    used = np.zeros(vertices, dtype=bool)
    used[faces.ravel()] = True
    groups = connected_components(links, directed=False, return_labels=False)
    return int(groups) - int(vertices - used.sum())
