"""STL files, binary and text."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.source_file import FacePatch, GeometryContent, MeshBody, SourceFile, lines_of
from robots.core.arrays import Array
from robots.core.caps import Cap

HEADER = 84  # 80 bytes of anything, then the number of triangles
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
WORDS = ("facet normal . . . outer loop " + "vertex . . . " * 3 + "endloop endfacet").split()
_BLOCK = 4096 * len(WORDS)  # words that are turned into numbers at once
_FIXED = [place for place, word in enumerate(WORDS) if word != "."]
_NUMBERS = [place for place, word in enumerate(WORDS) if word == "."][3:]


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


class _Solids(NamedTuple):
    """Triangles of the solids of a file."""

    names: list[str]
    starts: list[int]  # triangle that each solid starts at
    coordinates: array[float]


def bodies_of_text(file: SourceFile) -> tuple[MeshBody, ...]:
    """One body; every ``solid`` is a face of it.

    Raises:
        PartError: a triangle that is not of that form, no end, or over a cap.
    """
    found = _solids(file)
    vertices = np.array(found.coordinates, dtype=np.float64).reshape(-1, 3)
    count = len(vertices) // 3
    owner = np.searchsorted(found.starts, np.arange(count), side="right") - 1
    patches = tuple(
        FacePatch(name=name, kind="facets", surface=None, triangles=np.flatnonzero(owner == solid))
        for solid, name in enumerate(found.names)
    )
    return (
        MeshBody(
            name="",
            vertices=vertices,
            faces=np.arange(3 * count).reshape(-1, 3),
            patches=tuple(patch for patch in patches if len(patch.triangles)),
        ),
    )


def _solids(file: SourceFile) -> _Solids:
    """The triangles, some thousand at a time: words take twenty times the memory of numbers."""
    found = _Solids([], [], array("d"))
    words: list[str] = []
    count = 0  # of triangles whose numbers are taken
    ended = False

    def take(number: int) -> None:
        nonlocal count, words
        file.check_count("triangles", count + number, Cap.TRIANGLES)
        table = np.array(words[: number * len(WORDS)], dtype=object).reshape(-1, len(WORDS))
        _check_words(file, table, count)
        found.coordinates.extend(_numbers(file, table[:, _NUMBERS], count).ravel())
        count += number
        words = words[number * len(WORDS) :]

    for line in lines_of(file):
        parts = line.decode("utf-8", "replace").split()
        first = parts[0].lower() if parts else ""
        ended = first == "endsolid" or (ended and not parts)
        if first == "solid":
            found.names.append(" ".join(parts[1:])[:100])
            found.starts.append(count + len(words) // len(WORDS))
            file.check_count("solids", len(found.names), Cap.INSTANCES)
        elif first != "endsolid":
            words.extend(parts)
            if len(words) > _BLOCK:
                take(len(words) // len(WORDS))
    if words:
        take(len(words) // len(WORDS))
    if words:
        raise file.error(
            f"triangle {count + 1} is incomplete: found {len(words)} of its {len(WORDS)} words; "
            "the file is cut off or damaged. Export it again.",
            triangle=count + 1,
        )
    if count and not ended:
        raise file.error(
            f"it ends after {count} triangles without 'endsolid', so it is cut off. Export it "
            "again.",
            found=count,
        )
    return found


def _check_words(file: SourceFile, table: NDArray[np.object_], before: int) -> None:
    """Refuse words that are not those of a triangle; ``before`` are the triangles before them."""
    for place in _FIXED:
        column = table[:, place]
        wrong = column != WORDS[place]
        if wrong.any():
            wrong = np.array([word.lower() != WORDS[place] for word in column], dtype=bool)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise file.error(
                f"triangle {before + row + 1}: found {str(column[row])[:40]!r} where "
                f"{WORDS[place]!r} was expected. Export it again.",
                triangle=before + row + 1,
                found=str(column[row])[:40],
                expected=WORDS[place],
            )


def _numbers(file: SourceFile, cells: NDArray[np.object_], before: int) -> Array:
    try:
        return cells.astype(np.float64)
    except ValueError:
        raise _not_a_number(file, cells, before) from None


def _not_a_number(file: SourceFile, cells: NDArray[np.object_], before: int) -> PartError:
    for row, values in enumerate(cells, start=before):
        for text in values:
            try:
                float(text)
            except ValueError:
                return file.error(
                    f"triangle {row + 1}: found {text[:40]!r} where a coordinate was expected. "
                    "Export it again with decimal points.",
                    triangle=row + 1,
                    found=text[:40],
                )
    return file.error("a coordinate is not a number. Export it again.")
