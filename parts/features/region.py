"""Regions of a mesh: what a reader of an STL file would call a face."""

from __future__ import annotations

import numpy as np

from parts.features.skin_patch import CREASE, neighbours
from parts.geometry.face import Face
from parts.geometry.geometry import Geometry
from parts.geometry.surfaces import Cylinder, Plane
from robots.core.arrays import Array, Indices

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
