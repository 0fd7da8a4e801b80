"""Mesh patches: triangles of a freeform face or mesh region."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.errors import FeatureError
from parts.features.patch import Patch, SurfacePoints
from parts.geometry.geometry import Face, Geometry, normals_at
from parts.geometry.surfaces import Cylinder, Plane
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
        order = self.triangles[_morton(self.geometry.mesh.corners(self.triangles).mean(axis=1))]
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
        a, b, c = np.moveaxis(self.geometry.mesh.corners(self.triangles[place]), 1, 0)
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
        centres = mesh.corners(self.triangles).mean(axis=1)
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
    edges, owner = edges_of(faces)
    order = np.lexsort(edges.T)
    same = np.flatnonzero(np.all(edges[order[1:]] == edges[order[:-1]], axis=1))
    return np.column_stack([owner[order[same]], owner[order[same + 1]]])


def shared_edges(faces: Indices) -> tuple[Indices, Indices, Indices]:
    """Two triangles of every edge that two share, and its vertices. # (e,), (e,), (e, 2)."""
    edges = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    keys = edges[:, 0] * (int(faces.max()) + 1) + edges[:, 1]
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    return owner[order[same]], owner[order[same + 1]], edges[order[same]]


def edges_of(faces: Indices) -> tuple[Indices, Indices]:
    """Edges of triangles, the lower vertex first, and whose they are. # (3t, 2), (3t,)."""
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


# ------------------------------------------------------------------------------- Regions of a mesh

LEANING = 1e-3  # cosine between axis and normals: of slivers, single precision turns some
ROUND = 1e-5  # of the size, as for ``FLAT``
FLAT = 2e-6  # of the size: single precision, which STL files have, rounds corners by 1e-7


def region_around(geometry: Geometry, triangle: int, face: Face) -> Face:
    """Triangles that are reached from one without crossing an edge of the part.

    An edge is where the normals of neighbours turn by more than 30 degrees. A flat region becomes
    a plane, so its normals are exact; what is curved stays facets.

    Args:
        geometry: of the part.
        triangle: row of the mesh to start from.
        face: that the triangle belongs to.
    """
    triangles = _connected(geometry, triangle, face.triangles)
    plane = _plane(geometry, triangles)
    deflection = 0.0 if plane is None else float(np.abs(_heights(geometry, triangles, plane)).max())
    return Face(
        name=f"{face.name} at triangle {triangle}",
        index=face.index,
        kind="facets" if plane is None else "plane",
        surface=plane,
        triangles=triangles,
        deflection=deflection,
    )


def _connected(geometry: Geometry, triangle: int, rows: Indices) -> Indices:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    mesh = geometry.mesh
    one, other = neighbours(mesh.faces[rows]).T
    normals = mesh.normals[rows]
    smooth = np.sum(normals[one] * normals[other], axis=1) >= np.cos(CREASE)
    links = (one[smooth], other[smooth])
    shape = (len(rows), len(rows))
    graph = coo_array((np.ones(int(smooth.sum()), dtype=np.int8), links), shape=shape)
    labels = connected_components(graph, directed=False)[1]
    start = int(np.flatnonzero(rows == triangle)[0])
    return np.asarray(rows[labels == labels[start]])


def _plane(geometry: Geometry, triangles: Indices) -> Plane | None:
    mesh = geometry.mesh
    corners = mesh.vertices[np.unique(mesh.faces[triangles])]
    centre = corners.mean(axis=0)
    _, spread, Vt = np.linalg.svd(corners - centre, full_matrices=False)
    if spread[2] > FLAT * spread[0]:
        return None
    outward = mesh.areas[triangles] @ mesh.normals[triangles]
    return Plane(point=centre, axis=Vt[2] if Vt[2] @ outward > 0.0 else -Vt[2])


def cylinder_of(geometry: Geometry, triangles: Indices) -> Cylinder | None:
    """The cylinder on which all corners of a region lie; None where there is none.

    Args:
        geometry: of the part.
        triangles: rows of its mesh, none of them flat together.
    """
    mesh = geometry.mesh
    corners = mesh.vertices[np.unique(mesh.faces[triangles])]
    size = float(np.ptp(corners, axis=0).max())
    axis = np.linalg.svd(mesh.normals[triangles], full_matrices=False)[2][-1]
    leaning = np.abs(mesh.normals[triangles] @ axis)
    x, y = np.linalg.svd(axis[None])[2][1:]
    flat = (corners - corners[0]) @ np.column_stack([x, y])
    # a circle x² + y² = 2ax + 2by + c through the corners, seen along the axis
    A = np.column_stack([2.0 * flat, np.ones(len(flat))])
    solution, _, rank, _ = np.linalg.lstsq(A, np.sum(flat**2, axis=1), rcond=None)
    squared = float(solution[2] + solution[:2] @ solution[:2])
    if rank < 3 or squared <= 0.0 or leaning.max() > LEANING:
        return None
    radius = float(np.sqrt(squared))
    off = np.abs(np.linalg.norm(flat - solution[:2], axis=1) - radius)
    if off.max() > ROUND * size or radius > size:
        return None
    centre = corners[0] + solution[0] * x + solution[1] * y
    return Cylinder(point=centre, axis=axis, radius=radius)


def _heights(geometry: Geometry, triangles: Indices, plane: Plane) -> Array:
    mesh = geometry.mesh
    return plane.distance(mesh.vertices[np.unique(mesh.faces[triangles])])
