"""Distances from a solid by another method than the planner's: points asked, not segments.

A distance grows by no more than the way gone. So from a place of an axis that is farther from the
surface than it need be, the axis is clear for as long as what is to spare lasts; there the next
place is measured. Every place is measured against its nearest triangle.
"""

from __future__ import annotations

import math
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from parts.geometry.proximity import FAN, BoxTree
from robots.core.arrays import Array, Mask
from robots.core.kernels.loop import Loop

if TYPE_CHECKING:
    from parts.geometry import TriangleMesh
    from parts.geometry.proximity import InsideTest
    from planner.job.solids import Solid

# Surfaces by their content, for as long as a proof holds them.
_PREPARED: WeakValueDictionary[bytes, SurfaceDistance] = WeakValueDictionary()


def surface_of(solid: Solid) -> SurfaceDistance:
    """The distances of a solid; those of the same triangles are prepared once.

    A plan and its misses are proven one by one, so that solids are the same by content only.
    """
    found = sha256(np.ascontiguousarray(solid.mesh.triangles).data)
    found.update(np.ascontiguousarray(solid.mesh.faces).data)  # shared corners tell what is inside
    content = found.digest() + bytes([bool(solid.closed)])
    surface = _PREPARED.get(content)
    if surface is None:
        surface = _PREPARED[content] = SurfaceDistance(solid)
    return surface


class SurfaceDistance:
    """The skin of a solid, and its inside if it has one.

    Args:
        solid: unchanged.
    """

    def __init__(self, solid: Solid) -> None:
        from parts.geometry.proximity import InsideTest

        self._vertices = solid.mesh.vertices[np.unique(solid.mesh.faces)]
        self._skin = _skin(solid.mesh.triangles)
        self._low, self._high = solid.mesh.bounds
        self._inside: InsideTest | None = None
        if solid.closed:
            self._inside = InsideTest(solid.mesh, consistent=_consistent(solid.mesh))

    def signed(self, points: Array) -> Array:
        """Exact distances, negative inside. # (k, 3) -> (k,) [m]."""
        distances = self._off(points, np.zeros(len(points)), np.inf)
        return np.where(self._within(points), -distances, distances)

    def corners_near(self, centre: Array, reach: float) -> Array:
        """Corners of triangles within reach of a point. # (k, 3) [m]."""
        return np.asarray(self._vertices[np.linalg.norm(self._vertices - centre, axis=1) <= reach])

    def off_any(self, points: Array, distances: Array) -> Array:
        """How far distances are from those of any triangle, nearest or not. # (k,) [m]."""
        return self._off(points, distances, np.inf)

    def _off(self, points: Array, distances: Array, reach: float) -> Array:
        off, points = np.empty(len(points)), np.ascontiguousarray(points)
        _MEASURE(self._skin, points, np.ascontiguousarray(distances), reach, _waiting(), off)
        return off

    def shortfalls(self, starts: Array, ends: Array, needs: Array) -> Array:
        """What segments come nearer to the solid than they may; below zero where they do not.

        Seen at places of the segments, both ends included, so that the truth may be a little worse.

        Args:
            starts: # (m, 3) [m]
            ends: # (m, 3) [m]
            needs: distances to be kept. # (m,) [m]
        """
        worst = np.full(len(needs), -np.inf)
        swallowed = np.flatnonzero(self._within(starts))
        worst[swallowed] = needs[swallowed] - self.signed(starts[swallowed])
        axes = np.stack([starts, ends], axis=1)
        _MARCH(self._skin, axes, np.ascontiguousarray(needs), _waiting(), worst)
        return worst

    def _within(self, points: Array) -> Mask:
        within: Mask = np.all((points >= self._low) & (points <= self._high), axis=1)
        if self._inside is None or not np.any(within):
            return np.zeros(len(points), dtype=bool)
        # No ray tells on which side a place on the skin is, and it is as good on either.
        off = self._off(points[within], np.zeros(np.count_nonzero(within)), _ON_SKIN)
        within[within] = off >= _ON_SKIN
        within[within] = self._inside.inside(points[within])
        return within


def _consistent(mesh: TriangleMesh) -> bool:
    """Whether the triangles agree on the outside: every edge is run through once each way."""
    start, end = mesh.faces.ravel(), np.roll(mesh.faces, -1, axis=1).ravel()
    count = len(mesh.vertices)
    return bool(np.array_equal(np.sort(start * count + end), np.sort(end * count + start)))


# ------------------------------------------------------------------------------------------- Skin


class Skin(NamedTuple):
    """Triangles under a tree of boxes.

    Args:
        boxes: least and greatest corners, level by level from the root on. # (b, 6) [m]
        firsts: first box of every level, and the end of the last. # (levels + 1,)
        fan: boxes under a box.
        corners: of the triangles, in the order of the last level's boxes. # (n, 9) [m]
    """

    boxes: NDArray[np.float64]
    firsts: NDArray[np.int64]
    fan: int
    corners: NDArray[np.float64]


class _Waiting(NamedTuple):
    """Boxes that are yet to be looked into.

    Args:
        nodes: place in their level. # (_DEPTH,)
        levels: # (_DEPTH,)
        gaps: what nothing in them is nearer than. # (_DEPTH,) [m]
    """

    nodes: NDArray[np.int64]
    levels: NDArray[np.int64]
    gaps: NDArray[np.float64]


def _waiting() -> _Waiting:
    nodes, levels = np.empty((2, _DEPTH), dtype=np.int64)
    return _Waiting(nodes=nodes, levels=levels, gaps=np.empty(_DEPTH))


def _skin(triangles: Array) -> Skin:
    tree = BoxTree(triangles.min(axis=1), triangles.max(axis=1))
    return Skin(
        boxes=np.concatenate([level.reshape(-1, 6) for level in tree.levels]),
        firsts=np.cumsum([0, *map(len, tree.levels)]),
        fan=FAN,
        corners=np.ascontiguousarray(triangles[tree.order].reshape(-1, 9)),
    )


_DEPTH = 128  # boxes that wait: a box has four below it, and 4^32 triangles no memory holds
_NEEDLE = 1e-6  # squared sine of a corner, below which the foot has lost half its digits
_FINE = 8.0  # steps of an eighth of what is needed: what lies between is seen to 1/128
_ON_SKIN = 1e-12  # [m]
_LEAST = 5e-4  # [m] shorter steps are not made
_ROUGH = 63.0 / 64.0  # of what a triangle is away, if none is known to be nearer than that


def measure(
    skin: Skin, points: Any, distances: Any, reach: float, waiting: _Waiting, off: Any
) -> None:
    """How far distances of points are from those of any triangle.

    Args:
        skin: that is measured.
        points: # (k, 3) [m]
        distances: those of the nearest triangle for zero. # (k,) [m]
        reach: of differences; what is not below it is set to it. [m]
        waiting: work.
        off: filled. # (k,) [m]
    """
    for k in range(len(points)):
        place = (points[k, 0], points[k, 1], points[k, 2])
        off[k] = _least(skin, place, distances[k], reach, 1.0, waiting)


def march(skin: Skin, axes: Any, needs: Any, waiting: _Waiting, worst: Any) -> None:
    """What axes come nearer to the skin than they may.

    Args:
        skin: that is measured.
        axes: start and end. # (m, 2, 3) [m]
        needs: distances to be kept. # (m,) [m]
        waiting: work.
        worst: shortfalls so far; a greater one is filled in where there is none above zero. # (m,)
    """
    for k in range(len(axes)):
        need = needs[k]
        if worst[k] > 0.0 or not need > 0.0:
            continue
        ux, uy, uz = (
            axes[k, 1, 0] - axes[k, 0, 0],
            axes[k, 1, 1] - axes[k, 0, 1],
            axes[k, 1, 2] - axes[k, 0, 2],
        )
        length = math.sqrt(ux * ux + uy * uy + uz * uz)
        step = max(need / _FINE, _LEAST)
        gone = 0.0
        while True:
            share = gone / length if length > 0.0 else 0.0
            place = (
                axes[k, 0, 0] + share * ux,
                axes[k, 0, 1] + share * uy,
                axes[k, 0, 2] + share * uz,
            )
            left = length - gone
            gap = _least(skin, place, 0.0, (need + left) / _ROUGH, _ROUGH, waiting)
            if gap * _ROUGH >= need + left:  # and so is everything that is left
                break
            if gap * _ROUGH <= need:
                gap = _least(skin, place, 0.0, gap, 1.0, waiting)
            worst[k] = max(worst[k], need - gap)
            if gone >= length:
                break
            gone = min(gone + max(gap * _ROUGH - need, step), length)


def _least(
    skin: Skin,
    place: tuple[float, float, float],
    wanted: float,
    reach: float,
    part: float,
    waiting: _Waiting,
) -> float:
    """Least difference of a distance and that of any triangle; ``reach`` if none is below it.

    Nothing differs by less than ``part`` of the answer.

    Args:
        skin: that is measured.
        place: that it is measured from. [m]
        wanted: distance that the triangles' own are compared with. [m]
        reach: differences that are not worth knowing. [m]
        part: 1 for the least itself.
        waiting: work.
    """
    boxes, firsts, fan, corners = skin.boxes, skin.firsts, skin.fan, skin.corners
    nodes, levels, gaps = waiting.nodes, waiting.levels, waiting.gaps
    last = len(firsts) - 2
    best = reach
    nodes[0], levels[0], top = 0, 0, 0
    gaps[0] = _box_off(boxes, 0, place, wanted)
    while top >= 0:
        node, level, gap = nodes[top], levels[top], gaps[top]
        top -= 1
        if gap >= part * best:
            continue
        if level == last:
            off = abs(_triangle_gap(corners, node, place) - wanted)
            best = min(best, off)
            continue
        under = firsts[level + 1]
        nearest, least = -1, math.inf
        for child in range(fan * node, min(fan * node + fan, firsts[level + 2] - under)):
            gap = _box_off(boxes, under + child, place, wanted)
            if gap < part * best:
                top += 1
                nodes[top], levels[top], gaps[top] = child, level + 1, gap
                if gap < least:
                    nearest, least = top, gap
        if nearest >= 0 and nearest != top:  # the nearest is looked into first
            child = nodes[nearest]
            nodes[nearest], gaps[nearest] = nodes[top], gaps[top]
            nodes[top], gaps[top] = child, least
    return best


def _box_off(boxes: Any, node: int, place: tuple[float, float, float], wanted: float) -> float:
    """What no distance of anything in a box is nearer to the one wanted than. [m]."""
    near = far = 0.0
    for k in range(3):
        below, above = boxes[node, k] - place[k], place[k] - boxes[node, k + 3]
        beside = max(below, above, 0.0)
        beyond = max(abs(below), abs(above))
        near += beside * beside
        far += beyond * beyond
    gap = math.sqrt(near) - wanted
    if wanted > 0.0:
        gap = max(gap, wanted - math.sqrt(far))
    return gap * (1.0 - 1e-12)


def _triangle_gap(corners: Any, item: int, place: tuple[float, float, float]) -> float:
    """Distance of a place from a triangle. [m].

    From the foot of the perpendicular where it falls into the triangle, else from the nearest of
    the three edges. In a needle rounding may put the foot anywhere: the edges are asked, too.
    """
    ax, ay, az = corners[item, 0], corners[item, 1], corners[item, 2]
    ux, uy, uz = corners[item, 3] - ax, corners[item, 4] - ay, corners[item, 5] - az
    vx, vy, vz = corners[item, 6] - ax, corners[item, 7] - ay, corners[item, 8] - az
    px, py, pz = place[0] - ax, place[1] - ay, place[2] - az
    uu, uv, vv = (
        ux * ux + uy * uy + uz * uz,
        ux * vx + uy * vy + uz * vz,
        vx * vx + vy * vy + vz * vz,
    )
    pu, pv = px * ux + py * uy + pz * uz, px * vx + py * vy + pz * vz
    area = uu * vv - uv * uv
    s, t = vv * pu - uv * pv, uu * pv - uv * pu
    square = math.inf
    if area > 0.0 and s >= 0.0 and t >= 0.0 and s + t <= area:
        s, t = s / area, t / area
        dx, dy, dz = px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz
        square = dx * dx + dy * dy + dz * dz
    if square == math.inf or area < _NEEDLE * uu * vv:
        square = min(square, _edge_square((px, py, pz), (ux, uy, uz)))
        square = min(square, _edge_square((px, py, pz), (vx, vy, vz)))
        square = min(square, _edge_square((px - ux, py - uy, pz - uz), (vx - ux, vy - uy, vz - uz)))
    return math.sqrt(square)


def _edge_square(place: tuple[float, float, float], along: tuple[float, float, float]) -> float:
    """Squared distance of a place from an edge that begins at the origin. [m²]."""
    square = along[0] * along[0] + along[1] * along[1] + along[2] * along[2]
    share = place[0] * along[0] + place[1] * along[1] + place[2] * along[2]
    share = min(max(share / square, 0.0), 1.0) if square > 0.0 else 0.0
    dx, dy, dz = (
        place[0] - share * along[0],
        place[1] - share * along[1],
        place[2] - share * along[2],
    )
    return dx * dx + dy * dy + dz * dz


_TYPES = "(f8[2] i8[1] i8 f8[2])", "(i8[1] i8[1] f8[1])"
_MEASURE = Loop(measure, f"{_TYPES[0]} f8[2] f8[1] f8 {_TYPES[1]} f8[1]")
_MARCH = Loop(march, f"{_TYPES[0]} f8[3] f8[1] {_TYPES[1]} f8[1]")
