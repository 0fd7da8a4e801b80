"""summary.csv, .parquet and .json: same columns, same rows, same bytes, hostile texts as text."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import pytest

from planner.batch.outcome import CaseStatus, Outcome, outcome_of
from reports.batch.files import previous_rows, write_csv, write_json, write_parquet, write_summary
from reports.batch.rows import columns_of

pq = pytest.importorskip("pyarrow.parquet")

FORMULA = ("=", "+", "-", "@", "\t", "\r")
SAME = ("summary.csv", "summary.parquet", "summary.json", "junit.xml")


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_the_columns_are_those_of_the_contract(every_kind, tmp_path):
    write_csv(every_kind, tmp_path / "t.csv")
    head, *rows = read_csv(tmp_path / "t.csv")
    assert head == [
        *("name", "status", "code", "where", "message", "unchecked"),
        *("clearance_mm", "duration_s", "joint_margin_deg", "torque_fraction"),
        *("findings_P101", "findings_P203", "digest", "report"),
    ]
    assert [row[1] for row in rows] == [status.value for status in CaseStatus]
    assert rows[0][6:12] == ["", "2.7931", "12.5", "0.61", "0", "2"]
    assert rows[1][6:12] == ["1.25", "2.7931", "12.5", "0.61", "1", "0"]
    assert rows[2][6:12] == [""] * 6  # of a job that was never planned nothing is known


def test_what_was_not_checked_is_in_every_table_and_is_read_back(tmp_path, feasible_rows):
    proven, open_one = feasible_rows
    write_summary([proven, open_one], tmp_path, title="a")
    head, *rows = read_csv(tmp_path / "summary.csv")
    column = head.index("unchecked")
    assert [row[column] for row in rows] == ["", "part geometry, torque limits"]
    table = pq.read_table(tmp_path / "summary.parquet").to_pylist()
    assert [row["unchecked"] for row in table] == ["", "part geometry, torque limits"]
    document = json.loads((tmp_path / "summary.json").read_text())
    told = [row["unchecked"] for row in document["rows"]]
    assert told == [[], ["part geometry", "torque limits"]]
    read = previous_rows(tmp_path)
    assert [row.outcome.unchecked for row in read] == [(), open_one.outcome.unchecked]
    junit = (tmp_path / "junit.xml").read_text()
    assert junit.count("<system-out>not checked: part geometry, torque limits<") == 1
    for row in (proven, open_one):
        assert outcome_of(row.outcome.document()) == row.outcome


def test_parquet_reads_back(every_kind, tmp_path):
    write_parquet(every_kind, tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.column_names == list(columns_of(every_kind).names)
    lines = table.to_pylist()
    assert [line["digest"] for line in lines] == [row.digest for row in every_kind]
    assert lines[1]["clearance_mm"] == 1.25
    assert lines[2]["duration_s"] is None
    assert lines[2]["findings_P101"] is None


def test_json_has_totals_and_one_row_per_line(every_kind, tmp_path):
    write_json(every_kind, tmp_path / "t.json")
    text = (tmp_path / "t.json").read_text(encoding="ascii")
    document = json.loads(text)
    assert document["jobs"] == 7
    assert document["by_status"] == {status.value: 1 for status in CaseStatus}
    assert document["reasons"]["P101"] == 1
    assert "" not in document["reasons"]
    assert document["rows"][0]["figures"]["duration_s"] == 2.7931
    assert sum(line.startswith('{"name"') for line in text.splitlines()) == 7


def test_what_was_measured_is_not_in_what_is_compared(every_kind, tmp_path):
    other = [replace(row, seconds=9e9, peak_bytes=1, why="code changed") for row in every_kind]
    for rows, name in ((every_kind, "one"), (other, "two")):
        (tmp_path / name).mkdir()
        write_summary(rows, tmp_path / name, title=name)
    for name in SAME:
        one, two = ((tmp_path / folder / name).read_bytes() for folder in ("one", "two"))
        assert one == two, name
    pages = [(tmp_path / folder / "dashboard.html").read_bytes() for folder in ("one", "two")]
    assert pages[0] != pages[1]


def test_the_same_rows_give_the_same_bytes(generated, before, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_summary(generated, tmp_path / name, title="same", previous=before)
    for name in (*SAME, "dashboard.html"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_no_cell_is_a_formula(hostile, tmp_path):
    write_csv(hostile, tmp_path / "t.csv")
    rows = read_csv(tmp_path / "t.csv")
    assert len(rows) == len(hostile) + 1
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if cell.startswith(FORMULA)]


def test_hostile_texts_come_back(hostile, tmp_path):
    write_parquet(hostile, tmp_path / "t.parquet")
    write_json(hostile, tmp_path / "t.json")
    document = json.loads((tmp_path / "t.json").read_bytes())
    wanted = [row.name.replace("\ud800", "\\ud800") for row in hostile]  # no UTF-8 holds a half
    assert [row["name"] for row in document["rows"]] == wanted
    json.dumps(document, ensure_ascii=False).encode("utf-8")  # nor has it elsewhere, in JSON
    names = pq.read_table(tmp_path / "t.parquet").column("name").to_pylist()
    assert names == wanted


def test_figures_that_are_called_like_a_column_get_another_name(every_kind, tmp_path):
    outcome = Outcome(
        status=CaseStatus.FEASIBLE,
        figures={"name": 1.0, "findings_P1": 2.0, "odd": math.inf, "fine": math.nan},
        findings={"P1": 3},
    )
    rows = [replace(every_kind[0], outcome=outcome)]
    names = columns_of(rows).names
    assert len(set(names)) == len(names)
    assert {"figure_name", "figure_findings_P1", "findings_P1"} < set(names)
    assert not {"odd", "fine"} & set(names)  # no numbers
    write_parquet(rows, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").to_pylist()[0]["figure_name"] == 1.0


SWEPT = (
    {"travel.law": "quintic", "name": 1, "step": 2, "on": True, "mixed": 1, "big": 2**70},
    {"travel.law": "=1+1", "name": 2, "step": 0.5, "on": False, "mixed": "a", "big": 1},
)


@pytest.fixture
def swept(every_kind):
    """Rows of a sweep, then one of none."""
    pairs = zip(every_kind, SWEPT, strict=False)
    return [*(replace(row, swept=values) for row, values in pairs), every_kind[2]]


def test_swept_keys_are_columns(swept, tmp_path):
    write_csv(swept, tmp_path / "t.csv")
    head, *rows = read_csv(tmp_path / "t.csv")
    assert head[6:12] == ["travel.law", "swept_name", "step", "on", "mixed", "big"]
    assert [row[6:12] for row in rows] == [
        ["quintic", "1", "2", "true", "1", str(2**70)],
        ["'=1+1", "2", "0.5", "false", "a", "1"],
        [""] * 6,
    ]


def test_swept_values_keep_their_kind_in_parquet_and_json(swept, tmp_path):
    write_parquet(swept, tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet")
    kinds = [str(table.schema.field(name).type) for name in columns_of(swept).names[6:12]]
    assert kinds == ["string", "int64", "double", "bool", "string", "string"]
    assert table.column("step").to_pylist() == [2.0, 0.5, None]
    assert table.column("big").to_pylist() == [str(2**70), "1", None]
    assert table.column("on").to_pylist() == [True, False, None]
    write_json(swept, tmp_path / "t.json")
    rows = json.loads((tmp_path / "t.json").read_bytes())["rows"]
    assert [row["swept"] for row in rows] == [*SWEPT, {}]


def test_no_two_columns_have_one_name(every_kind):
    figures = {"points": 9.0, "swept_points": 1.0}
    outcome = replace(every_kind[0].outcome, figures=figures)
    keys = {"points": "[1]", "swept_points": 2, "digest": 3, "findings_P203": 4}
    names = columns_of([replace(every_kind[0], outcome=outcome, swept=keys)]).names
    assert len(set(names)) == len(names)
    assert {"swept_swept_points", "swept_digest", "swept_findings_P203"} < set(names)


def test_hostile_swept_keys_and_values(hostile, tmp_path):
    rows = [replace(row, swept={row.name: row.name}) for row in hostile]
    write_csv(rows, tmp_path / "t.csv")
    write_parquet(rows, tmp_path / "t.parquet")
    write_json(rows, tmp_path / "t.json")
    cells = [cell for row in read_csv(tmp_path / "t.csv") for cell in row]
    assert not [cell for cell in cells if cell.startswith(FORMULA)]
    assert len(set(columns_of(rows).names)) == len(columns_of(rows).names)


def test_a_batch_without_results_has_its_files(tmp_path):
    write_summary((), tmp_path, title="nothing")
    assert read_csv(tmp_path / "summary.csv") == [list(columns_of(()).names)]
    assert json.loads((tmp_path / "summary.json").read_bytes())["rows"] == []
    assert pq.read_table(tmp_path / "summary.parquet").num_rows == 0
