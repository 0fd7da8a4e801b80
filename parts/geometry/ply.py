"""PLY files, text or binary in either byte order: vertices and polygons."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.mesh import fan_note, fanned
from parts.geometry.source_file import GeometryContent, MeshBody, SourceFile
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap

CORNERS = ("vertex_indices", "vertex_index")
WANTED = {"vertex": frozenset("xyz"), "face": frozenset(CORNERS)}
TYPES = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}
_ORDERS = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}
_WORD = re.compile(rb"\S++")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A column of an element; a list has a count before its values.

    Args:
        name: of the property.
        kind: NumPy type of a value, without byte order.
        counted_by: NumPy type of the count of a list; empty for a plain value.
    """

    name: str
    kind: str
    counted_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A table of the file.

    Args:
        name: "vertex", "face", …
        count: number of rows.
        properties: columns.
    """

    name: str
    count: int
    properties: tuple[Property, ...]

    def least_bytes(self, *, text: bool) -> int:
        """Bytes that a row takes at least."""
        if text:
            return 2 * len(self.properties)
        return sum(np.dtype(p.counted_by or p.kind).itemsize for p in self.properties)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A header.

    Args:
        order: byte order as NumPy writes it, "=" for text.
        elements: in the order of the file.
        start: first byte after the header.
    """

    order: str
    elements: tuple[Element, ...]
    start: int

    @property
    def text(self) -> bool:
        """Whether numbers are written as text."""
        return self.order == "="


def header_of(file: SourceFile) -> Header:
    """Read the header and test its counts against the size of the file.

    Raises:
        PartError: no PLY header, or more rows than the file has bytes for.
    """
    cap = Cap.PLY_HEADER_BYTES
    end = file.raw.find(b"end_header", 0, cap.limit)
    if file.raw[:3] != b"ply" or end < 0:
        raise file.error(
            f"it has no PLY header ('ply' … 'end_header') in its first {cap.limit} bytes. Export "
            f"it again, or {cap.advice}."
        )
    start = file.raw.find(b"\n", end) + 1 or len(file.raw)
    order = ""
    elements: list[Element] = []
    for line in file.raw[:end].decode("ascii", "replace").splitlines()[1:]:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        try:
            order, elements = _taken(words, order, elements)
        except (ValueError, KeyError, IndexError):
            raise file.error(
                f"the header line {line[:60]!r} is not PLY. Export it again.", found=line[:60]
            ) from None
    if not order:
        raise file.error("its header does not say how numbers are written. Export it again.")
    header = Header(order=order, elements=tuple(elements), start=start)
    _check_counts(file, header)
    return header


def _taken(words: list[str], order: str, elements: list[Element]) -> tuple[str, list[Element]]:
    """Order and elements after one more line.

    Raises:
        ValueError: it is not a line of a header; so do KeyError and IndexError.
    """
    if words[0] == "format":
        return _ORDERS[words[1]], elements
    if words[0] == "element" and len(words) == 3:
        if not words[2].isdecimal() or len(words[2]) > 18:
            raise ValueError(words[2])
        return order, [*elements, Element(name=words[1], count=int(words[2]), properties=())]
    if words[0] != "property" or not elements:
        raise ValueError(words[0])
    if words[1] == "list":
        new = Property(name=words[4], kind=TYPES[words[3]], counted_by=TYPES[words[2]])
    else:
        new = Property(name=words[2], kind=TYPES[words[1]])
    if new.counted_by[:1] == "f":
        raise ValueError(words[2])
    last = elements[-1]
    grown = Element(name=last.name, count=last.count, properties=(*last.properties, new))
    return order, [*elements[:-1], grown]


def _check_counts(file: SourceFile, header: Header) -> None:
    left = len(file.raw) - header.start
    for element in header.elements:
        needed = element.count * max(element.least_bytes(text=header.text), 1)
        if needed > left + 2:  # the last line of text may lack its line end
            raise file.error(
                f"its header promises {element.count} rows of {element.name!r}, at least {needed} "
                f"bytes, but {left} follow; it is cut off or damaged. Export it again.",
                found=element.count,
                limit=left,
            )
        file.check_count(f"rows of {element.name!r}", element.count, Cap.VERTICES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """An element's values.

    Args:
        columns: of plain properties, by name. # (n,)
        lists: values of list properties one row after the other, and their counts, by name.
    """

    columns: dict[str, Array]
    lists: dict[str, tuple[Array, Indices]]


class RowReader:
    """Reads elements one after the other; of each the columns that are wanted, nothing else.

    Args:
        file: a PLY file.
        header: of it.
    """

    __slots__ = ("_file", "_header", "_place", "_words", "_words_read")

    def __init__(self, file: SourceFile, header: Header) -> None:
        self._file = file
        self._header = header
        self._place = 0 if header.text else header.start
        self._words = _WORD.finditer(file.raw, header.start)
        self._words_read = 0

    def read(self, element: Element, wanted: frozenset[str]) -> Rows:
        """The next element.

        Args:
            element: of the header, in its order.
            wanted: names of its columns that are kept.

        Raises:
            PartError: too few numbers, or words that are none.
        """
        if self._header.text:
            return self._text(element, wanted)
        same = self._uniform(element, wanted)
        return self._walked(element, wanted) if same is None else same

    def end(self) -> None:
        """Refuse a file that goes on after its last element: a count of its header is too small.

        Raises:
            PartError: there is more than white space and zeros.
        """
        if self._header.text:
            word = next(self._words, None)
            self._place = word.start() if word else len(self._file.raw)
        if self._file.raw[self._place :].strip(b"\0 \t\r\n"):
            raise self._file.error(
                f"its header promises less than the file holds: rows end at byte {self._place} of "
                f"{len(self._file.raw)}; the header is damaged. Export it again.",
                found=len(self._file.raw),
                expected=self._place,
            )

    def _text(self, element: Element, wanted: frozenset[str]) -> Rows:
        collected = _Collected(self._file, element, wanted)
        words = self._words
        try:
            for _ in range(element.count):
                for column in element.properties:
                    size = 1
                    if column.counted_by:
                        self._words_read += 1
                        size = int(next(words)[0])
                        if not 0 <= size <= len(self._file.raw):
                            raise ValueError(size)
                        collected.add_size(column.name, size)
                    for _ in range(size):
                        self._words_read += 1
                        word = next(words)[0]
                        if column.name in wanted:
                            collected.add(column.name, float(word))
        except (ValueError, StopIteration):
            raise self._file.error(
                f"element {element.name!r} is damaged or cut off near word {self._words_read} "
                "after the header. Export it again.",
                word=self._words_read,
            ) from None
        return collected.rows()

    def _uniform(self, element: Element, wanted: frozenset[str]) -> Rows | None:
        """All rows at once, where every list is as long as in the first row; else None."""
        kind = self._row_type(element)
        end = self._place + element.count * kind.itemsize
        if end > len(self._file.raw):
            return None
        table = np.frombuffer(self._file.raw, kind, element.count, self._place)
        for column in element.properties:
            if column.counted_by and element.count:
                counts = table[f"count {column.name}"]
                if (counts != kind[column.name].shape[0]).any():
                    return None
        self._place = end
        return _rows_of(self._file, element, table, wanted)

    def _row_type(self, element: Element) -> np.dtype[Any]:
        """Type of a row whose lists are as long as those of the first row."""
        order, place = self._header.order, self._place
        fields: list[tuple[Any, ...]] = []
        for column in element.properties:
            value = np.dtype(order + column.kind)
            if not column.counted_by:
                fields.append((column.name, value))
                place += value.itemsize
                continue
            counter = np.dtype(order + column.counted_by)
            size = self._count(counter, place) if element.count else 0
            fields += [(f"count {column.name}", counter), (column.name, value, (size,))]
            place += counter.itemsize + size * value.itemsize
        return np.dtype(fields)

    def _count(self, counter: np.dtype[Any], place: int) -> int:
        """Length of a list that starts at a byte; never more than the bytes that are left."""
        raw = self._file.raw
        if place + counter.itemsize > len(raw):
            raise self._cut_off()
        size = int(np.frombuffer(raw, counter, 1, place)[0])
        if not 0 <= size <= len(raw) - place:
            raise self._file.error(
                f"at byte {place} a list promises {size} values, but {len(raw) - place} bytes are "
                "left; it is damaged. Export it again.",
                found=size,
            )
        return size

    def _walked(self, element: Element, wanted: frozenset[str]) -> Rows:
        """Rows with lists of different lengths, one by one."""
        collected = _Collected(self._file, element, wanted)
        order, raw = self._header.order, self._file.raw
        for _ in range(element.count):
            for column in element.properties:
                value = np.dtype(order + column.kind)
                size = 1
                if column.counted_by:
                    counter = np.dtype(order + column.counted_by)
                    size = self._count(counter, self._place)
                    self._place += counter.itemsize
                if self._place + size * value.itemsize > len(raw):
                    raise self._cut_off()
                if column.counted_by:
                    collected.add_size(column.name, size)
                if column.name in wanted:
                    collected.extend(column.name, np.frombuffer(raw, value, size, self._place))
                self._place += size * value.itemsize
        return collected.rows()

    def _cut_off(self) -> PartError:
        return self._file.error(
            f"it ends at byte {len(self._file.raw)}, in the middle of its data; it is cut off. "
            "Export it again."
        )


class _Collected:
    """Values of an element, as they come."""

    def __init__(self, file: SourceFile, element: Element, wanted: frozenset[str]) -> None:
        self._file = file
        self._most = 3 * Cap.TRIANGLES.limit
        kept = [column for column in element.properties if column.name in wanted]
        self._values: dict[str, array[float]] = {column.name: array("d") for column in kept}
        self._sizes: dict[str, array[int]] = {
            column.name: array("q") for column in kept if column.counted_by
        }

    def add(self, name: str, value: float) -> None:
        """Take a value of a wanted column."""
        self._values[name].append(value)

    def extend(self, name: str, values: NDArray[Any]) -> None:
        """Take values of a wanted column."""
        self._values[name].frombytes(values.astype(np.float64).tobytes())

    def add_size(self, name: str, size: int) -> None:
        """Take the length of a list, before its values."""
        if name in self._sizes:
            self._sizes[name].append(size)
            if (count := len(self._values[name]) + size) > self._most:
                _check_corners(self._file, count)

    def rows(self) -> Rows:
        columns = {name: np.array(v, dtype=np.float64) for name, v in self._values.items()}
        return Rows(
            columns={name: v for name, v in columns.items() if name not in self._sizes},
            lists={
                name: (columns[name], np.array(sizes, dtype=np.int64))
                for name, sizes in self._sizes.items()
            },
        )


def _rows_of(
    file: SourceFile, element: Element, table: NDArray[Any], wanted: frozenset[str]
) -> Rows:
    columns, lists = {}, {}
    for column in element.properties:
        if column.name not in wanted:
            continue
        values = table[column.name]
        if not column.counted_by:
            columns[column.name] = values.astype(np.float64)
            continue
        _check_corners(file, values.size)
        counts = table[f"count {column.name}"].astype(np.int64)
        lists[column.name] = (values.astype(np.float64).reshape(-1), counts)
    return Rows(columns=columns, lists=lists)


def _check_corners(file: SourceFile, count: int) -> None:
    file.check_count("corners", count, Cap.TRIANGLES, times=3)
