"""Compiled loops over postures and capsules against one group of solids.

Each takes more arrays than may be named as parameters (a compiled loop has no objects), so they
come as one tuple: the axes of all capsules # (m, capsules, 6: start, vector to the end) [m], the
capsules to look at # (k,), numbers of these, then the group and the work arrays of
``solid_distance``, then what is asked and filled.
"""

from __future__ import annotations

import math
from typing import Any

from planner.clearance.march import (
    BOUND,
    CLEAR,
    DOUBT,
    FROM,
    INSIDE,
    OUTSIDE,
    TO,
    march,
    upper_bound,
)
from planner.clearance.solid_distance import (
    CROSSED,
    DISTANCE,
    OWNER,
    SHARE,
    SLACK,
    axis_distance,
    container,
    part_of,
)
from planner.clearance.tree_search import search
from planner.clearance.vectors import Vec, along


def axis_of(axes: Any, row: int, capsule: int) -> tuple[Vec, Vec]:
    """Start of a capsule's axis, and the vector to its end."""
    return (
        (axes[row, capsule, 0], axes[row, capsule, 1], axes[row, capsule, 2]),
        (axes[row, capsule, 3], axes[row, capsule, 4], axes[row, capsule, 5]),
    )


def collide(*arrays: Any) -> None:
    """Mark the postures where a capsule comes nearer than its need (k,) [m] to a solid."""
    axes, capsules, needs = arrays[:3]
    group, work, found = arrays[3:9], arrays[9:14], arrays[14]
    for row in range(len(axes)):
        for k in range(len(capsules)):
            if found[row] == 0:
                axis = axis_of(axes, row, capsules[k])
                if _too_near(group, axis, needs[k], work):
                    found[row] = 1


def _too_near(group: Any, axis: tuple[Vec, Vec], need: float, work: Any) -> bool:
    span = work[3]
    verdict = march((group[4], group[5]), axis[0], axis[1], need, span)
    if verdict == DOUBT:
        part = part_of(axis, span[FROM], span[TO] - span[FROM])
        square = max(need * need, CROSSED * CROSSED)
        _, item = search(
            (group[0], group[1]), part, (square, square), (work[4], -1), (work[0], work[1])
        )
        if item >= 0:
            return True
    elif verdict != CLEAR:
        return True
    return span[OUTSIDE] == 0.0 and container(group, axis[0], work) >= 0


def nearest(*arrays: Any) -> None:
    """Improve the nearest approach of every posture.

    Asked and filled: radii (k,) [m], pairs (k, solids), then the best value (m,) [m], its pair
    (m,) and place (m, 3) [m].
    """
    axes, capsules, radii, pairs = arrays[:4]
    group, work = arrays[4:10], arrays[10:15]
    result, value, pair, place = arrays[15:19]
    for row in range(len(axes)):
        guess, first = _guess(axes, row, (capsules, radii), (group[4], group[5]))
        for turn in range(len(capsules)):
            k = (first + turn) % len(capsules)
            axis = axis_of(axes, row, capsules[k])
            limit = max(min(value[row], guess + SLACK) + radii[k], 0.0)
            verdict = march((group[4], group[5]), axis[0], axis[1], limit, work[3])
            if verdict == CLEAR and work[3][OUTSIDE] > 0.0:
                continue
            if verdict != DOUBT:
                work[3][FROM], work[3][TO] = 0.0, 1.0
            axis_distance(group, axis, limit, work, result)
            if result[OWNER] >= 0 and result[DISTANCE] - radii[k] < value[row]:
                value[row] = result[DISTANCE] - radii[k]
                pair[row] = pairs[k, int(result[OWNER])]
                x = along(axis[0], axis[1], result[SHARE])
                place[row, 0], place[row, 1], place[row, 2] = x[0], x[1], x[2]


def _guess(axes: Any, row: int, moving: Any, field: Any) -> tuple[float, int]:
    """An upper bound of the nearest approach, and which capsule gives it."""
    capsules, radii = moving
    least, first = math.inf, 0
    for k in range(len(capsules)):
        a, u = axis_of(axes, row, capsules[k])
        for step in range(5):
            far = upper_bound(field, along(a, u, 0.25 * step)) - radii[k]
            if far < least:
                least, first = far, k
    return max(least, -radii[first]), first


def lower(*arrays: Any) -> None:
    """Lower the bound of what comes near while the capsules move by no more than their motion.

    Asked and filled: radii (k,) [m], pairs (k, solids), motions (m, capsules) [m], floors (m,) [m],
    then the bound of the motion (m,) [m], its pair (m,), and a bound of here (m,) [m].
    """
    axes, capsules, radii, pairs = arrays[:4]
    group, work = arrays[4:10], arrays[10:15]
    result, motions, floors, bound, pair, here = arrays[15:21]
    for row in range(len(axes)):
        for k in range(len(capsules)):
            axis, moved = axis_of(axes, row, capsules[k]), motions[row, capsules[k]]
            limit = max(floors[row] + moved + radii[k], 0.0)
            verdict, work[3][OUTSIDE] = INSIDE, 0.0
            if limit < math.inf:
                verdict = march((group[4], group[5]), axis[0], axis[1], limit, work[3])
            apart, owner = work[3][BOUND], -1
            if verdict != CLEAR or work[3][OUTSIDE] == 0.0:
                if verdict != DOUBT:
                    work[3][FROM], work[3][TO] = 0.0, 1.0
                axis_distance(group, axis, limit, work, result)
                apart, owner = result[DISTANCE], int(result[OWNER])
            here[row] = min(here[row], apart - radii[k])
            keeps = apart - radii[k] - moved
            if owner < 0:
                keeps = max(keeps, floors[row])  # proven; rounding must not take it away
            if keeps < bound[row]:
                bound[row], pair[row] = keeps, pairs[k, max(owner, 0)]


def segments(*arrays: Any) -> None:
    """Distances (m,) of bare segments (m, 6) from the triangles that are not left out.

    Asked and filled: the group's boxes and corners, the sorted place of every triangle (n,), the
    offsets (m + 1,) and triangles left out, the work arrays nodes, gaps, stamps (n,) of zeros.
    """
    axes, boxes, corners, places = arrays[:4]
    offsets, excluded = arrays[4:6]
    nodes, gaps, stamps, distances = arrays[6:10]
    for row in range(len(axes)):
        for k in range(offsets[row], offsets[row + 1]):
            stamps[places[excluded[k]]] = row + 1
        axis = (
            (axes[row, 0], axes[row, 1], axes[row, 2]),
            (axes[row, 3], axes[row, 4], axes[row, 5]),
        )
        square, _ = search(
            (boxes, corners), axis, (math.inf, 0.0), (stamps, row + 1), (nodes, gaps)
        )
        distances[row] = math.sqrt(square)
