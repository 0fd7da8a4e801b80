"""GLB and glTF files → bodies, one for each placed mesh, in metres as the format demands."""

from __future__ import annotations

import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from parts.geometry.source_file import (
    GeometryContent,
    MeshBody,
    SourceFile,
    carried,
    chained,
    read_capped,
    turned,
)
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap

TRIANGLES, STRIP, FAN = 4, 5, 6
MAGIC = b"glTF"
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """A glTF document.

    Args:
        file: it came from.
        tree: its JSON.
        binary: second chunk of a GLB file; empty where there is none.
    """

    file: SourceFile
    tree: dict[str, Any]
    binary: bytes

    def items(self, kind: str) -> list[Any]:
        """A list of the top level; empty where there is none."""
        found = self.tree.get(kind, [])
        if not isinstance(found, list):
            raise self.file.error(f"{kind!r} is not a list; the file is damaged. Export it again.")
        return found

    def item(self, kind: str, index: object) -> dict[str, Any]:
        """An object of a list of the top level."""
        items = self.items(kind)
        if type(index) is not int or not 0 <= index < len(items):
            raise self.file.error(
                f"it names item {str(index)[:40]} of {kind!r}, which has {len(items)}; the file is "
                "damaged. Export it again.",
                found=index,
                limit=len(items) - 1,
            )
        return self.object(items[index], f"{kind}[{index}]")

    def object(self, value: object, place: str) -> dict[str, Any]:
        """A value that must be a JSON object."""
        if not isinstance(value, dict):
            raise self.file.error(
                f"{place} is not an object; the file is damaged. Export it again."
            )
        return value

    def list(self, holder: dict[str, Any], key: str, place: str) -> list[Any]:
        """A list inside an object; empty where there is none."""
        found = holder.get(key, [])
        if not isinstance(found, list):
            raise self.file.error(
                f"{key!r} of {place} is not a list; the file is damaged. Export it again."
            )
        return found

    def count(self, holder: dict[str, Any], key: str, place: str, default: int | None = 0) -> int:
        """A whole number of at least 0 inside an object."""
        found = holder.get(key, default)
        if type(found) is not int or found < 0 or found > 2**53:
            raise self.file.error(
                f"{key!r} of {place} is {str(found)[:40]}; expected a whole number of at least 0. "
                "The file is damaged; export it again.",
                found=str(found)[:40],
            )
        return found

    def text(self, holder: dict[str, Any], key: str) -> str:
        """A short text; empty where there is none."""
        found = holder.get(key, "")
        return found[:100] if isinstance(found, str) else ""


def document_of(file: SourceFile) -> Document:
    """Read a GLB or glTF file's JSON and binary chunk.

    Raises:
        PartError: damaged chunks, not JSON, an unknown version or required extension.
    """
    text, binary = _chunks(file) if file.raw[:4] == MAGIC else (file.raw, b"")
    # each value of the tree takes some twenty times the bytes of its text
    values = sum(text.count(sign) for sign in (b",", b"[", b"{"))
    file.check_count("values in its JSON", values, Cap.GLTF_VALUES)
    try:
        tree = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise file.error(f"its JSON cannot be read: {str(error)[:100]}. Export it again.") from None
    if not isinstance(tree, dict):
        raise file.error("its JSON is not an object; expected a glTF document.")
    document = Document(file=file, tree=tree, binary=binary)
    _check_kind(document)
    return document


def _chunks(file: SourceFile) -> tuple[bytes, bytes]:
    raw = file.raw
    version, length = int.from_bytes(raw[4:8], "little"), int.from_bytes(raw[8:12], "little")
    if len(raw) < 20 or version != 2 or length != len(raw):
        raise file.error(
            f"its header promises GLB version {version} and {length} bytes; expected version 2 and "
            f"the {len(raw)} bytes that the file has. It is damaged or cut off; export it again.",
            found=length,
            expected=len(raw),
        )
    found: dict[int, bytes] = {}
    start = 12
    while start + 8 <= len(raw):
        size = int.from_bytes(raw[start : start + 4], "little")
        kind = int.from_bytes(raw[start + 4 : start + 8], "little")
        if start + 8 + size > len(raw):
            raise file.error(
                f"a chunk at byte {start} promises {size} bytes, but only "
                f"{len(raw) - start - 8} follow. Export it again.",
                found=size,
            )
        if kind in (_JSON, _BIN):
            found.setdefault(kind, raw[start + 8 : start + 8 + size])
        start += 8 + size
    if _JSON not in found:
        raise file.error("it has no JSON chunk; it is damaged. Export it again.")
    return found[_JSON], found.get(_BIN, b"")


def _check_kind(document: Document) -> None:
    asset = document.object(document.tree.get("asset", {}), "asset")
    version = document.text(asset, "version")
    if not version.startswith("2."):
        raise document.file.error(
            f"it is glTF version {version!r}; expected 2.0. Export it as glTF 2.0.", found=version
        )
    for extension in document.items("extensionsRequired"):
        raise document.file.error(
            f"it requires the extension {str(extension)[:60]!r}, which is not read. Export it "
            "without compression or quantisation.",
            found=str(extension)[:60],
        )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of JSON")


class GltfData:
    """The accessors of a document; buffers are fetched once.

    Args:
        document: whose JSON names them.
    """

    __slots__ = ("_buffers", "_document", "_spent")

    def __init__(self, document: Document) -> None:
        self._document = document
        self._buffers: dict[int, bytes] = {}
        self._spent = 0

    def count_of(self, index: object) -> int:
        """Number of elements that an accessor promises; not yet tested against the bytes."""
        accessor = self._document.item("accessors", index)
        return self._document.count(accessor, "count", f"accessors[{index}]", None)

    def floats(self, index: object) -> Array:
        """Vectors of three floats. # (n, 3)."""
        return self._read(index, "VEC3", (5126,)).astype(np.float64)

    def integers(self, index: object) -> Indices:
        """Whole numbers. # (n,)."""
        return self._read(index, "SCALAR", (5121, 5123, 5125)).astype(np.int64).ravel()

    def _read(self, index: object, shape: str, kinds: tuple[int, ...]) -> NDArray[Any]:
        document, place = self._document, f"accessors[{index}]"
        accessor = document.item("accessors", index)
        kind = document.count(accessor, "componentType", place, None)
        if kind not in kinds or accessor.get("type") != shape:
            raise document.file.error(
                f"{place} holds {str(accessor.get('type'))[:20]} of component type {kind}; "
                f"expected {shape} of {' or '.join(map(str, kinds))}. Export it as plain glTF 2.0.",
                found=kind,
            )
        if "sparse" in accessor or "bufferView" not in accessor:
            raise document.file.error(
                f"{place} is sparse, which is not read. Export it as plain glTF 2.0."
            )
        return self._window(accessor, place, np.dtype(_TYPES[kind]), _WIDTHS[shape])

    def _window(
        self, accessor: dict[str, Any], place: str, kind: np.dtype[Any], width: int
    ) -> NDArray[Any]:
        """The elements, as a view into the buffer. # (n, width)."""
        document = self._document
        view = document.item("bufferViews", accessor["bufferView"])
        count = document.count(accessor, "count", place, None)
        inner = document.count(accessor, "byteOffset", place)
        size = document.count(view, "byteLength", f"the buffer view of {place}", None)
        start = document.count(view, "byteOffset", f"the buffer view of {place}")
        step = document.count(view, "byteStride", f"the buffer view of {place}")
        step = step or kind.itemsize * width
        buffer = self._buffer(view.get("buffer"))
        end = inner + max(count - 1, 0) * step + kind.itemsize * width if count else inner
        overlaps = step < kind.itemsize * width and count > 1
        if end > size or start + size > len(buffer) or step > 65_535 or overlaps:
            raise document.file.error(
                f"{place} needs {end} bytes of a view of {size}, at byte {start} of a buffer of "
                f"{len(buffer)}; they do not fit. The file is damaged; export it again.",
                found=end,
                limit=size,
            )
        strides = (step, kind.itemsize)
        if not count:
            return np.zeros((0, width), dtype=kind)
        return np.ndarray((count, width), kind, buffer, start + inner, strides)

    def _buffer(self, index: object) -> bytes:
        entry = self._document.item("buffers", index)
        key = int(str(index))
        if key not in self._buffers:
            self._buffers[key] = self._fetched(entry, key)
            self._spent += len(self._buffers[key])
        return self._buffers[key]

    def _fetched(self, entry: dict[str, Any], index: int) -> bytes:
        document, place = self._document, f"buffers[{index}]"
        size = document.count(entry, "byteLength", place, None)
        uri = entry.get("uri")
        if uri is None:
            found = document.binary
        elif isinstance(uri, str) and uri.startswith("data:"):
            found = self._decoded(uri, place)
        else:
            found = self._outside(uri, place)
        if size > len(found):
            raise document.file.error(
                f"{place} promises {size} bytes, but {len(found)} are there; the file is damaged. "
                "Export it again.",
                found=len(found),
                expected=size,
            )
        return found[:size]

    def _decoded(self, uri: str, place: str) -> bytes:
        head, _, body = uri.partition(",")
        if not head.endswith(";base64"):
            raise self._document.file.error(f"{place} is data but not base64. Export it again.")
        try:
            return binascii.a2b_base64(body)
        except (binascii.Error, ValueError):
            raise self._document.file.error(
                f"the base64 data of {place} is damaged. Export it again."
            ) from None

    def _outside(self, uri: object, place: str) -> bytes:
        file = self._document.file
        path = inside_folder(file.folder, uri)
        if path is None:
            raise file.error(
                f"{place} names {str(uri)[:80]!r}; expected a relative path of a file inside the "
                "folder of the glTF file. Copy it there, or export one GLB file.",
                found=str(uri)[:80],
            )
        return read_capped(path, str(uri)[:80], spent=self._spent)


def inside_folder(folder: Path | None, uri: object) -> Path | None:
    """Path of a file that a document names, None where it is not inside the folder."""
    if folder is None or not isinstance(uri, str):
        return None
    name = unquote(uri)
    if not name or any(sign in name for sign in ":\\\0") or name.startswith("/"):
        return None
    try:
        path = (folder / name).resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return path if path.is_relative_to(folder.resolve()) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedMesh:
    """A mesh of the document at a place.

    Args:
        mesh: index in ``meshes``.
        name: of the node, else of the mesh.
        T: from mesh to scene coordinates, possibly with scale. # (4, 4)
    """

    mesh: int
    name: str
    T: Array


def placed_meshes(document: Document) -> list[PlacedMesh]:
    """All meshes of the default scene, transforms of the nodes applied.

    Raises:
        PartError: damaged nodes, a node inside itself, over a cap.
    """
    placed: list[PlacedMesh] = []
    visited = 0
    stack = [(root, np.eye(4), 0) for root in _roots(document)]
    while stack:
        index, T_above, depth = stack.pop()
        visited += 1
        document.file.check_count("levels of nodes", depth, Cap.DEPTH)
        document.file.check_count("nodes in its scene", visited, Cap.NODES)
        node = document.item("nodes", index)
        T = chained(document.file, T_above, _local(document, node, f"nodes[{index}]"))
        if "mesh" in node:
            mesh = document.item("meshes", node["mesh"])
            name = document.text(node, "name") or document.text(mesh, "name")
            placed.append(PlacedMesh(mesh=node["mesh"], name=name, T=T))
            document.file.check_count("placed meshes", len(placed), Cap.INSTANCES)
        children = document.list(node, "children", f"nodes[{index}]")
        document.file.check_count("nodes in its scene", len(stack), Cap.NODES)
        stack.extend((child, T, depth + 1) for child in reversed(children))
    return placed


def _roots(document: Document) -> Iterator[Any]:
    """Roots of the default scene; without scenes all nodes that are nobody's child."""
    if document.items("scenes"):
        scene = document.item("scenes", document.tree.get("scene", 0))
        yield from document.list(scene, "nodes", "the scene")
        return
    nodes = document.items("nodes")
    children: set[int] = set()
    for index in range(len(nodes)):
        node = document.item("nodes", index)
        found = document.list(node, "children", f"nodes[{index}]")
        children.update(child for child in found if type(child) is int)
    yield from (index for index in range(len(nodes)) if index not in children)


def _local(document: Document, node: dict[str, Any], place: str) -> Array:
    """Transform of a node: a matrix by columns, or scale, then rotation, then translation."""
    if "matrix" in node:
        T = _numbers(document, node, "matrix", place, np.eye(4).ravel()).reshape(4, 4).T
        if not np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0]):
            raise document.file.error(f"the matrix of {place} is not affine. Export it again.")
        return np.asarray(T)
    x, y, z, w = _unit(document, node, place)
    T = np.eye(4)
    T[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    T[:3, :3] *= _numbers(document, node, "scale", place, np.ones(3))
    T[:3, 3] = _numbers(document, node, "translation", place, np.zeros(3))
    return T


def _unit(document: Document, node: dict[str, Any], place: str) -> list[float]:
    quaternion = _numbers(document, node, "rotation", place, np.array([0.0, 0.0, 0.0, 1.0]))
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-3:
        raise document.file.error(
            f"the rotation of {place} is a quaternion of length {length:g}; expected 1. Export it "
            "again.",
            found=length,
        )
    return [float(value) for value in quaternion / length]


def _numbers(
    document: Document, node: dict[str, Any], key: str, place: str, default: Array
) -> Array:
    found = node.get(key)
    if found is None:
        return default
    good = isinstance(found, list) and len(found) == len(default)
    if not good or not all(type(v) in (int, float) and abs(v) < 1e30 for v in found):
        raise document.file.error(
            f"{key!r} of {place} is not {len(default)} numbers; the file is damaged. Export it "
            "again."
        )
    return np.array(found, dtype=np.float64)
