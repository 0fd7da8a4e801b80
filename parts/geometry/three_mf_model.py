"""The model part of a 3MF package: objects with meshes or components, and what is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parts.geometry.safe_xml import local_name, parse_xml
from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MfObject:
    """An object of a model.

    Args:
        name: of the object; empty where it has none.
        vertices: in the unit of the model. # (v, 3)
        faces: over them. # (f, 3)
        components: XML elements that place other objects.
    """

    name: str
    vertices: Array
    faces: Indices
    components: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A model part.

    Args:
        path: of its entry in the archive.
        unit: "millimeter", …
        objects: by identity.
        items: XML elements of the build.
    """

    path: str
    unit: str
    objects: dict[str, MfObject]
    items: tuple[Any, ...]


def model_of(file: SourceFile, raw: bytes, path: str) -> Model:
    """Read a model part.

    Raises:
        PartError: damaged, or over a cap.
    """
    root = parse_xml(file, raw, path)
    if local_name(root) != "model":
        raise file.error(f"{path} is not a 3MF model but {local_name(root)[:40]!r}.")
    objects: dict[str, MfObject] = {}
    items: list[Any] = []
    for section in root:
        if local_name(section) == "resources":
            found = [child for child in section if local_name(child) == "object"]
            objects.update((str(child.get("id")), _object(file, child)) for child in found)
        elif local_name(section) == "build":
            items.extend(child for child in section if local_name(child) == "item")
    unit = str(root.get("unit", "millimeter"))
    return Model(path=path, unit=unit, objects=objects, items=tuple(items))


def transform_of(file: SourceFile, text: str) -> Array:
    """Transform from twelve numbers; points are rows that stand before the matrix. # (4, 4)."""
    T = np.eye(4)
    if text:
        values = _floats(file, text.split(), f"the transform {text[:80]!r}")
        if len(values) != 12 or not np.isfinite(values).all():
            raise file.error(f"the transform {text[:80]!r} is not twelve numbers.")
        T[:3] = values.reshape(4, 3).T
    return T


def _object(file: SourceFile, element: Any) -> MfObject:
    vertices, faces = np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    components: tuple[Any, ...] = ()
    for child in element:
        if local_name(child) == "components":
            components = tuple(c for c in child if local_name(c) == "component")
        elif local_name(child) == "mesh":
            vertices = _table(file, child, ("vertices", "vertex"), "xyz")
            corners = _table(file, child, ("triangles", "triangle"), ("v1", "v2", "v3"))
            faces = _faces(file, corners, len(vertices))
    return MfObject(
        name=str(element.get("name", ""))[:100],
        vertices=vertices,
        faces=faces,
        components=components,
    )


def _table(
    file: SourceFile, mesh: Any, names: tuple[str, str], columns: str | tuple[str, ...]
) -> Array:
    """Attributes of the rows of a list, as numbers. # (n, 3)."""
    rows = [
        row
        for group in mesh
        if local_name(group) == names[0]
        for row in group
        if local_name(row) == names[1]
    ]
    file.check_count(names[0], len(rows), Cap.TRIANGLES)
    texts = [row.get(column, "") for row in rows for column in columns]
    return _floats(file, texts, f"a {names[1]}").reshape(-1, 3)


def _floats(file: SourceFile, texts: list[str], what: str) -> Array:
    try:
        return np.array([float(text) for text in texts], dtype=np.float64)
    except (ValueError, OverflowError) as error:
        raise file.error(f"{what} is damaged: {str(error)[:80]}. Export it again.") from None


def _faces(file: SourceFile, corners: Array, count: int) -> Indices:
    good = (corners >= 0.0) & (corners < count) & (corners == np.floor(corners))
    if not good.all():
        row = int(np.argmax(~good.all(axis=1)))
        raise file.error(
            f"triangle {row + 1} names vertices {corners[row].tolist()}, but they are 0 to "
            f"{count - 1}. Export it again.",
            triangle=row + 1,
            limit=count - 1,
        )
    return corners.astype(np.int64)
