"""The width of fat point sets in a plane or in space: every candidate on the convex hull."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array, Indices

_MOST_EDGES = 2500
_MOST_WORK = 100_000_000  # heights of corners over faces
_BLOCK = 2_000_000  # numbers in one table
_ROUNDING = 1e-12


class Narrowest(NamedTuple):
    """The direction across which points spread least."""

    normal: Array  # (d,)
    whole: bool  # every candidate has been tried


def narrowest(points: Array) -> Narrowest:
    """Try all directions in which the least width can lie.

    In a plane, the narrowest strip has an edge of the hull in one limit. In space, the narrowest
    slab has a face in one limit, or an edge in each, whose arcs on the sphere of normals cross
    (Houle and Toussaint, 1988).

    Args:
        points: # (k, d), d 2 or 3
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:  # flat to rounding; then the local answer is the only one
        return Narrowest(np.zeros(points.shape[1]), False)
    corners = points[hull.vertices]
    if len(corners) * len(hull.equations) > _MOST_WORK:
        return Narrowest(np.zeros(points.shape[1]), False)
    normals, whole = hull.equations[:, :-1], True
    if points.shape[1] == 3:
        arcs = _arcs(points, hull.simplices, hull.neighbors, normals)
        whole = len(arcs.along) <= _MOST_EDGES
        if whole:
            normals = np.concatenate([normals, _crossing(arcs)])
    widths = _widths(normals, corners)
    return Narrowest(np.asarray(normals[np.argmin(widths)]), whole)


def _widths(normals: Array, corners: Array) -> Array:
    size = max(1, _BLOCK // len(corners))
    parts = (normals[i : i + size] for i in range(0, len(normals), size))
    return np.concatenate([np.ptp(part @ corners.T, axis=1) for part in parts])


class _Arcs(NamedTuple):
    """Edges of a hull in space, and the normals of the two faces at each."""

    along: Array  # (e, 3)
    one: Array  # (e, 3)
    other: Array  # (e, 3)


def _arcs(points: Array, faces: Indices, neighbours: Indices, normals: Array) -> _Arcs:
    """A face's neighbour i lies opposite its corner i."""
    face, corner = np.nonzero(neighbours > np.arange(len(faces))[:, None])
    ends = faces[face, (corner + 1) % 3], faces[face, (corner + 2) % 3]
    along = points[ends[1]] - points[ends[0]]
    return _Arcs(along, normals[face], normals[neighbours[face, corner]])


def _crossing(arcs: _Arcs) -> Array:
    """Normals of the pairs of edges e, f such that e's arc and the antipode of f's cross."""
    e = len(arcs.along)
    size = max(1, _BLOCK // (4 * max(1, e)))
    # sides on which f's face normals lie of e's great circle, and e's of f's
    found = [np.zeros((0, 3))]
    for i in range(0, e, size):
        part = slice(i, i + size)
        first = (arcs.along[part] @ arcs.one.T) * (arcs.along[part] @ arcs.other.T)
        second = (arcs.one[part] @ arcs.along.T) * (arcs.other[part] @ arcs.along.T)
        rows, columns = np.nonzero((first <= _ROUNDING) & (second <= _ROUNDING))
        normal = np.cross(arcs.along[part][rows], arcs.along[columns])
        length = np.linalg.norm(normal, axis=1)
        good = length > _ROUNDING
        found.append(normal[good] / length[good, None])
    return np.concatenate(found)
