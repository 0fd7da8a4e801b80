"""Whether the part has room among obstacles that stay where they are while it moves.

The part counts as its own box, an obstacle as its convex hull, so a pose that is called free is
free; a hollow part over a post is not found. An obstacle that the part's box meets in its given
pose, as a fixture around it does, says nothing and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from planner.job import Job
from planner.job.solids import SolidKind
from robots.core.arrays import Array, Mask

_TOUCH = 1e-3  # depth that is still a touch: a part stands on its table [m]
_MOST = 64  # corners of an obstacle; one with more counts as its box


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Hull:
    """An obstacle's corners and directions across its faces. # (v, 3) [m], (m, 3)."""

    name: str
    corners: Array
    normals: Array


class PartClearance:
    """Where the part of a job may stand.

    Args:
        job: with a cell.
    """

    def __init__(self, job: Job) -> None:
        self._box = _part_box(job)
        self._hulls = _hulls(job)
        given = job.part.T_base_part[None]
        self._hulls = tuple(hull for hull in self._hulls if not self._meets(hull, given)[0])

    def free(self, poses: Array) -> Mask:
        """Poses in which the part meets no obstacle. # (p, 4, 4) -> (p,)."""
        free = np.ones(len(poses), dtype=bool)
        for hull in self._hulls:
            free &= ~self._meets(hull, poses)
        return free

    def _meets(self, hull: _Hull, poses: Array) -> Mask:
        """Whether no direction separates box and hull by more than a touch. # (p,)."""
        R = poses[:, :3, :3]
        corners = np.einsum("pij,kj->pki", R, self._box) + poses[:, None, :3, 3]
        own = np.swapaxes(R, 1, 2)
        theirs = np.broadcast_to(hull.normals, (len(poses), *hull.normals.shape))
        across = np.cross(own[:, :, None], theirs[:, None]).reshape(len(poses), -1, 3)
        axes = np.concatenate([own, theirs, across], axis=1)
        lengths = np.linalg.norm(axes, axis=2, keepdims=True)
        axes = np.where(lengths > 1e-9, axes / np.maximum(lengths, 1e-9), own[:, :1])
        mine = np.einsum("pai,pki->pak", axes, corners)
        other = np.einsum("pai,ki->pak", axes, hull.corners)
        gap = np.maximum(other.min(axis=2) - mine.max(axis=2), mine.min(axis=2) - other.max(axis=2))
        return np.asarray(np.all(gap < -_TOUCH, axis=1))


def _part_box(job: Job) -> Array:
    """Corners of the part's box in its own axes; its origin without a geometry. # (8, 3)."""
    part = job.cell.part
    if part is None:
        return np.zeros((8, 3))
    T = job.part.T_base_part
    own = (part.mesh.vertices - T[:3, 3]) @ T[:3, :3]
    return _box_corners(own)


def _box_corners(points: Array) -> Array:
    return np.array(list(product(*np.stack([points.min(axis=0), points.max(axis=0)], axis=1))))


def _hulls(job: Job) -> tuple[_Hull, ...]:
    """Obstacles that a part with a geometry may meet."""
    if job.cell.part is None:
        return ()
    return tuple(
        _hull(solid.name, solid.mesh.vertices, solid.mesh.normals)
        for solid in job.cell.solids
        if solid.kind is SolidKind.OBSTACLE
    )


def _hull(name: str, vertices: Array, normals: Array) -> _Hull:
    if len(vertices) > _MOST:
        return _Hull(name=name, corners=_box_corners(vertices), normals=np.eye(3))
    across: Array = np.unique(np.where(normals[:, :1] < 0.0, -normals, normals).round(9), axis=0)
    return _Hull(name=name, corners=np.array(vertices), normals=across[:_MOST])
