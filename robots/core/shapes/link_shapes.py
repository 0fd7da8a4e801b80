"""Shapes of a URDF's links: their meshes in the links' frames, capsules and pieces about them.

``<collision>`` meshes give the shape; a link that has none gets that of its ``<visual>`` meshes, as
its file may only draw it. Fits are kept on disk by the content of the meshes and what places
them, so that a robot costs its fits once.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import MeshError, UnreadMeshError
from robots.core.kernels import cache
from robots.core.pose import transform_points
from robots.core.robot_file.source_text import read_bytes
from robots.core.shapes.capsule_fit import (
    CapsuleFit,
    Stadium,
    fit_capsules,
    uncovered,
)
from robots.core.shapes.mesh_files import MeshFile, MeshFolder, Triangles, read_triangles
from robots.core.urdf_document import Element, UrdfText, parse_urdf

_EDITION = "pieces 3"  # of the fit: what an earlier one left on disk is not used
_STEPS = 1e6  # to the metre: ends, radii and corners of carried capsules are whole ones


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkMesh:
    """The triangles of a link, in its frame.

    Args:
        link: its name.
        vertices: # (v, 3) [m]
        faces: # (f, 3)
        files: that they come from.
        visual: whether they are drawn only, as the link has no collision geometry.
    """

    link: str
    vertices: Array
    faces: Indices
    files: tuple[MeshFile, ...]
    visual: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkShape:
    """Capsules, each with a convex piece, that contain the meshes of a link.

    Args:
        link: its name.
        capsules: in the link's frame.
        volume: of the union of what each and its piece have in common. [m³]
        hull_volume: of the meshes' convex hull. [m³]
        mesh_volume: inside the meshes; NaN where they are not closed. [m³]
        bound: how far any point of the meshes can lie outside; zero or less. [m]
        files: names of the meshes, as the file gives them.
        visual: whether they are drawn only, as the link has no collision geometry.
    """

    link: str
    capsules: tuple[Stadium, ...]
    volume: float
    hull_volume: float
    mesh_volume: float
    bound: float
    files: tuple[str, ...]
    visual: bool = False

    @property
    def excess(self) -> float:
        """Volume of the capsules and pieces over that of the convex hull, minus one."""
        return self.volume / self.hull_volume - 1.0 if self.hull_volume > 0.0 else math.inf

    @property
    def mesh_excess(self) -> float:
        """Volume of the capsules and pieces over that inside the meshes, minus one; else NaN."""
        return self.volume / self.mesh_volume - 1.0 if self.mesh_volume > 0.0 else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingMesh:
    """A mesh that was not found, lies where none is opened, or has no triangles.

    Args:
        link: its link.
        reference: as the URDF names it.
        line: in the URDF.
        sought: places where it was looked for; none where it is not opened, or is empty.
    """

    link: str
    reference: str
    line: int
    sought: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UrdfShapes:
    """Shapes of the links of a URDF.

    Args:
        links: by name, of the links whose meshes were all found.
        files: meshes that shape links, then those that only draw them.
        missing: meshes that were sought to shape a link and not found.
    """

    links: Mapping[str, LinkShape] = field(default_factory=dict)
    files: tuple[MeshFile, ...] = ()
    missing: tuple[MissingMesh, ...] = ()


def shapes_of(
    urdf: UrdfText | Path, folder: MeshFolder | None = None, *, partial: bool = False
) -> UrdfShapes:
    """Fit capsules about the meshes of a URDF's links.

    Args:
        urdf: a document, or the path of a file.
        folder: where meshes are sought; None for the folder of the file.
        partial: whether meshes that are missing are listed; otherwise the first one is an error.

    Raises:
        MeshError: a mesh that is missing (unless partial), unreadable, unsafe, or of a size that
            cannot be; the message names file and line.
        RobotFileError: no URDF.
    """
    if isinstance(urdf, Path):
        folder = folder or MeshFolder.beside(urdf)
        urdf = parse_urdf(read_bytes(urdf), urdf.name)
    found = _Meshes(urdf, folder or MeshFolder(folder=None), partial=partial)
    shapes: dict[str, LinkShape] = {}
    for parts in found.collisions():
        try:
            shapes[parts.link] = found.shape(parts)
        except UnreadMeshError:  # of no triangles, as the last link of a maker's own SCARA
            if not partial:
                raise
            found.miss(parts.link, parts.parts[0].mesh, ())
    found.spans.check_small(tuple(shapes))
    missing = tuple(found.missing)
    found.find_visuals()
    return UrdfShapes(links=shapes, files=tuple(found.files.values()), missing=missing)


def urdf_shapes(raw: bytes, folder: MeshFolder, *, origin: str = "URDF") -> UrdfShapes:
    """Shapes of a URDF in memory; empty where it names no mesh, and meshes may be missing.

    Raises:
        MeshError: as for ``shapes_of``.
        RobotFileError: no URDF.
    """
    if b"<mesh" not in raw:
        return UrdfShapes()
    return shapes_of(parse_urdf(raw, origin), folder, partial=True)


def link_meshes(document: UrdfText, files: Sequence[MeshFile]) -> tuple[LinkMesh, ...]:
    """Meshes to draw the links by: those of ``<visual>``, or else of ``<collision>``.

    Args:
        document: the URDF.
        files: meshes that were found for it. A link that lacks one is left out, and so is one whose
            meshes cannot be read or are of no possible size: that is no reason to refuse a robot.
    """
    held = {file.name: file.raw for file in files}
    found = _Meshes(document, MeshFolder(folder=None, held=held), partial=True)
    drawn = {}
    for parts in found.visuals():
        try:
            mesh = found.mesh(parts)
            found.spans.check_small((mesh.link,))
        except MeshError:
            continue
        drawn[mesh.link] = mesh
    return tuple(drawn.values())


def carried(shape: Stadium, frame: Array) -> Stadium:
    """A capsule seen from the joint that carries the link; contains what the given one does.

    Its ends, its radius and the corners of its piece are whole micrometres, so that files are
    readable; the skin of the piece is thicker than what that moves its corners.

    Args:
        shape: in the link's frame.
        frame: T_joint_link. # (4, 4)
    """
    ends = transform_points(frame, np.stack([shape.start, shape.end]))
    rounded = np.round(ends * _STEPS) / _STEPS
    moved = float(np.linalg.norm(rounded - ends, axis=1).max())
    # 1e-12 m covers what the change of frame rounds on a robot of kilometres
    radius = math.ceil((shape.radius + moved + 1e-12) * _STEPS) / _STEPS
    corners = np.round(transform_points(frame, shape.corners) * _STEPS) / _STEPS
    return Stadium(start=rounded[0], end=rounded[1], radius=radius, corners=corners)


# --------------------------------------------------------------------------------- Meshes of links


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """A mesh of a link: its element, its file, and what places it."""

    mesh: Element
    file: MeshFile
    scale: Array  # (3,)
    T: Array  # T_link_mesh # (4, 4)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Parts:
    """All meshes of a link; ``visual`` as in ``LinkMesh``."""

    link: str
    parts: tuple[_Part, ...]
    visual: bool

    @property
    def key(self) -> str:
        """Hash of everything that a fit depends on."""
        digest = hashlib.sha256(f"{_EDITION} ".encode())
        for part in self.parts:
            suffix = part.file.name.rpartition(".")[2].lower()
            digest.update(hashlib.sha256(part.file.raw).digest() + f" {suffix} ".encode())
            digest.update(part.scale.tobytes() + part.T.tobytes())
        return digest.hexdigest()


class _Meshes:
    """Reads the meshes of a document, each file once, and its triangles where they are needed."""

    def __init__(self, document: UrdfText, folder: MeshFolder, *, partial: bool) -> None:
        self.document, self.folder, self.partial = document, folder, partial
        self.files: dict[str, MeshFile] = {}
        self.missing: list[MissingMesh] = []
        self.spans = _Spans(document)
        self._read: dict[str, Triangles] = {}
        self._bytes = self._triangles = 0

    def collisions(self) -> Iterator[_Parts]:
        """Of each link that has a mesh and of which none is missing."""
        for link in self.document.root.findall("link"):
            visual = link.find("collision") is None
            yield from self._link(link, "visual" if visual else "collision", visual=visual)

    def visuals(self) -> Iterator[_Parts]:
        """Of each link that has meshes to be drawn."""
        for link in self.document.root.findall("link"):
            own = any(_mesh_elements(self.document, link, "visual"))
            yield from self._link(link, "visual" if own else "collision", visual=own)

    def find_visuals(self) -> None:
        """Read the files that only draw links; one that is missing or too large is left out."""
        for link in self.document.root.findall("link"):
            for _, mesh in _mesh_elements(self.document, link, "visual"):
                try:
                    self._file(link.get("name", ""), mesh)
                except MeshError:
                    continue

    def shape(self, parts: _Parts) -> LinkShape:
        """The shape of a link, from disk where the same meshes were fitted before.

        Raises:
            MeshError: an unreadable mesh, or one far larger than the robot.
        """
        key = parts.key
        raw = cache.read(key, "shapes")
        kept: dict[str, Any] | None = None if raw is None else json.loads(raw)
        if kept is None:
            mesh = self.mesh(parts)  # refuses what is too large before it is fitted
            kept = _fitted(mesh) | {"extents": self._extents(parts)}
            cache.write(key, json.dumps(kept).encode(), "shapes")
        for part, extent in zip(parts.parts, kept["extents"], strict=True):
            self.spans.check_large(parts.link, part.mesh, extent, part.scale)
        capsules = tuple(
            Stadium(
                start=np.array(start),
                end=np.array(end),
                radius=radius,
                corners=np.array(corners).reshape(-1, 3),
            )
            for start, end, radius, corners in kept["capsules"]
        )
        volume, hull, inside, bound = kept["numbers"]
        return LinkShape(
            link=parts.link,
            capsules=capsules,
            volume=volume,
            hull_volume=hull,
            mesh_volume=math.nan if inside is None else inside,
            bound=bound,
            files=tuple(dict.fromkeys(part.file.reference for part in parts.parts)),
            visual=parts.visual,
        )

    def mesh(self, parts: _Parts) -> LinkMesh:
        """The triangles of a link.

        Raises:
            MeshError: an unreadable mesh, or one far larger than the robot.
        """
        vertices: list[Array] = []
        faces: list[Indices] = []
        count = 0
        for part, extent in zip(parts.parts, self._extents(parts), strict=True):
            self.spans.check_large(parts.link, part.mesh, extent, part.scale)
            read = self._read[part.file.reference]
            vertices.append(transform_points(part.T, read.vertices * part.scale))
            faces.append(read.faces + count)
            count += len(read.vertices)
        return LinkMesh(
            link=parts.link,
            vertices=np.concatenate(vertices),
            faces=np.concatenate(faces),
            files=tuple({part.file.reference: part.file for part in parts.parts}.values()),
            visual=parts.visual,
        )

    def _extents(self, parts: _Parts) -> list[float]:
        """Greatest edge of the box about each mesh, along the mesh's axes. [m]."""
        found = []
        for part in parts.parts:
            reference = part.file.reference
            if reference not in self._read:
                try:
                    self._read[reference] = read_triangles(part.file, spent=self._triangles)
                except MeshError as error:
                    raise self._placed(error, parts.link, part.mesh) from None
                self._triangles += len(self._read[reference].faces)
            scaled = self._read[reference].vertices * part.scale
            found.append(float(np.ptp(scaled, axis=0).max()))
        return found

    def _link(self, link: Element, tag: str, *, visual: bool) -> Iterator[_Parts]:
        """The meshes of a link; nothing where it has none, or one is missing."""
        name = self.document.required(link, "name")
        found: list[_Part] = []
        complete = True
        for element, mesh in _mesh_elements(self.document, link, tag):
            file = self._file(name, mesh)
            if file is None:
                complete = False
                continue
            scale = np.array(self.document.numbers(mesh, "scale", [1.0, 1.0, 1.0]))
            if not np.all(scale):
                raise self.document.error(mesh, "has a scale of zero.")
            T = self.document.origin_of(element)
            found.append(_Part(mesh=mesh, file=file, scale=scale, T=T))
        if found and complete:
            yield _Parts(link=name, parts=tuple(found), visual=visual)

    def _file(self, link: str, mesh: Element) -> MeshFile | None:
        """The file of a mesh; None where it is missing or not opened, which is noted."""
        reference = self.document.required(mesh, "filename")
        try:
            if reference not in self.files:
                file = self.folder.read(reference, spent=self._bytes)
                self._bytes += len(file.raw)
                self.files[reference] = file
            return self.files[reference]
        except UnreadMeshError as error:
            sought = error.fact("sought", tuple) or ()
            if not self.partial:
                raise self._placed(error, link, mesh) from None
            self.miss(link, mesh, sought)
            return None
        except MeshError as error:
            raise self._placed(error, link, mesh) from None

    def miss(self, link: str, mesh: Element, sought: tuple[str, ...]) -> None:
        """Note a mesh that gives its link no shape; arguments as of ``MissingMesh``."""
        reference, line = self.document.required(mesh, "filename"), int(mesh.sourceline)
        self.missing.append(MissingMesh(link=link, reference=reference, line=line, sought=sought))

    def _placed(self, error: MeshError, link: str, mesh: Element) -> MeshError:
        """The error with file, line and link before it."""
        place = f"{self.document.origin}, line {mesh.sourceline}, link {link!r}"
        facts = error.facts | {"link": link, "line": mesh.sourceline}
        return type(error)(f"{place}: {error.message}", **facts)


def _mesh_elements(
    document: UrdfText, link: Element, tag: str
) -> Iterator[tuple[Element, Element]]:
    """Elements of a link that hold a mesh, and the mesh of each."""
    for element in link.findall(tag):
        geometry = document.child(element, "geometry")
        mesh = None if geometry is None else geometry.find("mesh")
        if mesh is not None:
            yield element, mesh


# A robot's links are about as large as its joints are apart. A mesh of 30 times the sum of all the
# joint distances is in a smaller unit than it is read in; meshes that are all below a hundredth of
# it, or one below a hundredth of the way to its link's next joint that fits a thousand times as
# large, are in a larger one.
_TOO_LARGE, _TOO_SMALL = 30.0, 0.01
_UNITS = {0.001: "millimetres", 0.01: "centimetres", 0.0254: "inches"}


class _Spans:
    """Distances between the joints of a document, which sizes of meshes are compared with."""

    def __init__(self, document: UrdfText) -> None:
        self.document = document
        self.total = 0.0  # [m]
        self.to_child: dict[str, float] = {}  # by link: the farthest joint that it carries [m]
        self.extents: dict[str, float] = {}
        self.elements: dict[str, tuple[Element, Array]] = {}
        for joint in document.root.findall("joint"):
            parent = joint.find("parent")
            length = float(np.linalg.norm(document.origin_of(joint)[:3, 3]))
            self.total += length
            if parent is not None:
                link = parent.get("link")
                self.to_child[link] = max(length, self.to_child.get(link, 0.0))

    def check_large(self, link: str, mesh: Element, extent: float, scale: Array) -> None:
        """Refuse a mesh that is far larger than the robot.

        Raises:
            MeshError: it is; the message gives the scale that fits.
        """
        if extent > self.extents.get(link, -1.0):
            self.extents[link] = extent
            self.elements[link] = mesh, scale
        if self.total > 0.0 and extent > _TOO_LARGE * self.total:
            fitting = [unit for unit in _UNITS if extent * unit <= 2.0 * self.total]
            unit = fitting[0] if fitting else 0.001
            raise self._error(link, unit, f"they seem to be {_UNITS[unit]} taken for metres")

    def check_small(self, links: Sequence[str]) -> None:
        """Refuse meshes that are far smaller than the robot.

        Raises:
            MeshError: they are; the message gives the scale that fits.
        """
        if not links:
            return
        largest = max(links, key=lambda name: self.extents[name])
        small = self.extents[largest] < _TOO_SMALL * self.total
        wrong = [largest] if small else [name for name in links if self._too_small(name)]
        if wrong:
            raise self._error(wrong[0], 1000.0, "they seem to be metres taken for millimetres")

    def _too_small(self, link: str) -> bool:
        extent, way = self.extents[link], self.to_child.get(link, 0.0)
        return extent < _TOO_SMALL * way and 0.3 * way <= 1000.0 * extent <= 5.0 * way

    def _error(self, link: str, unit: float, reason: str) -> MeshError:
        mesh, scale = self.elements[link]
        better = " ".join(f"{value:.6g}" for value in scale * unit)
        return MeshError(
            f"{self.document.origin}, line {mesh.sourceline}, link {link!r}: the mesh "
            f"{mesh.get('filename')!r} is {self.extents[link]:.4g} m large, where the joints of "
            f"the robot are {self.total:.4g} m apart in all; {reason}. Write "
            f'scale="{better}" in its <mesh>.',
            link=link,
            line=mesh.sourceline,
            mesh=mesh.get("filename"),
            extent=self.extents[link],
            scale=better,
        )


# ---------------------------------------------------------------------------------------- Capsules


def _fitted(mesh: LinkMesh) -> dict[str, Any]:
    fit: CapsuleFit = fit_capsules(mesh.vertices, mesh.faces)
    bound = uncovered(mesh.vertices, mesh.faces, fit)
    if not bound <= 0.0:  # never seen: radii are rounded outward
        raise MeshError(
            f"Link {mesh.link!r}: its capsules are not proven to contain its mesh ({bound:.3g} m).",
            link=mesh.link,
        )
    return {
        "capsules": [
            [one.start.tolist(), one.end.tolist(), one.radius, one.corners.tolist()]
            for one in fit.capsules
        ],
        "numbers": [fit.volume, fit.hull_volume, _mesh_volume(mesh), bound],
    }


def _mesh_volume(mesh: LinkMesh) -> float | None:
    """Sum of the volumes of the closed bodies; None where one is open. [m³]."""
    import trimesh

    solid = trimesh.Trimesh(vertices=mesh.vertices, faces=mesh.faces, process=True)
    if not solid.is_watertight:
        return None
    volume = sum(abs(float(body.volume)) for body in solid.split(only_watertight=False))
    return volume or None
