"""The cells of a point file (CSV), column by column, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from parts.errors import PointsError
from parts.points.csv_columns import (
    SEPARATORS,
    PointColumns,
    cells_of,
    columns_of,
    is_header,
    separator_of,
)
from parts.points.decimals import NUMBER_SIGNS, SCALES, expected_for, is_number, metre
from parts.points.faults import fault, shown
from parts.points.file_text import check_count, lines_of
from robots.core.arrays import Array

_COMMENTS = ("#", "//", "%", "!")
_SIGNS = NUMBER_SIGNS | {" "}
_SHIFT = {
    "mm": "e-3",
    "cm": "e-2",
    "m": "",
}  # a scale that is a power of ten only moves the decimal point


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
            column=self.columns.title(column),
            row=row,
            found=self.rows[row][place].strip() if place is not None else None,
        )


def table_of(text: str, origin: str, *, unit: str | None = None) -> Table:
    """Split a text into header and rows.

    Args:
        text: of the file, its comments blanked.
        origin: name of the file.
        unit: of a header that says none.

    Raises:
        PointsError: no header, a header or a line with a fault, no row, too many.
    """
    separator = _separator(text, origin)
    records = _records(text, separator, origin)
    try:
        header_line, cells = next(records)
    except StopIteration:
        raise fault(origin, "the file is empty; give a header and points.") from None
    columns = columns_of(cells, origin, header_line, unit=unit)
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, found in records:
        cells = _fitted(found, columns.titles)
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


def _fitted(cells: list[str], titles: Sequence[str]) -> list[str]:
    """Cells of a line as long as the header, where only what is empty makes the difference."""
    while len(cells) > len(titles) and not cells[-1].strip():
        cells = cells[:-1]
    beyond = titles[len(cells) :]
    return cells if any(beyond) else [*cells, *beyond]


def _records(text: str, separator: str, origin: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    if separator == " ":
        for line, content in enumerate(lines_of(text), start=1):
            if content.strip():
                yield line, cells_of(content, separator)
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if any(cell and not cell.isspace() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise fault(origin, f"this is not CSV: {error}.", line=reader.line_num) from None


def without_comments(text: str) -> tuple[str, int]:
    """The text with its comments blanked, so that lines keep their numbers, and their count.

    A comment is a line that starts with ``#``, ``//``, ``%`` or ``!``. A header may be written
    as a comment. Where every line after the header starts with ``#``, these are names of points.
    """
    if not any(sign in text for sign in _COMMENTS):
        return text, 0
    lines = lines_of(text)
    count, seen_header = 0, False
    marked = [line.lstrip().startswith("#") for line in lines if line.strip()]
    names = all(marked[1:]) and len(marked) > 1
    for k, line in enumerate(lines):
        plain = line.lstrip()
        if not plain.startswith(_COMMENTS):
            seen_header = seen_header or bool(plain)
            continue
        bare = plain.lstrip("#%!/ \t")
        if not seen_header and is_header(bare):
            lines[k], seen_header = bare, True
        elif not (names and seen_header and plain.startswith("#")):
            lines[k] = ""
            count += 1
    return "\n".join(lines), count


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
        if (
            sign not in (separator, " ")
            and len(cells) < width
            and any(sign in cell for cell in cells)
        ):
            advice = f" Columns are separated by {SEPARATORS[separator]}, not {name}."
    return fault(
        origin,
        f"found {len(cells)} cells; expected {width}, as in the header.{advice}",
        line=line,
        found=len(cells),
        expected=width,
    )
