"""How near two feet come to each other, seen from above.

A leg stands over every sole, so a foot that is swung over another one meets its leg: how high it is
swung does not part them, and the distance of the two convex polygons is the judge.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array


def polygon_distance(first: Array, second: Array) -> Array:
    """Distance of two convex polygons; negative is the least way that parts them.

    Args:
        first: corners, counter-clockwise. # (k, m, 2) [m]
        second: # (k, n, 2) [m]
    """
    # Overlapping polygons part most easily along the normal of an edge of one of them; polygons
    # that are apart are nearest at a corner of one of them.
    gap = np.maximum(_beyond(first, second), _beyond(second, first))
    near = np.minimum(_to_edges(first, second), _to_edges(second, first))
    return np.asarray(np.where(gap > 0.0, near, gap))


def _beyond(first: Array, second: Array) -> Array:
    """Most that the second is beyond one edge of the first as a whole. # (k,) [m]."""
    along = np.roll(first, -1, axis=-2) - first
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    outward = outward / np.linalg.norm(along, axis=-1, keepdims=True)
    out = np.einsum("...ec,...pc->...ep", outward, second)
    own = np.sum(outward * first, axis=-1)
    return np.asarray((out.min(axis=-1) - own).max(axis=-1))


def _to_edges(first: Array, second: Array) -> Array:
    """Least distance of the second's corners from the edges of the first. # (k,) [m]."""
    along = np.roll(first, -1, axis=-2) - first
    lever = second[..., None, :] - first[..., None, :, :]
    part = np.einsum("...pec,...ec->...pe", lever, along) / np.sum(along**2, axis=-1)[..., None, :]
    miss = lever - np.clip(part, 0.0, 1.0)[..., None] * along[..., None, :, :]
    return np.asarray(np.linalg.norm(miss, axis=-1).min(axis=(-1, -2)))
