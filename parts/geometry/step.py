"""STEP files: bodies with analytic surfaces, translated by Open CASCADE (cascadio)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from parts.geometry.gltf import (
    Document,
    GltfData,
    PlacedMesh,
    check_size,
    document_of,
    placed_meshes,
    position_accessor,
    primitives,
    triangles_of,
)
from parts.geometry.source_file import (
    METRES,
    FacePatch,
    GeometryContent,
    MeshBody,
    SourceFile,
    carried,
    read_capped,
    turned,
)
from parts.geometry.step_text import StepFace, StepShell, StepText, step_text
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap

WORKER = Path(__file__).with_name("step_worker.py")
ANGULAR = 0.2  # [rad] between neighbouring facets; it decides on the number of triangles
FINEST = 0.01  # [mm] distance of facets from the surface
RELATIVE = 5e-6  # the same as a share of the part's extent, where that is more
Key = tuple[str, ...]


def read_step(file: SourceFile) -> GeometryContent:
    """Translate a STEP file; lengths come back in metres whatever the file's unit.

    Raises:
        PartError: not STEP, damaged, over a cap, or without surfaces.
    """
    if b"ISO-10303-21" not in file.raw[:1000]:
        raise file.error("it does not start with ISO-10303-21; it is not STEP. Export it again.")
    text = step_text(file)
    deflection = max(FINEST, RELATIVE * 1e3 * text.extent)
    glb = SourceFile(name=file.name, raw=_translated(file, text.plain, deflection), folder=None)
    document = document_of(glb)
    placed = placed_meshes(document)
    data = GltfData(document)
    check_size(document, data, placed)
    translated = [
        StepBody(body=body, shape=_shape(document, place))
        for place in placed
        if len((body := body_of(document, data, place, deflection * 1e-3)).faces)
    ]
    if not translated:
        raise file.error("it has no surface that could be probed. Export solids or surfaces.")
    matched = with_shells(text, translated)
    return GeometryContent(
        bodies=matched.bodies,
        unit=text.unit,
        in_metres=True,
        notes=_notes(matched, deflection),
        doubts=_doubts(matched, text),
    )


def _shape(document: Document, place: PlacedMesh) -> int:
    """A number that is the same for the meshes of one shape, which share their triangles."""
    shared = [
        document.count(primitive, "indices", "a primitive", -1 - place.mesh)
        for primitive in primitives(document, place.mesh)
        if "indices" in primitive
    ]
    return shared[0] if shared else -1 - place.mesh


def _translated(file: SourceFile, plain: bytes, deflection: float) -> bytes:
    """The GLB file that the translator makes of a text without presentation."""
    seconds, memory = Cap.STEP_SECONDS, Cap.STEP_MEMORY
    with tempfile.TemporaryDirectory(prefix="palpeur-") as folder:
        source, target = Path(folder, "part.step"), Path(folder, "part.glb")
        source.write_bytes(plain)
        options = [f"{deflection:.6g}", f"{ANGULAR:.6g}", str(memory.limit)]
        command = [sys.executable, "-P", str(WORKER), str(source), str(target), *options]
        try:
            code = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds.limit,
            ).returncode
        except subprocess.TimeoutExpired:
            raise file.error(
                f"the STEP translator did not finish within {seconds.limit} s. Export a "
                f"simpler part, or {seconds.advice}.",
                limit=seconds.limit,
            ) from None
        if code != 0 or not target.is_file():
            if code >= 0 and not any(word in file.raw for word in (b"_FACE", b"TESSELLATED")):
                raise file.error(
                    "it has no shape: not one face stands in it. Export the model with its "
                    "geometry, as AP214 or AP242.",
                    code=code,
                )
            how = f"it was stopped by signal {-code}" if code < 0 else "it found no shape"
            raise file.error(
                f"the STEP translator cannot read it ({how}); it is damaged, or needs more than "
                f"{memory.limit} bytes of memory. Export it again as AP214 or AP242, or "
                f"{memory.advice}.",
                code=code,
            )
        return read_capped(target, f"{file.name}, translated")


def _notes(matched: NamedBodies, deflection: float) -> tuple[str, ...]:
    patches = [patch for body in matched.bodies for patch in body.patches]
    kinds = Counter(patch.kind for patch in patches)
    analytic = sum(patch.surface is not None for patch in patches)
    notes = [
        f"{analytic} of {len(patches)} STEP faces are analytic; points and normals on them are "
        "exact."
    ]
    if kinds["freeform"]:
        notes.append(
            f"{kinds['freeform']} faces are free-form: normals are interpolated there between the "
            f"corners of triangles that follow the surface within {deflection:.3g} mm and "
            f"{ANGULAR} rad."
        )
    if kinds["facets"]:
        notes.append(
            f"{kinds['facets']} faces are triangles in the file itself (tessellated geometry); how "
            "well they follow the true surface is not known."
        )
    if matched.unnamed:
        notes.append("Some face names of the file could not be matched with its faces.")
    return tuple(notes)


def _doubts(matched: NamedBodies, text: StepText) -> tuple[str, ...]:
    patches = [patch for body in matched.bodies for patch in body.patches]
    lost = sum(patch.kind == "unidentified" for patch in patches)
    named = sum(len(shell.faces) for shell in text.shells)
    doubts: list[str] = []
    if lost:
        doubts.append(
            f"{lost} of {len(patches)} faces could not be identified with faces of the file; "
            "nothing is measured on them. Export the part again, without colours."
        )
    if matched.missing or matched.foreign:
        doubts.append(
            f"Of the {named} faces in the shells of the file, {named - matched.missing} were "
            f"found again by number, kind and radius; {matched.foreign} faces of the translation "
            "are not among them. Faces may be split or missing: compare the part with its drawing, "
            "or export it again."
        )
    if matched.foreign and text.has_sheets:
        doubts.append(
            "Which of these faces are sheets beside the solids is not known; all count as part."
        )
    if not all(np.isfinite(body.vertices).all() for body in matched.bodies):
        doubts.append("Some faces could not be tessellated.")
    return tuple(doubts)


# --------------------------------------------------------------------------------------- CAD faces

EXTENSION = "TM_brep_faces"
# Half of a face's corners, and all of them, lie this near to its surface: sizes of the face, or m.
# Edges of sloppy files lie off their surfaces; a surface farther off is that of another face.
HALF, ALL = (1e-4, 2e-5), (0.03, 1e-4)
SINGLE = 1e-5  # a rotation in single precision is orthogonal to 1e-7; one with scale is not meant


def body_of(document: Document, data: GltfData, place: PlacedMesh, deflection: float) -> MeshBody:
    """A solid or sheet with its faces.

    A face that the translator does not describe, or describes by a surface that its own corners do
    not lie on, is "unidentified"; nothing is ever measured on it.

    Args:
        document: the translator's GLB.
        data: its accessors.
        place: mesh and pose of the body.
        deflection: asked of the translator, for surfaces that cannot be measured. # [m]

    Raises:
        PartError: damaged.
    """
    found = [_primitive(document, data, p) for p in primitives(document, place.mesh)]
    vertices: list[Array] = [np.zeros((0, 3))]
    normals: list[Array] = [np.zeros((0, 3))]
    faces: list[Indices] = [np.zeros((0, 3), dtype=np.int64)]
    patches: list[FacePatch] = []
    for part in found:
        start = sum(map(len, faces))
        faces.append(part.faces + sum(map(len, vertices)))
        vertices.append(part.vertices)
        normals.append(np.zeros_like(part.vertices) if part.normals is None else part.normals)
        patches += [replace(patch, triangles=patch.triangles + start) for patch in part.patches]
    return _moved(
        MeshBody(
            name=place.name,
            vertices=np.concatenate(vertices),
            faces=np.concatenate(faces),
            patches=tuple(patches),
            normals=np.concatenate(normals),
        ),
        place.T,
        deflection,
    )


def _primitive(document: Document, data: GltfData, primitive: dict[str, Any]) -> MeshBody:
    vertices = data.floats(position_accessor(document, primitive, "POSITION"))
    normal = position_accessor(document, primitive, "NORMAL")
    faces = triangles_of(document, data, primitive)
    extensions = document.object(primitive.get("extensions", {}), "extensions")
    extension = document.object(extensions.get(EXTENSION, {}), EXTENSION)
    normals = np.zeros_like(vertices) if normal is None else data.floats(normal)
    owners = np.full(len(faces), -1)
    if "faceIndices" in extension:
        owners = data.integers(extension["faceIndices"])
    if len(owners) != len(faces) or len(normals) != len(vertices):
        raise document.file.error("the translator's faces do not fit its triangles.")
    entries = document.list(extension, "faces", EXTENSION)
    described = {
        document.count(entry, "face_index", EXTENSION, None): entry
        for entry in entries
        if entry is not None
    }
    patches: list[FacePatch] = []
    for owner in np.unique(owners).tolist():
        rows = np.flatnonzero(owners == owner)
        if not 0 <= owner < len(entries):
            patches.append(_patch("unidentified", rows))
        elif owner not in described:
            patches.append(_patch("freeform", rows))
        else:
            patches.append(_described(described[owner], vertices, faces, rows))
    return MeshBody(
        name="", vertices=vertices, faces=faces, patches=tuple(patches), normals=normals
    )


def _patch(kind: str, rows: Indices) -> FacePatch:
    return FacePatch(name="", kind=kind, surface=None, triangles=rows)


def _described(entry: dict[str, Any], vertices: Array, faces: Indices, rows: Indices) -> FacePatch:
    """A face with its surface, which is reversed where the triangles look the other way."""
    corners = vertices[faces[rows]]
    surface = surface_of(entry, corners.reshape(-1, 3))
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    gaps = np.abs(surface.distance(corners.reshape(-1, 3)))
    for gap, (share, least) in ((np.median(gaps), HALF), (gaps.max(), ALL)):
        if not gap <= max(share * size, least):
            return _patch("unidentified", rows)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    along = np.einsum("ij,ij->", across, surface.normal(corners.mean(axis=1)))
    if along < 0.0:
        surface = replace(surface, reversed=True)  # type: ignore[type-var]
    return FacePatch(name="", kind=surface.kind, surface=surface, triangles=rows)


def surface_of(entry: dict[str, Any], corners: Array) -> Surface:
    """The surface that the translator describes, its own normal outwards.

    Args:
        entry: parameters in metres.
        corners: of the triangles on it; they tell which nappe of a cone is meant. # (n, 3) [m]
    """
    kind = entry["type"]
    if kind == "plane":
        return Plane(point=entry["origin"], axis=entry["normal"])
    if kind == "cylinder":
        return Cylinder(point=entry["origin"], axis=entry["axis"], radius=entry["radius"])
    if kind == "sphere":
        return Sphere(centre=entry["center"], radius=entry["radius"])
    if kind == "torus":
        return Torus(
            centre=entry["center"],
            axis=entry["axis"],
            major_radius=entry["major_radius"],
            minor_radius=entry["minor_radius"],
        )
    apex, axis = np.array(entry["apex"]), np.array(entry["axis"])
    into = 1.0 if float((corners.mean(axis=0) - apex) @ axis) >= 0.0 else -1.0
    return Cone(apex=apex, axis=into * axis, half_angle=abs(entry["semi_angle"]))


def _moved(body: MeshBody, T: Array, deflection: float) -> MeshBody:
    T = _rigid(T)
    R = T[:3, :3]
    rigid = np.allclose(R @ R.T, np.eye(3), rtol=0.0, atol=1e-12)
    patches = [
        patch
        if patch.surface is None
        else replace(
            patch,
            kind=patch.kind if rigid else "freeform",
            surface=patch.surface.moved(T) if rigid else None,
        )
        for patch in body.patches
    ]
    normals = np.zeros((0, 3)) if body.normals is None else body.normals
    return MeshBody(
        name=body.name,
        vertices=carried(body.vertices, T),
        faces=turned(body.faces, T),
        patches=tuple(replace(patch, deflection=deflection) for patch in patches),
        normals=normals @ np.linalg.inv(R),
    )


def _rigid(T: Array) -> Array:
    """The transform, its rotation made exact: the translator writes it in single precision."""
    U, lengths, Vt = np.linalg.svd(T[:3, :3])
    if np.abs(lengths - 1.0).max() > SINGLE:
        return T
    result = T.copy()
    result[:3, :3] = U @ Vt
    return result


# -------------------------------------------------------------------- Faces and shells of the text

SAME = 1e-6  # relative; the translator prints its lengths with fewer digits than the file has


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepBody:
    """A body of the translator.

    Args:
        body: as placed.
        shape: equal for the places of one shape.
    """

    body: MeshBody
    shape: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedBodies:
    """Bodies that the text knows as far as it can be told.

    Args:
        bodies: one for each shell; those that do not match the text, whole and without names.
        missing: faces of the text that no shape has.
        foreign: faces of shapes that are not those of the text.
        unnamed: whether names stand in the text that could not be given.
    """

    bodies: tuple[MeshBody, ...]
    missing: int
    foreign: int
    unnamed: bool


def with_shells(text: StepText, translated: list[StepBody]) -> NamedBodies:
    """Bodies cut into one for each shell, their faces named as in the file.

    The translator keeps the order of the faces of a shell, but not that of the shells, and may
    split or lose faces. So a run of its faces is a shell of the text only where kinds and radii of
    all faces agree.

    Args:
        text: of the file.
        translated: its bodies; a shape may be placed several times.
    """
    known = _Shells(text)
    pieces: list[MeshBody] = []
    runs: dict[int, list[_Run]] = {}
    for one in translated:
        if one.shape not in runs:
            runs[one.shape] = known.runs(one.body.patches)
        pieces += _cut(one.body, runs[one.shape])
    found = [run for shape in runs.values() for run in shape]
    return NamedBodies(
        bodies=tuple(pieces),
        missing=sum(len(shell.faces) for shell in text.shells) - known.used,
        foreign=sum(run.count for run in found if run.shell is None),
        unnamed=any(run.shell is None or run.doubtful for run in found)
        and any(face.name for shell in text.shells for face in shell.faces),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """So many faces of a body that are a shell, or are none that is known.

    Args:
        count: of faces.
        shell: that they are; None where that is not known.
        doubtful: it may be another one that differs by names only, so none are given.
        alone: no other shell is like it, so its faces are those of the text.
    """

    count: int
    shell: StepShell | None
    doubtful: bool = False
    alone: bool = False


class _Shells:
    """The shells of a text, found by the kinds of their faces."""

    def __init__(self, text: StepText) -> None:
        self._shells = text.shells
        self._units = (METRES[text.unit],) if text.unit else tuple(METRES.values())
        self._by_kinds: dict[Key, list[int]] = defaultdict(list)
        for place, shell in enumerate(text.shells):
            self._by_kinds[_key(shell.kinds)].append(place)
        self._counts = sorted({len(key) for key in self._by_kinds}, reverse=True)
        self._used: set[int] = set()

    @property
    def used(self) -> int:
        """Number of faces of the shells that were found."""
        return sum(len(self._shells[place].faces) for place in self._used)

    def runs(self, patches: tuple[FacePatch, ...]) -> list[_Run]:
        """A body as runs of faces; one run without shell where it does not match throughout."""
        kinds = _key(tuple(patch.kind for patch in patches))
        runs: list[_Run] = []
        start, last, before = 0, -1, set(self._used)
        while start < len(patches):
            fitting = self._fitting(patches, kinds, start)
            if not fitting:
                self._used = before
                return [_Run(count=len(patches), shell=None)]
            # shells of a body mostly follow each other in the text, too
            last = min(fitting, key=lambda place: (place in self._used, place <= last, place))
            shell = self._shells[last]
            equal = [self._shells[place] for place in fitting]
            equal = [one for one in equal if len(one.faces) == len(shell.faces)]
            if len({one.solid for one in equal}) > 1:
                self._used = before
                return [_Run(count=len(patches), shell=None)]
            names = {tuple(face.name for face in one.faces) for one in equal}
            runs.append(
                _Run(
                    count=len(shell.faces),
                    shell=shell,
                    doubtful=len(names) > 1,
                    alone=len(fitting) == 1,
                )
            )
            self._used.add(last)
            start += len(shell.faces)
        return runs

    def _fitting(self, patches: tuple[FacePatch, ...], kinds: Key, start: int) -> list[int]:
        """Shells that the next faces may be; where several may, those at the same place."""
        fitting = [
            place
            for count in self._counts
            for place in self._by_kinds.get(kinds[start : start + count], ())
            if _same_sizes(
                self._shells[place].faces, patches[start : start + count], tuple(METRES.values())
            )
        ]
        if len(fitting) < 2:
            return fitting
        there = [
            place
            for place in fitting
            if _same_origins(
                self._shells[place].faces,
                patches[start : start + len(self._shells[place].faces)],
                self._units,
            )
        ]
        return there or fitting


def _key(kinds: tuple[str, ...]) -> Key:
    """Kinds as the translator tells them: it describes no triangulated face."""
    return tuple("freeform" if kind == "facets" else kind for kind in kinds)


def _same_sizes(
    faces: tuple[StepFace, ...], patches: tuple[FacePatch, ...], units: tuple[float, ...]
) -> bool:
    """Return whether all radii are those of the text, in one unit."""
    pairs = [
        pair
        for face, patch in zip(faces, patches, strict=True)
        for pair in zip(face.sizes, _radii(patch.surface), strict=False)
    ]
    if not pairs:
        return True
    told, found = np.array(pairs).T
    return any(np.allclose(unit * told, found, rtol=SAME, atol=1e-12) for unit in units)


def _same_origins(
    faces: tuple[StepFace, ...], patches: tuple[FacePatch, ...], units: tuple[float, ...]
) -> bool:
    """Whether surfaces are where the text has them; that is so for parts that are not placed."""
    for face, patch in zip(faces, patches, strict=True):
        if patch.surface is None or isinstance(patch.surface, Cone) or len(face.origin) != 3:
            continue  # where on its axis the text puts a cone is the text's choice
        gaps = [
            abs(float(patch.surface.distance(unit * np.array([face.origin]))[0]) - level)
            for unit in units
            for level in _levels(patch.surface)
        ]
        if min(gaps) > SAME * (1.0 + max(map(abs, face.origin))) * 1e-3:
            return False
    return True


def _radii(surface: Surface | None) -> tuple[float, ...]:
    """Lengths that the text states for a surface, in its order. [m]."""
    if isinstance(surface, Cylinder | Sphere):
        return (surface.radius,)
    if isinstance(surface, Torus):
        return (surface.major_radius, surface.minor_radius)
    return ()


def _levels(surface: Surface) -> tuple[float, ...]:
    """Distances of its own origin from a surface, either side."""
    if isinstance(surface, Torus):
        gap = surface.major_radius - surface.minor_radius
        return (gap, -gap)
    radius = sum(_radii(surface))
    return (radius, -radius)


def _cut(body: MeshBody, runs: list[_Run]) -> list[MeshBody]:
    pieces: list[MeshBody] = []
    place = 0
    for run in runs:
        patches = list(body.patches[place : place + run.count])
        place += run.count
        if run.shell is not None:
            patches = [
                replace(
                    patch,
                    name="" if run.doubtful else face.name,
                    kind="facets" if face.kind == "facets" else patch.kind,
                    identity=face.identity if run.alone else 0,
                )
                for patch, face in zip(patches, run.shell.faces, strict=True)
            ]
        sheet = run.shell is not None and not run.shell.solid
        pieces.append(replace(_piece(body, patches), sheet=sheet))
    return pieces


def _piece(body: MeshBody, patches: list[FacePatch]) -> MeshBody:
    if len(patches) == len(body.patches):
        return replace(body, patches=tuple(patches))
    rows = np.concatenate([patch.triangles for patch in patches])
    used, corners = np.unique(body.faces[rows], return_inverse=True)
    starts = np.cumsum([0, *(len(patch.triangles) for patch in patches)])
    renumbered = [
        replace(patch, triangles=np.arange(start, start + len(patch.triangles)))
        for patch, start in zip(patches, starts[:-1], strict=True)
    ]
    return replace(
        body,
        vertices=body.vertices[used],
        faces=corners.reshape(-1, 3),
        patches=tuple(renumbered),
        normals=None if body.normals is None else body.normals[used],
    )
