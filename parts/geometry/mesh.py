"""Triangle meshes: the plain shape, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from parts.errors import PartError
from robots.core.arrays import Array, Indices, freeze_field

FARTHEST = 1e6  # [m]; beyond it no part is meant, and a double no longer resolves a nanometre


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TriangleMesh:
    """Triangles over shared vertices, in the part's frame.

    Args:
        vertices: corners. # (v, 3) [m]
        faces: three vertices of each triangle, counter-clockwise seen from outside. # (f, 3)

    Attributes:
        normals: unit normals of the triangles; zero where one has no area. # (f, 3)
        areas: of the triangles. # (f,) [m²]
        bounds: least and greatest coordinates of what the triangles use. # (2, 3) [m]

    Raises:
        PartError: no triangle, other shapes, an index out of range, a vertex that is not finite
            or farther out than any part.
    """

    vertices: Array
    faces: Indices
    normals: Array = field(init=False)
    areas: Array = field(init=False)
    bounds: Array = field(init=False)

    def __post_init__(self) -> None:
        vertices = _vertices(self.vertices)
        faces = _faces(self.faces, len(vertices))
        a, b, c = (vertices[faces[:, corner]] for corner in range(3))
        across = np.cross(b - a, c - a)
        lengths = np.linalg.norm(across, axis=1)
        normals = across / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        low = np.minimum(np.minimum(a, b), c).min(axis=0)
        high = np.maximum(np.maximum(a, b), c).max(axis=0)
        freeze_field(self, "vertices", vertices, copy=None)
        freeze_field(self, "faces", faces, copy=None)
        freeze_field(self, "normals", normals, copy=None)
        freeze_field(self, "areas", lengths / 2.0, copy=None)
        freeze_field(self, "bounds", np.stack([low, high]), copy=None)

    def __len__(self) -> int:
        """Number of triangles."""
        return len(self.faces)

    @property
    def triangles(self) -> Array:
        """Corners of every triangle. # (f, 3, 3) [m]."""
        return np.asarray(self.vertices[self.faces])

    @property
    def size(self) -> Array:
        """Extents along x, y and z. # (3,) [m]."""
        return np.asarray(self.bounds[1] - self.bounds[0])

    @property
    def volume(self) -> float:
        """Signed volume; below zero where the mesh is inside out, without sense if open. # [m³]."""
        a, b, c = np.moveaxis(self.triangles - self.bounds.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def _vertices(values: Array) -> Array:
    vertices = np.array(values, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise PartError(f"The vertices have shape {vertices.shape}; expected (v, 3).")
    bad = ~np.isfinite(vertices).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise PartError(
            f"Vertex {row} of the mesh is {vertices[row].tolist()} ({int(bad.sum())} such vertices "
            "in all); expected finite numbers. Export the geometry again.",
            row=row,
            found=vertices[row].tolist(),
        )
    if vertices.size and np.abs(vertices).max() > FARTHEST:
        row = int(np.argmax(np.abs(vertices).max(axis=1)))
        raise PartError(
            f"Vertex {row} of the mesh is at {vertices[row].tolist()} m; expected coordinates of "
            f"at most {FARTHEST:g} m. Is the unit right?",
            row=row,
            limit=FARTHEST,
        )
    return vertices


def _faces(values: Indices, count: int) -> Indices:
    given = np.asarray(values)
    if given.ndim != 2 or given.shape[1] != 3 or not len(given):
        raise PartError(
            f"The mesh has no triangle (its faces have shape {given.shape}); expected at least "
            "one. Export the surface, not only points or curves.",
            found=given.shape,
        )
    faces = given.astype(np.int64)
    least, most = int(faces.min()), int(faces.max())
    if least < 0 or most >= count:
        wrong = least if least < 0 else most
        raise PartError(
            f"A triangle names vertex {wrong}, but the mesh has vertices 0 to {count - 1}; the "
            "file is damaged. Export it again.",
            found=wrong,
            limit=count - 1,
        )
    return faces
