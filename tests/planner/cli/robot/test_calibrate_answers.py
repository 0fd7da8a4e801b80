"""``palpeur robot calibrate``: a plan, its measurements, the calibrated robot file."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from planner.cli.robot.calibration import read_measurements
from planner.errors import OptionError, StatesError
from reports.models.calibration import posture_table
from robots.core.identification.arm import IdentifiedArm
from robots.core.identification.calibration import calibrate
from robots.core.identification.identifiability import candidates
from robots.core.identification.measurements import MeasurementKind
from robots.core.mechanism import with_stylus
from robots.core.model import Model
from robots.library import load, open_robot

ARM = with_stylus(load("measuring-arm"), 0.15)
STYLUS = ("--stylus-mm", "150")


@cache
def measured(kind: MeasurementKind, starts: int = 120) -> str:
    """A table that an arm with errors of 0.3 mm and 0.3 mrad would give."""
    arm = IdentifiedArm(ARM, kind)
    errors = 3e-4 * np.random.default_rng(4).normal(size=len(arm.names))
    if kind is MeasurementKind.SPHERE:
        errors[-1] = 0.0
    true = IdentifiedArm(arm.corrected(errors), kind)
    at = np.array([[1.0, 0.6, 0.5], [0.2, -1.3, 0.4]])
    given = candidates(true, starts, centres=at, length=0.4)
    table = posture_table(ARM, given)
    if kind is not MeasurementKind.POINT:
        return table
    lines = table.splitlines()
    rows = zip(lines[1:], 1e3 * given.points, strict=True)
    with_points = [f"{line},{','.join(f'{x:.7f}' for x in p)}" for line, p in rows]
    return "\n".join([f"{lines[0]},x_mm,y_mm,z_mm", *with_points]) + "\n"


def calibrated(palpeur, text, *options):
    return palpeur(
        "robot", "calibrate", "measuring-arm", "--measurements", "-", *STYLUS, *options, stdin=text
    )


@pytest.mark.parametrize("kind", list(MeasurementKind))
def test_a_table_gives_a_better_arm_and_its_file(palpeur, tmp_path, kind):
    out = tmp_path / "calibrated.toml"
    ran = calibrated(palpeur, measured(kind), "--json", "--out", out)
    assert ran.code == 0
    document = ran.json
    assert document["kind"] == kind.value
    assert document["improved"] is True
    # A table has micro-degrees: 2e-8 rad at 2.7 m.
    assert document["residual"]["after_rms_m"] < 1e-7
    assert document["validation"]["after_rms_m"] < 1e-3 * document["validation"]["before_rms_m"]
    assert len(document["covariance"]) == len(document["parameters"])
    assert document["file"] == str(out)
    # The file holds the arm: its forward model and that of the library call are the same.
    given = read_measurements_of(measured(kind), tmp_path)
    found = calibrate(ARM, given)
    q = given.q[:20]
    ours = Model(open_robot(str(out))).forward(q)
    np.testing.assert_allclose(ours, Model(found.mechanism).forward(q), atol=1e-12)
    text = out.read_text(encoding="utf-8")
    assert "measurements in standard input: residual" in text
    assert 'name = "measuring-arm, calibrated"' in text
    assert palpeur("robot", "check", out).code == 0


def read_measurements_of(text, folder):
    path = folder / "measured.csv"
    path.write_text(text, encoding="utf-8")
    return read_measurements(str(path), ARM, "")


def test_the_text_says_what_was_found_and_what_was_not(palpeur):
    ran = calibrated(palpeur, measured(MeasurementKind.LENGTH))
    assert ran.code == 0
    assert "q3 beta" in ran.out
    assert "q3 r stays: looks like +1 q2 r" in ran.out
    assert "q1 theta stays: no effect on what is measured" in ran.out
    assert "kept out, mm:" in ran.out


def test_a_plan_can_be_measured(palpeur, tmp_path):
    path = tmp_path / "plan.csv"
    ran = palpeur(
        *("robot", "calibrate", "measuring-arm", "--plan", "24", "--out", path, "--json"),
        *("--at", "1000,600,500", "--at", "200,-1300,400", *STYLUS),
    )
    assert ran.code == 0
    document = ran.json
    assert document["worst_m"] < document["random"]["best_m"]
    assert document["gain"] > 1.2
    assert [sphere["name"] for sphere in document["spheres"]] == ["1", "2"]
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert len(rows) == 24
    assert list(rows[0]) == ["sphere", *(f"q{k}_deg" for k in range(1, 6))]
    given = read_measurements(str(path), ARM, "")
    assert given.kind is MeasurementKind.SPHERE
    # Measured as planned the arm is nominal: nothing gets better, and the code says so.
    again = palpeur("robot", "calibrate", "measuring-arm", "--measurements", path, *STYLUS)
    assert again.code == 1


def test_what_cannot_be_told_ends_with_one(palpeur):
    text = measured(MeasurementKind.SPHERE)
    few = "\n".join(text.splitlines()[:7]) + "\n"
    ran = calibrated(palpeur, few, "--json")
    assert ran.code == 1
    assert ran.json["identifiable"] is False
    assert "equations for" in ran.json["message"]
    ran = calibrated(palpeur, text, "--parameters", "q2 r,q3 r")
    assert ran.code == 1
    assert "q3 r looks like +1 q2 r" in ran.out


def test_an_arm_that_is_right_already_is_not_written(palpeur, tmp_path):
    given = candidates(IdentifiedArm(ARM, MeasurementKind.LENGTH), 120, length=0.4)
    rng = np.random.default_rng(3)
    given = replace(given, lengths=given.lengths + 1e-4 * rng.normal(size=given.count))
    out = tmp_path / "no.toml"
    ran = calibrated(palpeur, posture_table(ARM, given), "--out", out)
    assert ran.code == 1
    assert "does no better than the nominal one" in ran.out
    assert not out.exists()


def test_outliers_are_listed_and_dropped_when_asked(palpeur):
    lines = measured(MeasurementKind.POINT).splitlines()
    cells = lines[10].split(",")
    cells[-1] = str(float(cells[-1]) + 2.0)
    text = "\n".join([*lines[:10], ",".join(cells), *lines[11:]]) + "\n"
    ran = calibrated(palpeur, text, "--json")
    assert [o["measurement"] for o in ran.json["outliers"]] == [10]
    assert ran.json["outliers"][0]["misfit_m"] == pytest.approx(2e-3, rel=0.05)
    dropped = calibrated(palpeur, text, "--json", "--drop-outliers").json
    assert dropped["measurements"] == ran.json["measurements"] - 1
    assert dropped["residual"]["after_rms_m"] < 1e-7


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "the file is empty"),
        (
            "sphere,q1_deg\n1,2\n",
            "columns q2_deg, q3_deg, q4_deg, q5_deg are missing beside q1_deg.",
        ),
        ("sphere,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\n1,2,3,4,5\n", "line 2: 5 cells"),
        (
            "sphere;q1_deg;q2_deg;q3_deg;q4_deg;q5_deg\n1,2;3;4\n",
            "line 2: 3 cells where the header has 6 columns; separate by "
            "semicolons and write decimals with a point.",
        ),
        ("sphere,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\n\n,2,3,4,5,6\n", "line 3, column sphere"),
        (
            "pair,length_mm,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\na,9,1,2,3,4,5\na,8,2,3,4,5,6\n",
            "line 3, column length_mm: found '8'; expected the length of pair 'a'",
        ),
    ],
)
def test_tables_that_cannot_be_read(tmp_path, text, found):
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StatesError) as caught:
        read_measurements(str(path), ARM, "")
    assert found in caught.value.message


def test_semicolons_separate_as_commas_do(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("q1_deg;q2_deg;q3_deg;q4_deg;q5_deg;sphere\n1;2;3;4;5;a\n", encoding="utf-8")
    np.testing.assert_allclose(
        read_measurements(str(path), ARM, "sphere").q, np.deg2rad([[1, 2, 3, 4, 5]])
    )


def test_a_kind_that_the_columns_leave_open(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\n1,2,3,4,5\n", encoding="utf-8")
    with pytest.raises(OptionError, match="speak of none"):
        read_measurements(str(path), ARM, "")
    given = read_measurements(str(path), ARM, "sphere")
    assert given.names == ("1",)
    with pytest.raises(OptionError, match="choose one of sphere, length, point"):
        read_measurements(str(path), ARM, "cube")
    with pytest.raises(StatesError, match="length_mm"):
        read_measurements(str(path), ARM, "length")


def test_options_that_do_not_go_together(palpeur):
    ran = palpeur("robot", "calibrate", "measuring-arm")
    assert ran.code == 2
    assert "either --measurements FILE or --plan N" in ran.err
    text = measured(MeasurementKind.LENGTH, 40)
    assert "belong together" in calibrated(palpeur, text, "--prior-mm", "1").err
    ran = palpeur("robot", "calibrate", "measuring-arm", "--plan", "20", "--at", "1,2")
    assert ran.code == 2
    assert "x,y,z in millimetres" in ran.err


def test_a_calibrated_arm_does_no_better_on_its_own_measurements(palpeur, tmp_path):
    """Axes that a calibration leaves almost parallel tell almost nothing: they are left out."""
    text, out = measured(MeasurementKind.POINT), tmp_path / "arm.toml"
    assert calibrated(palpeur, text, "--out", out).code == 0
    table = tmp_path / "again.csv"
    table.write_text(text, encoding="utf-8")
    again = palpeur("robot", "calibrate", out, "--measurements", table)
    assert (again.code, again.err) == (1, "")
    assert "does no better than the nominal one" in again.out


@pytest.mark.parametrize("kind", [MeasurementKind.POINT, MeasurementKind.LENGTH])
@pytest.mark.parametrize(("told", "meant", "factor"), [("_mm", "_m", 1000), ("_m", "_mm", 1000)])
def test_a_wrong_unit_is_refused_beside_what_the_arm_says(palpeur, kind, told, meant, factor):
    lines = measured(kind).splitlines()
    columns = ("x", "y", "z") if kind is MeasurementKind.POINT else ("length",)
    header = lines[0].split(",")
    places = [header.index(f"{name}_mm") for name in columns]
    rows = [line.split(",") for line in lines[1:]]
    if meant == "_m":  # metres below a header of millimetres
        for row in rows:
            for place in places:
                row[place] = repr(1e-3 * float(row[place]))
    names = [name.replace("_mm", told) if k in places else name for k, name in enumerate(header)]
    text = "\n".join(",".join(row) for row in (names, *rows)) + "\n"
    ran = calibrated(palpeur, text)
    assert ran.code == 2
    assert f"a factor of {factor}. Correct the unit" in ran.err
