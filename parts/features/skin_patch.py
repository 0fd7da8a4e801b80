"""Patches of triangles: freeform faces, and pieces of meshes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.errors import FeatureError
from parts.features.patch import Patch, SurfacePoints
from parts.geometry.geometry import Geometry
from parts.geometry.mesh import TriangleMesh
from parts.geometry.skin import normals_at
from robots.core.arrays import Array, Indices, freeze_field

CREASE = np.radians(30.0)  # neighbours that turn more than this meet at an edge of the part
_SHEAR = 7.0 + 0.5 * (np.sqrt(5.0) - 1.0)  # the least rational of all numbers
_BITS = 10  # of a coordinate in the Morton order: 1024 cells along each side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SkinPatch(Patch):
    """Triangles of a part's skin, in an order that keeps neighbours together.

    u runs along the area of the triangles in that order; v, and what is left of u, place the
    point in its triangle. Points lie on the triangles: off the true surface by the tessellation's
    deflection. Normals are those that the geometry states there.

    Args:
        geometry: of the part.
        triangles: rows of its mesh. # (t,)
        name: kind of the feature: "freeform" or "facets".
    """

    geometry: Geometry
    triangles: Indices
    name: str = "freeform"

    def __post_init__(self) -> None:
        order = self.triangles[_morton(self.geometry.mesh.triangles[self.triangles].mean(axis=1))]
        freeze_field(self, "triangles", order)
        if not self.areas.sum() > 0.0:
            raise FeatureError("The triangles of this feature have no area.", count=len(order))

    @property
    def kind(self) -> str:
        """What it is made of: "freeform" or "facets"."""
        return self.name

    @property
    def areas(self) -> Array:
        """Of the triangles, in the order of u. # (t,) [m²]."""
        return np.asarray(self.geometry.mesh.areas[self.triangles])

    @property
    def width(self) -> float:
        """Side of the square of the same area. [m]."""
        return float(np.sqrt(self.areas.sum()))

    @property
    def height(self) -> float:
        """The same. [m]."""
        return self.width

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their share of area."""
        return self.weighted(uv, self.areas)

    def weighted(self, uv: Array, weights: Array) -> SurfacePoints:
        """Points by their share of other weights than area. Args: weights # (t,) not negative."""
        ends = np.cumsum(weights)
        target = np.clip(uv[:, 0], 0.0, 1.0) * ends[-1]
        place = np.minimum(np.searchsorted(ends, target, side="right"), len(ends) - 1)
        rest = (target - (ends[place] - weights[place])) / np.where(
            weights[place] > 0.0, weights[place], 1.0
        )
        # What is left of u keeps step with the triangles where their number and that of the points
        # have a divisor in common, and would put all points at corners; sheared along v, not.
        root = np.sqrt(np.mod(rest + _SHEAR * uv[:, 1], 1.0))[:, None]
        side = uv[:, 1:]
        a, b, c = np.moveaxis(self.geometry.mesh.triangles[self.triangles[place]], 1, 0)
        positions = a + root * (b - a) + root * side * (c - b)
        normals = normals_at(self.geometry, positions, self.triangles[place])
        return SurfacePoints(positions=positions, normals=normals)

    def inset(self, margin: float) -> SkinPatch:
        """The same: edges of triangles are kept away from by the feature's rim."""
        del margin
        return self

    def curvatures(self) -> Array:
        """Curvature of every triangle, in the order of u: turn of the normal per length. # (t,).

        The greatest angle to a neighbour over the distance between the centres. [1/m]
        """
        mesh = self.geometry.mesh
        pairs = neighbours(mesh.faces[self.triangles])
        normals = mesh.normals[self.triangles]
        centres = mesh.triangles[self.triangles].mean(axis=1)
        one, other = pairs.T
        turn = np.arccos(np.clip(np.sum(normals[one] * normals[other], axis=1), -1.0, 1.0))
        apart = np.linalg.norm(centres[one] - centres[other], axis=1)
        bend = turn / np.where(apart > 0.0, apart, np.inf)
        result = np.zeros(len(self.triangles))
        np.maximum.at(result, one, bend)
        np.maximum.at(result, other, bend)
        return result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundSkin(SkinPatch):
    """Triangles of a bore or a shaft in a mesh: laid out around it and along it.

    Long triangles from rim to rim have no coordinates that run along the depth; the cylinder
    through their corners has.

    Args:
        guide: the cylinder's piece; its points are brought onto the triangles.
    """

    guide: Patch

    @property
    def width(self) -> float:
        """Around the cylinder. [m]."""
        return self.guide.width

    @property
    def height(self) -> float:
        """Along it. [m]."""
        return self.guide.height

    @property
    def round(self) -> bool:
        """It is, about the cylinder's axis."""
        return self.guide.round

    def at(self, uv: Array) -> SurfacePoints:
        """Points of the triangles next to those of the cylinder."""
        feet = self.geometry.closest(self.guide.at(uv).positions)
        return SurfacePoints(positions=feet.points, normals=feet.normals)


def neighbours(faces: Indices) -> Indices:
    """Pairs of rows that share an edge. Args: faces # (t, 3) -> (p, 2)."""
    edges, owner = _edges(faces)
    order = np.lexsort(edges.T)
    same = np.flatnonzero(np.all(edges[order[1:]] == edges[order[:-1]], axis=1))
    return np.column_stack([owner[order[same]], owner[order[same + 1]]])


def single_edges(faces: Indices) -> Indices:
    """Edges of one triangle only: the rim. Args: faces # (t, 3) -> vertices (e, 2).

    At the pole of a sphere CAD kernels leave triangles with a corner twice; those have no edge.
    """
    edges, _ = _edges(faces)
    edges = edges[edges[:, 0] != edges[:, 1]]
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    return np.asarray(unique[counts == 1])


def sharp_edges(mesh: TriangleMesh, triangles: Indices) -> Indices:
    """Edges where neighbours turn by more than ``CREASE``. # vertices (e, 2)."""
    edges, owner = _edges(mesh.faces[triangles])
    order = np.lexsort(edges.T)
    same = np.flatnonzero(np.all(edges[order[1:]] == edges[order[:-1]], axis=1))
    normals = mesh.normals[triangles]
    turn = np.sum(normals[owner[order[same]]] * normals[owner[order[same + 1]]], axis=1)
    return np.asarray(edges[order[same]][turn < np.cos(CREASE)])


def _edges(faces: Indices) -> tuple[Indices, Indices]:
    edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return np.sort(edges, axis=1), np.tile(np.arange(len(faces)), 3)


def _morton(centres: Array) -> Indices:
    """Order along a curve that fills space, so that near in the order is near in space."""
    low, high = centres.min(axis=0), centres.max(axis=0)
    side = float((high - low).max()) or 1.0
    cells = ((centres - low) / side * (2**_BITS - 1)).astype(np.int64)
    keys = np.zeros(len(centres), dtype=np.int64)
    for bit in range(_BITS):
        for axis in range(3):
            keys |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(keys, kind="stable")
