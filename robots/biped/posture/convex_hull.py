"""Convex hull of points in a plane, by the monotone chain."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.core.arrays import Array

# A corner that stands out by less than this part of the set's width is rounding, not a corner.
_FLAT = 1e-9


def convex_hull(points: ArrayLike) -> Array:
    """Corners of the hull, counter-clockwise, beginning with the lowest x.

    Points on an edge, or out of it by rounding, are no corners.

    Args:
        points: # (k, 2) [m]

    Returns:
        The corners. # (m, 2) [m], 3 ≤ m ≤ k

    Raises:
        BipedError: points that are not finite, or that span no area.
    """
    cloud = np.asarray(points, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 2 or not np.all(np.isfinite(cloud)):
        raise BipedError(
            f"A convex hull is asked of an array of shape {cloud.shape}; "
            "give points of two finite coordinates in metres.",
            shape=cloud.shape,
        )
    if len(cloud) < 3:
        raise BipedError(f"A support polygon of {len(cloud)} points has no area; give three.")
    width = float(np.ptp(cloud, axis=0).max())
    ordered = cloud[np.lexsort((cloud[:, 1], cloud[:, 0]))]
    lower = _chain(ordered, width)
    upper = _chain(ordered[::-1], width)
    corners = np.array([*lower[:-1], *upper[:-1]])
    if len(corners) < 3:
        raise BipedError(
            f"The {len(cloud)} points of contact lie on one line, {1e3 * width:.4g} mm long: they "
            "span no area to stand on; bring another corner of a sole to the ground.",
            width=width,
        )
    return corners


def _chain(ordered: Array, width: float) -> list[Array]:
    """The right-hand side of the set on the way from its first point to its last."""
    chain: list[Array] = []
    for point in ordered:
        while len(chain) > 1 and _left_by(chain[-2], chain[-1], point) <= _FLAT * width:
            chain.pop()
        if chain and float(np.abs(point - chain[-1]).max()) <= _FLAT * width:
            continue  # the same point again
        chain.append(point)
    return chain


def _left_by(a: Array, b: Array, point: Array) -> float:
    """How far ``b`` stands out to the right of the line from ``a`` to ``point``. [m]."""
    along = point - a
    length = float(np.hypot(along[0], along[1]))
    if length == 0.0:
        return 0.0
    return float((b[0] - a[0]) * along[1] - (b[1] - a[1]) * along[0]) / length
