"""Exact distance of a capsule's axis from a group of solids, for compiled loops."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.clearance.field_build import REACH
from planner.clearance.march import FROM, OUTSIDE, TO, Field, upper_bound, value_at
from planner.clearance.segment_distance import segment_triangle
from planner.clearance.tree_search import Left, Stack, Tree, corners_of, count_crossings, search
from planner.clearance.vectors import Vec, along

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
DISTANCE, SHARE, OWNER = 0, 1, 2  # entries of a result


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


GROUP = "(f8[2] f8[2]) i8[1] i8[1] (f4[1] f8[1])"
WORK = "(i8[1] f8[1]) i8[2] f8[1] i8[1]"


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
    result[DISTANCE], result[SHARE], result[OWNER] = limit, 0.0, -1
    if item >= 0:
        _, share = segment_triangle(a, u, corners_of(group.tree.corners, item), 1e300)
        result[DISTANCE], result[SHARE] = math.sqrt(square), first + share * length
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
                result[SHARE], result[OWNER] = share, owner
