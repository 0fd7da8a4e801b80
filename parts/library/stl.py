"""A mesh as a binary STL file, which carries no unit: millimetres are the trade's habit."""

from __future__ import annotations

import numpy as np

from parts.geometry.mesh import TriangleMesh

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])


def stl_bytes(mesh: TriangleMesh, *, scale: float = 1000.0) -> bytes:
    """Binary STL. Args: scale, units of the file per metre; 1000 gives millimetres."""
    records = np.zeros(len(mesh), dtype=_RECORD)
    records["normal"] = mesh.normals
    records["corners"] = mesh.triangles * scale
    head = b"palpeur".ljust(80) + np.uint32(len(mesh)).tobytes()
    return head + records.tobytes()
