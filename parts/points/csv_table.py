"""The cells of a point file (CSV), column by column, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parts.errors import PointsError
from parts.points.csv_columns import SEPARATORS, PointColumns, columns_of, separator_of
from parts.points.decimals import NUMBER_SIGNS, SCALES, expected_for, is_number, metre
from parts.points.faults import fault, shown
from parts.points.file_text import check_count

Array = NDArray[np.float64]

_SIGNS = NUMBER_SIGNS | {" "}
_SHIFT = {"mm": "e-3", "m": ""}  # a scale that is a power of ten only moves the decimal point


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells of a file.

    Args:
        origin: name of the file.
        header_line: where its header stands, from 1.
        columns: from its header.
        separator: of the columns.
        lines: of the rows, from 1.
        rows: cells as they stand in the file.
    """

    origin: str
    header_line: int
    columns: PointColumns
    separator: str
    lines: tuple[int, ...]
    rows: tuple[list[str], ...]

    def texts(self, header: str) -> list[str]:
        """A column without outer spaces; nothing where the file does not have it."""
        place = self.columns.place(header)
        return [] if place is None else [cells[place].strip() for cells in self.rows]

    def numbers(self, header: str, texts: list[str]) -> Array:
        """A column of plain numbers; the signs are tested first: "nan" is a float too. # (k,).

        Raises:
            PointsError: a text that is no number.
        """
        if _SIGNS.issuperset("".join(texts)):
            try:
                return np.array([float(text) for text in texts])
            except ValueError:
                pass  # told below, with its line
        for row, text in enumerate(texts):
            if not is_number(text):
                found = shown(self.texts(header)[row]) if text else "an empty cell"
                raise self.error(row, header, f"found {found}; expected {expected_for(text)}.")
        raise fault(self.origin, f"column {header} cannot be read as numbers.")

    def metres(self, header: str, texts: list[str]) -> Array:
        """A column of lengths, rounded once from the decimals of the file. # (k,) [m].

        Raises:
            PointsError: a text that is no number.
        """
        values = self.numbers(header, texts)
        shift = _SHIFT.get(self.columns.unit)
        if shift == "":
            return values
        if shift is None or any("e" in text or "E" in text for text in texts):
            scale = SCALES[self.columns.unit]
            return np.array([metre(text, scale) for text in texts])
        return np.array([float(text + shift) for text in texts])

    def error(self, row: int, column: str, sentence: str) -> PointsError:
        """An error at a cell."""
        place = self.columns.place(column)
        return fault(
            self.origin,
            sentence,
            line=self.lines[row],
            column=column,
            row=row,
            found=self.rows[row][place].strip() if place is not None else None,
        )


def table_of(text: str, origin: str) -> Table:
    """Split a text into header and rows.

    Raises:
        PointsError: no header, a header or a line with a fault, no row, too many.
    """
    separator = _separator(text, origin)
    records = _records(text, separator, origin)
    try:
        header_line, cells = next(records)
    except StopIteration:
        raise fault(origin, "the file is empty; give a header and points.") from None
    columns = columns_of(cells, origin, header_line)
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, cells in records:
        if len(cells) != len(columns.headers):
            raise _miscounted(cells, columns, separator, origin, line)
        check_count(len(rows) + 1, origin, line)
        lines.append(line)
        rows.append(cells)
    if not rows:
        raise fault(origin, "there is a header but no point; give at least one line.")
    return Table(
        origin=origin,
        header_line=header_line,
        columns=columns,
        separator=separator,
        lines=tuple(lines),
        rows=tuple(rows),
    )


def _separator(text: str, origin: str) -> str:
    for line, header in enumerate(io.StringIO(text), start=1):
        if header.strip(" \t\r\n,;"):
            return separator_of(header.strip("\r\n"), origin, line)
    return ","


def _records(text: str, separator: str, origin: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if any(cell and not cell.isspace() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise fault(origin, f"this is not CSV: {error}.", line=reader.line_num) from None


def _miscounted(
    cells: Sequence[str], columns: PointColumns, separator: str, origin: str, line: int
) -> PointsError:
    width = len(columns.headers)
    advice = ""
    if separator == "," and len(cells) > width:
        advice = (
            " With commas between columns, decimals are written with a point, not a comma; or "
            "separate the columns by semicolons."
        )
    for sign, name in SEPARATORS.items():
        if sign != separator and len(cells) < width and any(sign in cell for cell in cells):
            advice = f" Columns are separated by {SEPARATORS[separator]}, not {name}."
    return fault(
        origin,
        f"found {len(cells)} cells; expected {width}, as in the header.{advice}",
        line=line,
        found=len(cells),
        expected=width,
    )
