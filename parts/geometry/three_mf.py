"""3MF files → bodies, one for each mesh that the build places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parts.geometry.archive import Archive
from parts.geometry.body import Body, Content
from parts.geometry.safe_xml import local_name, parse_xml
from parts.geometry.source_file import SourceFile
from parts.geometry.three_mf_model import MfObject, Model, model_of, transform_of
from parts.geometry.transforms import carried, chained, turned
from robots.core.caps import Cap

Array = NDArray[np.float64]

RELATIONS = "_rels/.rels"
MODEL = "3dmodel"  # how the type of the relation to the root model ends


def read_three_mf(file: SourceFile) -> Content:
    """Read a 3MF file; transforms of build and components are applied.

    Raises:
        PartError: not 3MF, damaged, over a cap, an object inside itself.
    """
    package = _Package(file)
    root = package.model(_root_name(file, package.archive))
    bodies: list[Body] = []
    visited = corners = 0
    stack = [(item, np.eye(4), root.path, 0) for item in reversed(root.items)]
    while stack:
        element, T_above, near, depth = stack.pop()
        visited += 1
        file.check_count("components", visited + len(stack), Cap.NODES)
        file.check_count("levels of components", depth, Cap.DEPTH)
        path = _attribute(element, "path") or near
        found = package.object(path, _attribute(element, "objectid"))
        T = chained(file, T_above, transform_of(file, _attribute(element, "transform")))
        stack.extend((child, T, path, depth + 1) for child in reversed(found.components))
        corners += len(found.vertices) + len(found.faces)
        file.check_count("vertices and triangles", corners, Cap.TRIANGLES)
        if len(found.faces):
            file.check_count("placed meshes", len(bodies) + 1, Cap.INSTANCES)
            bodies.append(_placed(found, T))
    if not bodies:
        raise file.error("its build places no triangle. Export it again, with the mesh.")
    return Content(bodies=tuple(bodies), unit=root.unit)


def _placed(found: MfObject, T: Array) -> Body:
    return Body(
        name=found.name,
        vertices=carried(found.vertices, T),
        faces=turned(found.faces, T),
    )


class _Package:
    """Models of an archive, parsed once each; all must have the unit of the first."""

    def __init__(self, file: SourceFile) -> None:
        self.archive = Archive(file)
        self._file = file
        self._models: dict[str, Model] = {}

    def model(self, path: str) -> Model:
        key = path.lstrip("/").lower()
        if key not in self._models:
            self._models[key] = model_of(self._file, self.archive.read(path), path)
        first = next(iter(self._models.values()))
        found = self._models[key]
        if found.unit != first.unit:
            raise self._file.error(
                f"its models have different units, {first.unit} and {found.unit}; expected one "
                "unit. Export it again."
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
    if RELATIONS in archive.names:
        for element in parse_xml(file, archive.read(RELATIONS), RELATIONS):
            if _attribute(element, "Type").lower().endswith(MODEL):
                return _attribute(element, "Target")
    models = [name for name in archive.names if name.endswith(".model")]
    if not models:
        raise file.error("it has no 3D model; it is not 3MF. Export it again.")
    return models[0]


def _attribute(element: Any, name: str) -> str:
    """An attribute whatever its namespace; empty where there is none."""
    if not local_name(element):
        return ""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""
