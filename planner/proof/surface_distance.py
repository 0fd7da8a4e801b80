"""Distances from a solid by another method than the planner's: points asked, not segments.

A distance grows by no more than the way gone. So a piece of an axis whose middle is farther from
the surface than half its length and what is needed is clear as a whole; other pieces are halved.
Most places are measured against points of the surface, which are never nearer than the surface
itself; those with least to spare are measured against the nearest triangle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.geometry.proximity import closest_on_triangles
from planner.proof.spread_points import SpreadPoints
from robots.core.arrays import Array, Indices, Mask

if TYPE_CHECKING:
    from parts.geometry import TriangleMesh
    from parts.geometry.proximity import InsideTest, NearestTriangles
    from planner.job.solids import Solid


_FINE = 8.0  # a distance is measured to 1/128 by points and steps of an eighth of it
_LEAST = 5e-4  # [m] shorter steps are not made
_PAIRS = 2_000_000  # of a point and a triangle, measured one by one
_EXACT = 400  # places with least to spare, measured exactly


class SurfaceDistance:
    """The skin of a solid, and its inside if it has one.

    Args:
        solid: unchanged.
    """

    def __init__(self, solid: Solid) -> None:
        from parts.geometry.proximity import InsideTest, NearestTriangles

        self._points = SpreadPoints(solid.mesh.triangles)
        self._corners = solid.mesh.triangles[solid.mesh.areas > 0.0]
        self._triangles = NearestTriangles(solid.mesh)
        self._low, self._high = solid.mesh.bounds
        self._inside: InsideTest | None = None
        if solid.closed:
            self._inside = InsideTest(solid.mesh, consistent=_consistent(solid.mesh))

    def signed(self, points: Array) -> Array:
        """Exact distances, negative inside. # (k, 3) -> (k,) [m]."""
        if len(points) == 0:
            return np.zeros(0)
        distances = self._triangles.nearest(points).distances
        return np.where(self._within(points), -distances, distances)

    def off_any(self, points: Array, distances: Array) -> Array:
        """How far distances are from those of any triangle, nearest or not. # (k,) [m].

        Of very many points and triangles an even choice is looked at; the others are zero.
        """
        off = np.zeros(len(points))
        corners = self._corners
        count = min(len(points), max(_PAIRS // len(corners), 1))
        for k in np.unique(np.linspace(0, len(points) - 1, count).astype(np.int64)):
            there = np.broadcast_to(points[k], (len(corners), 3))
            gaps = np.linalg.norm(closest_on_triangles(there, corners) - points[k], axis=1)
            off[k] = np.min(np.abs(gaps - distances[k]))
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
        left = np.flatnonzero((needs > 0.0) & ~(worst > 0.0))
        seen = _Seen(needs, worst)
        still = np.zeros((left.size, 3))
        for places in (starts[left], ends[left]):
            self._look(seen, (left, places, still))
        pieces = (left, 0.5 * (starts + ends)[left], 0.5 * (ends - starts)[left])
        while pieces[0].size:
            item, middle, half = self._look(seen, pieces)
            middle = np.concatenate([middle - 0.5 * half, middle + 0.5 * half])
            pieces = (np.tile(item, 2), middle, np.tile(0.5 * half, (2, 1)))
        seen.settle(self._triangles)
        return worst

    def _look(
        self, seen: _Seen, pieces: tuple[Indices, Array, Array]
    ) -> tuple[Indices, Array, Array]:
        """Measure the middles of pieces; those that must be halved are left."""
        item, middle, half = pieces
        length, need = np.linalg.norm(half, axis=1), seen.needs[item]
        near = np.flatnonzero(self._box_gap(middle) < need + length)
        item, middle, half = item[near], middle[near], half[near]
        length, need = length[near], need[near]
        step = np.maximum(need / _FINE, _LEAST)
        gap, spread = self._points.gaps(middle, np.maximum(step, 0.5 * length), need + length)
        doubt = gap < need + length + spread
        seen.take(item[doubt], middle[doubt], gap[doubt])
        halved = doubt & (length > step) & ~(seen.worst[item] > 0.0)
        return item[halved], middle[halved], half[halved]

    def _within(self, points: Array) -> Mask:
        within: Mask = self._box_gap(points) == 0.0
        if self._inside is None or not np.any(within):
            return np.zeros(len(points), dtype=bool)
        within[within] = self._inside.inside(points[within])
        return within

    def _box_gap(self, points: Array) -> Array:
        """Distance from the box around the solid. # (k,) [m]."""
        outside = np.maximum(np.maximum(self._low - points, points - self._high), 0.0)
        return np.asarray(np.linalg.norm(outside, axis=1))


class _Seen:
    """What was measured of some items; the worst of each is written down in place.

    Args:
        needs: of each item. # (m,) [m]
        worst: shortfall of each item. # (m,) [m]
    """

    def __init__(self, needs: Array, worst: Array) -> None:
        self.needs, self.worst = needs, worst
        self._slack, self._item = np.zeros(0), np.zeros(0, dtype=np.int64)
        self._places = np.zeros((0, 3))

    def take(self, item: Indices, places: Array, gaps: Array) -> None:
        """Take in places with distances that may be too large, never too small."""
        slack = gaps - self.needs[item]
        np.maximum.at(self.worst, item, -slack)
        slack = np.concatenate([self._slack, slack])
        item, places = np.concatenate([self._item, item]), np.concatenate([self._places, places])
        few = min(_EXACT, slack.size)
        kept = np.argpartition(slack, few - 1)[:few] if few else np.zeros(0, dtype=np.int64)
        self._slack, self._item, self._places = slack[kept], item[kept], places[kept]

    def settle(self, triangles: NearestTriangles) -> None:
        """Measure the places with least to spare exactly."""
        if self._item.size:
            gaps = triangles.nearest(self._places).distances
            np.maximum.at(self.worst, self._item, self.needs[self._item] - gaps)


def _consistent(mesh: TriangleMesh) -> bool:
    """Whether the triangles agree on the outside: every edge is run through once each way."""
    start, end = mesh.faces.ravel(), np.roll(mesh.faces, -1, axis=1).ravel()
    count = len(mesh.vertices)
    return bool(np.array_equal(np.sort(start * count + end), np.sort(end * count + start)))
