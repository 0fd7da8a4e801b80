"""The header of a PLY file: what elements follow, how often, with what properties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

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
