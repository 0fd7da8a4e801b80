"""Convex pieces about points: few faces, little room beyond the hull, proven to contain it.

A capsule about a block or a flat flange holds much that is not link. A convex piece holds little:
it is what lies within a few of the planes that the faces of the hull lie in, each pushed out by a
skin. A convex set contains a mesh as soon as it contains its vertices, and a vertex that keeps the
skin from every face stays inside when the corners move by less than the skin, as they do when they
are rounded for a file.

The planes start from a box. The next one is that face of the hull beyond which the corners of the
piece reach farthest in sum; with 34 planes the volume is 1 to 6 % above that of the hull.

Source: own; the outer approximation of a convex set by its supporting planes.
"""

from __future__ import annotations

import math

import numpy as np

from robots.core.arrays import Array

PLANES = 34  # 64 corners at most, as many as a robot file takes
CLOSE = 5e-4  # corners are no farther beyond any face of the hull: then planes are enough [m]
SKIN = 2e-6  # beyond the hull [m]; corners that are rounded to whole micrometres move by half of it
NONE = np.zeros((0, 3))  # corners of no piece


def fit_piece(points: Array, planes: int = PLANES) -> Array:
    """Corners of a convex piece about points; none about points that lie in one plane.

    Args:
        points: # (n, 3) [m]
        planes: of the piece, at most.

    Returns:
        # (k, 3) [m]
    """
    from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

    try:
        hull = ConvexHull(points)
        corners, centre = points[hull.vertices], points[hull.vertices].mean(axis=0)
        faces = hull.equations
        normals = _box(corners - centre)
        while True:
            offsets = (corners @ normals.T).max(axis=0) + SKIN
            spaces = np.column_stack([normals, -offsets])
            piece = np.asarray(HalfspaceIntersection(spaces, centre).intersections)
            piece = piece[ConvexHull(piece).vertices]
            beyond = piece @ faces[:, :3].T + faces[:, 3]
            if len(normals) >= planes or beyond.max() < CLOSE:
                break
            chosen = np.maximum(beyond, 0.0).sum(axis=0).argmax()
            normals = np.vstack([normals, faces[chosen, :3]])
    except (QhullError, ValueError):
        return NONE
    # What is thinner than a skin is not told from what rounding makes of it.
    return np.asarray(piece) if piece_depth(piece, points) < -0.5 * SKIN else NONE


def piece_depth(corners: Array, points: Array) -> float:
    """How far a point lies beyond a face of a piece at most; below zero: all are inside. [m]."""
    equations = face_planes(corners)
    return float((points @ equations[:, :3].T + equations[:, 3]).max(initial=-math.inf))


def face_planes(corners: Array) -> Array:
    """Outward normals and offsets n·x + d ≤ 0 of a piece's faces. # (f, 4)."""
    from scipy.spatial import ConvexHull

    return np.asarray(ConvexHull(corners).equations)


def piece_volume(corners: Array) -> float:
    """[m³]."""
    from scipy.spatial import ConvexHull

    return float(ConvexHull(corners).volume)


def _box(points: Array) -> Array:
    """Normals of the smaller of two boxes: along the axes, or along the points' own. # (6, 3)."""
    own = np.linalg.svd(points, full_matrices=False)[2]
    sizes = [float(np.prod(np.ptp(points @ axes.T, axis=0))) for axes in (np.eye(3), own)]
    axes = own if sizes[1] < 0.98 * sizes[0] else np.eye(3)
    return np.vstack([axes, -axes])
