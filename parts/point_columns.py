"""The header of a point file: which column is which, and in what unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from parts.errors import PointsError

LENGTH_UNITS = ("mm", "m", "in")
NORMAL_COLUMNS = ("nx", "ny", "nz")
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

    def header_of(self, column: str) -> str:
        """Header of a column that is named without unit, as ``ProbePoints`` does."""
        return f"{column}_{self.unit}" if column in ("x", "y", "z") else column

    def place(self, header: str) -> int | None:
        """Place of a column from the left, from 0; None where an optional one is not there."""
        return self.headers.index(header) if header in self.headers else None


def columns_of(cells: Sequence[str], place: str) -> PointColumns:
    """Read a header line.

    Args:
        cells: of the line.
        place: file and line, for messages.

    Raises:
        PointsError: other separators than commas, no unit or several, a column that is missing,
            unknown or given twice.
    """
    _check_separator(cells, place)
    headers = tuple(cell.strip() for cell in cells)
    for header in headers:
        if headers.count(header) > 1:
            raise _error(place, f"column {header!r} stands here twice; remove one", header)
    units: dict[str, str] = {}
    for found in filter(None, map(_COORDINATE.fullmatch, headers)):
        units.setdefault(found[2], found[0])
    if len(units) > 1:
        told = " and ".join(units.values())
        raise _error(place, f"{told} have different units; give x, y and z in one unit", told)
    unit = next(iter(units), "mm")
    known = ("name", *(f"{axis}_{unit}" for axis in "xyz"), *NORMAL_COLUMNS, "feature")
    for header in headers:
        if header not in known:
            raise _error(place, _unknown(header, known), header)
    for header in known[:-1]:
        if header not in headers:
            raise _error(place, f"column {header} is missing; expected {_HEADER}", header)
    return PointColumns(headers=headers, unit=unit)


def _unknown(header: str, known: Sequence[str]) -> str:
    if not header:
        return f"a column has no name; expected {_HEADER}"
    lowered = header.lower()
    if lowered in ("x", "y", "z"):
        names = ", ".join(f"{lowered}_{unit}" for unit in LENGTH_UNITS)
        return (
            f"column {header!r} carries no unit; expected one of {names}: a unit is never guessed"
        )
    close = get_close_matches(lowered, known, n=1, cutoff=0.5)
    advice = f"did you mean {close[0]}?" if close else f"expected {_HEADER}"
    return f"column {header[:40]!r} is not known; {advice}"


def _check_separator(cells: Sequence[str], place: str) -> None:
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if any(sign in cell for cell in cells):
            raise _error(
                place,
                f"the columns are separated by {name}, as some spreadsheets write CSV; such files "
                "may also have decimal commas, so they are not read. Save the file with commas "
                "between columns and decimal points",
                sign,
            )


def _error(place: str, sentence: str, column: str) -> PointsError:
    end = "" if sentence.endswith("?") else "."
    file, _, line = place.rpartition(", line ")
    return PointsError(f"{place}: {sentence}{end}", file=file, line=int(line), column=column)
