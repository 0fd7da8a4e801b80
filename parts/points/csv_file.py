"""Our own point files (CSV) → points.

``name,x_mm,y_mm,z_mm,nx,ny,nz[,feature]``: the unit stands in the header (``_mm``, ``_cm``, ``_m``,
``_in``, ``_ft``, or as in ``X [mm]``), or the caller gives it, or the file is refused; columns in
any order, separated by commas, semicolons, tabs or spaces; decimal commas where they are
unambiguous; comment lines; UTF-8, UTF-16 or Latin-1; any line ending. Columns of other names are
told and not read. The three normal columns, or the three cells of one point, may be left out: such
normals are taken from the part's surface later.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parts.errors import PointsError
from parts.points.csv_columns import SEPARATORS
from parts.points.csv_decimals import has_commas, plain_columns
from parts.points.csv_table import Table, table_of, without_comments
from parts.points.file_text import encoding_notes, text_of
from parts.points.found import FoundPoints, checked_columns
from parts.points.source import Compensation, PointSource
from robots.core.arrays import Array

FORMAT = "CSV"


def csv_points(raw: bytes, *, origin: str, unit: str | None = None) -> FoundPoints:
    """Points from the content of a CSV point file.

    Args:
        raw: content of the file.
        origin: names it in messages.
        unit: of a header that says none: "mm", "cm", "m", "in" or "ft".

    Raises:
        PointsError: not points; with file, line, column, what was found and what was expected.
    """
    text, comments = without_comments(text_of(raw, origin))
    table = table_of(text, origin, unit=unit)
    notes = [*_notes(table, comments), *encoding_notes(raw)]
    stated = table.columns.unit_stated
    source = PointSource(
        origin=origin,
        format=FORMAT,
        unit=table.columns.unit,
        unit_from="the header" if stated else "given by you: the header has none",
        unit_line=table.header_line if stated else None,
        compensation=Compensation.UNSTATED,
        notes=tuple(notes),
    )
    return points_of(table, source)


def points_of(table: Table, source: PointSource) -> FoundPoints:
    """Points of the cells of a file.

    Args:
        table: the cells.
        source: the record.

    Raises:
        PointsError: not points; with file, line, column, what was found and what was expected.
    """
    columns = table.columns
    texts = plain_columns(table, (*columns.coordinates, *columns.normals))
    try:
        return checked_columns(
            names=tuple(table.texts("name")),
            positions=np.column_stack([table.metres(c, texts[c]) for c in columns.coordinates]),
            normals=_normals(table, texts),
            features=tuple(table.texts("feature")),
            lines=table.lines,
            source=source,
        )
    except PointsError as error:
        row, given, reason = (
            error.fact("row", int),
            error.fact("column", str),
            error.fact("reason", str),
        )
        if row is None or given is None or reason is None:
            raise
        column = columns.header_of(given)
        if column == given:
            raise
        raise table.error(row, column, reason) from None


def _normals(table: Table, texts: Mapping[str, list[str]]) -> Array:
    """Normals, of three NaN where the file leaves all three out. # (k, 3)."""
    headers = table.columns.normals
    normals = np.full((len(table.rows), 3), np.nan)
    if not headers:
        return normals
    columns = [texts[header] for header in headers]
    given = [row for row, cells in enumerate(zip(*columns, strict=True)) if any(cells)]
    if len(given) == len(table.rows):
        return np.column_stack([table.numbers(h, texts[h]) for h in headers])
    blank = set(range(len(table.rows))).difference(given)
    for axis, header in enumerate(headers):
        filled = ["0" if row in blank else text for row, text in enumerate(texts[header])]
        normals[given, axis] = table.numbers(header, filled)[given]
    return normals


def _notes(table: Table, comments: int) -> list[str]:
    notes = []
    if table.separator != ",":
        notes.append(f"The columns are separated by {SEPARATORS[table.separator]}.")
    numbers = (*table.columns.coordinates, *table.columns.normals)
    if has_commas({header: table.texts(header) for header in numbers}):
        notes.append("Decimals are written with commas.")
    if comments:
        notes.append(f"{comments} comment line{'s are' if comments > 1 else ' is'} passed over.")
    ignored = [
        title or f"column {place + 1}"
        for place, (header, title) in enumerate(
            zip(table.columns.headers, table.columns.titles, strict=True)
        )
        if not header and (title or any(cells[place].strip() for cells in table.rows))
    ]
    if ignored:
        told = ", ".join(repr(title[:40]) for title in ignored[:8])
        notes.append(f"Columns that are not read: {told}{', …' if len(ignored) > 8 else ''}.")
    return notes
