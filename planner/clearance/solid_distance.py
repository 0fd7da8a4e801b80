"""Exact distance of a capsule's axis from a group of solids, for compiled loops.

A ``group`` is the tuple (boxes, corners, owners, kinds, values, frame) of a ``Surroundings``; a
``work`` the tuple (nodes, gaps, counts, span, stamps) of its work arrays.
"""

from __future__ import annotations

import math
from typing import Any

from planner.clearance.field_build import REACH
from planner.clearance.march import FROM, OUTSIDE, TO, upper_bound, value_at
from planner.clearance.segment_distance import segment_triangle
from planner.clearance.tree_search import corners_of, count_crossings, search
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


def container(group: Any, x: Vec, work: Any) -> int:
    """The first closed solid that a point is inside of, -1 for none."""
    owner = _told_by_field(group, x)
    return owner if owner != UNSURE else _told_by_rays(group, x, work)


def _told_by_field(group: Any, x: Vec) -> int:
    boxes, kinds = group[0], group[3]
    if not has_inside(kinds):
        return NONE
    for k in range(3):
        if abs(x[k] - boxes[0, k]) > boxes[0, k + 3]:
            return NONE
    value = value_at((group[4], group[5]), x)
    if value > REACH:
        return NONE
    return 0 if value < 0.0 and len(kinds) == 1 else UNSURE


def _told_by_rays(group: Any, x: Vec, work: Any) -> int:
    boxes, corners, owners, kinds = group[0], group[1], group[2], group[3]
    counts, stack = work[2], (work[0], work[1])
    for attempt in range(len(RAYS)):
        if count_crossings((boxes, corners), (x, RAYS[attempt]), owners, counts, stack):
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


def axis_distance(group: Any, axis: tuple[Vec, Vec], limit: float, work: Any, result: Any) -> None:
    """Distance of an axis from the solids, below zero for a depth.

    Args:
        group: see above.
        axis: start, and vector to the end. [m]
        limit: distances from here on need not be told apart; ``inf`` for none. [m]
        work: see above; the span says which part of the axis may be nearer than the limit, and
            whether the axis is known to be outside.
        result: filled: distance or ``limit``, share of the axis where it is nearest, and the
            solid, -1 for none. # (3,)
    """
    stack, skip, first = (work[0], work[1]), (work[4], -1), work[3][FROM]
    length = work[3][TO] - first
    a, u = part_of(axis, first, length)
    reach = (max(limit * limit, CROSSED * CROSSED), 0.0)
    square, item = search((group[0], group[1]), (a, u), reach, skip, stack)
    result[DISTANCE], result[SHARE], result[OWNER] = limit, 0.0, -1
    if item >= 0:
        _, share = segment_triangle(a, u, corners_of(group[1], item), 1e300)
        result[DISTANCE], result[SHARE] = math.sqrt(square), first + share * length
        result[OWNER] = group[2][item]
        if square <= 0.0:
            result[DISTANCE] = -CROSSED
            _deepest(group, axis, work, result)
            return
    if work[3][OUTSIDE] == 0.0 and container(group, axis[0], work) >= 0:
        result[DISTANCE] = -CROSSED
        _deepest(group, axis, work, result)


def _deepest(group: Any, axis: tuple[Vec, Vec], work: Any, result: Any) -> None:
    """Replace the result by the deepest sample that is inside, if one is deeper."""
    for k in range(SAMPLES):
        share = k / (SAMPLES - 1.0)
        x = along(axis[0], axis[1], share)
        owner = container(group, x, work)
        if owner >= 0:
            limit = upper_bound((group[4], group[5]), x) + SLACK
            square, _ = search(
                (group[0], group[1]),
                (x, (0.0, 0.0, 0.0)),
                (limit * limit, 0.0),
                (work[4], -1),
                (work[0], work[1]),
            )
            if -math.sqrt(square) < result[DISTANCE] or result[OWNER] < 0:
                result[DISTANCE] = -max(math.sqrt(square), CROSSED)
                result[SHARE], result[OWNER] = share, owner
