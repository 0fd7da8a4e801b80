"""Geometry of a part: its skin, its faces, and closest-point and inside queries on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.geometry.audit import Audit
from parts.geometry.mesh import TriangleMesh
from parts.geometry.proximity import InsideTest, NearestTriangles, barycentric
from parts.geometry.surfaces import Surface, rows
from robots.core.arrays import Array, Indices, Mask, freeze_fields, frozen


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Face:
    """A face of a CAD body, or a whole body of a mesh file.

    Args:
        name: unique in its geometry: the file's own where it has one, else "face" and index.
        index: place in ``Geometry.faces``.
        kind: that of the surface; "freeform" for CAD faces without analytic surface (their
            normals are interpolated), "facets" where the triangles are all there is,
            "unidentified" where a CAD file has faces there that were not told apart.
        surface: the analytic surface, with its outside; None for the last three kinds.
        triangles: rows of the mesh's faces. # (t,)
        deflection: largest distance of the triangles from the true surface; measured on analytic
            faces, the translator's tolerance on freeform ones, 0 on facets. # [m]
        identity: number of its statement in a STEP file; 0 where that is not known.
    """

    name: str
    index: int
    kind: str
    surface: Surface | None
    triangles: Indices
    deflection: float = 0.0
    identity: int = 0

    def __post_init__(self) -> None:
        freeze_fields(self, "triangles", dtype=np.int64)

    @property
    def named(self) -> bool:
        """Whether its name is the file's own."""
        return self.name.rstrip("+") != face_name(self.index)

    @property
    def reversed(self) -> bool:
        """Whether the outside is against the surface's own normal, as in a hole."""
        return self.surface is not None and self.surface.reversed


def face_name(index: int) -> str:
    """Name of a face that its file gives none."""
    return f"face-{index}"


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: the search trees are built when asked
class Geometry:
    """A part's shape as read from a file.

    Args:
        mesh: all triangles.
        faces: every triangle belongs to exactly one.
        unit_note: where the unit came from, one sentence.
        audit: health of the mesh, what was repaired.
        source: name of the file.
        sha256: of its bytes.
        corner_normals: surface normals at the corners of the triangles; given by CAD files, used
            on freeform faces. # (f, 3, 3) or None
        notes: what a reader should know, e.g. where normals are interpolated; one sentence each.
        unit: of the file's numbers; the geometry itself is in metres.
    """

    mesh: TriangleMesh
    faces: tuple[Face, ...]
    unit_note: str
    audit: Audit
    source: str
    sha256: str
    corner_normals: Array | None = None
    notes: tuple[str, ...] = ()
    unit: str = "m"

    @cached_property
    def face_of_triangle(self) -> Indices:
        """Index of the face of every triangle. # (f,)."""
        result = np.zeros(len(self.mesh), dtype=np.int64)
        for face in self.faces:
            result[face.triangles] = face.index
        return frozen(result)

    def face(self, name: str) -> Face:
        """The face called ``name``.

        Raises:
            PartError: there is none; the message names close ones.
        """
        for face in self.faces:
            if face.name == name:
                return face
        raise PartError(
            f"{self.source} has no face {name!r}; {_advice(name, [f.name for f in self.faces])}",
            name=name,
        )

    def faces_of_kind(self, kind: str) -> tuple[Face, ...]:
        """All faces of a kind ("plane", "cylinder", …, "freeform", "facets")."""
        return tuple(face for face in self.faces if face.kind == kind)

    def closest(self, points: ArrayLike) -> ClosestPoints:
        """Closest point of the skin and outward normal, for many points.

        On analytic faces both are exact; within ``Face.deflection`` of the rim of a face the
        choice of the face is that of the triangles.

        Args:
            points: anywhere. # (k, 3) [m]
        """
        return closest_on_skin(self, rows(points))

    def inside(self, points: ArrayLike) -> Mask:
        """Return whether points lie in the material, by the triangles.

        Points nearer to the skin than ``Face.deflection`` may fall on either side; on a triangle
        itself the answer has no meaning.

        Args:
            points: anywhere. # (k, 3) [m]

        Raises:
            PartError: the mesh is not watertight, so it has no inside.
        """
        if not self.audit.watertight:
            raise PartError(
                f"{self.source} is not watertight ({self.audit.open_edges} open and "
                f"{self.audit.non_manifold_edges} non-manifold edges), so inside and outside are "
                "not defined. Close it in the CAD system.",
                open_edges=self.audit.open_edges,
            )
        return self.inside_test.inside(rows(points))

    @cached_property
    def search(self) -> NearestTriangles:
        """The tree of the triangles, built at the first question."""
        return NearestTriangles(self.mesh)

    @cached_property
    def inside_test(self) -> InsideTest:
        """The grid of the triangles, built at the first question."""
        return InsideTest(self.mesh, consistent=self.audit.consistent)


def _advice(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=1, cutoff=0.5)
    shown = ", ".join(repr(n) for n in names[:5])
    return f"did you mean {close[0]!r}?" if close else f"it has {len(names)} faces: {shown}, …"


# ---------------------------------------------------------------------------------- Closest points

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
    weights = barycentric(points, geometry.mesh.corners(triangles))
    normals = np.einsum("ki,kij->kj", weights, corners[triangles])
    lengths = np.linalg.norm(normals, axis=1)
    good = lengths > 1e-6
    return np.where(good[:, None], normals / np.where(good, lengths, 1.0)[:, None], flat)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClosestPoints:
    """Closest point of the skin for every query.

    Args:
        points: on the skin. # (k, 3) [m]
        normals: outward unit normals there. # (k, 3)
        distances: from query to point, never below zero. # (k,) [m]
        faces: index of the face of each point. # (k,)
        triangles: index of the triangle next to each point. # (k,)
        analytic: True where point and normal are those of the analytic surface, exact; False
            where the point lies on a triangle, its normal that of the triangle ("facets") or
            interpolated between the corners ("freeform"). # (k,)
    """

    points: Array
    normals: Array
    distances: Array
    faces: Indices
    triangles: Indices
    analytic: Mask

    def __post_init__(self) -> None:
        names = ("points", "normals", "distances", "faces", "triangles", "analytic")
        freeze_fields(self, *names, copy=None)  # just computed; a copy would be felt here

    def __len__(self) -> int:
        """Number of queries k."""
        return len(self.distances)
