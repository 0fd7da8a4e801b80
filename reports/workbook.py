"""The report's tables as an Excel workbook: numbers as numbers, texts as texts, all rows."""

from __future__ import annotations

import io
import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_col_to_name  # type: ignore[import-untyped]
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]

from planner.findings import Finding, Severity
from reports.content.report import Report
from reports.content.table import Column, Table, Value, ValueStatus, text

ROWS = 1_048_575  # of a sheet, less the head
CELL = 32_767  # code units that Excel keeps in a cell
_CUT = "…"
_FORMULA = ("=", "+", "-", "@")  # how Excel knows a formula that is typed
_NO_DATE = datetime(1980, 1, 1)  # a zip archive's first day: the file says nothing of when
_SHEET = 31  # characters of a sheet's name
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\", " "))
_NAMES = {"segments": "motions"}  # of sheets, where a table's key is another word
_NARROW, _WIDE = 9, 60  # widths of columns [characters]
_MEASURED = 500  # rows that decide on a column's width
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_MARKS = "\u200e\u200f\u061c"
_GONE = {"Cc", "Cs", "Cn"}
_COLOURS = {  # letters and ground, of Status.value; the text says the same without colour
    "good": ("#00664a", "#e3f1ec"),
    "doubtful": ("#7a4f00", "#faf0d8"),
    "bad": ("#a33500", "#fbe6dc"),
}
_SEVERITY = {
    Severity.ERROR: ValueStatus.BAD,
    Severity.WARNING: ValueStatus.DOUBTFUL,
    Severity.NOTE: ValueStatus.PLAIN,
}


def workbook(report: Report) -> bytes:
    """The workbook: the same bytes for the same content.

    Sheets: summary, findings, then one per table of the report. Units stand in the heads. A text
    is never a formula, whatever it starts with.

    Args:
        report: what is told.
    """
    content = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(content, options) as book:
        book.set_properties({"title": cell_text(report.title), "created": _NO_DATE})
        book.set_size(24_000, 14_000)
        styles = _Styles(book=book)
        names: list[str] = []
        for table in (_summary(report), _findings(report.findings), *report.tables):
            names.append(sheet_name(_NAMES.get(table.key, table.key), names))
            _write(book.add_worksheet(names[-1], worksheet_class=_Sheet), table, styles)
    return content.getvalue()


def cell_text(text: str) -> str:
    """A text as a cell can hold it.

    Control characters are left out, marks that turn the direction of reading are named, such as
    [U+202E], and what is beyond Excel's limit is cut, which an ellipsis says.
    """
    # Nearly every cell: nothing to take out of it, and a longer call for each letter.
    told = text if text.isascii() and text.isprintable() else "".join(map(_shown, text))
    if 2 * len(told) <= CELL:
        return told
    units = told.encode("utf-16-le")
    if len(units) <= 2 * CELL:
        return told
    return units[: 2 * (CELL - 1)].decode("utf-16-le", errors="ignore") + _CUT


def sheet_name(wanted: str, taken: Iterable[str]) -> str:
    """A name that Excel accepts for a sheet and that no other sheet has."""
    used = {name.casefold() for name in (*taken, "history")}
    name = cell_text(wanted).translate(_FORBIDDEN).strip(" '")[:_SHEET].strip(" '") or "sheet"
    told, number = name, 1
    while told.casefold() in used:
        number += 1
        told = f"{name[: _SHEET - 1 - len(str(number))]} {number}"
    return told


@dataclass(frozen=True, kw_only=True, eq=False)
class _Styles:
    """Formats of one workbook, each made once."""

    book: Any
    indices: dict[tuple[ValueStatus | None, str, bool], int] = field(default_factory=dict)

    @cached_property
    def head(self) -> Any:
        """Of a column's head."""
        look = {"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom"}
        return self.book.add_format(look | {"bg_color": "#e8edf1"})

    def cell(self, status: ValueStatus, number: str = "", *, quoted: bool = False) -> int:
        """Index of a cell's format.

        Args:
            status: what its value means.
            number: format of its number; empty for a text.
            quoted: whether it starts as a formula would.
        """
        # Nearly every cell is plain; an enumeration's hash is Python's own, and slow.
        key = (None if status is ValueStatus.PLAIN else status, number, quoted)
        index = self.indices.get(key)
        if index is None:
            look: dict[str, Any] = {"valign": "top"}
            if number:
                look["num_format"] = number
            if status.value in _COLOURS:
                letters, ground = _COLOURS[status.value]
                look |= {"font_color": letters, "bg_color": ground, "bold": True}
            form = self.book.add_format(look)
            if quoted:
                form.set_quote_prefix()
            index = self.indices[key] = form._get_xf_index()
        return index


class _Sheet(Worksheet):  # type: ignore[misc]
    """A sheet whose rows below the head are XML already.

    The library keeps an object for every cell until the book is closed: of 10,000 points these are
    half a million, and more memory than the rest of the report.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body: list[str] = []

    def _write_rows(self) -> None:
        """Write the head, which is the library's, and the body."""
        self.dim_rowmax = 0
        super()._write_rows()
        self.dim_rowmax = len(self.body)
        self.fh.writelines(self.body)


def _write(sheet: _Sheet, table: Table, styles: _Styles) -> None:
    sheet.freeze_panes(1, 0)
    for k, column in enumerate(table.columns):
        sheet.write_string(0, k, cell_text(_head(column)), styles.head)
        sheet.set_column(k, k, _column_width(table, k))
    held = table.rows if len(table.rows) <= ROWS else table.rows[: ROWS - 1]
    columns = [(xl_col_to_name(k), column.numeric) for k, column in enumerate(table.columns)]
    text_at = sheet.str_table._get_shared_string_index
    for place, row in enumerate(held, start=2):
        cells = [
            cell
            for value, (letter, numeric) in zip(row, columns, strict=True)
            if (cell := _cell(f"{letter}{place}", value, numeric, styles, text_at))
        ]
        sheet.body.append(f'<row r="{place}">{"".join(cells)}</row>')
    sheet.autofilter(0, 0, len(held), max(len(table.columns) - 1, 0))
    if len(held) < len(table.rows):
        missing, place = len(table.rows) - len(held), len(held) + 2
        told = text(f"{missing} more rows find no room in a sheet", ValueStatus.BAD)
        cell = _cell(f"A{place}", told, False, styles, text_at)
        sheet.body.append(f'<row r="{place}">{cell}</row>')
    sheet.dim_rowmax = len(sheet.body)


def _cell(
    name: str, value: Value, numeric: bool, styles: _Styles, text_at: Callable[[str], int]
) -> str:
    """A cell's XML; empty where a column of numbers has none.

    Args:
        name: of the cell, such as "B7".
        value: what it holds.
        numeric: whether its column is of numbers.
        styles: of the book.
        text_at: index of a text among those that the sheets share.
    """
    if value.number is not None and math.isfinite(value.number):
        style = styles.cell(value.status, _number_format(value.text))
        return f'<c r="{name}" s="{style}"><v>{value.number:.16G}</v></c>'
    if numeric and value.text == "–":
        return ""
    told = cell_text(value.text)
    style = styles.cell(value.status, quoted=told.startswith(_FORMULA))
    return f'<c r="{name}" s="{style}" t="s"><v>{text_at(told)}</v></c>'


def _number_format(text: str) -> str:
    """Excel's format for a number with the digits that the report shows."""
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return ("0." + "0" * decimals if decimals else "0") + ("E+00" if exponent else "")


def _column_width(table: Table, k: int) -> int:
    words = (len(word) + 3 for word in _head(table.columns[k]).split(" "))
    cells = (len(row[k].text) + 1 for row in table.rows[:_MEASURED])
    return min(max(_NARROW, *words, *cells), _WIDE)


def _head(column: Column) -> str:
    return f"{column.header} [{column.unit}]" if column.unit else column.header


def _shown(character: str) -> str:
    if character in "\n\t":
        return " "
    if character in _MARKS or unicodedata.bidirectional(character) in _TURNING:
        return f"[U+{ord(character):04X}]"
    return "" if unicodedata.category(character) in _GONE else character


def _summary(report: Report) -> Table:
    """Verdict and facts, what a source says otherwise, and what the sheets hold."""

    def row(what: str, value: Value, unit: str = "", detail: str = "") -> tuple[Value, ...]:
        return (Value(text=what), value, Value(text=unit), Value(text=detail))

    rows = [
        row("job", Value(text=report.title)),
        *([row("report", Value(text=report.heading))] if report.heading else []),
        row("verdict", Value(text=report.verdict, status=report.status)),
        *(
            row(fact.label, fact.value, fact.unit, fact.detail)
            for fact in (*report.unchecked, *report.facts)
        ),
        *(row("note on the source", Value(text=text)) for text in report.errata),
        *(
            row(f"sheet {_NAMES.get(table.key, table.key)}", _count(table), "rows", table.note)
            for table in report.tables
        ),
    ]
    return _texts("summary", ("what", "value", "unit", "detail"), rows)


def _findings(findings: Sequence[Finding]) -> Table:
    rows = [
        (
            Value(text=one.code),
            Value(text=one.severity.value, status=_SEVERITY[one.severity]),
            *(Value(text=text) for text in (one.where, one.message, one.hint)),
        )
        for one in findings
    ]
    return _texts("findings", ("code", "severity", "where", "message", "hint"), rows)


def _count(table: Table) -> Value:
    return Value(text=str(len(table.rows)), number=float(len(table.rows)))


def _texts(key: str, heads: Sequence[str], rows: Sequence[tuple[Value, ...]]) -> Table:
    columns = tuple(Column(header=head, numeric=False) for head in heads)
    return Table(key=key, title=key, columns=columns, rows=tuple(rows))
