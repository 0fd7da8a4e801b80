"""Edges of a mesh, counted by sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Indices, Mask


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


def open_ends(faces: Indices, vertices: int) -> Indices:
    """Vertices at the ends of edges that belong to one triangle only, in order.

    Args:
        faces: any; one that names a vertex twice has no edges. # (f, 3)
        vertices: their number, above every index.
    """
    solid = faces[(faces != faces[:, [1, 2, 0]]).all(axis=1)]
    if not len(solid):
        return np.zeros(0, dtype=np.int64)
    edge, uses = np.unique(_keys(solid, vertices)[0], return_counts=True)
    lonely = edge[uses == 1]
    return np.unique(np.concatenate([lonely // vertices, lonely % vertices]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pieces:
    """Groups of triangles that share edges of two triangles.

    Args:
        piece: of every triangle; those that name a vertex twice are pieces of their own. # (f,)
        closed: pieces whose every edge joins exactly two of their triangles. # (p,)
        turned: triangles of closed pieces that wind against the first of their piece. # (f,)
        sided: closed pieces with an inside and an outside; a Klein bottle has none. # (p,)
    """

    piece: Indices
    closed: Mask
    turned: Mask
    sided: Mask


def pieces_of(faces: Indices, vertices: int) -> Pieces:
    """Group triangles by their edges, and find those that wind against their neighbours.

    Every triangle stands for two sides. Neighbours that wind alike join equal sides, others
    opposite ones; where both sides of a triangle come together, the piece has but one.

    Args:
        faces: any. # (f, 3)
        vertices: their number, above every index.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(faces)
    solid = np.flatnonzero((faces != faces[:, [1, 2, 0]]).all(axis=1))
    keys, forward = _keys(faces[solid], vertices)
    order = np.argsort(keys, kind="stable")
    edge = np.cumsum(np.diff(keys[order], prepend=-1) != 0)
    forward, owner = forward[order], np.tile(solid, 3)[order]
    pairs = np.flatnonzero((np.bincount(edge)[edge[:-1]] == 2) & (edge[1:] == edge[:-1]))
    one, other = owner[pairs], owner[pairs + 1]

    def groups(start: Indices, end: Indices, size: int) -> Indices:
        links = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(size, size))
        return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)

    piece = groups(one, other, count)
    number = int(piece.max()) + 1
    uses = np.unique(edge * number + piece[owner], return_counts=True)
    closed = np.zeros(number, dtype=bool)
    closed[piece[solid]] = True
    closed[uses[0][uses[1] != 2] % number] = False
    across = np.where(forward[pairs] == forward[pairs + 1], count, 0)  # to the opposite side
    side = groups(
        np.concatenate([one, one + count]),
        np.concatenate([other + across, (other + count + across) % (2 * count)]),
        2 * count,
    )
    sided = closed.copy()
    sided[piece[side[:count] == side[count:]]] = False
    first = np.full(number, count)
    np.minimum.at(first, piece, np.arange(count))
    turned = (side[:count] != side[first[piece]]) & sided[piece]
    return Pieces(piece=piece, closed=closed, turned=turned, sided=sided)


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
