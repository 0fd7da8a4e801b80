"""``palpeur evaluate`` and ``palpeur uncertainty``: exit codes, text, JSON, files, bad input."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

from planner.library import path_of

TOLERANCE = '\n[[tolerance]]\nfeature = "plane"\nkind = "{kind}"\nvalue_mm = {value}\n'
UNCERTAINTY = """
[uncertainty]
encoder_deg = 0.0005
length_mm = 0.01
probe_mm = 0.002
samples = 300
"""


@pytest.fixture
def job(tmp_path):
    """The nine points, which are one feature; ``job(tables)`` → path of the job file."""
    folder = shutil.copytree(path_of("nine-points-corrected").parent, tmp_path / "nine")

    def write(tables=""):
        path = folder / "job.toml"
        path.write_text(path.read_text() + tables)
        return path

    return write


@pytest.fixture
def measured(job, tmp_path):
    """``measured(deviations)`` → path of the nine points, moved along their normals. [mm]."""
    with (job().parent / "points.csv").open() as file:
        rows = list(csv.DictReader(file))

    def write(deviations=0.0, rows=rows):
        away = np.broadcast_to(deviations, len(rows))
        lines = ["name,x_mm,y_mm,z_mm"]
        for row, d in zip(rows, away, strict=True):
            place = [float(row[f"{a}_mm"]) + d * float(row[f"n{a}"]) for a in "xyz"]
            lines.append(",".join([row["name"], *map(repr, map(float, place))]))
        path = tmp_path / "measured.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def presented(request, tmp_path):
    """A block on a hexapod whose legs alone are uncertain: job file, and its points as measured."""
    request.getfixturevalue("presented_once")
    source = Path(__file__).parents[2] / "presenting" / "job"
    folder = shutil.copytree(source, tmp_path / "presented")
    path = folder / "job.toml"
    tables = "[uncertainty]\nsamples = 300\n[evaluation]\ncompensated = true\n"
    path.write_text(path.read_text() + "\n" + tables)
    return path, folder / "points.csv"


def flatness(value):
    return TOLERANCE.format(kind="flatness", value=value)


@pytest.mark.parametrize(("tolerance", "code", "verdict"), [(0.05, 0, "pass"), (0.03, 1, "FAIL")])
def test_the_exit_code_is_the_verdict(palpeur, job, measured, tolerance, code, verdict):
    # P5 is amid the others, opposite pairs of which stay on the plane: whatever plane is taken, it
    # lies 40 µm from the mean of such a pair, so the minimum zone is 40 µm wide.
    ran = palpeur("evaluate", job(flatness(tolerance)), measured([*[0.0] * 4, 0.04, *[0.0] * 4]))
    row = next(line for line in ran.out.splitlines() if line.startswith("plane flatness"))
    assert verdict in row
    assert "0.0400" in row
    assert ran.code == code


def test_without_tolerances_it_tells_and_passes(palpeur, job, measured):
    ran = palpeur("evaluate", job(), measured(0.01))
    assert ran.code == 0
    assert "nothing to pass or fail" in ran.out
    assert "form LSQ mm  minimum zone mm" in ran.out


def test_json_is_one_document(palpeur, job, measured):
    ran = palpeur("evaluate", job(flatness(1)), measured(0.01), "--json")
    assert ran.code == 0
    assert ran.json["alignment"]["method"] == "none"
    deviations = [point["deviation_m"] for point in ran.json["points"]]
    assert deviations == pytest.approx([1e-5] * 9, abs=1e-8)  # normals of the job are rounded


def test_the_command_line_may_align_otherwise(palpeur, job, measured):
    ran = palpeur("evaluate", job(), measured(0.01), "--align", "points", "--json")
    assert ran.json["alignment"]["method"] == "points"
    assert ran.json["alignment"]["rms_after_m"] < 1e-8  # a shift along the normal is no form


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (
            "best",
            "there is no such alignment; choose from none, points, normals, surface, datums, rps.",
        ),
        ("surface", "the job has no part.geometry"),
        ("datum", "the job names no datums"),
        ("datums", "the job names no datums"),
    ],
)
def test_an_alignment_that_cannot_be_is_refused(palpeur, job, measured, how, told):
    ran = palpeur("evaluate", job(), measured(), "--align", how)
    assert ran.code == 2
    assert told in ran.err


def test_a_measured_file_that_is_not_there_is_named(palpeur, job, tmp_path):
    ran = palpeur("evaluate", job(), tmp_path / "nothing.csv")
    assert ran.code == 2
    assert "nothing.csv" in ran.err


def test_a_robot_is_for_joint_readings_only(palpeur, job, measured):
    ran = palpeur("evaluate", job(), measured(), "--robot", "arm.toml")
    assert ran.code == 2
    assert "not joint readings" in ran.err


def test_a_robot_file_that_is_not_there_is_named(palpeur, job, file):
    readings = file("q.csv", "name,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg\nP1,0,0,0,0,0\n")
    ran = palpeur("evaluate", job(), readings, "--robot", "nowhere.toml")
    assert ran.code == 2
    assert "nowhere.toml" in ran.err


def test_a_foreign_folder_is_refused_before_the_work(palpeur, job, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    ran = palpeur("evaluate", job(), tmp_path / "nothing.csv", "--out", tmp_path / "mine")
    assert ran.code == 2
    assert "notes.txt" in ran.err


def test_the_set_is_written_and_told_on_stderr(palpeur, job, measured, tmp_path):
    path, points, out = job(flatness(1)), measured(0.01), tmp_path / "set"
    ran = palpeur("evaluate", path, points, "--out", out, "--json")
    assert ran.code == 0
    assert ran.json["format"] == 1
    assert "Report set written" in ran.err
    assert (out / "evaluation.json").read_text(encoding="utf-8") == ran.out
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "palpeur evaluate job.toml measured.csv" in page  # no folder in the provenance
    assert str(tmp_path) not in page


def test_uncertainties_reach_the_characteristics(palpeur, job, measured):
    ran = palpeur("evaluate", job(flatness(1) + UNCERTAINTY), measured(0.0), "--json")
    assert ran.code == 0
    item = ran.json["characteristics"][0]
    assert item["uncertainty"]["expanded_m"] > 1e-6  # the probe's alone is 2 µm on each point
    assert item["verdict"] == "pass"
    assert len(ran.json["uncertainty"]["points"]) == 9


def test_uncertainty_needs_its_table(palpeur, job):
    ran = palpeur("uncertainty", job())
    assert ran.code == 2
    assert "no [uncertainty], and nothing is guessed" in ran.err


@pytest.mark.parametrize("table", ["[uncertainty]\n", "[uncertainty]\nsamples = 300\ndigits = 2\n"])
def test_a_table_that_names_nothing_wrong_is_refused(palpeur, job, measured, table):
    points, path = measured(), job("\n" + table)
    for command in (("uncertainty", path), ("evaluate", path, points)):
        ran = palpeur(*command)
        assert ran.code == 2
        assert "names nothing that is wrong" in ran.err


def test_uncertainty_tells_every_point_and_the_budget(palpeur, job, tmp_path):
    path, out = job(UNCERTAINTY), tmp_path / "set"
    ran = palpeur("uncertainty", path, "--out", out)
    assert ran.code == 0
    told = [line.split()[0] for line in ran.out.splitlines() if "…" in line]
    assert told == [f"P{k}" for k in range(1, 10)]
    assert "lengths" in ran.out
    assert (out / "uncertainty.json").is_file()
    document = palpeur("uncertainty", path, "--json").json
    assert len(document["points"]) == 9
    assert all(point["samples"] == 300 for point in document["points"])


def test_a_point_that_is_not_reached_is_exit_code_1(palpeur, job, measured):
    path, points = job(UNCERTAINTY + flatness(1)), measured(0.0)
    with (path.parent / "points.csv").open("a") as file:
        file.write("far,9000,9000,9000,0,0,1,elsewhere\n")
    ran = palpeur("uncertainty", path)
    assert ran.code == 1
    assert "1 point not reached" in ran.out
    # Features cannot know their uncertainty then; the limits alone decide, and that is said.
    ran = palpeur("evaluate", path, points)
    assert ran.code == 0
    assert "does not reach 1 of the points" in ran.err
    assert "E101" in ran.out  # the far point was not measured either


def test_uncertainties_of_a_presented_part_reach_its_features(palpeur, presented):
    """In one pose the part moves as a rigid body: it stays as flat as it is, but elsewhere."""
    job, points = presented
    found = palpeur("evaluate", job, points, "--json").json
    told = {item["name"]: item["uncertainty"]["standard_m"] for item in found["characteristics"]}
    assert set(told) == {
        f"{feature} {kind}"
        for feature in ("top", "left", "right", "front", "back")
        for kind in ("flatness", "profile")
    }
    for name, sigma in told.items():
        if name.endswith("flatness"):
            assert sigma < 1e-9, name
        else:
            assert 1e-6 < sigma < 1e-4, name


def test_branches_of_a_presented_part_are_compared(palpeur, presented):
    points = palpeur("uncertainty", presented[0], "--json").json["points"]
    assert len(points) == 25
    for point in points:
        (planned,) = (branch for branch in point["branches"] if branch["planned"])
        assert planned["sigma_normal_m"] == pytest.approx(point["sigma_first_order_m"], rel=1e-9)


def test_a_wrong_unit_is_told_with_the_file_before_the_plan(palpeur, job, measured):
    path, points = job(UNCERTAINTY + flatness(1)), measured()
    points.write_text(points.read_text().replace("x_mm,y_mm,z_mm", "x_in,y_in,z_in"))
    ran = palpeur("evaluate", path, points)
    assert ran.code == 2
    assert ran.err.startswith(
        "Error: measured.csv: The measured points are off by a factor of 25.4: they spread "
    )
    assert " mm, 25.4 times as far as the job's points, which spread " in ran.err


def test_too_few_points_for_an_alignment_are_counted(palpeur, job, measured):
    points = measured()
    points.write_text("".join(points.read_text().splitlines(keepends=True)[:5]))
    ran = palpeur("evaluate", job(UNCERTAINTY), points, "--align", "normals")
    assert ran.code == 2
    assert ran.err == (
        'Error: measured.csv: 4 of the job\'s 9 points are measured; alignment = "normals" '
        "([evaluation], or --align normals) needs at least 6, 2 more. Measure them, or align by "
        '"none".\n'
    )


def test_a_list_without_header_is_evaluated_by_its_format(palpeur, job, measured, tmp_path):
    rows = [line.split(",") for line in measured(0.01).read_text().splitlines()[1:]]
    path = tmp_path / "measured.txt"
    path.write_text("".join(f"{' '.join(row)}\n" for row in rows))
    run = palpeur("evaluate", job(), path, "--unit", "mm")
    assert run.code == 2
    for name in ("list", "metrolog", "polyworks", "power-inspect"):
        assert f'"{name}"' in run.err
    run = palpeur("evaluate", job(), path, "--format", "polyworks", "--unit", "mm", "--json")
    assert run.code == 0
    (read,) = [one for one in run.json["findings"] if one["code"] == "E114"]
    assert "PolyWorks list, lengths in mm (given by you" in read["message"]
    run = palpeur("evaluate", job(), path, "--format", "cad")
    assert run.code == 2
    assert "the format 'cad' is not known; expected one of csv, dmis, list" in run.err
