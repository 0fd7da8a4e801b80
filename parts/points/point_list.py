"""Lists of points without a header → points.

One point on each line: ``x y z``, ``x y z i j k``, ``name x y z`` or ``name x y z i j k``, between
spaces, commas, semicolons or tabs, as Metrolog and PolyWorks write them. The list says no unit,
and not whether it holds points of the surface: the caller gives the unit, and the format says
that they lie on the surface, unless the caller says otherwise.
"""

from __future__ import annotations

import re

from parts.points.csv_columns import NORMAL_COLUMNS, PointColumns, cells_of
from parts.points.csv_decimals import has_commas
from parts.points.csv_file import points_of
from parts.points.csv_table import Table, without_comments
from parts.points.decimals import SCALES, is_number
from parts.points.faults import fault
from parts.points.file_text import check_count, encoding_notes, lines_of, text_of
from parts.points.found import FoundPoints
from parts.points.source import Compensation, PointSource

LISTS = {
    "list": "list of surface points",
    "metrolog": "Metrolog list",
    "polyworks": "PolyWorks list",
}
_NOTE = re.compile(r"\s(#|//).*$")  # behind the values of a line
_NAMED = {3: False, 4: True, 6: False, 7: True}  # cells of a line: whether the first is a name


def list_points(raw: bytes, *, origin: str, unit: str | None, format: str) -> FoundPoints:
    """Points from the content of a list without header.

    Args:
        raw: content of the file.
        origin: names it in messages.
        unit: of its lengths: "mm", "cm", "m", "in" or "ft".
        format: key of ``LISTS``.

    Raises:
        PointsError: no unit; a line with a fault; with file and line.
    """
    text, comments = without_comments(text_of(raw, origin))
    if unit is None:
        raise fault(
            origin,
            f"a {LISTS[format]} carries no unit, and a unit is never guessed; give it (unit = "
            '"mm" or "in").',
            choices=tuple(SCALES),
        )
    separator = _separator(text)
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, content in enumerate(lines_of(text), start=1):
        if not content.strip():
            continue
        check_count(len(rows) + 1, origin, line)
        cells = _cells(content, separator)
        if len(cells) not in _NAMED:
            raise fault(
                origin,
                f"found {len(cells)} values; expected x y z or x y z i j k, with or without a name "
                "before them.",
                line=line,
                found=len(cells),
                expected=tuple(_NAMED),
            )
        if rows and _NAMED[len(cells)] != bool(rows[0][0]):
            raise fault(
                origin,
                f"found {len(cells)} values, {'with' if _NAMED[len(cells)] else 'without'} a name, "
                f"unlike line {lines[0]}; name all points or none.",
                line=line,
            )
        lines.append(line)
        rows.append(_row(cells))
    named = bool(rows and rows[0][0])
    if not named:
        rows = [[f"P{k}", *cells[1:]] for k, cells in enumerate(rows, start=1)]
    if not rows:
        raise fault(origin, "there is no point in this list.")
    headers = ("name", *(f"{axis}_{unit}" for axis in "xyz"), *NORMAL_COLUMNS)
    titles = ("name", "x", "y", "z", "i", "j", "k")
    table = Table(
        origin=origin,
        header_line=0,
        columns=PointColumns(headers=headers, titles=titles, unit=unit, unit_stated=False),
        separator=separator,
        lines=tuple(lines),
        rows=tuple(rows),
    )
    notes = [f"{comments} comment lines are passed over."] if comments else []
    if not named:
        notes.append("The list has no names: points are called P1, P2, … in its order.")
    if has_commas({header: table.texts(header) for header in headers[1:]}):
        notes.append("Decimals are written with commas.")
    source = PointSource(
        origin=origin,
        format=LISTS[format],
        unit=unit,
        unit_from="given by you: the format has none",
        compensation=Compensation.SURFACE,
        contradictable=True,
        notes=(*notes, *encoding_notes(raw)),
    )
    return points_of(table, source)


def is_list(line: str) -> bool:
    """Whether a line reads as a point of such a list."""
    cells = _cells(line, _separator(line))
    if len(cells) not in _NAMED:
        return False
    numbers = cells[1:] if _NAMED[len(cells)] else cells
    return all(is_number(cell.replace(",", ".", 1)) for cell in numbers)


def _separator(text: str) -> str:
    """What separates the values: the first of ; tab , that no decimal sign explains, or spaces."""
    line = next((line for line in lines_of(text) if line.strip()), "")
    for sign in (";", "\t"):
        if sign in line:
            return sign
    spaced = cells_of(line, " ")
    if len(spaced) in _NAMED and not any(cell.endswith(",") for cell in spaced):
        return " "
    return "," if "," in line else " "


def _cells(line: str, separator: str) -> list[str]:
    cells = cells_of(_NOTE.sub("", line), separator)
    while cells and not cells[-1]:
        cells.pop()
    return [cell.strip("\"'") for cell in cells]


def _row(cells: list[str]) -> list[str]:
    """Name, place and normal of a line; empty texts for what it leaves out."""
    row = cells if _NAMED[len(cells)] else ["", *cells]
    return [*row, *[""] * (7 - len(row))]
