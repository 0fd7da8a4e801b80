"""The header of a point file: which column is which, in what unit, and what separates columns.

Columns are called as the trade calls them: ``x_mm``, ``X [mm]``, ``x (in)``; ``nx`` or ``i``;
``NAME`` or ``Label``. Columns of other names are not read; they are told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from parts.errors import PointsError
from parts.points.decimals import is_number
from parts.points.faults import fault

LENGTH_UNITS = ("mm", "cm", "m", "in", "ft")
NORMAL_COLUMNS = ("nx", "ny", "nz")
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces"}
_UNITS = {
    **{unit: unit for unit in LENGTH_UNITS},
    **dict.fromkeys(("inch", "inches", '"'), "in"),
    **dict.fromkeys(("foot", "feet"), "ft"),
    **dict.fromkeys(("millimeter", "millimetre", "millimeters", "millimetres"), "mm"),
    **dict.fromkeys(("meter", "metre", "meters", "metres"), "m"),
}
_COORDINATE = re.compile(r"([xyz])(?:[\s_]*[\[(/]?\s*([^\W\d_]+|\")\s*[\])]?)?")
_NORMAL = re.compile(r"(?:n|normal)[\s_]*([xyz])")
_NAMES = ("name", "point name", "label", "point", "point id", "id")  # the first that is there
_HEADER = "name,x_mm,y_mm,z_mm,nx,ny,nz (and, if you like, feature)"
_CLOSE = 0.8  # likeness of a column's name to one that is missing: a slip of the pen


@dataclass(frozen=True, slots=True, kw_only=True)
class PointColumns:
    """Where the columns stand.

    Args:
        headers: of all columns, in the order of the file, as this module calls them; empty texts
            for those that are not read.
        titles: the same as the file calls them.
        unit: of the coordinates, such as "mm".
        unit_stated: whether the header says it.
    """

    headers: tuple[str, ...]
    titles: tuple[str, ...]
    unit: str
    unit_stated: bool = True

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

    def title(self, header: str) -> str:
        """A column as the file calls it."""
        place = self.place(header)
        return header if place is None else self.titles[place]


def separator_of(header: str, origin: str, line: int) -> str:
    """What separates the columns, by the header line, whose names hold none of the signs.

    Raises:
        PointsError: two of them occur.
    """
    found = [sign for sign in SEPARATORS if sign in header and sign != " "]
    if len(found) > 1:
        told = " and ".join(SEPARATORS[sign] for sign in found)
        raise fault(
            origin,
            f"the header has {told}; separate all columns by one of them.",
            line=line,
            found=found,
        )
    if not found and len(cells_of(header, " ")) > 2:
        return " "
    return found[0] if found else ","


def cells_of(line: str, separator: str) -> list[str]:
    """Cells of a line, without outer spaces; between spaces, units in brackets stay with names."""
    if separator != " ":
        return [cell.strip() for cell in line.split(separator)]
    joined = re.sub(r"\s+([\[(][^\])]*[\])])", r"\1", line)
    return [cell.strip("\"'") for cell in re.findall(r"""\"[^\"]*\"|'[^']*'|\S+""", joined)]


def is_header(line: str) -> bool:
    """Whether a line names the columns of three coordinates."""
    for separator in SEPARATORS:
        found = [_COORDINATE.fullmatch(cell.lower()) for cell in cells_of(line, separator)]
        if {one[1] for one in found if one} >= {"x", "y", "z"}:
            return True
    return False


def columns_of(
    cells: Sequence[str], origin: str, line: int, *, unit: str | None = None
) -> PointColumns:
    """Read the cells of a header line.

    Args:
        cells: of the line.
        origin: name of the file.
        line: from 1.
        unit: of coordinates whose headers say none.

    Raises:
        PointsError: no unit or several, a column that is missing or given twice, or whose name is
            nearly that of one that is missing.
    """
    titles = tuple(cell.strip() for cell in cells)
    if _is_point(titles):
        sentence = (
            f"this line is a point: the header is missing; give a first line {_HEADER}, or say "
            "which format of lists without header it is"
        )
        raise _error(origin, line, sentence, titles[0])
    lengths = _lengths(titles, origin, line)
    stated = next(iter(lengths.values()), None)
    headers = [""] * len(titles)
    for place, (axis, own) in _axes(titles).items():
        if own is None and stated is not None:
            continue  # x beside x_mm is another column
        if own is None and unit is None:
            raise _error(origin, line, _unitless(titles[place]), titles[place])
        headers[place] = f"{axis}_{stated or unit}"
    _name(headers, titles)
    known = (
        "name",
        *(f"{axis}_{stated or unit or 'mm'}" for axis in "xyz"),
        *NORMAL_COLUMNS,
        "feature",
    )
    _check(headers, titles, known, origin, line)
    return PointColumns(
        headers=tuple(headers),
        titles=titles,
        unit=stated or unit or "mm",
        unit_stated=stated is not None,
    )


def _axes(titles: Sequence[str]) -> dict[int, tuple[str, str | None]]:
    """Axis and unit of each column that is a coordinate, by its place."""
    found = {}
    for place, title in enumerate(titles):
        match = _COORDINATE.fullmatch(title.lower())
        if match and (match[2] is None or match[2] in _UNITS):
            found[place] = (match[1], None if match[2] is None else _UNITS[match[2]])
    return found


def _lengths(titles: Sequence[str], origin: str, line: int) -> dict[str, str]:
    """Unit of each axis that states one."""
    axes = _axes(titles)
    lengths: dict[str, str] = {}
    for axis, own in axes.values():
        if own is not None:
            lengths.setdefault(axis, own)
    if len(set(lengths.values())) > 1:
        named: dict[str, str] = {}
        for place, (_, own) in axes.items():
            named.setdefault(own or "", titles[place])
        told = " and ".join(title for own, title in named.items() if own)
        sentence = f"{told} have different units; give x, y and z in one unit"
        raise _error(origin, line, sentence, told)
    for title in titles:
        match = _COORDINATE.fullmatch(title.lower())
        if match and match[2] is not None and match[2] not in _UNITS and "_" in title:
            sentence = (
                f"column {title[:40]!r} has the unit {match[2]!r}, which is not read; expected "
                f"{', '.join(LENGTH_UNITS)}"
            )
            if match[1] not in lengths:
                raise _error(origin, line, sentence, title)
    return lengths


def _name(headers: list[str], titles: Sequence[str]) -> None:
    """Call the other columns by what they are, each kind once."""
    plain = [re.sub(r"[\s_]+", " ", title.lower()) for title in titles]
    name = next((one for one in _NAMES if one in plain), None)
    letters = {"i", "j", "k"} <= set(plain) and not any(map(_NORMAL.fullmatch, plain))
    for place, title in enumerate(plain):
        normal = _NORMAL.fullmatch(title)
        if headers[place]:
            continue
        if title == name:
            headers[place] = "name"
        elif normal:
            headers[place] = f"n{normal[1]}"
        elif letters and title in ("i", "j", "k"):
            headers[place] = NORMAL_COLUMNS["ijk".index(title)]
        elif title == "feature":
            headers[place] = "feature"


def _check(
    headers: Sequence[str], titles: Sequence[str], known: Sequence[str], origin: str, line: int
) -> None:
    for header, count in Counter(filter(None, headers)).items():
        if count > 1:
            title = titles[headers.index(header)]
            sentence = f"column {title[:40]!r} stands here twice; remove one"
            raise _error(origin, line, sentence, header)
    missing = [one for one in known if one not in headers]
    for header, title in zip(headers, titles, strict=True):
        close = get_close_matches(title.lower()[:40], missing, n=1, cutoff=_CLOSE)
        if not header and close:
            sentence = f"column {title[:40]!r} is not known; did you mean {close[0]}?"
            raise _error(origin, line, sentence, title)
    required = [*known[:4], *(NORMAL_COLUMNS if set(NORMAL_COLUMNS) & set(headers) else ())]
    for header in required:
        if header not in headers:
            sentence = f"column {header} is missing; expected {_HEADER}"
            raise _error(origin, line, sentence, header)


def _is_point(titles: Sequence[str]) -> bool:
    """Whether a line holds numbers where the columns' names are expected."""
    numbers = [is_number(title) for title in titles]
    return (len(titles) > 3 and all(numbers[1:4])) or (len(titles) == 3 and all(numbers))


def _unitless(title: str) -> str:
    axis = title.strip().lower()[:1]
    names = ", ".join(f"{axis}_{unit}" for unit in LENGTH_UNITS)
    return (
        f"column {title[:40]!r} carries no unit; expected one of {names}: a unit is never guessed"
    )


def _error(origin: str, line: int, sentence: str, column: str) -> PointsError:
    error = fault(origin, sentence + ("" if sentence.endswith("?") else "."), line=line)
    error.facts["column"] = column
    return error
