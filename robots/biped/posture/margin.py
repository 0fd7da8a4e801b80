"""Signed distance from points to the boundary of a convex polygon.

Positive inside, negative outside; outside it is the exact distance to the nearest edge or corner,
not that to the edge's line. So the margin changes by no more than the point moves.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Indices

_TIE = 1e-12  # [m] distances nearer to each other than this are one: a corner belongs to two edges


def inward_distances(corners: Array, points: Array) -> Array:
    """Distance of points to the line of every edge, positive on the polygon's side.

    Args:
        corners: counter-clockwise; edge k runs from corner k to the next. # (m, 2) [m]
        points: # (..., 2) [m]

    Returns:
        Distances. # (..., m) [m]
    """
    normals = inward_normals(corners)
    return np.asarray(points @ normals.T - np.sum(normals * corners, axis=1))


def inward_normals(corners: Array) -> Array:
    """Unit normals of the edges, into the polygon. # (m, 2)."""
    along = np.roll(corners, -1, axis=0) - corners
    turned = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return np.asarray(turned / np.linalg.norm(along, axis=1)[:, None])


def edge_distances(corners: Array, points: Array) -> Array:
    """Distance of points to every edge, from corner to corner. # (..., 2) -> (..., m) [m]."""
    along = np.roll(corners, -1, axis=0) - corners
    lever = points[..., None, :] - corners
    part = np.sum(lever * along, axis=-1) / np.sum(along * along, axis=-1)
    miss = lever - np.clip(part, 0.0, 1.0)[..., None] * along
    return np.asarray(np.hypot(miss[..., 0], miss[..., 1]))


def signed_margin(corners: Array, points: Array) -> Array:
    """Distance to the boundary, positive inside, zero on it. # (..., 2) -> (...) [m]."""
    inward = np.min(inward_distances(corners, points), axis=-1)
    outside = np.min(edge_distances(corners, points), axis=-1)
    return np.asarray(np.where(inward >= 0.0, inward, -outside))


def nearest_edge(corners: Array, points: Array) -> Indices:
    """Index of the nearest edge; beyond a corner, of the edge that is overstepped more. # (...)."""
    distance = edge_distances(corners, points)
    near = distance <= np.min(distance, axis=-1, keepdims=True) + _TIE
    overstepped = np.where(near, inward_distances(corners, points), np.inf)
    return np.asarray(np.argmin(overstepped, axis=-1))


def reach(corners: Array, point: Array, direction: Array) -> float:
    """How far a point can go in a direction before it meets the boundary.

    Negative where an edge that lies in this direction is overstepped already.

    Args:
        corners: counter-clockwise. # (m, 2) [m]
        point: # (2,) [m]
        direction: unit vector. # (2,)
    """
    rate = -inward_normals(corners) @ direction
    ahead = rate > _TIE
    return float(np.min(inward_distances(corners, point)[ahead] / rate[ahead]))
