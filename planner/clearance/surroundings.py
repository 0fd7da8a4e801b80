"""One group of solids around the robot: their tree, their field, and the loops over both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.clearance.convex import PLACE, nearest_triangle
from planner.clearance.distance_field import (
    BOUND,
    CLEAR,
    CROSSED,
    DISTANCE,
    DOUBT,
    FROM,
    GROUP,
    INSIDE,
    NONE,
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
from planner.clearance.links import (
    BODIES,
    PIECES,
    SPREAD,
    Bodies,
    PieceWork,
    Spread,
    axis_of,
    new_piece_work,
    piece_count,
    piece_motion,
    place_piece,
)
from planner.clearance.segments import Vec, along
from planner.clearance.tree import DEPTH, Left, Stack, Tree, search
from planner.job.solids import Solid
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop

Marks = NDArray[np.uint8]


def collide(
    bodies: Bodies,
    capsules: Any,
    required: float,
    group: Group,
    work: Work,
    pieces: PieceWork,
    found: Any,
) -> None:
    """Mark the postures where a body comes nearer than required to a solid.

    Args:
        bodies: of the robot.
        capsules: see the module.
        required: clearance. [m]
        group: the solids.
        work: of this call.
        pieces: work of this call.
        found: filled with 1 where one is nearer. # (m,)
    """
    for row in range(len(found)):
        for k in range(len(capsules)):
            if found[row] == 0:
                capsule = capsules[k]
                axis = axis_of(bodies.axes, row, capsule)
                near = _too_near(group, axis, bodies.radii[capsule] + required, work)
                if near and piece_count(bodies, capsule) > 0:
                    count = place_piece(bodies, row, capsule, pieces.placed[0])
                    _, owner = _piece_distance(group, count, required, True, work, pieces)
                    near = owner >= 0
                if near:
                    found[row] = 1


_COLLIDE = Loop(collide, f"({BODIES}) i8[1] f8 ({GROUP}) ({WORK}) ({PIECES}) u1[1]")


def nearest(
    bodies: Bodies,
    capsules: Any,
    pairs: Any,
    group: Group,
    work: Work,
    pieces: PieceWork,
    result: Any,
    value: Any,
    pair: Any,
    place: Any,
) -> None:
    """Improve the nearest approach of every posture.

    Args:
        bodies: of the robot.
        capsules: see the module.
        pairs: number of the pair of each and each solid. # (k, solids)
        group: the solids.
        work: of this call.
        pieces: work of this call.
        result: work: of one axis, see ``axis_distance``. # (3,)
        value: improved: the nearest approach. # (m,) [m]
        pair: improved: which pair it is of. # (m,)
        place: improved: where on the capsule's axis, or in its piece. # (m, 3) [m]
    """
    for row in range(len(value)):
        guess, first = _guess(bodies, row, capsules, group.field, pieces)
        for turn in range(len(capsules)):
            k = (first + turn) % len(capsules)
            capsule = capsules[k]
            radius = bodies.radii[capsule]
            axis = axis_of(bodies.axes, row, capsule)
            limit = max(min(value[row], guess + SLACK) + radius, 0.0)
            verdict = march(group.field, axis[0], axis[1], limit, work.span)
            if verdict == CLEAR and work.span[OUTSIDE] > 0.0:
                continue
            if verdict != DOUBT:
                work.span[FROM], work.span[TO] = 0.0, 1.0
            axis_distance(group, axis, limit, work, result)
            if result[OWNER] >= 0 and result[DISTANCE] - radius < value[row]:
                gap, owner = result[DISTANCE] - radius, int(result[OWNER])
                x = along(axis[0], axis[1], result[TREE_SHARE])
                count = place_piece(bodies, row, capsule, pieces.placed[0])
                if count > 0:
                    far, other = _piece_distance(group, count, value[row], False, work, pieces)
                    if other < 0:
                        continue
                    if far > gap:
                        at = pieces.simplex[PLACE]
                        gap, owner, x = far, other, (at[0], at[1], at[2])
                    if gap >= value[row]:
                        continue
                value[row], pair[row] = gap, pairs[k, owner]
                place[row, 0], place[row, 1], place[row, 2] = x[0], x[1], x[2]


_NEAREST = Loop(
    nearest,
    f"({BODIES}) i8[1] i8[2] ({GROUP}) ({WORK}) ({PIECES}) f8[1] f8[1] i8[1] f8[2]",
)


class Motions(NamedTuple):
    """How far bodies may go from some postures.

    Args:
        joints: kind, variable and parent of each. # (links, 3)
        spread: of the joints.
        capsules: how far each capsule goes at most. # (m, capsules) [m]
        floors: what reaches them is not looked at closer. # (m,) [m]
    """

    joints: NDArray[np.int64]
    spread: Spread
    capsules: NDArray[np.float64]
    floors: NDArray[np.float64]


def lower(
    bodies: Bodies,
    capsules: Any,
    pairs: Any,
    group: Group,
    work: Work,
    pieces: PieceWork,
    result: Any,
    motions: Motions,
    bound: Any,
    pair: Any,
    here: Any,
) -> None:
    """Lower the bound of what comes near while the bodies move by no more than their motion.

    Args:
        bodies: of the robot.
        capsules: see the module.
        pairs: number of the pair of each and each solid. # (k, solids)
        group: the solids.
        work: of this call.
        pieces: work of this call.
        result: work: of one axis, see ``axis_distance``. # (3,)
        motions: of all bodies.
        bound: lowered: of the motion. # (m,) [m]
        pair: improved: which pair it is of. # (m,)
        here: lowered: of this posture. # (m,) [m]
    """
    floors = motions.floors
    for row in range(len(bound)):
        for k in range(len(capsules)):
            capsule = capsules[k]
            radius = bodies.radii[capsule]
            axis, moved = axis_of(bodies.axes, row, capsule), motions.capsules[row, capsule]
            limit = max(floors[row] + moved + radius, 0.0)
            verdict, work.span[OUTSIDE] = INSIDE, 0.0
            if limit < math.inf:
                verdict = march(group.field, axis[0], axis[1], limit, work.span)
            apart, owner = work.span[BOUND], -1
            if verdict != CLEAR or work.span[OUTSIDE] == 0.0:
                if verdict != DOUBT:
                    work.span[FROM], work.span[TO] = 0.0, 1.0
                axis_distance(group, axis, limit, work, result)
                apart, owner = result[DISTANCE], int(result[OWNER])
            gap = apart - radius
            keeps = gap - moved
            if owner < 0:
                keeps = max(keeps, floors[row])  # proven; rounding must not take it away
            elif keeps < floors[row] and piece_count(bodies, capsule) > 0:
                count = place_piece(bodies, row, capsule, pieces.placed[0])
                moved = piece_motion(
                    bodies,
                    row,
                    capsule,
                    motions.joints,
                    -1,
                    motions.spread,
                    pieces.placed[0],
                    count,
                )
                far, other = _piece_distance(group, count, floors[row] + moved, False, work, pieces)
                gap = max(gap, far)
                if far - moved > keeps or other < 0:
                    owner = other
                    keeps = max(far - moved, floors[row]) if other < 0 else far - moved
            here[row] = min(here[row], gap)
            if keeps < bound[row]:
                bound[row], pair[row] = keeps, pairs[k, max(owner, 0)]


_LOWER = Loop(
    lower,
    f"({BODIES}) i8[1] i8[2] ({GROUP}) ({WORK}) ({PIECES}) f8[1] (i8[2] ({SPREAD}) f8[2] f8[1]) "
    "f8[1] i8[1] f8[1]",
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

    Attributes:
        tree: of their triangles.
    """

    def __init__(self, solids: Sequence[Solid], pairs: Indices) -> None:
        self.tree = tree_of(solids)
        field = field_of(self.tree, solids)
        tree = self.tree
        self._group = Group(
            tree=Tree(boxes=tree.boxes, corners=tree.corners),
            owners=tree.owners,
            kinds=tree.kinds,
            field=Field(values=field.values, frame=field.frame),
        )
        self._pairs = pairs

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        return len(self.tree)

    def collide(self, bodies: Bodies, capsules: Indices, required: float, found: Marks) -> None:
        """Mark postures where one of the bodies comes nearer than required. # found (m,)."""
        _COLLIDE(bodies, capsules, required, self._group, self._work(), new_piece_work(), found)

    def nearest(self, bodies: Bodies, capsules: Indices, best: Nearest) -> None:
        """Improve the nearest approaches in place."""
        work = (self._group, self._work(), new_piece_work(), np.empty(3))
        _NEAREST(bodies, capsules, self._pairs[capsules], *work, best.value, best.pair, best.place)

    def lower(
        self,
        bodies: Bodies,
        capsules: Indices,
        motions: Motions,
        found: tuple[Array, Indices, Array],
    ) -> None:
        """Lower bounds in place.

        Args:
            bodies: of the robot.
            capsules: to look at. # (k,)
            motions: of all bodies.
            found: bounds of the motion (m,) [m], their pairs (m,), bounds of here (m,) [m].
        """
        work = (self._group, self._work(), new_piece_work(), np.empty(3))
        _LOWER(bodies, capsules, self._pairs[capsules], *work, motions, *found)

    def segments(self, axes: Array, offsets: Indices, excluded: Indices) -> Array:
        """Distances of bare segments from the first solid's triangles that are left. # (m,)."""
        places = np.empty(len(self.tree), dtype=np.int64)
        places[self.tree.items] = np.arange(len(places))
        distances = np.empty(len(axes))
        stamps = np.zeros(len(places), dtype=np.int64)
        tree = self._group.tree
        _SEGMENTS(axes, tree, places, offsets, excluded, _stack(), stamps, distances)
        return distances

    def _work(self) -> Work:
        """Work arrays of one call; calls in other threads have their own."""
        return Work(
            stack=_stack(),
            counts=np.zeros((len(self.tree.kinds) + 1, 2), dtype=np.int64),
            span=np.empty(4),
            stamps=np.empty(1, dtype=np.int64),
        )


def _stack() -> Stack:
    return Stack(nodes=np.empty(DEPTH, dtype=np.int64), gaps=np.empty(DEPTH))


# ------------------------------------------------------------------------------------- Group loops
# ``capsules`` are those to look at # (k,). A body is as far from a solid as its capsule is, and as
# its piece is; the piece is only looked at where the capsule alone does not settle the question.


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


def _guess(
    bodies: Bodies, row: int, capsules: Any, field: Field, pieces: PieceWork
) -> tuple[float, int]:
    """An upper bound of the nearest approach, and which capsule gives it."""
    least, first = math.inf, 0
    for k in range(len(capsules)):
        radius = bodies.radii[capsules[k]]
        a, u = axis_of(bodies.axes, row, capsules[k])
        far = math.inf
        for step in range(5):
            far = min(far, upper_bound(field, along(a, u, 0.25 * step)) - radius)
        if far < least and piece_count(bodies, capsules[k]) > 0:
            count = place_piece(bodies, row, capsules[k], pieces.placed[0])
            far = max(far, upper_bound(field, _middle(pieces.placed[0], count)))
        if far < least:
            least, first = far, k
    return max(least, -bodies.radii[capsules[first]]), first


def _middle(corners: Any, count: int) -> Vec:
    x = y = z = 0.0
    for k in range(count):
        x, y, z = x + corners[k, 0], y + corners[k, 1], z + corners[k, 2]
    return (x / count, y / count, z / count)


def _piece_distance(
    group: Group, count: int, limit: float, marked: bool, work: Work, pieces: PieceWork
) -> tuple[float, int]:
    """Distance of a placed piece from the solids, below zero for a depth, and which solid.

    Args:
        group: the solids.
        count: of the piece's corners.
        limit: distances from here on need not be told apart. [m]
        marked: whether it is enough to know that the piece is too near, and of a depth that there
            is one.
        work: of this call.
        pieces: the piece; where it is nearest is filled in.

    Returns:
        The limit and -1 for a piece that keeps it.
    """
    corners = pieces.placed[0]
    least = max(limit, CROSSED)
    enough = CROSSED if marked else 0.0
    far, item = nearest_triangle(
        group.tree, corners, count, (least, enough), work.stack, pieces.simplex
    )
    owner = group.owners[item] if item >= 0 and far <= 0.0 else NONE
    if owner < 0:  # it crosses no skin: all of it is inside, or nothing
        owner = container(group, (corners[0, 0], corners[0, 1], corners[0, 2]), work)
        if owner < 0:
            return (far, group.owners[item]) if item >= 0 else (limit, NONE)
    depth = CROSSED
    if not marked:
        for k in range(count):
            x = (corners[k, 0], corners[k, 1], corners[k, 2])
            inside = container(group, x, work)
            if inside >= 0:
                far = upper_bound(group.field, x) + SLACK
                point = (x, (0.0, 0.0, 0.0))
                reach = (far * far, 0.0)
                square, _ = search(group.tree, point, reach, Left(work.stamps, -1), work.stack)
                if square > depth * depth:
                    depth, owner = math.sqrt(square), inside
                    for i in range(3):
                        pieces.simplex[PLACE, i] = x[i]
    return -depth, owner


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
            capsule's radius and the depth of the deepest of five points of its axis, or where it
            is less, the depth of the deepest corner of its piece. # (m,) [m]
        pair: index into the checker's pairs, -1 where nothing is checked. # (m,)
        place: point of the moving capsule's axis that is nearest, or of its piece where that is
            what keeps the clearance. Base frame. # (m, 3) [m]
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
