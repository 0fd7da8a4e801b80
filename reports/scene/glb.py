"""A binary glTF file while it is written: objects get their number as they are added.

Source: Khronos, glTF 2.0 specification (ISO/IEC 12113:2022), §3.6 (binary data), §4 (GLB).
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robots.core.arrays import Array, Indices

_MAGIC, _VERSION = b"glTF", 2
_JSON, _BINARY = b"JSON", b"BIN\0"
_FLOAT, _UINT16, _UINT32 = 5126, 5123, 5125
_VERTICES, _INDICES = 34962, 34963  # targets of buffer views
_SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_UINT16_END = 65535  # itself reserved

JsonObject = dict[str, Any]


class Glb:
    """A document with its binary chunk."""

    def __init__(self) -> None:
        self._objects: dict[str, list[JsonObject]] = {}
        self._known: dict[tuple[str, str], int] = {}
        self._binary = bytearray()

    def add(self, kind: str, thing: JsonObject) -> int:
        """Append to "nodes", "meshes", … and tell its number."""
        things = self._objects.setdefault(kind, [])
        things.append(thing)
        return len(things) - 1

    def share(self, kind: str, thing: JsonObject) -> int:
        """The same, but an equal one that was shared before is used again."""
        key = (kind, json.dumps(thing, sort_keys=True))
        if key not in self._known:
            self._known[key] = self.add(kind, thing)
        return self._known[key]

    def vertices(self, values: Array) -> int:
        """An accessor of vertex data. # (v, 3)."""
        return self._floats(values, _VERTICES)

    def samples(self, values: Array) -> int:
        """An accessor of animation data. # (k,) or (k, 3) or (k, 4)."""
        return self._floats(values, None)

    def indices(self, values: Indices) -> int:
        """An accessor of vertex numbers. # any shape."""
        small = int(values.max()) < _UINT16_END
        kind, component = ("<u2", _UINT16) if small else ("<u4", _UINT32)
        return self._accessor(np.ascontiguousarray(values.reshape(-1), kind), component, _INDICES)

    def _floats(self, values: Array, target: int | None) -> int:
        return self._accessor(np.ascontiguousarray(values, "<f4"), _FLOAT, target)

    def _accessor(self, values: NDArray[Any], component: int, target: int | None) -> int:
        rows = values.reshape(len(values), -1)
        view: JsonObject = {
            "buffer": 0,
            "byteOffset": len(self._binary),
            "byteLength": values.nbytes,
        }
        if target is not None:
            view["target"] = target
        self._binary += values.tobytes()
        self._binary += b"\0" * (-len(self._binary) % 4)
        return self.add(
            "accessors",
            {
                "bufferView": self.add("bufferViews", view),
                "componentType": component,
                "count": len(rows),
                "type": _SHAPES[rows.shape[1]],
                "min": rows.min(axis=0).tolist(),
                "max": rows.max(axis=0).tolist(),
            },
        )

    def encoded(self, head: JsonObject) -> bytes:
        """The file.

        Args:
            head: "asset", "scene" and the like, before the lists of objects.
        """
        document = {**head, **self._objects}
        if self._binary:
            document["buffers"] = [{"byteLength": len(self._binary)}]
        text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
        data = text.encode("ascii")
        chunks = _chunk(_JSON, data + b" " * (-len(data) % 4))
        if self._binary:
            chunks += _chunk(_BINARY, bytes(self._binary))
        return _MAGIC + struct.pack("<II", _VERSION, 12 + len(chunks)) + chunks


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + kind + data
