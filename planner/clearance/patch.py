"""What of the part a probing line may come near to: the probed surface around its point.

The patch starts at the triangle nearest to the point and goes on over smooth edges, as far as the
stylus can be near it. A wall beside the point belongs to another surface and is kept away from, and
so is what a surface that bends round has across from the point: the other side of a bore.
What lies behind the patch as the ball sees it (the other side of a sheet, the flank below an edge)
cannot be reached but through the patch, so that its distance tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from planner.job.solids import Solid
from planner.plan_types import PlacedPoints
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from parts.geometry.proximity import BoxTree, NearestTriangles


SMOOTH = np.cos(np.radians(40.0))  # of the angle that a surface may turn at one edge
ACROSS = np.cos(np.radians(100.0))  # of that which it may turn in all


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
    """

    patch: Patches
    ignored: Patches


class ProbedSurface:
    """The part, ready to be asked for its surface around points.

    Args:
        part: vertices of its mesh that coincide are one vertex.
    """

    def __init__(self, part: Solid) -> None:
        self.mesh = part.mesh
        # Only a closed skin has a side that cannot be seen; it may be turned inside out.
        self._outward = float(np.sign(part.mesh.volume)) if part.closed else 0.0

    def around(self, touches: StylusPlacement, reach: float) -> Probed:
        """The surface around points.

        Args:
            touches: the points.
            reach: how far from its point the stylus can be near the patch. [m]
        """
        count = len(touches.points)
        near = self.near(touches.points, np.arange(count), reach)
        patch = self.face(near, touches)
        point, triangle = np.divmod(near, len(self.mesh))
        corners = self.mesh.vertices[self.mesh.faces[triangle, 0]]
        off = touches.contacts[point] - corners
        above = np.einsum("ij,ij->i", self.mesh.normals[triangle], off)
        ignored = rising(np.concatenate([patch, near[self._outward * above < 0.0]]))
        return Probed(patch=self.grouped(patch, count), ignored=self.grouped(ignored, count))

    def near(self, places: Array, owners: Indices, reach: float) -> Indices:
        """Triangles within reach of places of points: point and triangle in one number, rising.

        Args:
            places: # (p, 3) [m]
            owners: the point of each place. # (p,)
            reach: [m]
        """
        from parts.geometry.proximity import closest_on_triangles

        found: list[Indices] = [np.zeros(0, dtype=np.int64)]
        for pairs in self._boxes.near(places, np.full(len(places), reach)):
            at = places[pairs.queries]
            feet = closest_on_triangles(at, self.mesh.vertices[self.mesh.faces[pairs.items]])
            close = np.einsum("ij,ij->i", at - feet, at - feet) <= reach * reach
            found.append(owners[pairs.queries[close]] * len(self.mesh) + pairs.items[close])
        return rising(np.concatenate(found))

    def face(self, near: Indices, touches: StylusPlacement) -> Indices:
        """What of ``near`` belongs to the smooth surface that each point lies on."""
        point, triangle = np.divmod(near, len(self.mesh))
        facing = np.einsum("ij,ij->i", self.mesh.normals[triangle], touches.normals[point])
        near = near[self._outward * facing >= ACROSS]
        first = self._nearest.nearest(touches.points).triangles
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
    def _nearest(self) -> NearestTriangles:
        from parts.geometry.proximity import NearestTriangles

        return NearestTriangles(self.mesh)

    @cached_property
    def _boxes(self) -> BoxTree:
        from parts.geometry.proximity import BoxTree

        corners = self.mesh.triangles
        return BoxTree(corners.min(axis=1), corners.max(axis=1))

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
