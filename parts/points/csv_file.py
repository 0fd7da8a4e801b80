"""Point files in CSV: header, units, separators and decimals to points, and back to a file.

``name,x_mm,y_mm,z_mm,nx,ny,nz[,feature]``: the unit stands in the header (``_mm``, ``_cm``, ``_m``,
``_in``, ``_ft``, or as in ``X [mm]``), or the caller gives it, or the file is refused; columns in
any order, separated by commas, semicolons, tabs or spaces; decimal commas where they are
unambiguous; comment lines; UTF-8, UTF-16 or Latin-1; any line ending. Columns of other names are
told and not read. The three normal columns, or the three cells of one point, may be left out: such
normals are taken from the part's surface later.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches

import numpy as np

from parts.errors import PointsError
from parts.points.file_text import (
    NUMBER_SIGNS,
    SCALES,
    check_count,
    encoding_notes,
    expected_for,
    fault,
    is_number,
    lines_of,
    metre,
    shown,
    text_of,
)
from parts.points.probe_points import ProbePoints
from parts.points.raw_points import Compensation, PointSource, RawPoints, checked_columns
from robots.core.arrays import Array

FORMAT = "CSV"


def csv_points(raw: bytes, *, origin: str, unit: str | None = None) -> RawPoints:
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


def points_of(table: CellTable, source: PointSource) -> RawPoints:
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


def _normals(table: CellTable, texts: Mapping[str, list[str]]) -> Array:
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


def _notes(table: CellTable, comments: int) -> list[str]:
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


# ------------------------------------------------------------------------------------------ Header
# Columns are called as the trade calls them: ``x_mm``, ``X [mm]``, ``x (in)``; ``nx`` or ``i``;
# ``NAME`` or ``Label``. Columns of other names are not read; they are told.

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
# The first that is there; besides English in German, French, Italian and Spanish.
_NAMES = (
    *("name", "point name", "label", "point", "point id", "id"),
    *("punkt", "punktname", "bezeichnung", "nom", "nom du point", "punto", "nome", "nombre"),
)
_HEADER = "name,x_mm,y_mm,z_mm,nx,ny,nz (and, if you like, feature)"
_SHOWN = 10  # columns that a message names
_CLOSE = 0.8  # likeness of a column's name to one that is missing: a slip of the pen


@dataclass(frozen=True, slots=True, kw_only=True)
class PointColumns:
    """Positions of the columns.

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
    """Return whether a line names the columns of three coordinates."""
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
            found = ", ".join(repr(title[:40]) for title in titles[:_SHOWN])
            more = ", …" if len(titles) > _SHOWN else ""
            sentence = f"column {header} is missing among {found}{more}; expected {_HEADER}"
            raise _error(origin, line, sentence, header)


def _is_point(titles: Sequence[str]) -> bool:
    """Return whether a line holds numbers where the columns' names are expected."""
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


# ------------------------------------------------------------------------------------------- Cells

_COMMENTS = ("#", "//", "%", "!")
_SIGNS = NUMBER_SIGNS | {" "}
_SHIFT = {
    "mm": "e-3",
    "cm": "e-2",
    "m": "",
}  # a scale that is a power of ten only moves the decimal point


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTable:
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


def table_of(text: str, origin: str, *, unit: str | None = None) -> CellTable:
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
    return CellTable(
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


# ---------------------------------------------------------------------------------- Decimal commas
# ``1,500`` is one and a half in one country and fifteen hundred in another. A file is read with
# decimal commas when at least one of its numbers cannot be grouped digits, such as ``0,5`` or
# ``12,25``, and none has a decimal point.

_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def plain_columns(table: CellTable, headers: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Texts of the number columns, with decimal points.

    Args:
        table: of the file.
        headers: of its number columns.

    Raises:
        PointsError: numbers with a comma whose meaning the file does not settle.
    """
    columns = {header: table.texts(header) for header in headers}
    if not has_commas(columns):
        return columns
    _check_commas(table, columns)
    return {header: [text.replace(",", ".") for text in texts] for header, texts in columns.items()}


def has_commas(columns: Mapping[str, list[str]]) -> bool:
    """Return whether any number has a comma."""
    return any("," in "".join(texts) for texts in columns.values())


def _check_commas(table: CellTable, columns: Mapping[str, list[str]]) -> None:
    doubtful: tuple[int, str, str] | None = None
    pointed: tuple[int, str, str] | None = None
    with_comma: tuple[int, str, str] | None = None
    proven = False
    for header, texts in columns.items():
        for row, text in enumerate(texts):
            if text.count(",") > 1 or ("," in text and "." in text):
                raise table.error(
                    row,
                    header,
                    f"found {shown(text)}, with signs that group digits; write numbers without "
                    "them, with one decimal sign.",
                )
            if "," not in text:
                pointed = pointed or ((row, header, text) if "." in text else None)
                continue
            with_comma = with_comma or (row, header, text)
            if _GROUPED.fullmatch(text):
                doubtful = doubtful or (row, header, text)
            elif is_number(text.replace(",", ".")):
                proven = True
    if pointed and with_comma:
        _refuse_mixed(table, pointed, with_comma)
    if doubtful and not proven:
        _refuse_doubtful(table, doubtful)


def _refuse_mixed(
    table: CellTable, pointed: tuple[int, str, str], with_comma: tuple[int, str, str]
) -> None:
    row, header, text = with_comma
    line = table.lines[pointed[0]]
    raise table.error(
        row,
        header,
        f"found {shown(text)}, with a comma, but {shown(pointed[2])} in line {line} has a decimal "
        "point; use one decimal sign in the whole file.",
    )


def _refuse_doubtful(table: CellTable, doubtful: tuple[int, str, str]) -> None:
    row, header, text = doubtful
    raise table.error(
        row,
        header,
        f"found {shown(text)}, which may mean {text.replace(',', '.')} or {text.replace(',', '')}, "
        "and no number of the file settles which; write decimals with a point.",
    )


# ----------------------------------------------------------------------------------------- Writing

HEADER = ("name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz", "feature")


def points_csv(points: ProbePoints) -> str:
    """``name,x_mm,y_mm,z_mm,nx,ny,nz,feature`` in full precision.

    Millimetres are the decimals of the metres with the point moved, so that reading them back
    gives every bit again.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    rows = zip(
        points.names,
        points.positions.tolist(),
        points.normals.tolist(),
        points.features,
        strict=True,
    )
    for name, position, normal, feature in rows:
        writer.writerow(
            [name, *map(_millimetres, position), *(repr(n + 0.0) for n in normal), feature]
        )
    return stream.getvalue()


def _millimetres(metres: float) -> str:
    if metres == 0.0:
        return "0"
    shifted = Decimal(repr(metres)).scaleb(3)
    whole = shifted.to_integral_value()
    return format(whole if whole == shifted else shifted, "f")
