"""Tables: columns as in the contract, every value back to the last bit, no formulas."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import reports.tables
from planner.motion.sampled_motion import InMemory
from reports.tables import write_points, write_trajectory
from reports.visible_text import spreadsheet_text

COLUMNS = [
    *("t_s", "segment", "point"),
    *(f"q{k}_rad" for k in range(1, 6)),
    *(f"qd{k}_rad_s" for k in range(1, 6)),
    *(f"qdd{k}_rad_s2" for k in range(1, 6)),
    *(f"tau{k}_nm" for k in range(1, 6)),
    *("power_w", "x_m", "y_m", "z_m"),
]


@pytest.fixture
def written(plan, samples, tmp_path):
    return write_trajectory(plan, InMemory(samples=samples), tmp_path, as_csv=True)


@pytest.fixture(params=["parquet", "csv"])
def table(request, written):
    parquet, text = written
    if request.param == "parquet":
        return pd.read_parquet(parquet)
    return pc.read_csv(text).to_pandas()


def test_columns_are_those_of_the_contract(table):
    assert list(table.columns) == COLUMNS


def test_every_value_comes_back_to_the_last_bit(table, samples):
    np.testing.assert_array_equal(table["t_s"], samples.t)
    np.testing.assert_array_equal(table["segment"], samples.segment)
    for name, values in {"q{}_rad": samples.q, "qd{}_rad_s": samples.qd}.items():
        np.testing.assert_array_equal(table[[name.format(k) for k in range(1, 6)]], values)
    for name, values in {"qdd{}_rad_s2": samples.qdd, "tau{}_nm": samples.tau}.items():
        np.testing.assert_array_equal(table[[name.format(k) for k in range(1, 6)]], values)
    np.testing.assert_array_equal(table["power_w"], samples.power)
    np.testing.assert_array_equal(table[["x_m", "y_m", "z_m"]], samples.position)


def test_power_is_torque_times_speed(table):
    tau = table[[f"tau{k}_nm" for k in range(1, 6)]].to_numpy()
    qd = table[[f"qd{k}_rad_s" for k in range(1, 6)]].to_numpy()
    # five products of up to 480 W: rounding stays far below 1e-10 W
    np.testing.assert_allclose(table["power_w"], np.sum(tau * qd, axis=1), rtol=0, atol=1e-10)


def test_rows_belong_to_their_segment_s_point(table, plan):
    expected = [plan.timeline[k].point for k in table["segment"]]
    assert list(table["point"]) == expected


def test_the_end_of_the_motion_is_a_row(table, plan):
    assert table["t_s"].iloc[-1] == plan.timeline[-1].end


def test_the_parquet_file_says_which_side_is_meant(written):
    metadata = pq.read_schema(written[0]).metadata
    assert b"the side after it" in metadata[b"palpeur.rows"]


def test_parts_of_a_long_table_join_without_a_seam(plan, samples, tmp_path, monkeypatch):
    whole = [
        path.read_bytes()
        for path in write_trajectory(plan, InMemory(samples=samples), tmp_path, as_csv=True)
    ]
    monkeypatch.setattr(reports.tables, "_ROWS", 97)
    parquet, text = write_trajectory(plan, InMemory(samples=samples), tmp_path, as_csv=True)
    assert text.read_bytes() == whole[1]
    np.testing.assert_array_equal(pd.read_parquet(parquet)["t_s"], samples.t)


def digits(text):
    """Significant digits of a number as written."""
    return text.partition("e")[0].replace(".", "").lstrip("-0").rstrip("0")


def hard_numbers(count):
    """Doubles that are hard to write: any bits, subnormal, near powers of two and ten, special."""
    rng = np.random.default_rng(20)
    tens = np.array([float(f"1e{k}") for k in range(-323, 309)])
    twos = np.ldexp(1.0, np.arange(-1074, 1024))
    near = np.concatenate([np.nextafter(tens, 0.0), tens, np.nextafter(twos, 0.0), twos])
    known = [-0.0, 5e-324, 2e23, 9007199254740993.0, 2.2250738585072014e-308, np.inf, np.nan, 0.3]
    anywhere = rng.integers(0, 1 << 64, count, dtype=np.uint64).view(float)
    subnormal = rng.integers(0, 1 << 52, count // 10, dtype=np.uint64).view(float)
    return np.concatenate([known, near, subnormal, anywhere])[:count]


def test_csv_has_the_shortest_digits_that_read_back_as_the_same_double(plan, samples, tmp_path):
    numbers = hard_numbers(samples.q.size).reshape(samples.q.shape)
    changed = replace(samples, q=numbers)
    text = write_trajectory(plan, InMemory(samples=changed), tmp_path, as_csv=True)[1].read_text()
    cells = [line.split(",")[3:8] for line in text.splitlines()[1:]]
    np.testing.assert_array_equal(np.array(cells, dtype=float), numbers)
    finite = np.isfinite(numbers.ravel())
    pairs = zip(np.ravel(cells)[finite].tolist(), numbers.ravel()[finite].tolist(), strict=True)
    wrong = [text for text, value in pairs if digits(text) != digits(repr(value))]
    assert finite.sum() > 5_000
    assert wrong == []


def test_csv_cells_are_plain_and_lines_end_in_lf(written, plan):
    raw = written[1].read_bytes()
    assert b"\r" not in raw
    header, first = raw.split(b"\n")[:2]
    assert header.decode() == ",".join(COLUMNS)
    cells = first.decode().split(",")
    assert cells[:3] == ["0", "0", f'"{plan.timeline[0].point}"']
    assert '"' not in "".join(cells[3:])


@pytest.mark.parametrize("name", ["P1", '=HYPERLINK("x"),1', 'a\n"é', ""])
def test_names_of_any_letters_read_back(plan, samples, tmp_path, renamed, name):
    text = write_trajectory(renamed(plan, name), InMemory(samples=samples), tmp_path, as_csv=True)[
        1
    ]
    with text.open(encoding="utf-8", newline="") as file:
        found = {row["point"] for row in csv.DictReader(file)}
    assert spreadsheet_text(name) in found


def test_a_plan_without_motion_has_empty_tables(plan, samples, tmp_path):
    empty = replace(
        samples,
        **{name: getattr(samples, name)[:0] for name in ("t", "segment", "q", "qd", "qdd")},
        tau=samples.tau[:0],
        position=samples.position[:0],
    )
    parquet, text = write_trajectory(
        replace(plan, timeline=()), InMemory(samples=empty), tmp_path, as_csv=True
    )
    assert list(pd.read_parquet(parquet).columns) == COLUMNS
    assert text.read_text() == ",".join(COLUMNS) + "\n"


def points_of(plan, folder):
    with write_points(plan, folder).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_points_tell_where_and_how(plan, tmp_path):
    first, lost, last = points_of(plan, tmp_path)
    assert (first["name"], first["reachable"], first["branch"]) == (
        *("P1", "true"),
        "shoulder+ elbow+ wrist-",
    )
    contact = [float(first[f"{axis}_mm"]) for axis in "xyz"]
    np.testing.assert_array_equal(contact, 1e3 * plan.placed.contacts[0])
    normal = [float(first[f"n{axis}"]) for axis in "xyz"]
    np.testing.assert_array_equal(normal, plan.placed.normals[0])
    q = [float(last[f"q{k}_contact_deg"]) for k in range(1, 6)]
    np.testing.assert_array_equal(q, np.degrees(plan.planned_points[2].q_contact))
    assert last["margin_joint"] == "q2"
    assert lost["reachable"] == "false"
    assert lost["branch"] == lost["q1_contact_deg"] == lost["joint_margin_deg"] == ""
    assert lost["x_mm"] != ""


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1"])
def test_names_are_no_formulas(name):
    assert spreadsheet_text(name) == f"'{name}"


@pytest.mark.parametrize("name", ["P1", "a=b", "", "é+"])
def test_other_names_stay_as_they_are(name):
    assert spreadsheet_text(name) == name


def test_both_csv_files_quote_formulas_and_parquet_keeps_the_name(plan, samples, tmp_path, renamed):
    name = '=HYPERLINK("x"),1'
    changed = renamed(plan, name)
    parquet, text = write_trajectory(changed, InMemory(samples=samples), tmp_path, as_csv=True)
    assert pd.read_csv(text)["point"].iloc[0] == f"'{name}"
    assert points_of(changed, tmp_path)[0]["name"] == f"'{name}"
    assert pd.read_parquet(parquet)["point"].iloc[0] == name
