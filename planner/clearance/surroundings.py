"""One group of solids around the robot: their tree, their field, and the loops over both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.clearance.distance_field import (
    BOUND,
    CLEAR,
    CROSSED,
    DISTANCE,
    DOUBT,
    FROM,
    GROUP,
    INSIDE,
    OUTSIDE,
    OWNER,
    SLACK,
    TO,
    TREE_SHARE,
    WORK,
    Field,
    Group,
    Work,
    axis_distance,
    container,
    field_of,
    march,
    part_of,
    tree_of,
    upper_bound,
)
from planner.clearance.segments import Vec, along
from planner.clearance.tree import DEPTH, Left, Stack, Tree, search
from planner.job.solids import Solid
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop

Marks = NDArray[np.uint8]


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


_COLLIDE = Loop(collide, f"f8[3] i8[1] f8[1] ({GROUP}) ({WORK}) u1[1]")


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
                x = along(axis[0], axis[1], result[TREE_SHARE])
                place[row, 0], place[row, 1], place[row, 2] = x[0], x[1], x[2]


_NEAREST = Loop(nearest, f"f8[3] i8[1] f8[1] i8[2] ({GROUP}) ({WORK}) f8[1] f8[1] i8[1] f8[2]")


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


_LOWER = Loop(
    lower,
    f"f8[3] i8[1] f8[1] i8[2] ({GROUP}) ({WORK}) f8[1] f8[2] f8[1] f8[1] i8[1] f8[1]",
)


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


_SEGMENTS = Loop(
    segments,
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


# ------------------------------------------------------------------------------------- Group loops
# ``axes`` are those of all capsules, start and vector to the end # (m, capsules, 6) [m];
# ``capsules`` are those to look at # (k,).


def axis_of(axes: Any, row: int, capsule: int) -> tuple[Vec, Vec]:
    """Start of a capsule's axis, and the vector to its end."""
    return (
        (axes[row, capsule, 0], axes[row, capsule, 1], axes[row, capsule, 2]),
        (axes[row, capsule, 3], axes[row, capsule, 4], axes[row, capsule, 5]),
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPair:
    """Two bodies that are kept apart.

    Args:
        moving: name of a capsule that moves.
        against: name of a solid of the cell, or of another capsule.
        touching: whether it is a capsule of the stylus against the part, which may meet where the
            part is probed.
    """

    moving: str
    against: str
    touching: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nearest:
    """The nearest pair of every posture.

    Args:
        value: clearance; below zero a depth of penetration, which is estimated from below: the
            capsule's radius and the depth of the deepest of five points of its axis. # (m,) [m]
        pair: index into the checker's pairs, -1 where nothing is checked. # (m,)
        place: point of the moving capsule's axis that is nearest. Base frame. # (m, 3) [m]
    """

    value: Array
    pair: Indices
    place: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostureBounds:
    """What is proven of all postures around some.

    Args:
        lower: no pair comes nearer while every joint stays within its spread. # (m,) [m]
        here: clearance at the posture itself; exact where ``lower`` is under the floor, else it
            may be a lower bound of it. # (m,) [m]
        pair: that gives ``lower``, index into the checker's pairs, -1 for none. # (m,)
    """

    lower: Array
    here: Array
    pair: Indices
