"""The geometry of a part: its skin, its faces, and questions about both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.geometry.audit_types import Audit
from parts.geometry.closest import ClosestPoints
from parts.geometry.face import Face
from parts.geometry.inside import InsideTest
from parts.geometry.mesh import TriangleMesh
from parts.geometry.nearest import NearestTriangles
from parts.geometry.skin import closest_on_skin
from parts.geometry.surfaces.surface import rows
from robots.core.arrays import Array, Indices, Mask, frozen


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
    """

    mesh: TriangleMesh
    faces: tuple[Face, ...]
    unit_note: str
    audit: Audit
    source: str
    sha256: str
    corner_normals: Array | None = None
    notes: tuple[str, ...] = ()

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
        """Whether points lie in the material, by the triangles.

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
