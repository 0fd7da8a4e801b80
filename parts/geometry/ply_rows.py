"""Rows of PLY elements, from text or bytes; every step is tested against what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.ply_header import Element, Header
from parts.geometry.source_file import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """An element's values.

    Args:
        columns: of plain properties, by name. # (n,)
        lists: values of list properties one row after the other, and their counts, by name.
    """

    columns: dict[str, NDArray[np.float64]]
    lists: dict[str, tuple[NDArray[np.float64], NDArray[np.int64]]]


class RowReader:
    """Reads elements one after the other.

    Args:
        file: a PLY file.
        header: of it.
    """

    __slots__ = ("_file", "_header", "_place", "_words")

    def __init__(self, file: SourceFile, header: Header) -> None:
        self._file = file
        self._header = header
        self._place = 0 if header.text else header.start
        self._words = file.raw[header.start :].split() if header.text else []

    def read(self, element: Element) -> Rows:
        """The next element.

        Raises:
            PartError: too few numbers, or words that are none.
        """
        if self._header.text:
            return self._text(element)
        same = self._uniform(element)
        return self._walked(element) if same is None else same

    def _text(self, element: Element) -> Rows:
        collected = _Collected(element)
        words, place = self._words, self._place
        try:
            for _ in range(element.count):
                for column in element.properties:
                    if column.counted_by:
                        size = int(words[place])
                        if not 0 <= size <= len(words) - place - 1:
                            raise IndexError(size)
                        values = [float(word) for word in words[place + 1 : place + 1 + size]]
                        collected.add_list(column.name, values)
                        place += 1 + size
                    else:
                        collected.add(column.name, float(words[place]))
                        place += 1
        except (ValueError, IndexError):
            raise self._file.error(
                f"element {element.name!r} is damaged or cut off near word {place + 1} after the "
                "header. Export it again.",
                word=place + 1,
            ) from None
        self._place = place
        return collected.rows()

    def _uniform(self, element: Element) -> Rows | None:
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
        return _rows_of(element, table)

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

    def _walked(self, element: Element) -> Rows:
        """Rows with lists of different lengths, one by one."""
        collected = _Collected(element)
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
                values = np.frombuffer(raw, value, size, self._place).tolist()
                self._place += size * value.itemsize
                if column.counted_by:
                    collected.add_list(column.name, values)
                else:
                    collected.add(column.name, values[0])
        return collected.rows()

    def _cut_off(self) -> PartError:
        return self._file.error(
            f"it ends at byte {len(self._file.raw)}, in the middle of its data; it is cut off. "
            "Export it again."
        )


class _Collected:
    """Values of an element, as they come."""

    def __init__(self, element: Element) -> None:
        plain = [p.name for p in element.properties if not p.counted_by]
        listed = [p.name for p in element.properties if p.counted_by]
        self._plain: dict[str, list[float]] = {name: [] for name in plain}
        self._lists: dict[str, tuple[list[float], list[int]]] = {n: ([], []) for n in listed}

    def add(self, name: str, value: float) -> None:
        self._plain[name].append(value)

    def add_list(self, name: str, values: list[float]) -> None:
        self._lists[name][0].extend(values)
        self._lists[name][1].append(len(values))

    def rows(self) -> Rows:
        return Rows(
            columns={name: np.array(v, dtype=np.float64) for name, v in self._plain.items()},
            lists={
                name: (np.array(v, dtype=np.float64), np.array(n, dtype=np.int64))
                for name, (v, n) in self._lists.items()
            },
        )


def _rows_of(element: Element, table: NDArray[Any]) -> Rows:
    lists = {}
    for column in element.properties:
        if column.counted_by:
            values = table[column.name].astype(np.float64)
            counts = np.full(element.count, values.shape[1], dtype=np.int64)
            lists[column.name] = (values.ravel(), counts)
    plain = [p.name for p in element.properties if not p.counted_by]
    return Rows(columns={name: table[name].astype(np.float64) for name in plain}, lists=lists)
