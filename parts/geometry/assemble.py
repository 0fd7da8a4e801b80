"""Bodies of a file → one mesh with named faces."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parts.geometry.audit import audit
from parts.geometry.audit_types import Audit
from parts.geometry.body import Body, Content, Patch
from parts.geometry.edges import count_edges
from parts.geometry.face import Face
from parts.geometry.merge import Merged, merge_identical
from parts.geometry.mesh import TriangleMesh
from parts.geometry.repair import Repaired, repaired
from parts.geometry.source_file import SourceFile
from parts.geometry.surfaces import Surface
from robots.core.caps import Cap

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assembled:
    """What becomes of bodies.

    Args:
        mesh: all triangles, after repairs.
        faces: with unique names.
        audit: of the mesh.
        corner_normals: at the corners of the triangles; None where not all bodies have them.
    """

    mesh: TriangleMesh
    faces: tuple[Face, ...]
    audit: Audit
    corner_normals: Array | None


def assemble(
    file: SourceFile, content: Content, scale: float, repair: tuple[str, ...]
) -> Assembled:
    """Merge identical vertices within each body, join the bodies, repair if asked, audit.

    Args:
        file: for messages.
        content: as read.
        scale: metres per unit of the file.
        repair: names of repairs.

    Raises:
        PartError: no triangle, vertices that cannot be, unknown repairs.
    """
    bodies = content.bodies
    mesh, removed = _merged(bodies, scale)
    file.check_count("triangles", len(mesh), Cap.TRIANGLES)
    fixed = repaired(mesh, repair)
    told = fixed.told
    if removed:
        total = removed + len(mesh.vertices)
        told = (f"{removed} of {total} vertices repeated another one exactly; merged.", *told)
    return Assembled(
        mesh=fixed.mesh,
        faces=_faces(bodies, fixed),
        audit=audit(fixed.mesh, repairs=told, duplicated_vertices=removed),
        corner_normals=_corner_normals(bodies, fixed),
    )


def _merged(bodies: tuple[Body, ...], scale: float) -> tuple[TriangleMesh, int]:
    """The mesh, and how many vertices were repetitions.

    Bodies that touch stay apart, as solids of an assembly; but those that are not closed by
    themselves may be faces of one solid, so they are merged with each other.
    """
    parts = [merge_identical(body.vertices * scale) for body in bodies]
    if len(bodies) > 1 and not all(map(_closed, bodies, parts)):
        return _pooled(bodies, scale)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [p.places[b.faces] + s for p, b, s in zip(parts, bodies, starts[:-1], strict=True)]
    vertices = np.concatenate([part.vertices for part in parts])
    removed = sum(part.removed for part in parts)
    return TriangleMesh(vertices=vertices, faces=np.concatenate(faces)), removed


def _closed(body: Body, part: Merged) -> bool:
    return count_edges(part.places[body.faces], len(part.vertices)).open == 0


def _pooled(bodies: tuple[Body, ...], scale: float) -> tuple[TriangleMesh, int]:
    starts = np.cumsum([0, *(len(body.vertices) for body in bodies)])
    corners = [body.faces + start for body, start in zip(bodies, starts[:-1], strict=True)]
    pool = merge_identical(np.concatenate([body.vertices for body in bodies]) * scale)
    faces = pool.places[np.concatenate(corners)]
    return TriangleMesh(vertices=pool.vertices, faces=faces), pool.removed


def _corner_normals(bodies: tuple[Body, ...], fixed: Repaired) -> Array | None:
    normals: list[Array] = []
    for body in bodies:
        if body.normals is None:
            return None
        normals.append(body.normals[body.faces])
    joined = np.concatenate(normals)[fixed.kept]
    result = -joined[:, ::-1] if fixed.flipped else joined
    result = np.ascontiguousarray(result)
    result.flags.writeable = False
    return result


def _faces(bodies: tuple[Body, ...], fixed: Repaired) -> tuple[Face, ...]:
    total = sum(len(body.faces) for body in bodies)
    place = np.full(total, -1)
    place[fixed.kept] = np.arange(len(fixed.kept))
    faces: list[Face] = []
    names: set[str] = set()
    start = 0
    for body in bodies:
        for patch in body.patches or (_whole(body),):
            rows = place[patch.triangles + start]
            name = _unique(patch, len(faces), names)
            names.add(name)
            faces.append(_face(patch, name, len(faces), rows[rows >= 0], fixed))
        start += len(body.faces)
    return tuple(faces)


def _whole(body: Body) -> Patch:
    rows = np.arange(len(body.faces))
    return Patch(name=body.name or "mesh", kind="facets", surface=None, triangles=rows)


def _unique(patch: Patch, index: int, names: set[str]) -> str:
    """The file's name where it is there and new, else kind and index."""
    wanted = patch.name.strip()
    if wanted and wanted.isprintable() and wanted not in names:
        return wanted
    name = f"{patch.kind}-{index}"
    while name in names:
        name += "+"
    return name


def _face(patch: Patch, name: str, index: int, rows: Indices, fixed: Repaired) -> Face:
    return Face(
        name=name,
        index=index,
        kind=patch.kind,
        surface=_turned(patch.surface) if fixed.flipped else patch.surface,
        triangles=rows,
        deflection=_deflection(patch, rows, fixed.mesh),
    )


def _turned(surface: Surface | None) -> Surface | None:
    """The surface with its outside on the other side."""
    if surface is None:
        return None
    return replace(surface, reversed=not surface.reversed)  # type: ignore[type-var]


def _deflection(patch: Patch, rows: Indices, mesh: TriangleMesh) -> float:
    """Largest distance from the surface of corners, edge middles and centres. # [m]."""
    if patch.surface is None:
        return patch.deflection
    if not len(rows):
        return 0.0
    t = mesh.triangles[rows]
    middles = (t + t[:, [1, 2, 0]]) / 2.0
    probes = np.concatenate([t.reshape(-1, 3), middles.reshape(-1, 3), t.mean(axis=1)])
    return float(np.abs(patch.surface.distance(probes)).max())
