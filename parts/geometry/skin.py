"""Closest points of a skin: the nearest triangle decides on the face, the face on the point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.geometry.closest import ClosestPoints
from parts.geometry.face import Face
from parts.geometry.surfaces import Surface
from parts.geometry.triangle_distance import barycentric
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from parts.geometry.geometry import Geometry


ROUNDING = 1e-9  # [m] added to a deflection, so that planes, whose deflection is 0, have some


def closest_on_skin(geometry: Geometry, queries: Array) -> ClosestPoints:
    """Closest point and outward normal for many queries.

    Args:
        geometry: the part.
        queries: finite. # (k, 3) [m]
    """
    near = geometry.search.nearest(queries)
    points, triangles = near.points.copy(), near.triangles
    normals = geometry.mesh.normals[triangles]
    faces = geometry.face_of_triangle[triangles]
    analytic = np.zeros(len(queries), dtype=bool)
    for index in np.unique(faces).tolist():
        face = geometry.faces[index]
        rows = np.flatnonzero(faces == index)
        if face.surface is not None:
            feet = _feet(geometry, face, queries[rows], points[rows])
            points[rows], normals[rows] = feet, face.surface.normal(feet)
            analytic[rows] = True
        elif geometry.corner_normals is not None:
            normals[rows] = normals_at(geometry, points[rows], triangles[rows])
    return ClosestPoints(
        points=points,
        normals=normals,
        distances=np.linalg.norm(queries - points, axis=1),
        faces=faces,
        triangles=triangles,
        analytic=analytic,
    )


def _feet(geometry: Geometry, face: Face, queries: Array, on_mesh: Array) -> Array:
    """Feet on the analytic surface where they lie on the face, else next to the mesh point.

    The surface goes on beyond the face: a foot counts only where the mesh is within deflection.
    """
    surface: Surface | None = face.surface
    if surface is None:
        return on_mesh
    reach = face.deflection + ROUNDING
    feet = surface.project(queries)
    far = np.flatnonzero(np.linalg.norm(feet - on_mesh, axis=1) > reach)
    if far.size:
        again = geometry.search.nearest(feet[far])
        same = geometry.face_of_triangle[again.triangles] == face.index
        off = far[(again.distances > reach) | ~same]
        feet[off] = surface.project(on_mesh[off])
    return feet


def normals_at(geometry: Geometry, points: Array, triangles: Indices) -> Array:
    """Normals of triangles at points on them. # (k, 3).

    Between those of the corners, where the file has them; that of the triangle where they cancel.

    Args:
        geometry: of the part.
        points: on the triangles. # (k, 3) [m]
        triangles: rows of its mesh. # (k,)
    """
    corners = geometry.corner_normals
    flat = np.asarray(geometry.mesh.normals[triangles])
    if corners is None:
        return flat
    weights = barycentric(points, geometry.mesh.triangles[triangles])
    normals = np.einsum("ki,kij->kj", weights, corners[triangles])
    lengths = np.linalg.norm(normals, axis=1)
    good = lengths > 1e-6
    return np.where(good[:, None], normals / np.where(good, lengths, 1.0)[:, None], flat)
