"""Distances from a solid by another method than the planner's: points asked, not segments.

A distance grows by no more than the way gone. So a piece of an axis whose middle is farther from
the surface than half its length and what is needed is clear as a whole; other pieces are halved.
Most places are measured against points of the surface, which are never nearer than the surface
itself; those with least to spare are measured against the nearest triangle.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from parts.geometry.proximity import closest_on_triangles
from robots.core.arrays import Array, Indices, Mask

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from parts.geometry import TriangleMesh
    from parts.geometry.proximity import InsideTest, NearestTriangles
    from planner.job.solids import Solid

_FINE = 8.0  # a distance is measured to 1/128 by points and steps of an eighth of it
_LEAST = 5e-4  # [m] shorter steps are not made
_PAIRS = 2_000_000  # of a point and a triangle, measured one by one
_EXACT = 400  # places with least to spare, measured exactly
_FINEST = 2e-3  # [m] spread of the densest points, if they are not too many
_MOST = 100_000
_FEW = 64  # thinner is not worth it
_DENSER = 0.25  # of the spread: points that are closer tell nothing more
_NUMBERED = 2.0**62  # cells that one integer can number
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
        from parts.geometry.proximity import InsideTest, NearestTriangles

        self._vertices = solid.mesh.vertices[np.unique(solid.mesh.faces)]
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

    def corners_near(self, centre: Array, reach: float) -> Array:
        """Corners of triangles within reach of a point. # (k, 3) [m]."""
        return np.asarray(self._vertices[np.linalg.norm(self._vertices - centre, axis=1) <= reach])

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


class SpreadPoints:
    """Sets of points, each thinner than the one before.

    Args:
        triangles: corners. # (t, 3, 3) [m]

    Attributes:
        spreads: how far any place of the triangles may be from a point of each set. # (s,) [m]
    """

    def __init__(self, triangles: Array) -> None:
        from scipy.spatial import cKDTree

        points, dense = _dense(triangles)
        # Where long edges forbid a finer spread, small triangles need not be denser than it.
        cell = _DENSER * dense
        points, dense = _thinned(points, cell), dense + float(np.sqrt(3.0)) * cell
        spreads, self._trees = [dense], [_tree(cKDTree, points)]
        while len(points) > _FEW:
            cell = 2.0 * spreads[-1]
            points = _thinned(points, cell)
            # A place is near a point of the set before, which shares a cell with one that is left.
            spreads.append(spreads[-1] + float(np.sqrt(3.0)) * cell)
            self._trees.append(_tree(cKDTree, points))
        self.spreads = np.array(spreads)

    def gaps(self, places: Array, wanted: Array, bounds: Array) -> tuple[Array, Array]:
        """Distances of places from points near them, each in the thinnest set that is good enough.

        Args:
            places: # (m, 3) [m]
            wanted: spread of the set; where none is so dense, the densest serves. # (m,) [m]
            bounds: distances less the spread that are not worth knowing. # (m,) [m]

        Returns:
            Distances, or inf; and the spreads. # (m,) each [m]
        """
        level = np.maximum(np.searchsorted(self.spreads, wanted, side="right") - 1, 0)
        gaps, spread = np.full(len(places), np.inf), self.spreads[level]
        for k in np.unique(level):
            own = np.flatnonzero(level == k)
            farthest = float(np.max(bounds[own] + self.spreads[k]))
            gaps[own], _ = self._trees[k].query(places[own], distance_upper_bound=farthest)
        return gaps, np.asarray(spread)


def _tree(kind: type[cKDTree], points: Array) -> cKDTree:
    return kind(points, balanced_tree=False, compact_nodes=False)


def _thinned(points: Array, cell: float) -> Array:
    """One point of every cell of a grid."""
    cells = np.floor(points / cell).astype(np.int64)
    cells -= np.min(cells, axis=0)
    counts = np.max(cells, axis=0) + 1
    if float(np.prod(counts.astype(np.float64))) < _NUMBERED:  # one number sorts faster than three
        numbers = (cells[:, 0] * counts[1] + cells[:, 1]) * counts[2] + cells[:, 2]
        _, first = np.unique(numbers, return_index=True)
    else:
        _, first = np.unique(cells, axis=0, return_index=True)
    return np.asarray(points[np.sort(first)])


def _dense(triangles: Array) -> tuple[Array, float]:
    """Points of triangles, and how far anything on these may be from one of them.

    The longest edge is halved, so that a sliver, as of a fan over a long rim, becomes a row of
    parts; equal parts of both of its sides would be their square. What a coarser spread halves was
    halved for a finer one, too: halves are made once.
    """
    spread, most = _FINEST, max(_MOST, 2 * len(triangles))
    generations = [_Parts(triangles)]
    while (corners := _corners(generations, spread, most)) is None:
        spread *= 1.25
    return np.asarray(np.mean(corners, axis=1)), spread


def _corners(generations: list[_Parts], spread: float, most: int) -> Array | None:
    """Corners of parts that are all within ``spread`` of their centres; None of too many parts.

    Args:
        generations: each the halves of the one before; more are added as they are needed.
        spread: not less than before. [m]
        most: parts.
    """
    found, count = [np.zeros((0, 3, 3))], 0
    there = np.ones(len(generations[0].radii), dtype=bool)
    for parts in generations:
        large = there & (parts.radii > spread)
        small = there & ~large
        larger = int(np.count_nonzero(large))
        count += int(np.count_nonzero(small))
        if count + 2 * larger > most:
            return None
        found.append(parts.corners[small])
        if larger and parts is generations[-1]:
            generations.append(parts.halves(large))
        there = np.tile(large[parts.halved], 2)
    return np.concatenate(found)


class _Parts:
    """Parts of triangles.

    Args:
        corners: # (p, 3, 3) [m]

    Attributes:
        radii: distance of the farthest place of each part from its centre, or more. # (p,) [m]
        halved: those that have halves. # (p,)
    """

    def __init__(self, corners: Array) -> None:
        self.corners = corners
        x, y, z = np.moveaxis((corners[:, [1, 2, 0]] - corners) ** 2, 2, 0)
        self._lengths = np.sqrt(x + y + z)
        # The centre of a triangle is within two thirds of its longest edge from all of it.
        self.radii = 2.0 / 3.0 * np.maximum.reduce(list(self._lengths.T))
        self.halved = np.zeros(len(corners), dtype=bool)

    def halves(self, rows: Mask) -> _Parts:
        """The first halves of some parts, then the second ones, cut across the longest edge."""
        self.halved = rows
        first = np.argmax(self._lengths[rows], axis=1)[:, None]
        row = np.flatnonzero(rows)[:, None]
        a, b, c = np.moveaxis(self.corners[row, (first + np.arange(3)) % 3], 1, 0)
        middle = 0.5 * (a + b)
        return _Parts(np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)]))
