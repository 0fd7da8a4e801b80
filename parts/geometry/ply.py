"""PLY files, text or binary in either byte order: vertices and polygons."""

from __future__ import annotations

import numpy as np

from parts.geometry.ply_header import Element, header_of
from parts.geometry.ply_rows import RowReader, Rows
from parts.geometry.polygons import fan_note, fanned
from parts.geometry.source_file import GeometryContent, MeshBody, SourceFile
from robots.core.arrays import Array, Indices

CORNERS = ("vertex_indices", "vertex_index")
WANTED = {"vertex": frozenset("xyz"), "face": frozenset(CORNERS)}


def read_ply(file: SourceFile) -> GeometryContent:
    """Read a PLY file; colours, textures and stored normals are not read.

    Raises:
        PartError: damaged, no vertices or polygons, or over a cap.
    """
    header = header_of(file)
    reader = RowReader(file, header)
    found: dict[str, Rows] = {}
    for element in header.elements:
        _check_names(file, element)
        wanted = WANTED.get(element.name, frozenset())
        found.setdefault(element.name, reader.read(element, wanted))
    vertices = _vertices(file, found)
    corners, sizes = _polygons(file, found, len(vertices))
    reader.end()
    faces, _ = fanned(corners, sizes)
    return GeometryContent(
        bodies=(MeshBody(name="", vertices=vertices, faces=faces),), notes=fan_note(sizes)
    )


def _check_names(file: SourceFile, element: Element) -> None:
    names = [column.name for column in element.properties]
    if len(set(names)) < len(names):
        raise file.error(f"element {element.name[:40]!r} has a property twice. Export it again.")


def _vertices(file: SourceFile, found: dict[str, Rows]) -> Array:
    rows = found.get("vertex")
    if rows is None or any(axis not in rows.columns for axis in "xyz"):
        raise file.error("it has no vertices with x, y and z. Export it again.")
    return np.stack([rows.columns[axis] for axis in "xyz"], axis=1)


def _polygons(file: SourceFile, found: dict[str, Rows], count: int) -> tuple[Indices, Indices]:
    """Vertices of all polygons, and how many each has."""
    lists = found["face"].lists if "face" in found else {}
    for name in CORNERS:
        if name in lists:
            values, sizes = lists[name]
            break
    else:
        raise file.error(
            "it has no faces, so it is a cloud of points; export a surface with triangles."
        )
    good = (values >= 0.0) & (values < count) & (values == np.floor(values))
    if not good.all() or (sizes < 3).any():
        wrong = values[~good][:1].tolist()
        raise file.error(
            f"a face names vertex {wrong[0]:g}, but they are 0 to {count - 1}. Export it again."
            if wrong
            else "a face has fewer than three corners. Export it again.",
            limit=count - 1,
        )
    return values.astype(np.int64), sizes
