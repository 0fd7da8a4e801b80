"""Closest points of triangles, many pairs at once, also for triangles that are needles."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array

NEEDLE = 1e-6  # squared sine of a corner, below which the foot has lost half its digits


def closest_on_triangles(points: Array, triangles: Array) -> Array:
    """Closest point of triangle i to point i.

    The foot of the perpendicular where it falls into the triangle, else the best of the three
    edges; so nothing is divided by an area that may be zero. In a needle rounding may put the foot
    anywhere on the triangle: there the edges are asked too, and the nearer answer holds.

    Args:
        points: one per triangle. # (p, 3) [m]
        triangles: corners. # (p, 3, 3) [m]

    Returns:
        On the triangles. # (p, 3) [m]
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac, ap = b - a, c - a, points - a
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    bb, bc, cc = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    area = bb * cc - bc * bc
    v, w = cc * d1 - bc * d2, bb * d2 - bc * d1
    within = (area > 0.0) & (v >= 0.0) & (w >= 0.0) & (v + w <= area)
    scale = 1.0 / np.where(within, area, 1.0)
    result = a + (v * scale)[:, None] * ab + (w * scale)[:, None] * ac
    out = np.flatnonzero(~within | (area < NEEDLE * bb * cc))
    if out.size:
        rims = _closest_on_rims(points[out], triangles[out])
        to_rim, to_foot = points[out] - rims, points[out] - result[out]
        foot = within[out] & (_dot(to_foot, to_foot) <= _dot(to_rim, to_rim))
        result[out] = np.where(foot[:, None], result[out], rims)
    return np.asarray(result)


def _closest_on_rims(points: Array, triangles: Array) -> Array:
    """Closest points of the three edges. # (p, 3) [m]."""
    best = triangles[:, 0].copy()
    least = np.full(len(points), np.inf)
    for corner in range(3):
        start = triangles[:, corner]
        along = triangles[:, (corner + 1) % 3] - start
        square = _dot(along, along)
        share = _dot(points - start, along) / np.where(square > 0.0, square, 1.0)
        found = start + np.clip(share, 0.0, 1.0)[:, None] * along
        gap = points - found
        distance = _dot(gap, gap)
        nearer = distance < least
        best[nearer] = found[nearer]
        least = np.minimum(least, distance)
    return best


def barycentric(points: Array, triangles: Array) -> Array:
    """Weights of the corners for points on triangles, at least 0, their sum 1. # (p, 3)."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac, ap = b - a, c - a, points - a
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    bb, bc, cc = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    area = bb * cc - bc * bc
    good = area > 0.0
    scale = 1.0 / np.where(good, area, 1.0)
    v = np.clip((cc * d1 - bc * d2) * scale, 0.0, 1.0)
    w = np.clip((bb * d2 - bc * d1) * scale, 0.0, 1.0 - v)
    weights = np.stack([1.0 - v - w, v, w], axis=1)
    weights[~good] = 1.0 / 3.0
    return weights


def _dot(left: Array, right: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", left, right))
