"""Compiled loops over postures and capsules against one group of solids.

``axes`` are those of all capsules, start and vector to the end # (m, capsules, 6) [m]; ``capsules``
are those to look at # (k,).
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
    Field,
    march,
    upper_bound,
)
from planner.clearance.solid_distance import (
    CROSSED,
    DISTANCE,
    OWNER,
    SHARE,
    SLACK,
    Group,
    Work,
    axis_distance,
    container,
    part_of,
)
from planner.clearance.tree_search import Left, Stack, Tree, search
from planner.clearance.vectors import Vec, along


def axis_of(axes: Any, row: int, capsule: int) -> tuple[Vec, Vec]:
    """Start of a capsule's axis, and the vector to its end."""
    return (
        (axes[row, capsule, 0], axes[row, capsule, 1], axes[row, capsule, 2]),
        (axes[row, capsule, 3], axes[row, capsule, 4], axes[row, capsule, 5]),
    )


def collide(axes: Any, capsules: Any, needs: Any, group: Group, work: Work, found: Any) -> None:
    """Mark the postures where a capsule comes nearer than its need to a solid.

    Args:
        axes: see the module.
        capsules: see the module.
        needs: of each. # (k,) [m]
        group: the solids.
        work: of this call.
        found: filled with 1 where one is nearer. # (m,)
    """
    for row in range(len(axes)):
        for k in range(len(capsules)):
            if found[row] == 0:
                axis = axis_of(axes, row, capsules[k])
                if _too_near(group, axis, needs[k], work):
                    found[row] = 1


def _too_near(group: Group, axis: tuple[Vec, Vec], need: float, work: Work) -> bool:
    span = work.span
    verdict = march(group.field, axis[0], axis[1], need, span)
    if verdict == DOUBT:
        part = part_of(axis, span[FROM], span[TO] - span[FROM])
        square = max(need * need, CROSSED * CROSSED)
        _, item = search(group.tree, part, (square, square), Left(work.stamps, -1), work.stack)
        if item >= 0:
            return True
    elif verdict != CLEAR:
        return True
    return span[OUTSIDE] == 0.0 and container(group, axis[0], work) >= 0


def nearest(
    axes: Any,
    capsules: Any,
    radii: Any,
    pairs: Any,
    group: Group,
    work: Work,
    result: Any,
    value: Any,
    pair: Any,
    place: Any,
) -> None:
    """Improve the nearest approach of every posture.

    Args:
        axes: see the module.
        capsules: see the module.
        radii: of each. # (k,) [m]
        pairs: number of the pair of each and each solid. # (k, solids)
        group: the solids.
        work: of this call.
        result: work: of one axis, see ``axis_distance``. # (3,)
        value: improved: the nearest approach. # (m,) [m]
        pair: improved: which pair it is of. # (m,)
        place: improved: where on the capsule's axis. # (m, 3) [m]
    """
    for row in range(len(axes)):
        guess, first = _guess(axes, row, capsules, radii, group.field)
        for turn in range(len(capsules)):
            k = (first + turn) % len(capsules)
            axis = axis_of(axes, row, capsules[k])
            limit = max(min(value[row], guess + SLACK) + radii[k], 0.0)
            verdict = march(group.field, axis[0], axis[1], limit, work.span)
            if verdict == CLEAR and work.span[OUTSIDE] > 0.0:
                continue
            if verdict != DOUBT:
                work.span[FROM], work.span[TO] = 0.0, 1.0
            axis_distance(group, axis, limit, work, result)
            if result[OWNER] >= 0 and result[DISTANCE] - radii[k] < value[row]:
                value[row] = result[DISTANCE] - radii[k]
                pair[row] = pairs[k, int(result[OWNER])]
                x = along(axis[0], axis[1], result[SHARE])
                place[row, 0], place[row, 1], place[row, 2] = x[0], x[1], x[2]


def _guess(axes: Any, row: int, capsules: Any, radii: Any, field: Field) -> tuple[float, int]:
    """An upper bound of the nearest approach, and which capsule gives it."""
    least, first = math.inf, 0
    for k in range(len(capsules)):
        a, u = axis_of(axes, row, capsules[k])
        for step in range(5):
            far = upper_bound(field, along(a, u, 0.25 * step)) - radii[k]
            if far < least:
                least, first = far, k
    return max(least, -radii[first]), first


def lower(
    axes: Any,
    capsules: Any,
    radii: Any,
    pairs: Any,
    group: Group,
    work: Work,
    result: Any,
    motions: Any,
    floors: Any,
    bound: Any,
    pair: Any,
    here: Any,
) -> None:
    """Lower the bound of what comes near while the capsules move by no more than their motion.

    Args:
        axes: see the module.
        capsules: see the module.
        radii: of each. # (k,) [m]
        pairs: number of the pair of each and each solid. # (k, solids)
        group: the solids.
        work: of this call.
        result: work: of one axis, see ``axis_distance``. # (3,)
        motions: of all capsules. # (m, capsules) [m]
        floors: bounds that are proven. # (m,) [m]
        bound: lowered: of the motion. # (m,) [m]
        pair: improved: which pair it is of. # (m,)
        here: lowered: of this posture. # (m,) [m]
    """
    for row in range(len(axes)):
        for k in range(len(capsules)):
            axis, moved = axis_of(axes, row, capsules[k]), motions[row, capsules[k]]
            limit = max(floors[row] + moved + radii[k], 0.0)
            verdict, work.span[OUTSIDE] = INSIDE, 0.0
            if limit < math.inf:
                verdict = march(group.field, axis[0], axis[1], limit, work.span)
            apart, owner = work.span[BOUND], -1
            if verdict != CLEAR or work.span[OUTSIDE] == 0.0:
                if verdict != DOUBT:
                    work.span[FROM], work.span[TO] = 0.0, 1.0
                axis_distance(group, axis, limit, work, result)
                apart, owner = result[DISTANCE], int(result[OWNER])
            here[row] = min(here[row], apart - radii[k])
            keeps = apart - radii[k] - moved
            if owner < 0:
                keeps = max(keeps, floors[row])  # proven; rounding must not take it away
            if keeps < bound[row]:
                bound[row], pair[row] = keeps, pairs[k, max(owner, 0)]


def segments(
    axes: Any,
    tree: Tree,
    places: Any,
    offsets: Any,
    excluded: Any,
    stack: Stack,
    stamps: Any,
    distances: Any,
) -> None:
    """Distances of bare segments from the triangles that are not left out.

    Args:
        axes: start, and vector to the end. # (m, 6) [m]
        tree: of the triangles.
        places: where every triangle stands when sorted. # (n,)
        offsets: where each segment's triangles begin in ``excluded``. # (m + 1,)
        excluded: triangles that are left out.
        stack: work.
        stamps: work: zeros. # (n,)
        distances: filled. # (m,) [m]
    """
    for row in range(len(axes)):
        for k in range(offsets[row], offsets[row + 1]):
            stamps[places[excluded[k]]] = row + 1
        axis = (
            (axes[row, 0], axes[row, 1], axes[row, 2]),
            (axes[row, 3], axes[row, 4], axes[row, 5]),
        )
        square, _ = search(tree, axis, (math.inf, 0.0), Left(stamps, row + 1), stack)
        distances[row] = math.sqrt(square)
