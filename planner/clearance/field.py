"""A grid of distances from a tree's triangles, with a proven error.

The centre of every cell holds F, a lower bound of its distance D from the surface in sides of a
cell, below zero inside a closed solid. Within one side the distance is measured exactly. Farther
out it comes from the nearest marked cell centre at the distance E: the surface point nearest to the
centre lies in a marked cell, and a marked cell's centre is within half a cell's diagonal √3/2 of
the surface, so E - √3/2 ≤ D ≤ E + √3/2. As distance changes by no more than the way gone, a point p
of the cell around c is farther than F - |p - c| from the surface and nearer than F + √3 + |p - c|.
Single precision is taken off the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.clearance import field_build
from planner.clearance.solid_distance import OPEN, WINDING
from planner.clearance.triangle_tree import TriangleTree
from planner.job.solids import Solid
from robots.core.arrays import Array, Mask
from robots.core.kernels.loop import Loop

Values = NDArray[np.float32]
Rooms = NDArray[np.int32]

MARGIN = 0.15  # of the grid around the triangles, at least [m]
SHARE = 0.15  # of the longest side, likewise
CELLS = 2_000_000  # at most
CELLS_PER_TRIANGLE = 40
FEWEST = 30_000

_NEAR = Loop(field_build.measure_near, "f8[2] f8[1] f4[3]")
_MARK = Loop(field_build.mark, "f4[1] f4[1] i4[1]")
_SPREAD = Loop(field_build.spread_along, "f4[3] i8 f8[2]")
_FINISH = Loop(field_build.finish, "f4[1] f4[1] f4[1]")
_ROOMS = Loop(field_build.part_sides, "i4[1] i8[1] i4[1] i4[1] i8[1]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistanceField:
    """Lower bounds of distance at cell centres.

    Args:
        values: F, row by row. # (cells,) [cell sides]
        frame: corner of the grid (3), side of a cell, cells along the axes (3), and the least and
            greatest coordinates of the triangles (6). # (13,) [m]
    """

    values: Values
    frame: Array


def field_of(tree: TriangleTree, solids: Sequence[Solid], cells: int = CELLS) -> DistanceField:
    """Measure the field of a tree that was made of the solids."""
    low, high = tree.bounds
    margin = max(MARGIN, SHARE * float((high - low).max()))
    size = high - low + 2.0 * margin
    wanted = min(cells, max(FEWEST, CELLS_PER_TRIANGLE * len(tree)))
    side = float(np.prod(size) / wanted) ** (1.0 / 3.0)
    shape = np.ceil(size / side).astype(np.int64)
    frame = np.concatenate([low - margin, [side], shape, low, high])
    near = np.empty(tuple(shape), dtype=np.float32)
    _NEAR(tree.corners, frame[:4], near)
    squares, sides = np.empty_like(near), np.empty(near.size, dtype=np.int32)
    _MARK(near.ravel(), squares.ravel(), sides)
    scratch = np.empty((3, int(shape.max()) + 1))
    for axis in (2, 1, 0):
        _SPREAD(squares, axis, scratch)
    values = np.empty(near.size, dtype=np.float32)
    _FINISH(near.ravel(), squares.ravel(), values)
    if tree.closed:
        inside = _inside(tree, solids, sides, frame)
        np.negative(values, out=values, where=inside)
    return DistanceField(values=values, frame=frame)


def _inside(tree: TriangleTree, solids: Sequence[Solid], sides: Rooms, frame: Array) -> Mask:
    """Which cells lie inside a closed solid wholly. # (cells,)."""
    from parts.geometry.proximity import InsideTest

    shape = frame[4:7].astype(np.int64)
    seeds, waiting = np.empty_like(sides), np.empty_like(sides)
    found = np.zeros(1, dtype=np.int64)
    _ROOMS(sides, shape, seeds, waiting, found)
    places = np.stack(np.unravel_index(seeds[: int(found[0])], tuple(shape)), axis=1)
    points = frame[:3] + (places + 0.5) * frame[3]
    within = np.zeros(len(points) + 1, dtype=bool)  # the last is for the marked cells, -1
    for solid, kind in zip(solids, tree.kinds, strict=True):
        if kind != OPEN and len(points) > 1:
            test = InsideTest(solid.mesh, consistent=bool(kind == WINDING))
            within[1:-1] |= test.inside(points[1:])
    return np.asarray(within[np.where(sides > 0, sides - 1, -1)])
