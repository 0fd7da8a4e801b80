"""PowerInspect text files → points.

One point on each line, values separated by spaces: ``name X Y Z I J K [offset lower upper] SP|EP``.
Names with spaces stand in quotes. XYZ is the centre of the ball, not the surface, and the file
says no unit: both must come from the caller.

Source: PowerInspect reference help, import and export of dynamic points.
"""

from __future__ import annotations

import re

from parts.points.decimals import SCALES, is_number, metre, numbers
from parts.points.faults import fault, shown
from parts.points.file_text import check_count, encoding_notes, lines_of, text_of
from parts.points.found import FoundPoints, PointRow, found_in
from parts.points.source import Compensation, PointSource

FORMAT = "PowerInspect text"
_NAME = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s"']\S*))(?=\s|$)""")
_KINDS = ("SP", "EP")
_COUNTS = (3, 6, 7, 9)  # X Y Z, then I J K, then an offset, then two tolerances
_COLUMNS = ("X", "Y", "Z", "I", "J", "K", "offset", "lower tolerance", "upper tolerance")


def power_inspect_points(raw: bytes, *, origin: str, unit: str | None) -> FoundPoints:
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
            f"{FORMAT} files carry no unit, and a unit is never guessed; give it (unit = "
            '"mm" or "in").',
            choices=tuple(SCALES),
        )
    rows: list[PointRow] = []
    edges, offsets = 0, 0
    for line, content in enumerate(lines_of(text), start=1):
        if not content.strip():
            continue
        check_count(len(rows) + 1, origin, line)
        name, cells, kind = _split(content, line, origin)
        rows.append(_row(name, cells, line, unit, origin))
        edges += kind == "EP"
        offsets += len(cells) > 6 and float(cells[6]) != 0.0
    source = PointSource(
        origin=origin,
        format=FORMAT,
        unit=unit,
        unit_from="given by you: the format has none",
        compensation=Compensation.CENTRE,
        notes=(*_notes(edges, offsets, len(rows)), *encoding_notes(raw)),
    )
    return found_in(rows, source)


def is_power_inspect(line: str) -> bool:
    """Whether a line reads as a point of such a file."""
    found = _NAME.match(line)
    if not found:
        return False
    cells = line[found.end() :].split()
    if cells and cells[-1] in _KINDS:
        cells.pop()
    return len(cells) in _COUNTS and all(map(is_number, cells))


def only_power_inspect(line: str) -> bool:
    """Whether a line has what only such a file has: SP or EP, an offset, or tolerances."""
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


def _row(name: str, cells: list[str], line: int, unit: str, origin: str) -> PointRow:
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
