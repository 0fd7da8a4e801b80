"""3MF files → bodies, one for each mesh that the build places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parts.geometry.archive import Archive
from parts.geometry.safe_xml import Attributes, scan_xml
from parts.geometry.source_file import GeometryContent, MeshBody, SourceFile
from parts.geometry.three_mf_model import (
    MfObject,
    Model,
    Placement,
    Totals,
    model_of,
    transform_of,
)
from parts.geometry.transforms import carried, chained, turned
from robots.core.arrays import Array
from robots.core.caps import Cap

RELATIONS = "_rels/.rels"
MODEL = "3dmodel"  # how the type of the relation to the root model ends


def read_three_mf(file: SourceFile) -> GeometryContent:
    """Read a 3MF file; transforms of build and components are applied.

    What the build places is counted, with every component expanded, before any of it is made.

    Raises:
        PartError: not 3MF, damaged, over a cap, an object inside itself.
    """
    package = _Package(file)
    root = package.model(_root_name(file, package.archive))
    _check_build(file, package, root)
    bodies = tuple(
        _placed(file, found, T) for found, T in _placements(file, package, root) if found.triangles
    )
    if not bodies:
        raise file.error("its build places no triangle. Export it again, with the mesh.")
    return GeometryContent(bodies=bodies, unit=root.unit)


def _placements(
    file: SourceFile, package: _Package, root: Model
) -> Iterator[tuple[MfObject, Array]]:
    """Every object that the build places, and where."""
    stack = [(item, np.eye(4), root.path) for item in reversed(root.items)]
    while stack:
        placement, T_above, near = stack.pop()
        path = placement.path or near
        found = package.object(path, placement.object)
        T = chained(file, T_above, transform_of(file, placement.transform))
        stack.extend((child, T, path) for child in reversed(found.components))
        yield found, T


def _placed(file: SourceFile, found: MfObject, T: Array) -> MeshBody:
    vertices, faces = found.mesh(file)
    return MeshBody(name=found.name, vertices=carried(vertices, T), faces=turned(faces, T))


@dataclass(frozen=True, slots=True)
class _Expanded:
    """What an object is with all its components: counts that may be beyond all bounds."""

    placements: int
    meshes: int
    vertices: int
    triangles: int


def _check_build(file: SourceFile, package: _Package, root: Model) -> None:
    """Count what the build would place; every object is expanded once.

    Raises:
        PartError: over a cap, an object inside itself.
    """
    known: dict[tuple[str, str], _Expanded] = {}

    def expanded(placement: Placement, near: str, depth: int) -> _Expanded:
        file.check_count("levels of components", depth, Cap.DEPTH)
        path = placement.path or near
        key = (path, placement.object)
        if key not in known:
            found = package.object(*key)
            own = found.triangles
            parts = [expanded(child, path, depth + 1) for child in found.components]
            known[key] = _Expanded(
                1 + sum(part.placements for part in parts),
                (own > 0) + sum(part.meshes for part in parts),
                len(found.coordinates) // 3 + sum(part.vertices for part in parts),
                own + sum(part.triangles for part in parts),
            )
        return known[key]

    built = [expanded(item, root.path, 0) for item in root.items]
    file.check_count("components", sum(one.placements for one in built), Cap.NODES)
    file.check_count("placed meshes", sum(one.meshes for one in built), Cap.INSTANCES)
    file.check_count("vertices", sum(one.vertices for one in built), Cap.VERTICES)
    triangles = sum(one.triangles for one in built)
    file.check_count("triangles", triangles, Cap.TRIANGLES)
    own = {key: package.object(*key).triangles for key in known}
    repeated = triangles - sum(own.values())
    file.check_count("repeated triangles", repeated, Cap.REPEATED_TRIANGLES)


class _Package:
    """Models of an archive, parsed once each; all must have the unit of the first."""

    def __init__(self, file: SourceFile) -> None:
        self.archive = Archive(file)
        self._file = file
        self._models: dict[str, Model] = {}
        self._totals = Totals()

    def model(self, path: str) -> Model:
        key = path.lstrip("/").lower()
        if key not in self._models:
            chunks = self.archive.chunks(path)
            self._models[key] = model_of(self._file, chunks, path, self._totals)
        first = next(iter(self._models.values()))
        found = self._models[key]
        if found.unit != first.unit:
            raise self._file.error(
                f"its models have different units, {first.unit[:40]} and {found.unit[:40]}; "
                "expected one unit. Export it again."
            )
        return found

    def object(self, path: str, identity: str) -> MfObject:
        objects = self.model(path).objects
        if identity not in objects:
            raise self._file.error(
                f"its build or a component names object {identity[:40]!r}, which does not exist. "
                "Export it again.",
                found=identity[:40],
            )
        return objects[identity]


def _root_name(file: SourceFile, archive: Archive) -> str:
    """Name of the root model, from the relations of the package."""
    targets: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        kind = attributes.get("Type", "").lower()
        if name == "Relationship" and kind.endswith(MODEL) and not targets:
            targets.append(attributes.get("Target", ""))

    if RELATIONS in archive.names:
        scan_xml(file, archive.chunks(RELATIONS), RELATIONS, start=start)
        if targets:
            return targets[0]
    models = [name for name in archive.names if name.endswith(".model")]
    if not models:
        raise file.error("it has no 3D model; it is not 3MF. Export it again.")
    return models[0]
