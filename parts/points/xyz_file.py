"""PC-DMIS ``.xyz`` files → points.

Line 1 holds ``XYZIJK`` in columns 1 to 6 and ``METRIC`` in columns 11 to 16; without the latter
the format's unit is the inch. Each further line holds comma-separated numbers: three or five give
a point without normal, six or eight a point with its normal; four or seven a circle, which is
refused here. The format is one of nominal points, which lie on the surface; it knows no names.

Source: PC-DMIS Core, "Notes on XYZ Files" and "Importing an XYZ File as CAD Data".
"""

from __future__ import annotations

from parts.points.decimals import SCALES, metre, numbers
from parts.points.faults import fault, shown
from parts.points.file_text import check_count, lines_of, text_of
from parts.points.found import FoundPoints, PointRow, found_in
from parts.points.source import Compensation, PointSource

FORMAT = "PC-DMIS XYZ"
_CIRCLES = (4, 7)
_MOST_CELLS = 8  # "eight and more" in the manual; more than eight is no line of this format


def xyz_points(raw: bytes, *, origin: str) -> FoundPoints:
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
            rows.append(_row(text, line, f"P{len(rows) + 1}", unit, origin))
    source = PointSource(
        origin=origin,
        format=FORMAT,
        unit=unit,
        unit_from="METRIC in line 1" if unit == "mm" else "line 1 has no METRIC: the format's rule",
        compensation=Compensation.SURFACE,
        notes=("The format has no names: points are called P1, P2, … in the order of the file.",),
    )
    return found_in(rows, source)


def is_xyz(text: str) -> bool:
    """Whether a text starts as such a file does."""
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


def _row(text: str, line: int, name: str, unit: str, origin: str) -> PointRow:
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
