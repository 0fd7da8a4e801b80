"""Distances from solids: a grid with a proven error, exact near the surface.

The centre of every cell holds F, a lower bound of its distance D from the surface in sides of a
cell, below zero inside a closed solid. Within one side the distance is measured exactly. Farther
out it comes from the nearest marked cell centre at the distance E: the surface point nearest to the
centre lies in a marked cell, and a marked cell's centre is within half a cell's diagonal √3/2 of
the surface, so E - √3/2 ≤ D ≤ E + √3/2. As distance changes by no more than the way gone, a point p
of the cell around c is farther than F - |p - c| from the surface and nearer than F + √3 + |p - c|.
Single precision is taken off the bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.clearance.segments import (
    NEEDLE,
    Vec,
    along,
    cross,
    dot,
    minus,
    point_triangle,
    segment_triangle,
)
from planner.clearance.tree import (
    Left,
    Stack,
    Tree,
    build_tree,
    corners_of,
    count_crossings,
    search,
)
from planner.job.solids import Solid
from robots.core.arrays import Array, Indices, Mask
from robots.core.kernels.loop import Loop

Values = NDArray[np.float32]
Rooms = NDArray[np.int32]
MARGIN = 0.15  # of the grid around the triangles, at least [m]
SHARE = 0.15  # of the longest side, likewise
CELLS = 2_000_000  # at most
CELLS_PER_TRIANGLE = 40
FEWEST = 30_000


def measure_near(corners: Any, frame: Any, squares: Any) -> None:
    """Squared distances of the cell centres within ``BAND`` of the surface.

    Args:
        corners: of the triangles. # (n, 9) [m]
        frame: corner of the grid and side of a cell. # (4,) [m]
        squares: filled: exact up to ``BAND``², more elsewhere. # (nx, ny, nz)
    """
    squares[:] = FAR
    origin, scale = (frame[0], frame[1], frame[2]), 1.0 / frame[3]
    for item in range(len(corners)):
        p, q, r = corners_of(corners, item)
        p, q, r = _local(p, origin, scale), _local(q, origin, scale), _local(r, origin, scale)
        normal = cross(minus(q, p), minus(r, p))
        nn = dot(normal, normal)
        e, f = minus(q, p), minus(r, p)
        thickness = BAND * BAND * nn * 1.001 if nn > NEEDLE * dot(e, e) * dot(f, f) else -1.0
        i0, i1 = _span(p[0], q[0], r[0], squares.shape[0])
        j0, j1 = _span(p[1], q[1], r[1], squares.shape[1])
        k0, k1 = _span(p[2], q[2], r[2], squares.shape[2])
        for i in range(i0, i1):
            for j in range(j0, j1):
                for k in range(k0, k1):
                    x = (i + 0.5, j + 0.5, k + 0.5)
                    height = dot(normal, minus(x, p))
                    if thickness < 0.0 or height * height <= thickness:
                        square = point_triangle(x, (p, q, r))
                        squares[i, j, k] = min(squares[i, j, k], square)


_NEAR = Loop(measure_near, "f8[2] f8[1] f4[3]")


def mark(near: Any, squares: Any, sides: Any) -> None:
    """Mark the cells that may hold a point of the surface.

    Args:
        near: of ``measure_near``. # (cells,)
        squares: filled: 0 where marked, else ``FAR``. # (cells,)
        sides: filled: -1 where marked, else 0. # (cells,)
    """
    for cell in range(len(near)):
        marked = near[cell] <= REACH * REACH
        squares[cell] = 0.0 if marked else FAR
        sides[cell] = -1 if marked else 0


_MARK = Loop(mark, "f4[1] f4[1] i4[1]")


def spread_along(squares: Any, axis: int, scratch: Any) -> None:
    """One pass of three of the squared distance to the nearest marked cell.

    Every line of cells along an axis gets the lower envelope of the parabolas of its cells.

    Args:
        squares: squared distances so far, changed in place. # (nx, ny, nz)
        axis: of the lines.
        scratch: work array. # (3, longest axis + 1)

    Source: own writing of the well-known transform by lower envelopes, linear in the cells.
    """
    nx, ny, nz = squares.shape
    rows = ny if axis == 0 else nx
    columns = ny if axis == 2 else nz
    for row in range(rows):
        for column in range(columns):
            if axis == 0:
                line = squares[:, row, column]
            elif axis == 1:
                line = squares[row, :, column]
            else:
                line = squares[row, column, :]
            _envelope(line, scratch)


_SPREAD = Loop(spread_along, "f4[3] i8 f8[2]")


def finish(near: Any, squares: Any, values: Any) -> None:
    """Lower bounds of the distances at the cell centres, rounded down. # (cells,)."""
    for cell in range(len(near)):
        if near[cell] <= BAND * BAND:
            value = math.sqrt(near[cell])
        else:
            value = max(BAND, math.sqrt(squares[cell]) - REACH)
        values[cell] = max(value * (1.0 - 2e-6) - 1e-6, 0.0)


_FINISH = Loop(finish, "f4[1] f4[1] f4[1]")


def part_sides(sides: Any, shape: Any, seeds: Any, waiting: Any, found: Any) -> None:
    """Number the connected rooms of unmarked cells, the first being outside all solids.

    Args:
        sides: 0 and -1, see ``mark``; the room's number from 1 is filled in. # (cells,)
        shape: of the grid. # (3,)
        seeds: filled: one cell of each room. # (cells,)
        waiting: work array. # (cells,)
        found: filled: number of rooms. # (1,)
    """
    rooms = 0
    for seed in range(len(sides)):
        if sides[seed] != 0:
            continue
        seeds[rooms] = seed
        rooms += 1
        sides[seed], waiting[0], count = rooms, seed, 1
        while count > 0:
            count -= 1
            cell = waiting[count]
            for direction in range(6):
                other = _neighbour(cell, direction, shape)
                if other >= 0 and sides[other] == 0:
                    sides[other], waiting[count] = rooms, other
                    count += 1
    found[0] = rooms


_ROOMS = Loop(part_sides, "i4[1] i8[1] i4[1] i4[1] i8[1]")
LEAF = 4  # triangles in a leaf, at most
_BUILD = Loop(build_tree, "f8[2] f8[2] i8[1] f8[2]")
# A surface that an axis crosses is at least this deep in it, so that it counts at radius 0. [m]
CROSSED = 1e-12
SLACK = 1e-9  # over an upper bound, so that what it bounds is found [m]
SAMPLES = 5  # points of an axis whose depth is measured
# Directions without relation to the axes that parts are drawn along.
RAYS = (
    (0.4270, 0.3391, 0.8383),
    (-0.6612, 0.1937, 0.7247),
    (0.2713, -0.8912, 0.3637),
    (-0.3319, -0.4873, -0.8077),
    (0.9187, 0.1029, -0.3813),
    (0.1571, 0.9391, -0.3057),
)
NONE, UNSURE = -1, -2  # in place of a solid
OPEN, PARITY, WINDING = 0, 1, 2  # how the inside of a solid is told
DISTANCE, TREE_SHARE, OWNER = 0, 1, 2  # entries of a result
GROUP = "(f8[2] f8[2]) i8[1] i8[1] (f4[1] f8[1])"
WORK = "(i8[1] f8[1]) i8[2] f8[1] i8[1]"


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


class Field(NamedTuple):
    """The arrays of a ``DistanceField``.

    Args:
        values: lower bounds of distance at cell centres. # (cells,) [cell sides]
        frame: of the grid. # (13,) [m]
    """

    values: NDArray[np.float32]
    frame: NDArray[np.float64]


class Group(NamedTuple):
    """Solids whose triangles lie in one tree.

    Args:
        tree: of their triangles.
        owners: solid of every sorted triangle. # (n,)
        kinds: how the inside of each solid is told. # (solids,)
        field: of distances from them.
    """

    tree: Tree
    owners: NDArray[np.int64]
    kinds: NDArray[np.int64]
    field: Field


class Work(NamedTuple):
    """Work of one call.

    Args:
        stack: of the searches.
        counts: crossings of each solid, and a row of zeros. # (solids + 1, 2)
        span: of an axis, see ``march``. # (4,)
        stamps: stands where no triangle is left out. # (1,)
    """

    stack: Stack
    counts: NDArray[np.int64]
    span: NDArray[np.float64]
    stamps: NDArray[np.int64]


def container(group: Group, x: Vec, work: Work) -> int:
    """The first closed solid that a point is inside of, -1 for none."""
    owner = _told_by_field(group, x)
    return owner if owner != UNSURE else _told_by_rays(group, x, work)


def _told_by_field(group: Group, x: Vec) -> int:
    boxes, kinds = group.tree.boxes, group.kinds
    if not has_inside(kinds):
        return NONE
    for k in range(3):
        if abs(x[k] - boxes[0, k]) > boxes[0, k + 3]:
            return NONE
    value = value_at(group.field, x)
    if value > REACH:
        return NONE
    return 0 if value < 0.0 and len(kinds) == 1 else UNSURE


def _told_by_rays(group: Group, x: Vec, work: Work) -> int:
    kinds, counts = group.kinds, work.counts
    for attempt in range(len(RAYS)):
        if count_crossings(group.tree, (x, RAYS[attempt]), group.owners, counts, work.stack):
            break
    for solid in range(len(kinds)):
        if kinds[solid] == WINDING and counts[solid, 0] != 0:
            return solid
        if kinds[solid] == PARITY and counts[solid, 1] % 2 == 1:
            return solid
    return NONE


def has_inside(kinds: Any) -> bool:
    """Whether some solid is closed."""
    closed = 0
    for solid in range(len(kinds)):
        closed += kinds[solid] != OPEN
    return closed > 0


def part_of(axis: tuple[Vec, Vec], first: float, length: float) -> tuple[Vec, Vec]:
    """The part of an axis from one share of it on."""
    u = axis[1]
    return along(axis[0], u, first), (length * u[0], length * u[1], length * u[2])


def axis_distance(
    group: Group, axis: tuple[Vec, Vec], limit: float, work: Work, result: Any
) -> None:
    """Distance of an axis from the solids, below zero for a depth.

    Args:
        group: the solids.
        axis: start, and vector to the end. [m]
        limit: distances from here on need not be told apart; ``inf`` for none. [m]
        work: of this call; its span says which part of the axis may be nearer than the limit, and
            whether the axis is known to be outside.
        result: filled: distance or ``limit``, share of the axis where it is nearest, and the
            solid, -1 for none. # (3,)
    """
    first = work.span[FROM]
    length = work.span[TO] - first
    a, u = part_of(axis, first, length)
    reach = (max(limit * limit, CROSSED * CROSSED), 0.0)
    square, item = search(group.tree, (a, u), reach, Left(work.stamps, -1), work.stack)
    result[DISTANCE], result[TREE_SHARE], result[OWNER] = limit, 0.0, -1
    if item >= 0:
        _, share = segment_triangle(a, u, corners_of(group.tree.corners, item), 1e300)
        result[DISTANCE], result[TREE_SHARE] = math.sqrt(square), first + share * length
        result[OWNER] = group.owners[item]
        if square <= 0.0:
            result[DISTANCE] = -CROSSED
            _deepest(group, axis, work, result)
            return
    if work.span[OUTSIDE] == 0.0 and container(group, axis[0], work) >= 0:
        result[DISTANCE] = -CROSSED
        _deepest(group, axis, work, result)


def _deepest(group: Group, axis: tuple[Vec, Vec], work: Work, result: Any) -> None:
    """Replace the result by the deepest sample that is inside, if one is deeper."""
    for k in range(SAMPLES):
        share = k / (SAMPLES - 1.0)
        x = along(axis[0], axis[1], share)
        owner = container(group, x, work)
        if owner >= 0:
            limit = upper_bound(group.field, x) + SLACK
            square, _ = search(
                group.tree,
                (x, (0.0, 0.0, 0.0)),
                (limit * limit, 0.0),
                Left(work.stamps, -1),
                work.stack,
            )
            if -math.sqrt(square) < result[DISTANCE] or result[OWNER] < 0:
                result[DISTANCE] = -max(math.sqrt(square), CROSSED)
                result[TREE_SHARE], result[OWNER] = share, owner


CLEAR, HIT, INSIDE, DOUBT = 0, 1, 2, 3
FROM, TO, BOUND, OUTSIDE = 0, 1, 2, 3  # entries of a span
# Half the diagonal of a cell, √3/2, and a little: a cell whose centre is farther than this from
# every surface holds no point of one, and is of one side.
REACH = 0.8661


# ------------------------------------------------------------------------------------------- March
# Compiled loops. The axis is sampled from its start; a sample whose distance bound exceeds the need
# by g clears the axis for g to both sides, so the next sample may stand that far ahead.

DIAGONAL = 2.0 * REACH
MEASURED = 0.99  # values up to here are measured, not taken from a marked cell
SHORTEST = 0.75  # step through doubt [cell sides]
STRIDE = 1.6  # of the cleared length; the next sample mostly clears what is left between


def march(field: Field, a: Vec, u: Vec, need: float, span: Any) -> int:
    """Judge the axis a + [0, 1]·u by the field alone.

    Args:
        field: around the solids.
        a: start of the axis. Base frame. [m]
        u: from its start to its end. [m]
        need: distance from the surface that is asked for. [m]
        span: filled: shares of the axis where the doubt begins and ends; a lower bound of the
            distance of the rest [m]; 1 where a point of the axis is known to be outside all
            closed solids, else 0. # (4,)

    Returns:
        CLEAR: nothing is nearer than the need. HIT: something is. INSIDE: a point of the axis is
        inside a closed solid. DOUBT: only what lies in the span may be too near.
    """
    values, frame = field.values, field.frame
    span[FROM], span[TO], span[OUTSIDE] = 1.0, 0.0, 0.0
    first, last = _clip(frame, (a, u), need, span)
    if first > last:
        span[OUTSIDE] = 1.0
        return CLEAR
    scale = 1.0 / frame[3]
    length = math.sqrt(dot(u, u)) * scale
    start = _in_cells(frame, a)
    inverse = 1.0 / length if length > 0.0 else 0.0
    way = (u[0] * scale * inverse, u[1] * scale * inverse, u[2] * scale * inverse)
    wanted, s, end = need * scale, first * length, last * length
    covered, before, lowest, last_bound = s, s, 1e300, 1e300
    while True:
        p = along(start, way, s)
        value, offset = _look_up(values, frame, p)
        if value < 0.0 or _most(value) + offset < wanted:
            return INSIDE if value < 0.0 else HIT
        bound = value - offset
        if offset > REACH:
            bound = max(bound, _box_distance(frame, p))
        if value > REACH:
            span[OUTSIDE] = 1.0
        lowest = min(lowest, bound, 0.5 * (bound + last_bound - (s - before)))
        gain = bound - wanted
        before, last_bound = s, bound
        if gain >= 0.0:
            if s - gain > covered:
                _doubt(span, covered * inverse, (s - gain) * inverse)
            covered = s + gain
        if s >= end:
            break
        s = min(s + max(STRIDE * gain, SHORTEST), end)
    if covered < end or (gain < 0.0 and length <= 0.0):
        _doubt(span, covered * inverse, end * inverse)
    if span[FROM] <= span[TO]:
        return DOUBT
    span[BOUND] = max(need, min(span[BOUND], lowest * frame[3]))
    return CLEAR


def _doubt(span: Any, first: float, last: float) -> None:
    span[FROM] = min(span[FROM], first)
    span[TO] = max(span[TO], last)


def _clip(frame: Any, axis: tuple[Vec, Vec], need: float, span: Any) -> tuple[float, float]:
    """Where the axis comes within the need of the triangles' box; a bound of the rest."""
    a, u = axis
    first, last, apart = 0.0, 1.0, 0.0
    for k in range(3):
        low, high = frame[7 + k] - need, frame[10 + k] + need
        if u[k] != 0.0:
            one, other = (low - a[k]) / u[k], (high - a[k]) / u[k]
            first, last = max(first, min(one, other)), min(last, max(one, other))
        elif a[k] < low or a[k] > high:
            last = -1.0
        gap = max(frame[7 + k] - max(a[k], a[k] + u[k]), min(a[k], a[k] + u[k]) - frame[10 + k])
        apart += max(gap, 0.0) ** 2
    if first > last:
        span[BOUND] = max(need, math.sqrt(apart) * (1.0 - 1e-12))
        return first, last
    span[BOUND] = need if first > 0.0 or last < 1.0 else 1e300
    return max(first - 1e-9, 0.0), min(last + 1e-9, 1.0)


def _in_cells(frame: Any, x: Vec) -> Vec:
    """Coordinates of a point from the grid's corner. [cell sides]."""
    scale = 1.0 / frame[3]
    return ((x[0] - frame[0]) * scale, (x[1] - frame[1]) * scale, (x[2] - frame[2]) * scale)


def _look_up(values: Any, frame: Any, p: Vec) -> tuple[float, float]:
    """Value of the nearest cell and distance of p from its centre. [cell sides]."""
    ny, nz = int(frame[5]), int(frame[6])
    i = min(max(int(p[0]), 0), int(frame[4]) - 1)
    j = min(max(int(p[1]), 0), ny - 1)
    k = min(max(int(p[2]), 0), nz - 1)
    x, y, z = p[0] - i - 0.5, p[1] - j - 0.5, p[2] - k - 0.5
    return float(values[(i * ny + j) * nz + k]), math.sqrt(x * x + y * y + z * z)


def value_at(field: Field, x: Vec) -> float:
    """Value of the cell that holds a point of the grid. [cell sides]."""
    value, _ = _look_up(field.values, field.frame, _in_cells(field.frame, x))
    return value


def upper_bound(field: Field, x: Vec) -> float:
    """A distance from the surface that a point does not exceed. [m]."""
    value, offset = _look_up(field.values, field.frame, _in_cells(field.frame, x))
    return float((_most(abs(value)) + offset) * field.frame[3])


def _most(value: float) -> float:
    """What the distance at a cell's centre does not exceed, from its lower bound."""
    far = DIAGONAL if value > MEASURED else 0.0
    return value * (1.0 + 5e-6) + 4e-6 + far


def _box_distance(frame: Any, p: Vec) -> float:
    """Distance of a point from the triangles' box. [cell sides]."""
    square = 0.0
    for k in range(3):
        low = (frame[7 + k] - frame[k]) / frame[3]
        high = (frame[10 + k] - frame[k]) / frame[3]
        gap = max(low - p[k], p[k] - high, 0.0)
        square += gap * gap
    return math.sqrt(square) * (1.0 - 1e-12)


# ------------------------------------------------------------------------------------- Field build
# Lengths are in sides of a grid cell, from the grid's corner; cell (i, j, k) is the cube from
# (i, j, k) to (i + 1, j + 1, k + 1).

BAND = 1.0  # from a surface to cell centres that are measured exactly
FAR = 1e18  # squared distance of a cell that is not measured


def _local(point: Vec, origin: Vec, scale: float) -> Vec:
    gap = minus(point, origin)
    return (gap[0] * scale, gap[1] * scale, gap[2] * scale)


def _span(a: float, b: float, c: float, size: int) -> tuple[int, int]:
    """Cells whose centres may be within ``BAND`` of the interval around three coordinates."""
    low = int(min(a, b, c) - BAND - 0.5)
    high = int(max(a, b, c) + BAND + 0.5) + 1
    return max(low, 0), min(high, size)


def _envelope(line: Any, scratch: Any) -> None:
    values, feet, starts = scratch[0], scratch[1], scratch[2]
    count = -1
    for i in range(len(line)):
        values[i] = line[i]
        if values[i] >= FAR:
            continue
        start = -1e30
        while count >= 0:
            foot = int(feet[count])
            start = (values[i] + i * i - values[foot] - foot * foot) / (2.0 * (i - foot))
            if start > starts[count]:
                break
            count -= 1
            start = -1e30
        count += 1
        feet[count], starts[count] = i, start
    if count < 0:
        return
    at = 0
    for i in range(len(line)):
        while at < count and starts[at + 1] <= i:
            at += 1
        foot = int(feet[at])
        line[i] = values[foot] + (i - foot) * (i - foot)


def _neighbour(cell: int, direction: int, shape: Any) -> int:
    """The cell beyond one of the six faces; -1 outside the grid."""
    nz, layer = shape[2], shape[1] * shape[2]
    if direction == 0:
        return cell - 1 if cell % nz > 0 else -1
    if direction == 1:
        return cell + 1 if cell % nz < nz - 1 else -1
    row = cell % layer
    if direction == 2:
        return cell - nz if row >= nz else -1
    if direction == 3:
        return cell + nz if row < layer - nz else -1
    if direction == 4:
        return cell - layer if cell >= layer else -1
    return cell + layer if cell < layer * (shape[0] - 1) else -1
