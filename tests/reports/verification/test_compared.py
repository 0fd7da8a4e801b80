"""Numbers and bytes of two sets: what differs is found, counted and named."""

from __future__ import annotations

import json
import math

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from planner.progress import silent
from reports.verification.numbers import Tally, compare_documents
from reports.verification.record import read_record
from reports.verification.verified import compared


@pytest.fixture
def compare(folder, original):
    """``compare(bytewise=...)``: the copy, perhaps spoiled, beside the original."""
    listed = frozenset(file.name for file in read_record(original).files)

    def run(*, bytewise: bool = False, names=listed):
        return compared(folder, original, names, silent, bytewise=bytewise)

    return run


def edited(folder, edit):
    path = folder / "plan.json"
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("bytewise", [True, False])
def test_equal_sets_have_no_difference(compare, bytewise):
    found = compare(bytewise=bytewise)
    assert found.tally.differing == 0
    assert found.unlike == ()
    assert found.same == (5 if bytewise else 4)
    assert found.skipped == (() if bytewise else ("README.txt",))


def test_every_number_of_the_plan_counts(compare, folder):
    edited(folder, lambda d: d["segments"][3].update(duration_s=d["segments"][3]["duration_s"] + 1))
    edited(folder, lambda d: d.update(duration_s=d["duration_s"] * (1 + 2e-9)))
    tally = compare().tally
    assert tally.differing == 2
    assert tally.files == {"plan.json"}
    assert tally.first.where == "duration_s"
    assert tally.first.relative == pytest.approx(2e-9, rel=1e-6)
    assert tally.worst.where == "segments[3].duration_s"
    assert math.isfinite(tally.worst.relative)


def test_rounding_is_no_difference_but_other_bytes_are(compare, folder):
    edited(folder, lambda d: d.update(duration_s=d["duration_s"] * (1 + 1e-12)))
    assert compare().tally.differing == 0
    found = compare(bytewise=True)
    assert found.tally.differing == 0
    assert [(one.name, one.reason) for one in found.unlike] == [
        ("plan.json", "is not what the inputs give")
    ]


def test_a_huge_claim_excuses_no_other(compare, folder):
    edited(folder, lambda d: d["points"][0].update(singularity_margin=1e300))
    edited(folder, lambda d: d["points"][1].update(singularity_margin=0.0))
    assert compare().tally.differing == 2


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "2.79", True, [1.0], {"a": 1}])
def test_what_is_no_such_number_differs(compare, folder, value):
    edited(folder, lambda d: d.update(duration_s=value))
    found = compare()
    assert found.tally.differing == 1
    assert found.tally.first.where == "duration_s"
    assert found.tally.worst.relative == math.inf


@pytest.mark.parametrize(
    ("edit", "where"),
    [
        (lambda d: d["points"].pop(), "points (how many)"),
        (lambda d: d["findings"].append({"code": "P999"}), "findings (how many)"),
        (lambda d: d.pop("feasible"), "feasible"),
        (lambda d: d.update(extra=1), "extra"),
        (lambda d: d["points"][2].update(branch="other"), "points[2].branch"),
        (lambda d: d["points"][2].update(reachable=1), "points[2].reachable"),
        (lambda d: d["validation"].update(passed=False), "validation.passed"),
        (lambda d: d["validation"]["checks"][0].update(limit=1.0), "validation.checks[0].limit"),
    ],
)
def test_every_word_of_the_plan_counts(compare, folder, edit, where):
    edited(folder, edit)
    assert compare().tally.first.where == where


def test_wording_of_another_version_and_residuals_below_the_limit_do_not_count(compare, folder):
    def reword(document):
        document["palpeur"] = "9.9.9"
        check = document["validation"]["checks"][0]
        check["value"] = check["limit"] * 0.9

    edited(folder, reword)
    assert compare().tally.differing == 0
    edited(folder, lambda d: d["validation"]["checks"][0].update(value=1e3))
    assert compare().tally.first.where == "validation.checks[0].value"


def test_the_finest_of_a_column_is_compared_with_its_largest():
    tally = Tally()
    found = {"rows": [{"x": 1.0}, {"x": 1e-17}]}
    compare_documents(tally, "a", {"rows": [{"x": 1.0}, {"x": -3e-17}]}, found)
    assert tally.differing == 0
    compare_documents(tally, "a", {"rows": [{"x": 1.0}, {"x": 1e-8}]}, found)
    assert tally.differing == 1


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "x" * 10_000_000])
def test_a_plan_that_is_none_differs(compare, folder, content):
    (folder / "plan.json").write_text(content)
    assert compare().tally.first.where == "the whole file"


def test_a_sample_that_was_moved_is_named(compare, folder):
    lines = (folder / "trajectory.csv").read_text().splitlines()
    cells = lines[101].split(",")
    cells[3] = repr(float(cells[3]) + 1e-3)
    lines[101] = ",".join(cells)
    cells = lines[2001].split(",")
    cells[4] = repr(float(cells[4]) + 1.0)
    lines[2001] = ",".join(cells)
    (folder / "trajectory.csv").write_text("\n".join(lines) + "\n")
    tally = compare().tally
    assert tally.differing == 2
    assert (tally.first.file, tally.first.where) == ("trajectory.csv", "row 101, q1_rad")
    assert tally.worst.where == "row 2001, q2_rad"


def test_a_sample_of_the_parquet_file_too_in_row_groups_of_any_size(compare, folder):
    path = folder / "trajectory.parquet"
    table = pq.read_table(path)
    pq.write_table(table, path, row_group_size=7)
    assert compare().tally.differing == 0
    values = table["power_w"].to_pylist()
    values[5] += 1.0
    column = table.schema.names.index("power_w")
    pq.write_table(table.set_column(column, "power_w", pyarrow.array(values)), path)
    tally = compare().tally
    assert (tally.differing, tally.first.where) == (1, "row 6, power_w")


def test_names_in_the_trajectory_count(compare, folder):
    text = (folder / "trajectory.csv").read_text().replace('"P1"', '"P2"', 1)
    (folder / "trajectory.csv").write_text(text)
    tally = compare().tally
    assert tally.differing == 1
    assert (tally.first.where, tally.first.claimed, tally.first.found) == (
        "row 1, point",
        "P2",
        "P1",
    )


@pytest.mark.parametrize("name", ["trajectory.csv", "points.csv"])
def test_rows_that_are_missing_or_too_many_are_told(compare, folder, name):
    lines = (folder / name).read_text().splitlines()
    for changed in (lines[:-1], [*lines, lines[-1]]):
        (folder / name).write_text("\n".join(changed) + "\n")
        tally = compare().tally
        assert tally.first.where == "rows"
        assert tally.first.claimed == str(len(changed) - 1)
        assert tally.first.found == str(len(lines) - 1)


@pytest.mark.parametrize("name", ["trajectory.csv", "trajectory.parquet", "points.csv"])
@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00", b"x" * 300_000])
def test_a_table_that_is_none_differs(compare, folder, name, content):
    (folder / name).write_bytes(content)
    found = compare()
    assert found.tally.files == {name}


def test_a_cell_of_the_points_is_named(compare, folder):
    text = (folder / "points.csv").read_text().splitlines()
    cells = text[3].split(",")
    cells[2] = "1e9"
    text[3] = ",".join(cells)
    (folder / "points.csv").write_text("\n".join(text) + "\n")
    assert compare().tally.first.where == "row 3, x_mm"


def test_missing_and_added_files_are_told(compare, folder):
    (folder / "points.csv").unlink()
    found = compare(names=frozenset({"plan.json", "trajectory.csv", "points.csv", "evil.html"}))
    assert [(one.name, one.reason) for one in found.unlike] == [
        ("points.csv", "is missing"),
        ("trajectory.parquet", "is missing from the set's list"),
    ]
    assert found.skipped == ("README.txt", "evil.html")
    found = compare(names=frozenset({"evil.html"}), bytewise=True)
    assert ("evil.html", "is nothing that the inputs give") in [
        (one.name, one.reason) for one in found.unlike
    ]
