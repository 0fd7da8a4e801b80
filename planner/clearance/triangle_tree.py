"""The triangles of one or more solids, sorted into a tree of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.clearance.solid_distance import OPEN, PARITY, WINDING
from planner.clearance.tree_build import build_tree
from planner.job.solids import Solid
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop

LEAF = 4  # triangles in a leaf, at most

_BUILD = Loop(build_tree, "f8[2] f8[2] i8[1] f8[2]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TriangleTree:
    """Sorted triangles with their boxes.

    Args:
        boxes: centre and half size, see ``tree_build``. # (2·leaves - 1, 6) [m]
        corners: of the sorted triangles. Base frame. # (n, 9) [m]
        items: triangle of its solid's mesh, for every sorted one. # (n,)
        owners: its solid's place among those given. # (n,)
        kinds: how the inside of each solid is told. # (solids,)
    """

    boxes: Array
    corners: Array
    items: Indices
    owners: Indices
    kinds: Indices

    def __len__(self) -> int:
        """Number of triangles."""
        return len(self.items)

    @property
    def closed(self) -> bool:
        """Whether some solid has an inside."""
        return bool((self.kinds != OPEN).any())

    @property
    def bounds(self) -> Array:
        """Least and greatest coordinates. # (2, 3) [m]."""
        return np.stack(
            [self.boxes[0, :3] - self.boxes[0, 3:], self.boxes[0, :3] + self.boxes[0, 3:]]
        )


def tree_of(solids: Sequence[Solid]) -> TriangleTree:
    """Sort the triangles of at least one solid."""
    triangles = np.concatenate([solid.mesh.triangles for solid in solids])
    items = np.concatenate([np.arange(len(solid.mesh)) for solid in solids])
    owners = np.repeat(np.arange(len(solids)), [len(solid.mesh) for solid in solids])
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    leaves = 1
    while leaves * LEAF < len(items):
        leaves *= 2
    order = np.arange(len(items))
    boxes = np.empty((2 * leaves - 1, 6))
    _BUILD(0.5 * (low + high), 0.5 * (high - low), order, boxes)
    return TriangleTree(
        boxes=boxes,
        corners=np.ascontiguousarray(triangles[order].reshape(-1, 9)),
        items=items[order],
        owners=owners[order],
        kinds=np.array([_kind(solid) for solid in solids], dtype=np.int64),
    )


def _kind(solid: Solid) -> int:
    """How to tell the inside: by winding where the triangles agree on the outside."""
    if not solid.closed:
        return OPEN
    faces = solid.mesh.faces
    _, merged = np.unique(solid.mesh.vertices, axis=0, return_inverse=True)
    corners = merged.reshape(-1)[faces]
    starts, ends = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    edges = starts * len(solid.mesh.vertices) + ends
    backward = ends * len(solid.mesh.vertices) + starts
    real = starts != ends
    agree = np.array_equal(np.sort(edges[real]), np.sort(backward[real]))
    return WINDING if agree else PARITY
