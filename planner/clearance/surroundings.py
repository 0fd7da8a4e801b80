"""One group of solids around the robot: their tree, their field, and the loops over both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planner.clearance import group_loops
from planner.clearance.field import field_of
from planner.clearance.march import Field
from planner.clearance.results import Nearest
from planner.clearance.solid_distance import GROUP, WORK, Group, Work
from planner.clearance.tree_search import DEPTH, Stack, Tree
from planner.clearance.triangle_tree import tree_of
from planner.job.solids import Solid
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop

Marks = NDArray[np.uint8]

_COLLIDE = Loop(group_loops.collide, f"f8[3] i8[1] f8[1] ({GROUP}) ({WORK}) u1[1]")
_NEAREST = Loop(
    group_loops.nearest, f"f8[3] i8[1] f8[1] i8[2] ({GROUP}) ({WORK}) f8[1] f8[1] i8[1] f8[2]"
)
_LOWER = Loop(
    group_loops.lower,
    f"f8[3] i8[1] f8[1] i8[2] ({GROUP}) ({WORK}) f8[1] f8[2] f8[1] f8[1] i8[1] f8[1]",
)
_SEGMENTS = Loop(
    group_loops.segments,
    "f8[2] (f8[2] f8[2]) i8[1] i8[1] i8[1] (i8[1] f8[1]) i8[1] f8[1]",
)


class SolidGroup:
    """Solids whose triangles lie in one tree.

    Args:
        solids: at least one.
        pairs: the checker's pair of every capsule and solid, -1 for none. # (capsules, solids)
        radii: of all capsules. # (capsules,) [m]
    """

    def __init__(self, solids: Sequence[Solid], pairs: Indices, radii: Array) -> None:
        self._tree = tree_of(solids)
        field = field_of(self._tree, solids)
        tree = self._tree
        self._group = Group(
            tree=Tree(boxes=tree.boxes, corners=tree.corners),
            owners=tree.owners,
            kinds=tree.kinds,
            field=Field(values=field.values, frame=field.frame),
        )
        self._pairs, self._radii = pairs, radii

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        return len(self._tree)

    def collide(self, axes: Array, capsules: Indices, required: float, found: Marks) -> None:
        """Mark postures where one of the capsules comes nearer than required. # found (m,)."""
        needs = self._radii[capsules] + required
        _COLLIDE(axes, capsules, needs, self._group, self._work(), found)

    def nearest(self, axes: Array, capsules: Indices, best: Nearest) -> None:
        """Improve the nearest approaches in place."""
        of = (axes, capsules, self._radii[capsules], self._pairs[capsules])
        found = (np.empty(3), best.value, best.pair, best.place)
        _NEAREST(*of, self._group, self._work(), *found)

    def lower(
        self,
        axes: Array,
        capsules: Indices,
        allowed: tuple[Array, Array],
        found: tuple[Array, Indices, Array],
    ) -> None:
        """Lower bounds in place.

        Args:
            axes: of all capsules. # (m, c, 6) [m]
            capsules: to look at. # (k,)
            allowed: motions of all capsules (m, c) and floors (m,). [m]
            found: bounds of the motion (m,) [m], their pairs (m,), bounds of here (m,) [m].
        """
        of = (axes, capsules, self._radii[capsules], self._pairs[capsules])
        _LOWER(*of, self._group, self._work(), np.empty(3), *allowed, *found)

    def segments(self, axes: Array, offsets: Indices, excluded: Indices) -> Array:
        """Distances of bare segments from the first solid's triangles that are left. # (m,)."""
        places = np.empty(len(self._tree), dtype=np.int64)
        places[self._tree.items] = np.arange(len(places))
        distances = np.empty(len(axes))
        stamps = np.zeros(len(places), dtype=np.int64)
        tree = self._group.tree
        _SEGMENTS(axes, tree, places, offsets, excluded, _stack(), stamps, distances)
        return distances

    def _work(self) -> Work:
        """Work arrays of one call; calls in other threads have their own."""
        return Work(
            stack=_stack(),
            counts=np.zeros((len(self._tree.kinds) + 1, 2), dtype=np.int64),
            span=np.empty(4),
            stamps=np.empty(1, dtype=np.int64),
        )


def _stack() -> Stack:
    return Stack(nodes=np.empty(DEPTH, dtype=np.int64), gaps=np.empty(DEPTH))
