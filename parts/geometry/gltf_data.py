"""Buffers and accessors of glTF: numbers inside bytes, tested against the bytes that exist."""

from __future__ import annotations

import binascii
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from parts.geometry.gltf_document import Document
from parts.geometry.source_file import read_capped
from robots.core.arrays import Array, Indices

_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


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
