"""Filling of a distance field, as compiled loops: near the surface, away from it, and its sides.

Lengths are in sides of a grid cell, from the grid's corner; cell (i, j, k) is the cube from
(i, j, k) to (i + 1, j + 1, k + 1).
"""

from __future__ import annotations

import math
from typing import Any

from planner.clearance.segment_distance import NEEDLE, point_triangle
from planner.clearance.tree_search import corners_of
from planner.clearance.vectors import Vec, cross, dot, minus

BAND = 1.0  # from a surface to cell centres that are measured exactly
# Half the diagonal of a cell, √3/2, and a little: a cell whose centre is farther than this from
# every surface holds no point of one, and is of one side.
REACH = 0.8661
FAR = 1e18  # squared distance of a cell that is not measured


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


def _local(point: Vec, origin: Vec, scale: float) -> Vec:
    gap = minus(point, origin)
    return (gap[0] * scale, gap[1] * scale, gap[2] * scale)


def _span(a: float, b: float, c: float, size: int) -> tuple[int, int]:
    """Cells whose centres may be within ``BAND`` of the interval around three coordinates."""
    low = int(min(a, b, c) - BAND - 0.5)
    high = int(max(a, b, c) + BAND + 0.5) + 1
    return max(low, 0), min(high, size)


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


def finish(near: Any, squares: Any, values: Any) -> None:
    """Lower bounds of the distances at the cell centres, rounded down. # (cells,)."""
    for cell in range(len(near)):
        if near[cell] <= BAND * BAND:
            value = math.sqrt(near[cell])
        else:
            value = max(BAND, math.sqrt(squares[cell]) - REACH)
        values[cell] = max(value * (1.0 - 2e-6) - 1e-6, 0.0)


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
