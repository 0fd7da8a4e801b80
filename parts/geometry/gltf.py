"""GLB and glTF files → bodies, one for each placed mesh, in metres as the format demands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from parts.geometry.gltf_data import GltfData
from parts.geometry.gltf_document import Document, document_of
from parts.geometry.gltf_scene import PlacedMesh, placed_meshes
from parts.geometry.source_file import GeometryContent, MeshBody, SourceFile
from parts.geometry.transforms import carried, turned
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap

TRIANGLES, STRIP, FAN = 4, 5, 6


def read_gltf(file: SourceFile) -> GeometryContent:
    """Read a GLB or glTF file; scene transforms are applied, axes stay as they are.

    Raises:
        PartError: damaged, over a cap, or naming files outside its folder.
    """
    document = document_of(file)
    placed = placed_meshes(document)
    data = GltfData(document)
    check_size(document, data, placed)
    bodies = [_body(document, data, place) for place in placed]
    bodies = [body for body in bodies if len(body.faces)]
    if not bodies:
        raise file.error("its scene has no triangle. Export the surface, not points or curves.")
    return GeometryContent(bodies=tuple(bodies), unit="m")


def primitives(document: Document, mesh: int) -> Iterator[dict[str, Any]]:
    """Those primitives of a mesh that are made of triangles."""
    entry = document.item("meshes", mesh)
    for index, value in enumerate(document.list(entry, "primitives", f"meshes[{mesh}]")):
        primitive = document.object(value, f"meshes[{mesh}].primitives[{index}]")
        if document.count(primitive, "mode", f"meshes[{mesh}]", TRIANGLES) in (4, 5, 6):
            yield primitive


def position_accessor(document: Document, primitive: dict[str, Any], what: str) -> object:
    """Accessor of a named attribute of a primitive; None where there is none."""
    attributes = document.object(primitive.get("attributes", {}), "the attributes of a primitive")
    return attributes.get(what)


def check_size(document: Document, data: GltfData, placed: list[PlacedMesh]) -> None:
    """Count what the scene would need, before anything is allocated.

    Raises:
        PartError: over a cap.
    """
    sizes: dict[int, tuple[int, int]] = {}
    corners = vertices = 0
    for place in placed:
        if place.mesh not in sizes:
            sizes[place.mesh] = _promised(document, data, place.mesh)
        corners += sizes[place.mesh][0]
        vertices += sizes[place.mesh][1]
    repeated = corners - sum(size[0] for size in sizes.values())
    document.file.check_count("corners of triangles", corners, Cap.TRIANGLES, times=3)
    document.file.check_count(
        "corners of repeated triangles", repeated, Cap.REPEATED_TRIANGLES, times=3
    )
    document.file.check_count("vertices", vertices, Cap.VERTICES)


def _promised(document: Document, data: GltfData, mesh: int) -> tuple[int, int]:
    corners = vertices = 0
    for primitive in primitives(document, mesh):
        count = data.count_of(position_accessor(document, primitive, "POSITION"))
        strip = document.count(primitive, "mode", "a primitive", TRIANGLES) != TRIANGLES
        indexed = data.count_of(primitive["indices"]) if "indices" in primitive else count
        corners += 3 * indexed if strip else indexed
        vertices += count
    return corners, vertices


def _body(document: Document, data: GltfData, place: PlacedMesh) -> MeshBody:
    vertices: list[Array] = [np.zeros((0, 3))]
    faces: list[Indices] = [np.zeros((0, 3), dtype=np.int64)]
    for primitive in primitives(document, place.mesh):
        faces.append(triangles_of(document, data, primitive) + sum(map(len, vertices)))
        vertices.append(data.floats(position_accessor(document, primitive, "POSITION")))
    return MeshBody(
        name=place.name,
        vertices=carried(np.concatenate(vertices), place.T),
        faces=turned(np.concatenate(faces), place.T),
    )


def triangles_of(document: Document, data: GltfData, primitive: dict[str, Any]) -> Indices:
    """Triangles of a primitive, over its own vertices. # (f, 3).

    Raises:
        PartError: a vertex that does not exist.
    """
    count = data.count_of(position_accessor(document, primitive, "POSITION"))
    given = "indices" in primitive
    corners = data.integers(primitive["indices"]) if given else np.arange(count)
    if corners.size and int(corners.max()) >= count:
        raise document.file.error(
            f"a triangle names vertex {int(corners.max())}, but there are {count}; the file is "
            "damaged. Export it again.",
            found=int(corners.max()),
            limit=count - 1,
        )
    mode = document.count(primitive, "mode", "a primitive", TRIANGLES)
    if mode == TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    places = np.arange(max(len(corners) - 2, 0))
    if mode == FAN:
        first = np.zeros_like(places)
        return corners[np.stack([places + 1, places + 2, first], axis=1)]
    odd = places % 2
    return corners[np.stack([places, places + 1 + odd, places + 2 - odd], axis=1)]
