"""The ground under a motion, and the support polygons as they lie on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.motion import BipedMotion
from robots.biped.posture.ground import Ground
from robots.core.arrays import Array, Indices

_FINE = 1e-4  # [m]; polygons nearer to each other than this are one
_RANK = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroundPolygons:
    """Support polygons of a motion in the ground's frame, each once.

    Args:
        point: that the ground turns about. # (3,) [m]
        polygons: corners in the ground's plane, in the order of their first samples.
            # each (m, 2) [m]
        index: which one every sample has. # (k,)
    """

    point: Array
    polygons: tuple[Array, ...]
    index: Indices


def ground_polygons(motion: BipedMotion) -> GroundPolygons:
    """Polygons of all samples, seen along the normal of the ground of their sample."""
    point = ground_point(motion)
    found: dict[bytes, int] = {}
    polygons: list[Array] = []
    index = np.zeros(len(motion.t), dtype=np.int64)
    for row, ground in enumerate(grounds(motion, point)):
        lifted = ground.below(motion.support[row]) - ground.point
        flat = np.round((lifted @ ground.rotation)[:, :2] / _FINE) * _FINE + 0.0
        number = found.setdefault(flat.tobytes(), len(polygons))
        if number == len(polygons):
            polygons.append(flat)
        index[row] = number
    return GroundPolygons(point=point, polygons=tuple(polygons), index=index)


def grounds(motion: BipedMotion, point: Array) -> list[Ground]:
    """The ground of every sample."""
    return [Ground(alpha=a, beta=b, point=point) for a, b in motion.ground.tolist()]


def ground_point(motion: BipedMotion) -> Array:
    """A point that the ground has at all samples: the zero-moment points lie on it. # (3,) [m]."""
    told = np.isfinite(motion.zmp).all(axis=1)
    if not told.any():
        return np.zeros(3)
    normals = np.array([Ground(alpha=a, beta=b).normal for a, b in motion.ground[told].tolist()])
    heights = np.sum(normals * motion.zmp[told], axis=1)
    return np.asarray(np.linalg.lstsq(normals, heights, rcond=_RANK)[0])
