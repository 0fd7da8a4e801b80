"""Rows of PLY elements, from text or bytes; every step is tested against what is left."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.ply_header import Element, Header
from parts.geometry.source_file import SourceFile
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap

_WORD = re.compile(rb"\S++")


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
