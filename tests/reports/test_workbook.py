"""The workbook, read back by openpyxl: every value, no formula, the same bytes."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reports.workbook
from planner.motion.sampled_motion import sampled
from reports.content.report import report_content
from reports.content.table import Column, Table, Value, ValueStatus
from reports.drawn_samples import drawn_samples
from reports.provenance import provenance
from reports.workbook import CELL, cell_text, sheet_name, workbook

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")', "\t=1", "\r=1")
SHEETS = ["summary", "findings", "joints", "points", "motions", "clearances"]
SHEETS += ["validation", "cell", "provenance"]


@pytest.fixture(scope="module")
def report(plan, proved):
    drawn = drawn_samples(sampled(plan))
    return report_content(proved(plan), drawn, provenance(plan), errata=("Table 7 errs.",))


def opened(report):
    return openpyxl.load_workbook(io.BytesIO(workbook(report)))


def sheet_for(book, table):
    return book["motions" if table.key == "segments" else table.key]


def named(report, texts):
    """The report with given names of points."""
    row = report.points.rows[0]
    rows = tuple((Value(text=text), *row[1:]) for text in texts)
    return replace(report, points=replace(report.points, rows=rows))


def test_there_is_one_sheet_per_table(report):
    assert opened(report).sheetnames == SHEETS
    audit = Table(
        key="geometry",
        title="Geometry audit",
        columns=(Column(header="property", numeric=False),),
        rows=((Value(text="size"),),),
    )
    assert "geometry" in opened(replace(report, audit=audit)).sheetnames


def test_every_value_is_read_back(report):
    book = opened(report)
    for table in report.tables:
        sheet = sheet_for(book, table)
        head, *rows = sheet.iter_rows()
        told = [f"{c.header} [{c.unit}]" if c.unit else c.header for c in table.columns]
        assert [cell.value for cell in head] == told
        assert len(rows) == len(table.rows)
        for cells, values in zip(rows, table.rows, strict=True):
            for cell, value, column in zip(cells, values, table.columns, strict=True):
                if value.number is not None:
                    assert cell.data_type == "n"
                    # the file holds sixteen digits
                    assert cell.value == pytest.approx(value.number, rel=1e-15)
                elif column.numeric and value.text == "–":
                    assert cell.value is None
                else:
                    assert (cell.data_type, cell.value) == ("s", value.text)


def test_the_summary_tells_verdict_facts_notes_and_sheets(report):
    rows = list(opened(report)["summary"].iter_rows(values_only=True))
    assert rows[0] == ("what", "value", "unit", "detail")
    told = {row[0]: row[1:] for row in rows[1:]}
    assert told["job"][0] == report.title
    assert told["verdict"][0] == report.verdict
    assert told["duration"][:2] == (pytest.approx(1.20025), "s")
    assert told["note on the source"][0] == "Table 7 errs."
    assert told["sheet motions"][:2] == (6, "rows")


def test_findings_stand_with_their_hints(report):
    rows = list(opened(report)["findings"].iter_rows(values_only=True))
    finding = report.findings[0]
    assert rows[1] == (finding.code, "error", finding.where, finding.message, finding.hint)


def test_heads_stay_and_columns_can_be_filtered(report):
    for sheet in opened(report):
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref.startswith("A1:")
        assert 9 <= sheet.column_dimensions["A"].width <= 61


def test_a_status_is_a_colour_beside_the_text(report):
    served = opened(report)["points"]["B2"], opened(report)["points"]["B3"]
    assert [cell.value for cell in served] == ["yes", "no"]
    colours = [cell.fill.fgColor.rgb for cell in served]
    assert colours == ["FFE3F1EC", "FFFBE6DC"]


def test_a_number_shows_the_digits_of_the_report(report):
    assert opened(report)["points"]["D2"].number_format == "0.000"
    tiny = Value(text="8.88e−16", number=8.88e-16)
    row = (report.validation.rows[0][0], tiny, *report.validation.rows[0][2:])
    changed = replace(report, validation=replace(report.validation, rows=(row,)))
    assert opened(changed)["validation"]["B2"].number_format == "0.00E+00"


def test_no_text_becomes_a_formula(report):
    content = workbook(named(report, FORMULAS))
    sheet = openpyxl.load_workbook(io.BytesIO(content))["points"]
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]
    assert [cell.data_type for cell in cells] == ["s"] * len(FORMULAS)
    assert [cell.value for cell in cells[:5]] == list(FORMULAS[:5])
    assert all(cell.quotePrefix for cell in cells[:5])
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        for name in files.namelist():
            text = files.read(name)
            assert b"<f>" not in text
            assert b"<hyperlink" not in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\x00\x1b\x7fb\ud800", "ab"),
        ("one\ntwo\tthree", "one two three"),
        ("\u202eevil\u200f", "[U+202E]evil[U+200F]"),
        ("<b>&amp; 中 \U0001f642", "<b>&amp; 中 \U0001f642"),
        ("_x0041_", "_x0041_"),
    ],
)
def test_a_cell_holds_what_can_be_seen(report, text, told):
    assert cell_text(text) == told
    assert opened(named(report, [text]))["points"]["A2"].value in (
        told,
        told.replace("_x", "_x005F_x"),
    )


@pytest.mark.parametrize("letter", ["a", "\U0001f642"])
def test_a_cell_is_cut_at_excel_s_limit(report, letter):
    told = cell_text(letter * 40_000)
    assert told.endswith("…")
    assert CELL - 1 <= len(told.encode("utf-16-le")) // 2 <= CELL
    assert opened(named(report, [letter * 40_000]))["points"]["A2"].value == told
    assert cell_text("a" * CELL) == "a" * CELL


@given(st.text())
def test_any_text_finds_a_sheet_s_name(wanted):
    name = sheet_name(wanted, ["sheet", "points"])
    assert 1 <= len(name) <= 31
    assert not set(name) & set("[]:*?/\\")
    assert name.casefold() not in ("sheet", "points", "history")
    assert name.strip("'") == name


def test_names_of_sheets_differ_in_more_than_case():
    assert sheet_name("Points", ["points"]) == "Points 2"
    assert sheet_name("a" * 40, ["a" * 31]) == "a" * 29 + " 2"
    assert sheet_name("../a:b", []) == ".. a b"


def test_all_rows_stand_up_to_excel_s_limit_and_what_is_cut_is_said(report, monkeypatch):
    assert opened(named(report, [f"P{k}" for k in range(1500)]))["points"].max_row == 1501
    monkeypatch.setattr(reports.workbook, "ROWS", 10)
    cells = [row[0] for row in opened(named(report, "abcdefghijkl"))["points"].iter_rows()]
    assert len(cells) == 11
    assert cells[-1].value == "3 more rows find no room in a sheet"


def test_numbers_that_are_none_stay_texts(report):
    row = report.validation.rows[0]
    endless = Value(text="inf", number=float("inf"), status=ValueStatus.BAD)
    table = replace(report.validation, rows=((row[0], endless, *row[2:]),))
    assert opened(replace(report, validation=table))["validation"]["B2"].value == "inf"


def test_the_same_report_gives_the_same_bytes(report):
    content = workbook(report)
    assert workbook(report) == content
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        assert {entry.date_time for entry in files.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"1980-01-01T00:00:00Z" in files.read("docProps/core.xml")
