"""The header of a point file: which column is which, in what unit, and what separates columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from parts.errors import PointsError
from parts.points.decimals import is_number
from parts.points.faults import fault

LENGTH_UNITS = ("mm", "m", "in")
NORMAL_COLUMNS = ("nx", "ny", "nz")
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_COORDINATE = re.compile(r"([xyz])_(mm|m|in)")
_HEADER = "name,x_mm,y_mm,z_mm,nx,ny,nz (and, if you like, feature)"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointColumns:
    """Where the columns stand.

    Args:
        headers: of all columns, in the order of the file.
        unit: of the coordinates: "mm", "m" or "in".
    """

    headers: tuple[str, ...]
    unit: str

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Headers of the three coordinates, in the order x, y, z."""
        return tuple(f"{axis}_{self.unit}" for axis in "xyz")

    @property
    def normals(self) -> tuple[str, ...]:
        """Headers of the normal; none where it is left to the part's surface."""
        return NORMAL_COLUMNS if NORMAL_COLUMNS[0] in self.headers else ()

    def header_of(self, column: str) -> str:
        """Header of a column that is named without unit, as ``ProbePoints`` does."""
        return f"{column}_{self.unit}" if column in ("x", "y", "z") else column

    def place(self, header: str) -> int | None:
        """Place of a column from the left, from 0; None where an optional one is not there."""
        return self.headers.index(header) if header in self.headers else None


def separator_of(header: str, origin: str, line: int) -> str:
    """What separates the columns, by the header line, whose names hold none of the signs.

    Raises:
        PointsError: two of them occur.
    """
    found = [sign for sign in SEPARATORS if sign in header]
    if len(found) > 1:
        told = " and ".join(SEPARATORS[sign] for sign in found)
        raise fault(
            origin,
            f"the header has {told}; separate all columns by one of them.",
            line=line,
            found=found,
        )
    return found[0] if found else ","


def columns_of(cells: Sequence[str], origin: str, line: int) -> PointColumns:
    """Read the cells of a header line.

    Raises:
        PointsError: no unit or several, a column that is missing, unknown or given twice.
    """
    headers = tuple(cell.strip() for cell in cells)
    if _is_point(headers):
        sentence = f"this line is a point: the header is missing; give a first line {_HEADER}"
        raise _error(origin, line, sentence, headers[0])
    if len(set(headers)) < len(headers):
        header = next(header for header, count in Counter(headers).items() if count > 1)
        sentence = f"column {header[:40]!r} stands here twice; remove one"
        raise _error(origin, line, sentence, header)
    units: dict[str, str] = {}
    for found in filter(None, map(_COORDINATE.fullmatch, headers)):
        units.setdefault(found[2], found[0])
    if len(units) > 1:
        told = " and ".join(units.values())
        sentence = f"{told} have different units; give x, y and z in one unit"
        raise _error(origin, line, sentence, told)
    unit = next(iter(units), "mm")
    required = ("name", *(f"{axis}_{unit}" for axis in "xyz"))
    known = (*required, *NORMAL_COLUMNS, "feature")
    for header in headers:
        if header not in known:
            raise _error(origin, line, _unknown(header, known), header)
    if set(NORMAL_COLUMNS) & set(headers):
        required += NORMAL_COLUMNS
    for header in required:
        if header not in headers:
            sentence = f"column {header} is missing; expected {_HEADER}"
            raise _error(origin, line, sentence, header)
    return PointColumns(headers=headers, unit=unit)


def _is_point(headers: Sequence[str]) -> bool:
    """Whether a line holds a name and numbers where the columns' names are expected."""
    return len(headers) > 3 and all(is_number(cell) for cell in headers[1:4])


def _unknown(header: str, known: Sequence[str]) -> str:
    if not header:
        return f"a column has no name; expected {_HEADER}"
    lowered = header.lower()
    if lowered in ("x", "y", "z"):
        names = ", ".join(f"{lowered}_{unit}" for unit in LENGTH_UNITS)
        return (
            f"column {header!r} carries no unit; expected one of {names}: a unit is never guessed"
        )
    close = get_close_matches(lowered[:40], known, n=1, cutoff=0.5)
    advice = f"did you mean {close[0]}?" if close else f"expected {_HEADER}"
    return f"column {header[:40]!r} is not known; {advice}"


def _error(origin: str, line: int, sentence: str, column: str) -> PointsError:
    error = fault(origin, sentence + ("" if sentence.endswith("?") else "."), line=line)
    error.facts["column"] = column
    return error
