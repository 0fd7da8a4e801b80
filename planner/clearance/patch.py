"""What of the part a probing line may come near to: the probed surface around its point.

The patch starts at the triangle nearest to the point and goes on over smooth edges, as far as the
stylus can be near it. A wall beside the point belongs to another surface and is kept away from, and
so is what a surface that bends round has across from the point: the other side of a bore.
What lies behind the patch as the ball sees it (the other side of a sheet, the flank below an edge)
cannot be reached but through the patch, so that its distance tells nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from planner.clearance.distance_field import TriangleTree
from planner.clearance.segments import segment_triangle
from planner.clearance.tree import DEPTH, Stack, Tree, box_gap, corners_of, leaf_start
from planner.job.solids import Solid
from planner.plan import PlacedPoints
from robots.core.arrays import Array, Indices, Mask
from robots.core.kernels.loop import Loop

SMOOTH = np.cos(np.radians(40.0))  # of the angle that a surface may turn at one edge
ACROSS = np.cos(np.radians(100.0))  # of that which it may turn in all
_EVEN = 1e-12  # [m] of two triangles none is nearer for it
_ROOM = 64  # triangles that a place may have within its reach before more room is made


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patches:
    """Triangles of the part, one group per point.

    Args:
        offsets: where the group of each point starts; the last one where all end. # (k + 1,)
        triangles: rows of the mesh's faces, rising in each group. # (t,)
    """

    offsets: Indices
    triangles: Indices

    def take(self, point: Indices) -> Patches:
        """The groups of points, in any order. # (m,)."""
        sizes = np.diff(self.offsets)[point]
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        inside = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
        triangles = self.triangles[np.repeat(self.offsets[point], sizes) + inside]
        return Patches(offsets=offsets, triangles=triangles)

    @property
    def count(self) -> int:
        """Number of groups."""
        return len(self.offsets) - 1

    def of(self, point: int) -> Indices:
        """The group of one point."""
        return self.triangles[self.offsets[point] : self.offsets[point + 1]]

    def joined(self, others: Patches) -> Patches:
        """These groups, then others."""
        return Patches(
            offsets=np.concatenate([self.offsets, self.offsets[-1] + others.offsets[1:]]),
            triangles=np.concatenate([self.triangles, others.triangles]),
        )

    @classmethod
    def none(cls, count: int) -> Patches:
        """Groups without a triangle."""
        empty = np.zeros(0, dtype=np.int64)
        return cls(offsets=np.zeros(count + 1, dtype=np.int64), triangles=empty)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StylusPlacement:
    """Where a stylus stands when its ball touches.

    Args:
        points: on the surface, or near it. # (k, 3) [m]
        contacts: ball centres. # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
        axes: from wrist to ball. # (k, 3) unit
    """

    points: Array
    contacts: Array
    normals: Array
    axes: Array

    @classmethod
    def of(cls, placed: PlacedPoints) -> StylusPlacement:
        """Of placed points."""
        return cls(
            points=placed.surfaces,
            contacts=placed.contacts,
            normals=placed.normals,
            axes=placed.axes,
        )

    def take(self, rows: Indices) -> StylusPlacement:
        """Some of them."""
        return StylusPlacement(
            points=self.points[rows],
            contacts=self.contacts[rows],
            normals=self.normals[rows],
            axes=self.axes[rows],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Probed:
    """The part around probe points.

    Args:
        patch: the probed surface, which the ball touches.
        ignored: the patch and what lies behind it.
        first: triangle nearest to each point, where its patch starts. # (k,)
    """

    patch: Patches
    ignored: Patches
    first: Indices


class ProbedSurface:
    """The part, ready to be asked for its surface around points.

    Args:
        part: vertices of its mesh that coincide are one vertex.
        tree: of its triangles.
    """

    def __init__(self, part: Solid, tree: TriangleTree) -> None:
        self.mesh, self._tree = part.mesh, tree
        # Only a closed skin has a side that cannot be seen; it may be turned inside out.
        self._outward = float(np.sign(part.mesh.volume)) if part.closed else 0.0

    def around(self, touches: StylusPlacement, reach: float) -> Probed:
        """The surface around points.

        Args:
            touches: the points.
            reach: how far from its point the stylus can be near the patch. [m]
        """
        count = len(touches.points)
        found = self._within(touches.points, reach)
        near = rising(found.queries * len(self.mesh) + found.triangles)
        first = self._nearest(touches.points, found)
        patch = self.face(near, touches, first)
        point, triangle = np.divmod(near, len(self.mesh))
        corners = self.mesh.vertices[self.mesh.faces[triangle, 0]]
        off = touches.contacts[point] - corners
        above = np.einsum("ij,ij->i", self.mesh.normals[triangle], off)
        ignored = rising(np.concatenate([patch, near[self._outward * above < 0.0]]))
        return Probed(
            patch=self.grouped(patch, count), ignored=self.grouped(ignored, count), first=first
        )

    def near(self, places: Array, owners: Indices, reach: float) -> Indices:
        """Triangles within reach of places of points: point and triangle in one number, rising.

        Args:
            places: # (p, 3) [m]
            owners: the point of each place. # (p,)
            reach: [m]
        """
        found = self._within(places, reach)
        return rising(owners[found.queries] * len(self.mesh) + found.triangles)

    def _within(self, places: Array, reach: float) -> _Within:
        """All triangles within reach of places."""
        places, tree = np.ascontiguousarray(places), self._tree
        counts, room = np.zeros(len(places), dtype=np.int64), _ROOM * len(places)
        stack = Stack(nodes=np.empty(DEPTH, dtype=np.int64), gaps=np.empty(DEPTH))
        while True:
            items, squares = np.empty(room, dtype=np.int64), np.empty(room)
            _WITHIN(Tree(tree.boxes, tree.corners), places, reach, stack, counts, items, squares)
            total = int(np.sum(counts))
            if total <= room:
                break
            room = total
        return _Within(
            queries=np.repeat(np.arange(len(places)), counts),
            triangles=tree.items[items[:total]],
            squares=squares[:total],
        )

    def _nearest(self, places: Array, found: _Within) -> Indices:
        """Nearest triangle with an area of every place; of equal ones the first of the mesh."""
        from parts.geometry.proximity import NearestTriangles, closest_on_triangles

        real = self.mesh.areas[found.triangles] > 0.0
        least = np.full(len(places), np.inf)
        np.minimum.at(least, found.queries[real], found.squares[real])
        close = np.sqrt(found.squares) <= np.sqrt(least[found.queries]) + _EVEN
        rows = np.flatnonzero(real & close)
        query, triangle = found.queries[rows], found.triangles[rows]
        off = places[query] - closest_on_triangles(places[query], self.mesh.corners(triangle))
        order = np.lexsort((triangle, np.einsum("ij,ij->i", off, off), query))
        owner, one = np.unique(query[order], return_index=True)
        first = np.empty(len(places), dtype=np.int64)
        first[owner] = triangle[order[one]]
        far = np.flatnonzero(np.isinf(least))
        if far.size:
            first[far] = NearestTriangles(self.mesh).nearest(places[far]).triangles
        return first

    def face(self, near: Indices, touches: StylusPlacement, first: Indices) -> Indices:
        """What of ``near`` belongs to the smooth surface that each point lies on.

        Args:
            near: points and triangles, rising.
            touches: the points.
            first: triangle nearest to each. # (k,)
        """
        point, triangle = np.divmod(near, len(self.mesh))
        facing = np.einsum("ij,ij->i", self.mesh.normals[triangle], touches.normals[point])
        near = near[self._outward * facing >= ACROSS]
        fresh = np.arange(first.size) * len(self.mesh) + first
        reached = np.zeros(near.size + 1, dtype=bool)
        patch = [fresh]
        reached[_rows(near, fresh)] = True
        while fresh.size:
            rows = np.unique(_rows(near, self._neighbours(fresh)))
            rows = rows[(rows < near.size) & ~reached[rows]]
            reached[rows] = True
            fresh = near[rows]
            patch.append(fresh)
        return np.sort(np.concatenate(patch))

    def _neighbours(self, keys: Indices) -> Indices:
        """Triangles across smooth edges, with their points."""
        starts, others = self._adjacent
        triangle = keys % len(self.mesh)
        sizes = starts[triangle + 1] - starts[triangle]
        ends = np.cumsum(sizes)
        inside = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        found = others[np.repeat(starts[triangle], sizes) + inside]
        return np.asarray(np.repeat(keys - triangle, sizes) + found)

    def both(self, some: Patches, others: Patches) -> Patches:
        """What is in either of two lists of groups, group by group."""
        if some is others:
            return some
        keys = rising(np.concatenate([self._keys(some), self._keys(others)]))
        return self.grouped(keys, some.count)

    def _keys(self, groups: Patches) -> Indices:
        return np.repeat(np.arange(groups.count), np.diff(groups.offsets)) * len(self.mesh) + (
            groups.triangles
        )

    def grouped(self, keys: Indices, count: int) -> Patches:
        """Numbers of points and triangles as one group per point."""
        point, triangle = np.divmod(keys, len(self.mesh))
        offsets = np.searchsorted(point, np.arange(count + 1)).astype(np.int64)
        return Patches(offsets=offsets, triangles=triangle)

    @cached_property
    def _adjacent(self) -> tuple[Indices, Indices]:
        """Triangles joined to each one by smooth edges: starts (f + 1,) and the others."""
        faces, normals = self.mesh.faces, self.mesh.normals
        start = faces.ravel()
        end = np.roll(faces, -1, axis=1).ravel()
        key = np.minimum(start, end) * len(self.mesh.vertices) + np.maximum(start, end)
        order = np.argsort(key, kind="stable")
        key, owner = key[order], order // 3
        # Triangles that share an edge stand side by side; of more than two, each joins the next.
        shared = np.nonzero(key[1:] == key[:-1])[0]
        a, b = owner[shared], owner[shared + 1]
        sliver = (self.mesh.areas[a] == 0.0) | (self.mesh.areas[b] == 0.0)  # has no normal: joins
        smooth = sliver | (np.einsum("ij,ij->i", normals[a], normals[b]) >= SMOOTH)
        a, b = a[smooth], b[smooth]
        a, b = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.lexsort((b, a))
        starts = np.searchsorted(a[order], np.arange(len(self.mesh) + 1)).astype(np.int64)
        return starts, b[order]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Within:
    """Triangles within reach of places.

    Args:
        queries: rows of the places, rising. # (p,)
        triangles: of the mesh. # (p,)
        squares: of their distances. # (p,) [m²]
    """

    queries: Indices
    triangles: Indices
    squares: Array


def within(
    tree: Tree, places: Any, reach: float, stack: Stack, counts: Any, items: Any, squares: Any
) -> None:
    """Sorted triangles within reach of places; those that find no room are counted only.

    Args:
        tree: of the triangles.
        places: # (p, 3) [m]
        reach: [m]
        stack: work.
        counts: filled: of each place. # (p,)
        items: filled, place by place. # (room,)
        squares: filled: of their distances. # (room,) [m²]
    """
    boxes, corners, nodes = tree.boxes, tree.corners, stack.nodes
    leaves, far, found = (len(boxes) + 1) // 2, reach * reach, 0
    for row in range(len(places)):
        a, still = (places[row, 0], places[row, 1], places[row, 2]), (0.0, 0.0, 0.0)
        before = found
        nodes[0], top = 0, 0
        while top >= 0:
            node = nodes[top]
            top -= 1
            if box_gap(boxes, node, a, still, 0.0) > far:
                continue
            if node < leaves - 1:
                nodes[top + 1], nodes[top + 2] = 2 * node + 1, 2 * node + 2
                top += 2
                continue
            leaf = node - leaves + 1
            for item in range(
                leaf_start(leaf, leaves, len(corners)), leaf_start(leaf + 1, leaves, len(corners))
            ):
                square, _ = segment_triangle(a, still, corners_of(corners, item), math.inf)
                if square <= far:
                    if found < len(items):
                        items[found], squares[found] = item, square
                    found += 1
        counts[row] = found - before


_WITHIN = Loop(within, "(f8[2] f8[2]) f8[2] f8 (i8[1] f8[1]) i8[1] i8[1] f8[1]")


def rising(keys: Indices) -> Indices:
    """Numbers in rising order, each once."""
    keys = np.sort(keys)
    first = np.concatenate([np.ones(min(keys.size, 1), dtype=bool), keys[1:] != keys[:-1]])
    return np.asarray(keys[first])


def _rows(near: Indices, keys: Indices) -> Indices:
    """Rows of keys in ``near``; its length for those that are not there."""
    rows = np.searchsorted(near, keys)
    found = near[np.minimum(rows, max(near.size - 1, 0))] == keys if near.size else False
    return np.asarray(np.where(found, rows, near.size))


# ------------------------------------------------------------------------------------------ Beside
# A shank that leans from the normal stays near the surface after the patch of the ball has ended;
# where it is parallel to the wall, in a bore or along a side, it does for its whole length. There
# the smooth face beside the whole shank is the probed surface: the shank may be nearer to it than
# the clearance, as it must, but does not touch it. What stands further back than that face as the
# stylus sees it (``shadow``) cannot be reached but through it. All else counts, as does the wall
# across.


@dataclass(frozen=True, slots=True, kw_only=True)
class Shank:
    """How far a shank reaches.

    Args:
        length: [m]
        within: of its axis, what may have to be kept away from. [m]
        reach: of the ball's patch. [m]
    """

    length: float
    within: float
    reach: float


def beside(
    surface: ProbedSurface, touches: StylusPlacement, probed: Probed, shank: Shank
) -> Patches:
    """Triangles that a shank may be near at each point.

    Where it stands up from the surface they are those that the ball may be near.

    Args:
        surface: of the part.
        touches: the points.
        probed: the surface around them.
        shank: its reach.
    """
    ways = _along_face(touches, shank)
    lengths = np.linalg.norm(ways, axis=1)
    rows = np.flatnonzero(lengths > 0.0)
    if rows.size == 0:
        return probed.ignored
    some = touches.take(rows)
    near = _near(surface, some, ways[rows], shank.reach)
    face = surface.face(near, some, probed.first[rows])
    behind = _behind(surface, some, (face, near[~np.isin(near, face, kind="sort")]), shank)
    drawn_out = surface.grouped(rising(np.concatenate([face, behind])), rows.size)
    place = np.arange(len(touches.points))
    place[rows] = len(place) + np.arange(rows.size)
    return probed.ignored.joined(drawn_out).take(place)


def _along_face(touches: StylusPlacement, shank: Shank) -> Array:
    """How far the patch goes on along the face, under the shank. # (k, 3) [m].

    The shank leaves the tangent plane at an angle whose sine is the cosine of that between it and
    the normal; it is near that plane until it has risen by ``within``.
    """
    up = -touches.axes
    cosine = np.einsum("ij,ij->i", up, touches.normals)
    flat = up - cosine[:, None] * touches.normals
    sine = np.linalg.norm(flat, axis=1)
    leaves = cosine > 0.0
    need = np.where(leaves, shank.within / np.where(leaves, cosine, 1.0), np.inf)
    longer = np.clip(need - shank.reach, 0.0, shank.length * sine)
    return np.asarray(flat * (longer / np.where(sine > 0.0, sine, 1.0))[:, None])


def _near(surface: ProbedSurface, touches: StylusPlacement, ways: Array, reach: float) -> Indices:
    """Triangles within reach of ways from the points, or a little farther."""
    lengths = np.linalg.norm(ways, axis=1)
    steps = np.ceil(2.0 * lengths / reach).astype(np.int64)
    owners = np.repeat(np.arange(len(ways)), steps + 1)
    first = np.cumsum(steps + 1) - steps - 1
    share = (np.arange(owners.size) - first[owners]) / steps[owners]
    places = touches.points[owners] + share[:, None] * ways[owners]
    return surface.near(places, owners, float(np.hypot(reach, 0.25 * reach)))


def _behind(
    surface: ProbedSurface, touches: StylusPlacement, parts: tuple[Indices, Indices], shank: Shank
) -> Indices:
    """What of the second part stands behind the face, the first, of its point."""
    count, size = len(touches.points), len(surface.mesh)
    face, others = (surface.grouped(keys, count) for keys in parts)
    corners = surface.mesh.triangles
    found = [np.zeros(0, dtype=np.int64)]
    for k in range(count):
        stand = Stand(
            ball=touches.contacts[k],
            axis=touches.axes[k],
            length=shank.length,
            within=shank.within,
            looked=2.0 * shank.reach,
        )
        rows = others.of(k)
        found.append(k * size + rows[hidden(corners[face.of(k)], corners[rows], stand)])
    return np.concatenate(found)


# ------------------------------------------------------------------------------------------ Shadow
# Looking along the stylus, its shank is a dot and the face beside it a curve. At contact the ball
# has stopped the motion; whatever is met only after that curve, in the direction in which it is
# met, stands further back than the surface that stopped it: the rim of a bore, its chamfer, the top
# around it, the outer side of a thin wall. It is looked along a fan of rays, and at every corner.

_FAN = 1440  # rays: at 10 mm they are 0.04 mm apart
_EQUAL = 1e-5  # [m] facets and rounding: as far back as the face is behind it
_ANGLE = 1e-9  # [rad] rounding
_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stand:
    """A stylus at a contact.

    Args:
        ball: centre. # (3,) [m]
        axis: from wrist to ball. # (3,) unit
        length: of the shank. [m]
        within: of the axis, what may have to be kept away from. [m]
        looked: how far it is looked, at least as far. [m]
    """

    ball: Array
    axis: Array
    length: float
    within: float
    looked: float


def hidden(face: Array, others: Array, stand: Stand) -> Mask:
    """Which triangles stand behind the face, wherever they are near the shank.

    One that comes within ``within`` has to be behind the face where it does; one that does not,
    wherever it is looked at.

    Args:
        face: triangles of the probed face; what of them lies below the ball's centre or above the
            wrist hides nothing. # (f, 3, 3) [m]
        others: triangles, none of them of the face. # (m, 3, 3) [m]
        stand: where the stylus is.
    """
    front = _edges_between(_seen_along(face, stand), stand.length)
    corners = _seen_along(others, stand)[..., :2]
    rays = _rays(corners, stand.looked)
    nearest = np.full(rays.size, np.inf)
    met = _meetings(front, rays)
    np.minimum.at(nearest, met.ray, met.distance)
    edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    met = _meetings(edges, rays)
    owner = met.edge // 3
    least = np.full(len(others), np.inf)
    np.minimum.at(least, owner, met.distance)
    limit = np.where(least < stand.within, stand.within, stand.looked)
    seen = met.distance < np.minimum(nearest[met.ray] - _EQUAL, limit[owner])
    result = least < stand.looked
    result[owner[seen]] = False
    return np.asarray(result & ~_around_axis(corners))


def _seen_along(triangles: Array, stand: Stand) -> Array:
    """Corners across the axis, and how far they are from the ball towards the wrist."""
    from parts.geometry.surfaces import across

    side = across(stand.axis)
    frame = np.stack([side, np.cross(stand.axis, side), -stand.axis], axis=1)
    return np.asarray((triangles - stand.ball) @ frame)


def _edges_between(corners: Array, height: float) -> Array:
    """Outlines of triangles between heights 0 and ``height``, seen from above. # (e, 2, 2)."""
    start, end = corners, np.roll(corners, -1, axis=1)
    rise = end[..., 2] - start[..., 2]
    level = rise == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        cuts = np.stack([-start[..., 2] / rise, (height - start[..., 2]) / rise])
    inside = (start[..., 2] >= 0.0) & (start[..., 2] <= height)
    low = np.where(level, 0.0, np.clip(np.min(cuts, axis=0), 0.0, 1.0))
    high = np.where(level, inside * 1.0, np.clip(np.max(cuts, axis=0), 0.0, 1.0))
    across = (end - start)[..., :2]
    ends = [start[..., :2] + share[..., None] * across for share in (low, high)]
    edges = np.stack(ends, axis=2)[high > low]
    return np.concatenate([edges, _cut(corners, 0.0), _cut(corners, height)])


def _cut(corners: Array, height: float) -> Array:
    """Where triangles meet a plane across the axis. # (c, 2, 2)."""
    above = corners[..., 2] >= height
    corners = corners[above.any(axis=1) & ~above.all(axis=1)]
    start, end = corners, np.roll(corners, -1, axis=1)
    crossed = (start[..., 2] >= height) != (end[..., 2] >= height)
    a, b = start[crossed], end[crossed]
    share = (height - a[:, 2]) / (b[:, 2] - a[:, 2])
    return np.asarray((a + share[:, None] * (b - a))[:, :2].reshape(-1, 2, 2))


def _rays(corners: Array, within: float) -> Array:
    """Directions in which it is looked, rising. # (r,) [rad]."""
    flat = corners.reshape(-1, 2)
    flat = flat[np.einsum("ij,ij->i", flat, flat) < within * within]
    fan = (np.arange(_FAN) / _FAN - 0.5) * _TURN
    return np.unique(np.concatenate([fan, np.arctan2(flat[:, 1], flat[:, 0])]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Meetings:
    """Rays that meet edges. # (m,) each."""

    edge: Indices
    ray: Indices
    distance: Array


def _meetings(edges: Array, rays: Array) -> _Meetings:
    """All meetings of rays from the axis and edges. # (e, 2, 2), (r,)."""
    a, b = edges[:, 0], edges[:, 1]
    first = np.arctan2(a[:, 1], a[:, 0])
    sweep = np.arctan2(_cross(a, b), np.einsum("ij,ij->i", a, b))
    low = first + np.minimum(sweep, 0.0) - _ANGLE
    turns = np.concatenate([rays - _TURN, rays, rays + _TURN])
    starts = np.searchsorted(turns, low)
    counts = np.searchsorted(turns, low + np.abs(sweep) + 2.0 * _ANGLE) - starts
    edge = np.repeat(np.arange(len(edges)), counts)
    inside = np.arange(edge.size) - np.repeat(np.cumsum(counts) - counts, counts)
    ray = (np.repeat(starts, counts) + inside) % rays.size
    way = np.stack([np.cos(rays), np.sin(rays)], axis=1)[ray]
    begin, across = a[edge], (b - a)[edge]
    before, apart = _cross(begin, way), _cross(way, across)
    # An edge that is seen end-on is met at its nearer end.
    nearer = np.einsum("ij,ij->i", b, b) < np.einsum("ij,ij->i", a, a)
    share = np.divide(before, apart, out=1.0 * nearer[edge], where=apart != 0.0)
    np.clip(share, 0.0, 1.0, out=share)
    distance = np.einsum("ij,ij->i", begin, way) + share * np.einsum("ij,ij->i", across, way)
    return _Meetings(edge=edge, ray=ray, distance=distance)


def _around_axis(corners: Array) -> Mask:
    """Triangles that the axis, drawn out, passes through. # (m, 3, 2) -> (m,)."""
    sides = np.stack([_cross(corners[:, k], corners[:, (k + 1) % 3]) for k in range(3)])
    return np.asarray(np.all(sides > 0.0, axis=0) | np.all(sides < 0.0, axis=0))


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
