"""Geometry files to ``Geometry``: reading by format, bodies assembled into one mesh."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from parts.errors import PartError
from parts.geometry.audit import Audit, RepairedMesh, audit, repair_mesh
from parts.geometry.geometry import Face, Geometry, face_name
from parts.geometry.mesh import (
    FARTHEST,
    Merged,
    TriangleMesh,
    count_edges,
    merge_identical,
    merge_near,
)
from parts.geometry.obj import read_obj
from parts.geometry.ply import read_ply
from parts.geometry.proximity import InsideTest
from parts.geometry.source_file import (
    FacePatch,
    GeometryContent,
    MeshBody,
    SourceFile,
    file_unit,
    read_source,
)
from parts.geometry.stl import read_stl
from parts.geometry.surfaces import Surface
from robots.core.arrays import Array, Indices, frozen
from robots.core.caps import Cap


def _gltf(file: SourceFile) -> GeometryContent:
    from parts.geometry.gltf import read_gltf

    return read_gltf(file)


def _three_mf(file: SourceFile) -> GeometryContent:
    from parts.geometry.three_mf import read_three_mf

    return read_three_mf(file)


def _step(file: SourceFile) -> GeometryContent:
    from parts.geometry.step import read_step

    return read_step(file)


# The readers of large formats are imported by the files that need them.
Reader = Callable[[SourceFile], GeometryContent]
READERS: dict[str, Reader] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".ply": read_ply,
    ".glb": _gltf,
    ".gltf": _gltf,
    ".3mf": _three_mf,
    ".step": _step,
    ".stp": _step,
}
WITH_SHEETS = (".step", ".stp")
Sheets = Literal["ignore", "include"]


def load_geometry(
    path: Path | str,
    *,
    unit: str | None = None,
    sheets: Sheets | None = None,
    repair: tuple[str, ...] = (),
) -> Geometry:
    """Read a geometry file.

    Args:
        path: of an STL, OBJ, PLY, GLB, glTF, 3MF or STEP file, told apart by their endings.
        unit: of its numbers, "mm", "m" or "in"; required for STL, OBJ and PLY, which carry none,
            refused for the others where it contradicts the file.
        sheets: of STEP files: "ignore" leaves out surfaces beside closed solids, as None does;
            "include" makes them part.
        repair: of "weld", "drop-degenerate", "drop-duplicates", "wind" (open pieces alike),
            "close" (small holes of a mesh), "flip" (turn an open mesh whose volume is negative).
            Without being asked for, vertices that are one but for rounding are merged,
            and closed pieces that are inside out are turned; the audit says so.

    Raises:
        PartError: not readable, not that format, over a cap, no unit, no triangle, damaged.
    """
    return geometry_of(read_source(Path(path)), unit=unit, sheets=sheets, repair=repair)


def geometry_of(
    file: SourceFile,
    *,
    unit: str | None = None,
    sheets: Sheets | None = None,
    repair: tuple[str, ...] = (),
) -> Geometry:
    """The same from bytes in memory; the ending of ``file.name`` tells the format.

    Raises:
        PartError: as for ``load_geometry``.
    """
    ending = Path(file.name).suffix.lower()
    if ending not in READERS:
        raise file.error(
            f"the ending {ending!r} is not known; expected {', '.join(READERS)}.", found=ending
        )
    if sheets is not None and ending not in WITH_SHEETS:
        raise file.error(
            f"sheets = {sheets!r} is for STEP files, which distinguish solids "
            "from sheets; leave it out.",
            found=sheets,
        )
    # A damaged file may hold signalling NaN; the mesh refuses it, arithmetic on the way need not.
    with np.errstate(invalid="ignore", over="ignore"):
        content = READERS[ending](file)
        settled = file_unit(file, content.unit, unit)
        scale = 1.0 if content.in_metres else settled.scale
        try:
            parts = assemble(file, content, scale, repair, sheets or "ignore")
        except PartError as error:
            if error.fact("file", str) is not None:
                raise
            # a mesh does not know the file that it comes from
            raise file.error(error.message, **error.facts) from error
    return Geometry(
        mesh=parts.mesh,
        faces=parts.faces,
        unit_note=settled.note,
        audit=parts.audit,
        source=file.name,
        sha256=hashlib.sha256(file.raw).hexdigest(),
        corner_normals=parts.corner_normals,
        notes=(*content.notes, *_sheets_note(parts.audit)),
        unit=settled.unit,
    )


def _sheets_note(audit: Audit) -> tuple[str, ...]:
    if not audit.sheets:
        return ()
    count = f"{audit.sheets} sheet{'s' * (audit.sheets > 1)} (surfaces that bound no solid)"
    if not audit.sheet_faces:
        return (f"{count} of the file count as part.",)
    faces = f"{audit.sheet_faces} face{'s' * (audit.sheet_faces > 1)}"
    return (
        f"{count} beside the solids of the file, with {faces}, were left out: they are taken for "
        'supplementary geometry, not for part. sheets = "include" makes them part.',
    )


# ---------------------------------------------------------------------------------------- Assembly

STEP = 1e-5  # sizes of the part, from a face to where its outside is asked
ROUNDING = 1e-9  # sizes of a body: vertices nearer to each other are one, rounded differently


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssembledMesh:
    """The bodies of a file as one audited mesh.

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
    file: SourceFile,
    content: GeometryContent,
    scale: float,
    repair: tuple[str, ...] = (),
    sheets: Sheets = "ignore",
) -> AssembledMesh:
    """Merge the vertices of each body, join the bodies, turn what is inside out, repair, audit.

    Args:
        file: for messages.
        content: as read.
        scale: metres per unit of the file.
        repair: names of repairs.
        sheets: "ignore" leaves out open sheets where there is a closed body beside them.

    Raises:
        PartError: no triangle, vertices that cannot be, unknown repairs.
    """
    if content.in_metres and "close" in repair and _analytic(content):
        raise file.error(
            'the repair "close" is for meshes: what fills a hole of a CAD file has no surface. '
            "Close it in the CAD system."
        )
    file.check_count("triangles", sum(len(b.faces) for b in content.bodies), Cap.TRIANGLES)
    pieces = [_welded(body, scale) for body in content.bodies]
    kept = [one for one in pieces if one.closed or not one.body.sheet]
    beside = [one for one in pieces if one.body.sheet and not one.closed]
    if not any(one.closed for one in pieces):
        kept, beside = pieces, []
    elif sheets == "include":
        kept = pieces
    mesh, removed = _joined(kept, scale)
    bodies = tuple(one.body for one in kept)
    fixed = repair_mesh(mesh, repair)
    exact, near = removed
    total = exact + near + len(mesh.vertices)
    told = fixed.told
    if near:
        told = (f"{near} of {total} vertices repeated another one but for rounding; merged.", *told)
    if exact:
        told = (f"{exact} of {total} vertices repeated another one exactly; merged.", *told)
    faces = _faces(bodies, fixed)
    doubts = content.doubts
    folded = _folded(bodies, faces, fixed.mesh) if content.in_metres else frozenset()
    if folded:
        faces = tuple(
            replace(face, kind="unidentified", surface=None) if face.index in folded else face
            for face in faces
        )
        doubts = (
            *doubts,
            f"The skin of the solids with {len(folded)} of {len(faces)} faces is folded through "
            "itself: on which side their material is cannot be determined, and nothing is "
            "measured on them. Export the part again, or from another system.",
        )
    left_out = 0 if kept is pieces else sum(max(1, len(one.body.patches)) for one in beside)
    return AssembledMesh(
        mesh=fixed.mesh,
        faces=faces,
        audit=audit(
            fixed.mesh,
            repairs=told,
            duplicated_vertices=exact + near,
            sheet_faces=left_out,
            sheets=len(beside),
            turned=int(fixed.turned.sum()),
            doubts=doubts,
        ),
        corner_normals=_corner_normals(bodies, fixed),
    )


def _analytic(content: GeometryContent) -> bool:
    return any(patch.surface is not None for body in content.bodies for patch in body.patches)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Welded:
    """A body with its vertices merged.

    Args:
        body: as read.
        merged: its vertices. [m]
        exact: how many repeated another one exactly.
        closed: whether it has an inside of its own.
    """

    body: MeshBody
    merged: Merged
    exact: int
    closed: bool


def _welded(body: MeshBody, scale: float) -> _Welded:
    body = _trimmed(body)
    merged = merge_identical(body.vertices * scale)
    exact = merged.removed
    if not _closed(merged, body.faces):
        merged = merge_near(merged, body.faces, _rounding(merged.vertices))
        closed = merged.removed > exact and _closed(merged, body.faces)
        return _Welded(body=body, merged=merged, exact=exact, closed=closed)
    return _Welded(body=body, merged=merged, exact=exact, closed=True)


def _trimmed(body: MeshBody) -> MeshBody:
    """The body without its many vertices that no triangle uses, if there are many."""
    if len(body.vertices) <= 3 * len(body.faces):
        return body
    used, corners = np.unique(body.faces, return_inverse=True)
    return replace(
        body,
        vertices=body.vertices[used],
        faces=corners.reshape(-1, 3),
        normals=None if body.normals is None else body.normals[used],
    )


def _closed(merged: Merged, faces: Indices) -> bool:
    """Return whether triangles have no open edge."""
    faces = merged.places[faces]
    faces = faces[(faces != faces[:, [1, 2, 0]]).all(axis=1)]
    return len(faces) > 0 and not count_edges(faces, len(merged.vertices)).open


def _rounding(vertices: Array) -> float:
    """Distance below which vertices of a body of this size differ by rounding only. # [m].

    0 for vertices that cannot be, which the mesh refuses.
    """
    if not len(vertices) or not np.abs(vertices).max() <= FARTHEST:
        return 0.0
    return ROUNDING * float(np.ptp(vertices, axis=0).max())


def _joined(bodies: list[_Welded], scale: float) -> tuple[TriangleMesh, tuple[int, int]]:
    """The mesh, and how many vertices repeated another one exactly, and but for rounding.

    Bodies that touch stay apart, as solids of an assembly; but those that are not closed by
    themselves may be faces of one solid, so they are merged with each other.
    """
    loose = [place for place, one in enumerate(bodies) if not one.closed]
    vertices: list[Array] = []
    faces: list[Indices] = [np.zeros((0, 3), dtype=np.int64)] * len(bodies)
    start = exact = near = 0
    for place, one in enumerate(bodies):
        if one.closed or len(loose) == 1:
            faces[place] = one.merged.places[one.body.faces] + start
            vertices.append(one.merged.vertices)
            start += len(one.merged.vertices)
            exact, near = exact + one.exact, near + one.merged.removed - one.exact
    if len(loose) > 1:
        starts = np.cumsum([0, *(len(bodies[place].body.vertices) for place in loose)])
        corners = [
            bodies[place].body.faces + first for place, first in zip(loose, starts, strict=False)
        ]
        every = np.concatenate(corners)
        pool = merge_identical(
            np.concatenate([bodies[place].body.vertices for place in loose]) * scale
        )
        exact += pool.removed
        before = pool.removed
        pool = merge_near(pool, every, _rounding(pool.vertices))
        near += pool.removed - before
        for place, own in zip(loose, corners, strict=True):
            faces[place] = pool.places[own] + start
        vertices.append(pool.vertices)
    mesh = TriangleMesh(vertices=np.concatenate(vertices), faces=np.concatenate(faces))
    return mesh, (exact, near)


def _corner_normals(bodies: tuple[MeshBody, ...], fixed: RepairedMesh) -> Array | None:
    """Normals at the corners, on the side of the triangles; a file may have them on the other."""
    normals: list[Array] = []
    for body in bodies:
        if body.normals is None:
            return None
        normals.append(body.normals[body.faces])
    joined = np.concatenate(normals)[fixed.kept]
    result = np.where(fixed.turned[:, None, None], joined[:, ::-1], joined)
    mesh = fixed.mesh
    owner = _owners(bodies)[fixed.kept]
    along = np.einsum("fij,fj,f->f", result, mesh.normals, mesh.areas)
    against = np.bincount(owner, weights=along) < 0.0
    result[against[owner]] *= -1.0
    result[fixed.added] = mesh.normals[fixed.added][:, None]
    return frozen(result)


def _owners(bodies: tuple[MeshBody, ...]) -> Indices:
    """The patch of every triangle, counted over all bodies. # (f,)."""
    owner = np.zeros(sum(len(body.faces) for body in bodies), dtype=np.int64)
    start = count = 0
    for body in bodies:
        for patch in body.patches or (_whole(body),):
            owner[patch.triangles + start] = count
            count += 1
        start += len(body.faces)
    return owner


def _faces(bodies: tuple[MeshBody, ...], fixed: RepairedMesh) -> tuple[Face, ...]:
    owner = _owners(bodies)[fixed.kept]
    order = np.argsort(owner, kind="stable")
    patches = [patch for body in bodies for patch in body.patches or (_whole(body),)]
    starts = np.searchsorted(owner[order], np.arange(len(patches) + 1))
    faces: list[Face] = []
    names: set[str] = set()
    for number, patch in enumerate(patches):
        name = _unique(patch, number, names)
        names.add(name)
        rows = order[starts[number] : starts[number + 1]]
        faces.append(_face(patch, name, number, rows, fixed))
    return tuple(faces)


def _whole(body: MeshBody) -> FacePatch:
    rows = np.arange(len(body.faces))
    return FacePatch(name=body.name or "mesh", kind="facets", surface=None, triangles=rows)


def _unique(patch: FacePatch, index: int, names: set[str]) -> str:
    """The file's name where it is there and new, else "face" and index."""
    wanted = patch.name.strip()
    if wanted and wanted.isprintable() and wanted not in names:
        return wanted
    name = face_name(index)
    while name in names:
        name += "+"
    return name


def _face(patch: FacePatch, name: str, index: int, rows: Indices, fixed: RepairedMesh) -> Face:
    return Face(
        name=name,
        index=index,
        kind=patch.kind,
        surface=_turned(patch.surface) if fixed.turned[rows].any() else patch.surface,
        triangles=rows,
        deflection=_deflection(patch, rows, fixed.mesh),
        identity=patch.identity,
    )


def _folded(
    bodies: tuple[MeshBody, ...], faces: tuple[Face, ...], mesh: TriangleMesh
) -> frozenset[int]:
    """Faces of CAD bodies with a face before which there is less than nothing.

    A translator that takes the wrong side of a closed edge, such as the other half of a sphere,
    gives a skin that is closed all the same.
    """
    solid = mesh.faces[(mesh.faces != mesh.faces[:, [1, 2, 0]]).all(axis=1)]
    edges = count_edges(solid, len(mesh.vertices))
    if edges.open or edges.non_manifold or edges.miswound:
        return frozenset()
    asked = [face for face in faces if len(face.triangles)]
    rows = np.array([face.triangles[np.argmax(mesh.areas[face.triangles])] for face in asked])
    step = STEP * float(np.linalg.norm(mesh.size))
    before = mesh.corners(rows).mean(axis=1) + step * mesh.normals[rows]
    wrong = InsideTest(mesh, consistent=True).crossings(before) < 0.0
    bad = {face.index for face, one in zip(asked, wrong.tolist(), strict=True) if one}
    found: set[int] = set()
    start = 0
    for body in bodies:
        own = range(start, start + max(1, len(body.patches)))
        start = own.stop
        if not bad.isdisjoint(own):
            found.update(own)
    return frozenset(found)


def _turned(surface: Surface | None) -> Surface | None:
    """The surface with its outside on the other side."""
    if surface is None:
        return None
    return replace(surface, reversed=not surface.reversed)  # type: ignore[type-var]


def _deflection(patch: FacePatch, rows: Indices, mesh: TriangleMesh) -> float:
    """Largest distance from the surface of corners, edge middles and centres. # [m]."""
    if patch.surface is None:
        return patch.deflection
    if not len(rows):
        return 0.0
    t = mesh.corners(rows)
    middles = (t + t[:, [1, 2, 0]]) / 2.0
    probes = np.concatenate([t.reshape(-1, 3), middles.reshape(-1, 3), t.mean(axis=1)])
    return float(np.abs(patch.surface.distance(probes)).max())
