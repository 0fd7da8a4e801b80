"""Closest points on triangle meshes, exact, and whether points lie inside the material.

A k-d tree over sample points of the triangles gives each query one triangle that is near; its
distance is an upper bound. A triangle can only be nearer if its box is within that bound, so the
tree of boxes names all that need be measured: the answer is proven, not approximate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.mesh import TriangleMesh
from robots.core.arrays import Array, Indices, Mask

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

NEAREST_CHUNK = 100_000  # queries at once; bounds the memory
# Queries times samples up to which all are compared: a tree would be quicker, but importing SciPy
# takes longer than this.
_FEW_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearestPoints:
    """Nearest points of a mesh.

    Args:
        points: on the triangles. # (k, 3) [m]
        triangles: rows of the mesh's faces. # (k,)
        distances: from the queries. # (k,) [m]
    """

    points: Array
    triangles: Indices
    distances: Array


class NearestTriangles:
    """A search structure over the triangles that have an area.

    Args:
        mesh: to be searched; unchanged.

    Raises:
        PartError: no triangle has an area.
    """

    def __init__(self, mesh: TriangleMesh) -> None:
        self._ids = np.flatnonzero(mesh.areas > 0.0)
        if not self._ids.size:
            raise PartError("No triangle of the mesh has an area; there is nothing to probe.")
        self._corners = mesh.corners(self._ids)
        self._boxes = BoxTree(self._corners.min(axis=1), self._corners.max(axis=1))
        self._samples, self._sample_ids = _samples(self._corners)

    def nearest(self, points: Array) -> NearestPoints:
        """Nearest point of the mesh for every query; of equal triangles the first of the mesh.

        Args:
            points: queries. # (k, 3) [m]
        """
        found = np.empty((len(points), 3))
        triangles = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), NEAREST_CHUNK):
            part = slice(start, start + NEAREST_CHUNK)
            found[part], triangles[part] = self._chunk(points[part])
        distances = np.linalg.norm(points - found, axis=1)
        return NearestPoints(points=found, triangles=self._ids[triangles], distances=distances)

    def _chunk(self, points: Array) -> tuple[Array, Indices]:
        triangles = self._sample_ids[self._nearest_samples(points)]
        feet = closest_on_triangles(points, self._corners[triangles])
        best = _Best(triangles, feet, _squares(points - feet))
        for pairs in self._boxes.near(points, np.sqrt(best.squares)):
            self._improve(points, pairs, best)
        return best.feet, best.triangles

    def _nearest_samples(self, points: Array) -> Indices:
        """A near sample of each query, the nearest but for rounding."""
        if len(points) * len(self._samples) > _FEW_PAIRS:
            return np.asarray(self._tree.query(points)[1])
        centre = self._samples.mean(axis=0)
        samples = self._samples - centre
        squares = _squares(samples) - 2.0 * ((points - centre) @ samples.T)
        return np.asarray(np.argmin(squares, axis=1))

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree

        return cKDTree(self._samples, balanced_tree=False, compact_nodes=False)

    def _improve(self, points: Array, pairs: Pairs, best: _Best) -> None:
        """Measure the triangles of pairs and keep the nearest of each query."""
        other = pairs.items != best.triangles[pairs.queries]
        queries, items = pairs.queries[other], pairs.items[other]
        if not queries.size:
            return
        feet = closest_on_triangles(points[queries], self._corners[items])
        squares = _squares(points[queries] - feet)
        order = np.lexsort((items, squares, queries))
        row = order[np.concatenate([[True], np.diff(queries[order]) > 0])]
        best.take(queries[row], items[row], feet[row], squares[row])


class _Best(NamedTuple):
    """The best answers so far; the arrays are changed in place."""

    triangles: Indices  # (k,)
    feet: Array  # (k, 3) [m]
    squares: Array  # of the distances, (k,) [m²]

    def take(self, owners: Indices, items: Indices, feet: Array, squares: Array) -> None:
        """Take over answers that are better; of equal ones the first triangle of the mesh."""
        equal = (squares == self.squares[owners]) & (items < self.triangles[owners])
        better = (squares < self.squares[owners]) | equal
        rows = owners[better]
        self.triangles[rows] = items[better]
        self.feet[rows] = feet[better]
        self.squares[rows] = squares[better]


def _samples(corners: Array) -> tuple[Array, Indices]:
    """Centres of the triangles, and of pieces of those that are large among their like.

    More samples only make the upper bound tighter, so their number is a matter of speed alone.
    """
    pieces, owners = corners, np.arange(len(corners))
    most = 3 * len(corners) + 4096
    target = 2.0 * _median_radius(corners)
    centres: list[Array] = []
    ids: list[Indices] = []
    kept = 0
    while len(pieces):
        radius = _radii(pieces)
        large = radius > target
        if kept + len(owners) + int(large.sum()) > most:
            large[:] = False
        centres.append(pieces[~large].mean(axis=1))
        ids.append(owners[~large])
        kept += len(ids[-1])
        pieces, owners = _halved(pieces[large]), np.repeat(owners[large], 2)
    return np.concatenate(centres), np.concatenate(ids)


def _radii(triangles: Array) -> Array:
    """Largest distance of a corner from the centre. # (n,) [m]."""
    offsets = triangles - triangles.mean(axis=1, keepdims=True)
    return np.asarray(np.sqrt(np.einsum("nij,nij->ni", offsets, offsets).max(axis=1)))


def _median_radius(corners: Array) -> float:
    """A length that few pieces should exceed: by number, but also by what the area allows."""
    radii = _radii(corners)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = float(np.linalg.norm(across, axis=1).sum()) / 2.0
    by_area = float(np.sqrt(area / (4096 + 2 * len(corners))))
    return max(float(np.median(radii)) / 2.0, by_area)


def _halved(triangles: Array) -> Array:
    """Both halves of triangles, cut across their longest edge, one after the other."""
    edges = _squares_of_edges(triangles)
    first = np.argmax(edges, axis=1)
    turn = (first[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(triangles, turn[:, :, None], axis=1), 1, 0)
    middle = (a + b) / 2.0
    halves = np.stack([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)], axis=1)
    return np.asarray(halves.reshape(-1, 3, 3))


def _squares_of_edges(triangles: Array) -> Array:
    along = np.roll(triangles, -1, axis=1) - triangles
    return np.asarray(np.einsum("nij,nij->ni", along, along))


def _squares(vectors: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors))


# ------------------------------------------------------------------------------------- Inside test

ATTEMPTS = 6  # directions tried before a doubtful count is taken as it is
DOUBT = 1e-12  # twice a signed area over the square of the mesh's size, below which a side is open
INSIDE_CHUNK = 50_000  # queries at once; bounds the memory


class InsideTest:
    """Rays against a watertight mesh.

    A ray that passes an edge too close to tell the side is cast again in another direction. Where
    the mesh winds consistently, signed crossings are summed, so that bodies may overlap; else
    crossings are only odd or even.

    Args:
        mesh: watertight.
        consistent: whether its triangles agree on the outside.
    """

    __slots__ = ("_centre", "_consistent", "_corners", "_shadows", "_size")

    def __init__(self, mesh: TriangleMesh, *, consistent: bool) -> None:
        self._centre = mesh.bounds.mean(axis=0)
        self._size = float(np.linalg.norm(mesh.size)) or 1.0
        self._corners = (mesh.triangles - self._centre) / self._size
        self._consistent = consistent
        self._shadows: list[BoxTree] = []  # one per direction that was needed

    def inside(self, points: Array) -> Mask:
        """Return whether each point is inside. # points (k, 3) [m] → (k,)."""
        crossings = self.crossings(points)
        return np.asarray(crossings != 0.0 if self._consistent else crossings % 2.0 == 1.0)

    def crossings(self, points: Array) -> Array:
        """How often a ray from each point leaves the material, less how often it enters. # (k,).

        Of a mesh that winds consistently this is the winding number: 0 outside, 1 inside, more
        where bodies overlap; below 0 only where the skin is folded through itself.
        """
        local = (points - self._centre) / self._size
        result = np.zeros(len(points))
        open_rows = np.flatnonzero((np.abs(local) <= 0.5 + 1e-9).all(axis=1))
        for attempt in range(ATTEMPTS):
            if not open_rows.size:
                break
            turn = _rotation(attempt)
            if attempt == len(self._shadows):
                self._shadows.append(_shadows(self._corners @ turn))
            sums, doubtful = self._cast(local[open_rows] @ turn, turn, self._shadows[attempt])
            result[open_rows] = sums
            open_rows = open_rows[doubtful]
        return result

    def _cast(self, points: Array, turn: Array, tree: BoxTree) -> tuple[Array, Mask]:
        """Cast rays along +z: sums of crossings, and who cannot be sure."""
        sums = np.zeros(len(points))
        doubtful = np.zeros(len(points), dtype=bool)
        for start in range(0, len(points), INSIDE_CHUNK):
            part = points[start : start + INSIDE_CHUNK]
            for pairs in tree.near(part, np.zeros(len(part))):
                crossing, unsure = _crossings(part, self._corners[pairs.items] @ turn, pairs)
                weights = crossing if self._consistent else np.abs(crossing)
                owners = start + pairs.queries
                sums += np.bincount(owners, weights=weights, minlength=len(points))
                doubtful[owners[unsure]] = True
        return sums, doubtful


def _shadows(corners: Array) -> BoxTree:
    """Boxes of all places from where a ray along +z meets triangles. # (n, 3, 3)."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    low[:, 2] = -2.0  # a triangle anywhere above the point is met, so its box reaches down
    return BoxTree(low, high)


def _crossings(points: Array, t: Array, pairs: Pairs) -> tuple[Array, Mask]:
    """+1 or -1 where the ray of a query crosses a triangle, and where that is unsure. # (p,).

    Args:
        points: queries. # (k, 3)
        t: corners of the triangle of each pair. # (p, 3, 3)
        pairs: queries and triangles.
    """
    p = points[pairs.queries]
    sides = np.stack([_side(t[:, i], t[:, (i + 1) % 3], p) for i in range(3)], axis=1)
    left, right = (sides > DOUBT), (sides < -DOUBT)
    within = np.asarray(left.all(axis=1) | right.all(axis=1))
    outside = np.asarray(left.any(axis=1) & right.any(axis=1))
    total = sides.sum(axis=1)
    weights = sides[:, [1, 2, 0]] / np.where(total != 0.0, total, 1.0)[:, None]
    height = np.einsum("pi,pi->p", weights, t[:, :, 2])
    crossing = np.where(within & (height > p[:, 2]), np.sign(total), 0.0)
    unsure: Mask = np.asarray(~within & ~outside)
    return crossing, unsure


def _side(start: Array, end: Array, points: Array) -> Array:
    """Twice the area of the triangle start, end, point, seen along z."""
    along, offset = end - start, points - start
    return np.asarray(along[:, 0] * offset[:, 1] - along[:, 1] * offset[:, 0])


@cache
def _rotation(attempt: int) -> Array:
    """A rotation without relation to the axes that parts are drawn along."""
    generator = np.random.default_rng(20_070_817 + attempt)
    Q, _ = np.linalg.qr(generator.normal(size=(3, 3)))
    return np.asarray(Q * np.sign(np.linalg.det(Q)))


# --------------------------------------------------------------------- Closest points of triangles

NEEDLE = 1e-6  # squared sine of a corner, below which the foot has lost half its digits


def closest_on_triangles(points: Array, triangles: Array) -> Array:
    """Closest point of triangle i to point i.

    The foot of the perpendicular where it falls into the triangle, else the best of the three
    edges; so nothing is divided by an area that may be zero. In a needle rounding may put the foot
    anywhere on the triangle: there the edges are asked too, and the nearer answer holds.

    Args:
        points: one per triangle. # (p, 3) [m]
        triangles: corners. # (p, 3, 3) [m]

    Returns:
        On the triangles. # (p, 3) [m]
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac, ap = b - a, c - a, points - a
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    bb, bc, cc = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    area = bb * cc - bc * bc
    v, w = cc * d1 - bc * d2, bb * d2 - bc * d1
    within = (area > 0.0) & (v >= 0.0) & (w >= 0.0) & (v + w <= area)
    scale = 1.0 / np.where(within, area, 1.0)
    result = a + (v * scale)[:, None] * ab + (w * scale)[:, None] * ac
    out = np.flatnonzero(~within | (area < NEEDLE * bb * cc))
    if out.size:
        rims = _closest_on_rims(points[out], triangles[out])
        to_rim, to_foot = points[out] - rims, points[out] - result[out]
        foot = within[out] & (_dot(to_foot, to_foot) <= _dot(to_rim, to_rim))
        result[out] = np.where(foot[:, None], result[out], rims)
    return np.asarray(result)


def _closest_on_rims(points: Array, triangles: Array) -> Array:
    """Closest points of the three edges. # (p, 3) [m]."""
    best = triangles[:, 0].copy()
    least = np.full(len(points), np.inf)
    for corner in range(3):
        start = triangles[:, corner]
        along = triangles[:, (corner + 1) % 3] - start
        square = _dot(along, along)
        share = _dot(points - start, along) / np.where(square > 0.0, square, 1.0)
        found = start + np.clip(share, 0.0, 1.0)[:, None] * along
        gap = points - found
        distance = _dot(gap, gap)
        nearer = distance < least
        best[nearer] = found[nearer]
        least = np.minimum(least, distance)
    return best


def barycentric(points: Array, triangles: Array) -> Array:
    """Weights of the corners for points on triangles, at least 0, their sum 1. # (p, 3)."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac, ap = b - a, c - a, points - a
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    bb, bc, cc = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    area = bb * cc - bc * bc
    good = area > 0.0
    scale = 1.0 / np.where(good, area, 1.0)
    v = np.clip((cc * d1 - bc * d2) * scale, 0.0, 1.0)
    w = np.clip((bb * d2 - bc * d1) * scale, 0.0, 1.0 - v)
    weights = np.stack([1.0 - v - w, v, w], axis=1)
    weights[~good] = 1.0 / 3.0
    return weights


def _dot(left: Array, right: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", left, right))


# ----------------------------------------------------------------------------------- Tree of boxes

FAN = 4  # boxes under a box
PAIRS = 250_000  # pairs of query and box kept at once; bounds the memory
_SLACK = 1e-12  # boxes are compared with distances that carry rounding; too many is harmless


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """Triangles that may be near queries.

    Args:
        queries: rows of the queries. # (p,)
        items: rows of the boxes that were given. # (p,)
        gaps: squared distances of the boxes from the queries. # (p,) [m²]
    """

    queries: Indices
    items: Indices
    gaps: Array


class BoxTree:
    """Boxes sorted along a space-filling curve and grouped by fours, up to one root.

    Args:
        low: least corners of the boxes. # (n, 3) [m]
        high: greatest corners. # (n, 3) [m]

    Attributes:
        order: of the boxes at the lowest level. # (n,)
        levels: least and greatest corners from the root down; the boxes under box i of a level are
            the ``FAN`` ones from ``FAN``·i on of the next. # (b, 2, 3) each [m]
    """

    __slots__ = ("levels", "order")

    def __init__(self, low: Array, high: Array) -> None:
        self.order = np.argsort(_morton((low + high) / 2.0), kind="stable")
        levels = [np.stack([low[self.order], high[self.order]], axis=1)]
        while len(levels[-1]) > 1:
            below = levels[-1]
            starts = np.arange(0, len(below), FAN)
            least = np.minimum.reduceat(below[:, 0], starts)
            most = np.maximum.reduceat(below[:, 1], starts)
            levels.append(np.stack([least, most], axis=1))
        self.levels = levels[::-1]

    def near(self, points: Array, reach: Array) -> Iterator[Pairs]:
        """All boxes within reach of points, in chunks that follow the order of the points.

        Args:
            points: queries. # (k, 3) [m]
            reach: of each query. # (k,) [m]

        Yields:
            Pairs; those of one query are all in one chunk.
        """
        square = reach * reach * (1.0 + _SLACK) + 1e-30
        stack = [(0, np.arange(len(points)), np.zeros(len(points), dtype=np.int64))]
        while stack:
            level, queries, boxes = stack.pop()
            gaps = _gaps(points[queries], self.levels[level][boxes])
            keep = gaps <= square[queries]
            queries, boxes, gaps = queries[keep], boxes[keep], gaps[keep]
            if level == len(self.levels) - 1:
                yield Pairs(queries=queries, items=self.order[boxes], gaps=gaps)
            else:
                stack.extend(self._below(level + 1, queries, boxes))

    def _below(
        self, level: int, queries: Indices, boxes: Indices
    ) -> list[tuple[int, Indices, Indices]]:
        """Pairs with the boxes under boxes, cut between queries where they are too many."""
        cuts = _cuts(queries, PAIRS // FAN)
        parts = []
        for start, end in zip(cuts[-2::-1], cuts[:0:-1], strict=True):  # the first is popped first
            children = (boxes[start:end, None] * FAN + np.arange(FAN)).ravel()
            owners = np.repeat(queries[start:end], FAN)
            real = children < len(self.levels[level])
            parts.append((level, owners[real], children[real]))
        return parts


def _cuts(queries: Indices, most: int) -> list[int]:
    """Places to cut a sorted list of owners so that no owner is split and parts stay small."""
    cuts = [0]
    while len(queries) - cuts[-1] > most:
        place = cuts[-1] + most
        before = int(np.searchsorted(queries, queries[place], side="left"))
        after = int(np.searchsorted(queries, queries[place], side="right"))
        cuts.append(before if before > cuts[-1] else after)
    if cuts[-1] < len(queries) or len(cuts) == 1:
        cuts.append(len(queries))
    return cuts


def _gaps(points: Array, boxes: Array) -> Array:
    """Squared distances of points from boxes, 0 inside. # (p,) [m²]."""
    outside = np.maximum(boxes[:, 0] - points, points - boxes[:, 1])
    np.maximum(outside, 0.0, out=outside)
    return np.asarray(np.einsum("ij,ij->i", outside, outside))


def _morton(centres: Array) -> NDArray[np.uint64]:
    """Interleaved bits of grid coordinates: near numbers are near places."""
    low = centres.min(axis=0)
    span = float((centres.max(axis=0) - low).max()) or 1.0
    grid = ((centres - low) * ((2**21 - 1) / span)).astype(np.uint64)
    code = np.zeros(len(centres), dtype=np.uint64)
    for axis in range(3):
        code |= _spread(grid[:, axis]) << np.uint64(axis)
    return code


def _spread(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Put two zero bits between the bits of 21-bit numbers."""
    steps = (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    )
    for shift, mask in steps:
        values = (values | (values << np.uint64(shift))) & np.uint64(mask)
    return values
