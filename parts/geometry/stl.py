"""STL files, binary and text."""

from __future__ import annotations

import numpy as np

from parts.geometry.source_file import GeometryContent, MeshBody, SourceFile
from parts.geometry.stl_text import bodies_of_text
from robots.core.caps import Cap

HEADER = 84  # 80 bytes of anything, then the number of triangles
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(file: SourceFile) -> GeometryContent:
    """Read an STL file; binary is what has exactly the size that its header promises.

    Raises:
        PartError: neither binary nor text, or over a cap.
    """
    raw = file.raw
    count = int.from_bytes(raw[80:HEADER], "little") if len(raw) >= HEADER else -1
    if count >= 0 and len(raw) == HEADER + RECORD.itemsize * count:
        return GeometryContent(bodies=(_binary(file, count),))
    if _looks_like_text(raw):
        return GeometryContent(bodies=bodies_of_text(file))
    if count < 0:
        raise file.error(
            f"{len(raw)} bytes are too few for a binary STL file, which has at least {HEADER}, and "
            "it does not start with 'solid' as a text one does. Export it again.",
            found=len(raw),
            limit=HEADER,
        )
    raise file.error(
        f"its header promises {count} triangles, so {HEADER} + {RECORD.itemsize} × {count} = "
        f"{HEADER + RECORD.itemsize * count} bytes, but the file has {len(raw)}; it is damaged, "
        "cut off, or not STL. Export it again.",
        found=len(raw),
        expected=HEADER + RECORD.itemsize * count,
    )


def _binary(file: SourceFile, count: int) -> MeshBody:
    file.check_count("triangles", count, Cap.TRIANGLES)
    file.check_count("vertices", 3 * count, Cap.VERTICES, times=3)
    records = np.frombuffer(file.raw, dtype=RECORD, offset=HEADER, count=count)
    vertices = records["corners"].reshape(-1, 3).astype(np.float64)
    return MeshBody(name="", vertices=vertices, faces=np.arange(3 * count).reshape(-1, 3))


def _looks_like_text(raw: bytes) -> bool:
    start = raw[:1024].lstrip()
    return start[:5].lower() == b"solid" and b"\0" not in raw[:1024]
