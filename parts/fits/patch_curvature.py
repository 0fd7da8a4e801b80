"""The curvatures of the patch that points look like: a paraboloid over their plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.plane import principal_axes
from robots.core.arrays import Array


class Curvatures(NamedTuple):
    """Principal curvatures where the centroid's plane normal meets the patch.

    A curvature is positive where the patch bends towards ``normal``.
    """

    point: Array  # (3,)
    normal: Array  # (3,)
    first: Array  # direction of the greater bend, (3,)
    second: Array  # of the lesser, (3,)
    bends: Array  # (2,)


def curvatures_of(points: Array) -> Curvatures:
    """Least-squares paraboloid z = c + d·x + ½ x·H x over the points' plane.

    The shape operator is that of a graph: (I + ∇z ∇zᵀ)⁻¹ H / √(1 + |∇z|²).

    Args:
        points: centred; with fewer than six the answer is one of many. # (3, k)
    """
    axes = principal_axes(points)
    x, y, z = axes @ points
    monomials = np.stack([np.ones_like(x), x, y, 0.5 * x * x, x * y, 0.5 * y * y], axis=1)
    c, dx, dy, hxx, hxy, hyy = np.linalg.lstsq(monomials, z, rcond=1e-9)[0].tolist()
    slope = np.array([dx, dy])
    steep = np.sqrt(1.0 + slope @ slope)
    metric = np.eye(2) + np.outer(slope, slope)
    H = np.array([[hxx, hxy], [hxy, hyy]]) / steep
    L = np.linalg.cholesky(metric)
    bends, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, H).T))
    across = np.linalg.solve(L.T, vectors).T  # rows in the plane
    tangents = np.concatenate([across, (across @ slope)[:, None]], axis=1) @ axes
    order = np.argsort(-np.abs(bends))
    tangents = tangents[order] / np.linalg.norm(tangents[order], axis=1, keepdims=True)
    normal = np.array([-dx, -dy, 1.0]) / steep @ axes
    return Curvatures(c * axes[2], normal, tangents[0], tangents[1], bends[order])
