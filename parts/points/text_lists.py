"""Point lists in plain text: without a header, PC-DMIS ``.xyz`` and PowerInspect.

One point on each line: ``x y z``, ``x y z i j k``, ``name x y z`` or ``name x y z i j k``, between
spaces, commas, semicolons or tabs, as Metrolog and PolyWorks write them. The list says no unit,
and not whether it holds points of the surface: the caller gives the unit, and the format says
that they lie on the surface, unless the caller says otherwise.
"""

from __future__ import annotations

import re

from parts.points.csv_file import (
    NORMAL_COLUMNS,
    CellTable,
    PointColumns,
    cells_of,
    has_commas,
    points_of,
    without_comments,
)
from parts.points.file_text import (
    SCALES,
    check_count,
    encoding_notes,
    fault,
    is_number,
    lines_of,
    metre,
    numbers,
    shown,
    text_of,
)
from parts.points.raw_points import Compensation, PointRow, PointSource, RawPoints, raw_points

LISTS = {
    "list": "list of surface points",
    "metrolog": "Metrolog list",
    "polyworks": "PolyWorks list",
}
_NOTE = re.compile(r"\s(#|//).*$")  # behind the values of a line
_NAMED = {3: False, 4: True, 6: False, 7: True}  # cells of a line: whether the first is a name


def list_points(raw: bytes, *, origin: str, unit: str | None, format: str) -> RawPoints:
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
            f"a {LISTS[format]} carries no unit, and a unit is never guessed; give it: unit = "
            '"mm" in [points] of a job, --unit mm for measured points (or cm, m, in, ft).',
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
    table = CellTable(
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
    """Return whether a line reads as a point of such a list."""
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


# ------------------------------------------------------------------------------------ PC-DMIS .xyz
# Line 1 holds ``XYZIJK`` in columns 1 to 6 and ``METRIC`` in columns 11 to 16; without the latter
# the format's unit is the inch. Each further line holds comma-separated numbers: three or five give
# a point without normal, six or eight a point with its normal; four or seven a circle, which is
# refused here. The format is one of nominal points, which lie on the surface; it knows no names.
#
# Source: PC-DMIS Core, "Notes on XYZ Files" and "Importing an XYZ File as CAD Data".

XYZ_FORMAT = "PC-DMIS XYZ"
_CIRCLES = (4, 7)
_MOST_CELLS = 8  # "eight and more" in the manual; more than eight is no line of this format


def xyz_points(raw: bytes, *, origin: str) -> RawPoints:
    """Points from the content of a PC-DMIS ``.xyz`` file; named P1, P2, … in its order.

    Raises:
        PointsError: not such a file, a circle, or a line with a fault; with file and line.
    """
    header, *lines = lines_of(text_of(raw, origin))
    unit = _unit(header, origin)
    rows: list[PointRow] = []
    for line, text in enumerate(lines, start=2):
        if text.strip():
            check_count(len(rows) + 1, origin, line)
            rows.append(_xyz_file_row(text, line, f"P{len(rows) + 1}", unit, origin))
    source = PointSource(
        origin=origin,
        format=XYZ_FORMAT,
        unit=unit,
        unit_from="METRIC in line 1" if unit == "mm" else "line 1 has no METRIC: the format's rule",
        compensation=Compensation.SURFACE,
        notes=("The format has no names: points are called P1, P2, … in the order of the file.",),
    )
    return raw_points(rows, source)


def is_xyz(text: str) -> bool:
    """Return whether a text starts as such a file does."""
    return text.startswith("XYZIJK")


def _unit(header: str, origin: str) -> str:
    if not is_xyz(header):
        raise fault(
            origin,
            f"found {shown(header)}; expected XYZIJK in columns 1 to 6, in capital letters.",
            line=1,
            found=header[:6],
            expected="XYZIJK",
        )
    rest = header[6:].rstrip()
    if rest.strip() and (header[10:16] != "METRIC" or rest.strip() != "METRIC"):
        raise fault(
            origin,
            f"found {shown(rest)} after XYZIJK; expected METRIC in columns 11 to 16, or nothing, "
            "and then the unit is the inch.",
            line=1,
            found=rest,
            expected="METRIC",
        )
    return "mm" if rest else "in"


def _xyz_file_row(text: str, line: int, name: str, unit: str, origin: str) -> PointRow:
    cells = [cell.strip() for cell in text.split(",")]
    count = len(cells)
    if count in _CIRCLES:
        raise fault(
            origin,
            f"found {count} numbers, which is a circle with its diameter; only points are read: "
            "x,y,z or x,y,z,i,j,k.",
            line=line,
            found=count,
        )
    if not 3 <= count <= _MOST_CELLS:
        advice = " Separate numbers by commas." if count == 1 else ""
        raise fault(
            origin,
            f"found {count} cells; expected x,y,z or x,y,z,i,j,k.{advice}",
            line=line,
            found=count,
            expected=6,
        )
    values = numbers(cells, origin, line, "xyzijkuv"[:count])
    x, y, z = (metre(cell, SCALES[unit]) for cell in cells[:3])
    normal = (values[3], values[4], values[5]) if count in (6, 8) else None
    return PointRow(name=name, line=line, position=(x, y, z), normal=normal)


# ------------------------------------------------------------------------------------ PowerInspect
# One point on each line, values separated by spaces: ``name X Y Z I J K [offset lower upper]
# SP|EP``. Names with spaces stand in quotes. XYZ is the centre of the ball, not the surface, and
# the file says no unit: both must come from the caller.
#
# Source: PowerInspect reference help, import and export of dynamic points.

POWER_INSPECT = "PowerInspect text"
_NAME = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s"']\S*))(?=\s|$)""")
_KINDS = ("SP", "EP")
_COUNTS = (3, 6, 7, 9)  # X Y Z, then I J K, then an offset, then two tolerances
_COLUMNS = ("X", "Y", "Z", "I", "J", "K", "offset", "lower tolerance", "upper tolerance")


def power_inspect_points(raw: bytes, *, origin: str, unit: str | None) -> RawPoints:
    """Points from the content of a PowerInspect text file; their positions are ball centres.

    Args:
        raw: content of the file.
        origin: names it in messages.
        unit: of its lengths: "mm", "cm", "m", "in" or "ft".

    Raises:
        PointsError: no unit; a line with a fault; with file and line.
    """
    text = text_of(raw, origin)
    if unit is None:
        raise fault(
            origin,
            f"{POWER_INSPECT} files carry no unit, and a unit is never guessed; give it: unit = "
            '"mm" in [points] of a job, --unit mm for measured points (or cm, m, in, ft).',
            choices=tuple(SCALES),
        )
    rows: list[PointRow] = []
    edges, offsets = 0, 0
    for line, content in enumerate(lines_of(text), start=1):
        if not content.strip():
            continue
        check_count(len(rows) + 1, origin, line)
        name, cells, kind = _split(content, line, origin)
        rows.append(_power_inspect_row(name, cells, line, unit, origin))
        edges += kind == "EP"
        offsets += len(cells) > 6 and float(cells[6]) != 0.0
    source = PointSource(
        origin=origin,
        format=POWER_INSPECT,
        unit=unit,
        unit_from="given by you: the format has none",
        compensation=Compensation.CENTRE,
        notes=(*_notes(edges, offsets, len(rows)), *encoding_notes(raw)),
    )
    return raw_points(rows, source)


def is_power_inspect(line: str) -> bool:
    """Return whether a line reads as a point of such a file."""
    found = _NAME.match(line)
    if not found:
        return False
    cells = line[found.end() :].split()
    if cells and cells[-1] in _KINDS:
        cells.pop()
    return len(cells) in _COUNTS and all(map(is_number, cells))


def only_power_inspect(line: str) -> bool:
    """Return whether a line has what only such a file has: SP or EP, an offset, or tolerances."""
    found = _NAME.match(line)
    cells = line[found.end() :].split() if found else []
    return bool(cells) and is_power_inspect(line) and (cells[-1] in _KINDS or len(cells) in (7, 9))


def _split(content: str, line: int, origin: str) -> tuple[str, list[str], str]:
    found = _NAME.match(content)
    if not found:
        raise fault(
            origin,
            f"found {shown(content.strip())}; expected a name, in quotes if it has spaces.",
            line=line,
            found=content.strip()[:40],
        )
    cells = content[found.end() :].split()
    kind = cells.pop() if cells and cells[-1] in _KINDS else ""
    return next(text for text in found.groups() if text is not None), cells, kind


def _power_inspect_row(name: str, cells: list[str], line: int, unit: str, origin: str) -> PointRow:
    if len(cells) not in _COUNTS:
        raise fault(
            origin,
            f"found {len(cells)} values after the name {shown(name)}; expected 3 (X Y Z), 6 (with "
            "I J K), 7 (with offset) or 9 (with tolerances), then SP or EP.",
            line=line,
            found=len(cells),
            expected=_COUNTS,
        )
    values = numbers(cells, origin, line, _COLUMNS[: len(cells)])
    x, y, z = (metre(cell, SCALES[unit]) for cell in cells[:3])
    normal = (values[3], values[4], values[5]) if len(values) >= 6 else None
    return PointRow(name=name, line=line, position=(x, y, z), normal=normal)


def _notes(edges: int, offsets: int, count: int) -> tuple[str, ...]:
    notes = []
    if edges:
        notes.append(f"{edges} of {count} points are edge points (EP); they are read as any other.")
    if offsets:
        notes.append(
            f"{offsets} of {count} points have an offset from the surface; offsets and tolerances "
            "are not applied: the coordinates are taken as they stand."
        )
    return tuple(notes)
