"""Point files (CSV) → ``ProbePoints``.

``name,x_mm,y_mm,z_mm,nx,ny,nz[,feature]``: the unit stands in the header (``_mm``, ``_m``, ``_in``)
or the file is refused; columns in any order; commas between columns, decimal points; UTF-8, with
or without a byte-order mark; either line ending.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parts.errors import PointsError
from parts.point_columns import NORMAL_COLUMNS, PointColumns, columns_of
from parts.points import ProbePoints

Array = NDArray[np.float64]

MAX_BYTES = 64_000_000
MAX_ROWS = 500_000
_NUMBER_SIGNS = frozenset("0123456789+-.eE ")
_SCALE = {"mm": Decimal("0.001"), "m": Decimal(1), "in": Decimal("0.0254")}
_SHIFT = {"mm": "e-3", "m": ""}  # a scale that is a power of ten only moves the decimal point


def read_points(path: Path | str) -> ProbePoints:
    """Read a point file from disk.

    Raises:
        PointsError: not readable, or not points; with file, line, column, what was found and what
            was expected.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PointsError(f"{path}: the point file cannot be read: {reason}.") from error
    return points_of(raw, origin=path.name)


def points_of(raw: bytes, *, origin: str) -> ProbePoints:
    """Points from the content of a point file; ``origin`` names it in messages.

    Raises:
        PointsError: as for ``read_points``.
    """
    records = _records(_text(raw, origin), origin)
    try:
        line, cells = next(records)
    except StopIteration:
        raise PointsError(f"{origin}: the file is empty; give a header and points.") from None
    columns = columns_of(cells, f"{origin}, line {line}")
    rows = _rows(records, columns, origin)
    table = _Table(origin=origin, columns=columns, rows=rows)
    try:
        return ProbePoints(
            names=tuple(table.texts("name")),
            positions=np.column_stack([table.metres(c) for c in columns.coordinates]),
            normals=np.column_stack([table.numbers(c) for c in NORMAL_COLUMNS]),
            features=tuple(table.texts("feature")),
        )
    except PointsError as error:
        row = error.facts.get("row")
        if not isinstance(row, int):
            raise
        column = columns.header_of(str(error.facts.get("column")))
        raise table.error(row, column, error.message) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Cells of a file, and the line of every row."""

    origin: str
    columns: PointColumns
    rows: list[tuple[int, list[str]]]

    def texts(self, header: str) -> list[str]:
        """A column without outer spaces; nothing where the file does not have it."""
        place = self.columns.place(header)
        return [] if place is None else [cells[place].strip() for _, cells in self.rows]

    def numbers(self, header: str) -> Array:
        """A column of plain numbers. # (k,)."""
        return self._converted(header, self.texts(header))

    def metres(self, header: str) -> Array:
        """A column of lengths, rounded once from the decimals of the file. # (k,) [m]."""
        texts = self.texts(header)
        shift = _SHIFT.get(self.columns.unit)
        values = self._converted(header, texts)  # refuses what is not a number
        if shift == "":
            return values
        if shift is None or any("e" in text or "E" in text for text in texts):
            scale = _SCALE[self.columns.unit]
            return np.array([float(Decimal(text) * scale) for text in texts])
        return np.array([float(text + shift) for text in texts])

    def _converted(self, header: str, texts: list[str]) -> Array:
        """Numbers of a column; the signs are tested first, since "nan" and "1_0" are floats too."""
        if _NUMBER_SIGNS.issuperset("".join(texts)):
            try:
                return np.array([float(text) for text in texts])
            except ValueError:
                pass
        for row, text in enumerate(texts):
            if not _is_number(text):
                found = _shown(text) if text else "an empty cell"
                raise self.error(row, header, f"found {found}; expected {_expected(text)}.")
        raise PointsError(f"{self.origin}: column {header} cannot be read as numbers.")

    def error(self, row: int, column: str, sentence: str) -> PointsError:
        line, cells = self.rows[row]
        place = self.columns.place(column)
        return PointsError(
            f"{self.origin}, line {line}, column {column}: {sentence}",
            file=self.origin,
            line=line,
            column=column,
            row=row,
            found=cells[place].strip() if place is not None else None,
        )


def _text(raw: bytes, origin: str) -> str:
    if len(raw) > MAX_BYTES:
        raise PointsError(
            f"{origin}: the file has more than {MAX_BYTES} bytes; split it.",
            file=origin,
            limit=MAX_BYTES,
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise PointsError(
            f"{origin}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8.",
            file=origin,
            line=line,
        ) from None


def _records(text: str, origin: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if any(cell and not cell.isspace() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        line = reader.line_num
        raise PointsError(
            f"{origin}, line {line}: this is not CSV: {error}.", file=origin, line=line
        ) from None


def _rows(
    records: Iterator[tuple[int, list[str]]], columns: PointColumns, origin: str
) -> list[tuple[int, list[str]]]:
    width = len(columns.headers)
    rows: list[tuple[int, list[str]]] = []
    for line, cells in records:
        if len(cells) != width:
            raise PointsError(
                f"{origin}, line {line}: found {len(cells)} cells; expected {width}, as in the "
                f"header.{_comma_advice(cells, width)}",
                file=origin,
                line=line,
                found=len(cells),
                expected=width,
            )
        if len(rows) == MAX_ROWS:
            raise PointsError(
                f"{origin}, line {line}: there are more than {MAX_ROWS} points; split the file.",
                file=origin,
                line=line,
                limit=MAX_ROWS,
            )
        rows.append((line, cells))
    if not rows:
        raise PointsError(f"{origin}: there is a header but no point; give at least one line.")
    return rows


def _comma_advice(cells: Sequence[str], width: int) -> str:
    if len(cells) > width:
        return " Decimals are written with a point, not a comma."
    if any(";" in cell for cell in cells):
        return " Columns are separated by commas, not semicolons."
    return ""


def _is_number(text: str) -> bool:
    try:
        return _NUMBER_SIGNS.issuperset(text) and np.isfinite(float(text))
    except ValueError:
        return False


def _expected(text: str) -> str:
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return "a finite number"
    return "a number with a decimal point" if "," in text else "a number"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
