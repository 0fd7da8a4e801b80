"""OBJ files: polygons over vertices; materials, textures and stored normals are not read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from parts.errors import PartError
from parts.geometry.mesh import fan_note, fanned
from parts.geometry.source_file import FacePatch, GeometryContent, MeshBody, SourceFile, lines_of
from robots.core.arrays import Indices
from robots.core.caps import Cap

FARTHEST_INDEX = 2**53

_SKIPPED = frozenset(
    "vn vt vp s l p mg mtllib usemtl maplib usemap lod bevel shadow_obj trace_obj c_interp "  # noqa: SIM905
    "d_interp cstype deg bmat step".split()
)
_FREEFORM = frozenset("curv curv2 surf parm trim hole scrv sp end con".split())  # noqa: SIM905


@dataclass(slots=True)
class _Found:
    """Content of the lines read so far."""

    vertices: array[float] = field(default_factory=lambda: array("d"))
    corners: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("q"))
    owners: array[int] = field(default_factory=lambda: array("q"))
    names: dict[str, int] = field(default_factory=lambda: {"": 0})
    current: int = 0
    most: int = field(default_factory=lambda: min(Cap.VERTICES.limit, Cap.TRIANGLES.limit))


def read_obj(file: SourceFile) -> GeometryContent:
    """Read an OBJ file; every object or group is a face.

    Raises:
        PartError: a line that is not OBJ, a vertex that does not exist, or over a cap.
    """
    found = _Found()
    for number, line in _lines(file):
        words = line.split()
        if not words:
            continue
        try:
            _take(file, found, words)
        except (ValueError, OverflowError):
            raise _bad_line(file, number, line) from None
    vertices = np.array(found.vertices, dtype=np.float64).reshape(-1, 3)
    sizes = np.array(found.sizes, dtype=np.int64)
    corners = np.array(found.corners, dtype=np.int64)
    if corners.size and int(corners.max()) >= len(vertices):
        raise file.error(
            f"a face names vertex {int(corners.max()) + 1}, but there are {len(vertices)}; it is "
            "cut off or damaged. Export it again.",
            found=int(corners.max()) + 1,
            limit=len(vertices),
        )
    faces, polygon = fanned(corners, sizes)
    body = MeshBody(name="", vertices=vertices, faces=faces, patches=_patches(found, polygon))
    return GeometryContent(bodies=(body,), notes=fan_note(sizes))


def _take(file: SourceFile, found: _Found, words: list[str]) -> None:
    """Take in one line.

    Raises:
        ValueError: it is not OBJ.
    """
    key = words[0]
    if key == "v":
        found.vertices.extend(_coordinates(words[1:]))
        if len(found.vertices) > found.most:
            file.check_count("vertices", len(found.vertices) // 3, Cap.VERTICES)
    elif key == "f":
        _take_face(found, words[1:])
        if len(found.corners) > found.most:
            file.check_count("corners", len(found.corners), Cap.TRIANGLES, times=3)
    elif key in ("o", "g"):
        name = " ".join(words[1:])[:100]
        found.current = found.names.setdefault(name, len(found.names))
        file.check_count("objects and groups", len(found.names), Cap.INSTANCES)
    elif key in _FREEFORM:
        raise file.error(
            f"it has free-form geometry ({key!r}), which is not read. Export it as polygons.",
            found=key,
        )
    elif key not in _SKIPPED:
        raise ValueError(key)


def _coordinates(words: list[str]) -> tuple[float, float, float]:
    """Coordinates; a weight other than 1 would be free-form, three further numbers are a colour."""
    if len(words) not in (3, 4, 6, 7) or (len(words) == 4 and float(words[3]) != 1.0):
        raise ValueError(len(words))
    return float(words[0]), float(words[1]), float(words[2])


def _take_face(found: _Found, words: list[str]) -> None:
    if len(words) < 3:
        raise ValueError(len(words))
    count = len(found.vertices) // 3
    for word in words:
        index = int(word.partition("/")[0])
        corner = index - 1 if index > 0 else count + index  # below zero they count backwards
        if index == 0 or not 0 <= corner < FARTHEST_INDEX:
            raise ValueError(index)
        found.corners.append(corner)
    found.sizes.append(len(words))
    found.owners.append(found.current)


def _lines(file: SourceFile) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments; a backslash continues a line."""
    begun: list[str] = []
    start = length = 0
    for number, raw in enumerate(lines_of(file), start=1):
        line = raw.partition(b"#")[0].decode("utf-8", "replace").rstrip()
        start = start or number
        length += len(line)
        if begun:
            file.check_count(f"characters in line {start}", length, Cap.GEOMETRY_LINE)
        if line.endswith("\\"):
            begun += [line[:-1], " "]
            continue
        yield start, "".join((*begun, line))
        begun, start, length = [], 0, 0
    if begun:
        yield start, "".join(begun)


def _patches(found: _Found, polygon: Indices) -> tuple[FacePatch, ...]:
    """One for every name with triangles."""
    owners = np.array(found.owners, dtype=np.int64)[polygon]
    order = np.argsort(owners, kind="stable")
    bounds = np.searchsorted(owners[order], np.arange(len(found.names) + 1))
    return tuple(
        FacePatch(
            name=name or "mesh",
            kind="facets",
            surface=None,
            triangles=order[bounds[index] : bounds[index + 1]],
        )
        for name, index in found.names.items()
        if bounds[index + 1] > bounds[index]
    )


def _bad_line(file: SourceFile, number: int, line: str) -> PartError:
    return file.error(
        f"line {number}: {line[:60]!r} is not OBJ; expected 'v x y z' or 'f' with at least three "
        "vertices that exist. Export it again.",
        line=number,
        found=line[:60],
    )
