"""``palpeur stewart present``: answers, exit codes, what stands in the folder."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from planner.cli.job import commands
from planner.presenting import present as presenting
from tests.cases import SOAK

pytestmark = pytest.mark.usefixtures("presented_once")
FOLDER = Path(__file__).parent.parent.parent / "presenting" / "job"


@pytest.fixture
def job(tmp_path):
    """A copy of the job of a block on a hexapod."""
    return shutil.copytree(FOLDER, tmp_path / "job") / "job.toml"


def changed(job, old, new):
    text = job.read_text(encoding="utf-8")
    assert text.count(old) == 1
    job.write_text(text.replace(old, new), encoding="utf-8")


def test_every_point_is_served_and_the_sets_are_written(palpeur, job, tmp_path, monkeypatch):
    # Pages of a pose are those of a plan; the test below writes some in the gate.
    monkeypatch.setattr(commands, "ReportRequest", partial(commands.ReportRequest, pages=SOAK))
    out = tmp_path / "out"
    ran = palpeur("stewart", "present", job, "--out", out, "--no-figures", "--json")
    assert ran.code == 0, ran.err
    document = ran.json
    assert document["format"] == 1
    assert (document["points"], document["points_served"]) == (25, 25)
    assert document["points_served_at_home"] == 17
    assert document["feasible"] is True
    assert document["unchecked"] == ["torque limits"]
    assert json.loads((out / "presentation.json").read_text(encoding="utf-8")) == document
    names = [f"pose-{k}" for k in range(1, len(document["poses"]) + 1)]
    assert sorted(path.name for path in out.iterdir()) == [
        *(*names, "presentation.json", "provenance.json")
    ]
    plan = json.loads((out / "pose-1" / "plan.json").read_text(encoding="utf-8"))
    told = document["poses"][0]["points"]
    assert [point["name"] for point in told] == [point["name"] for point in plan["points"]]
    assert all(1.0 < point["presenter_sigma_um"] < 50.0 for point in told)
    assert document["poses"][0]["duration_s"] == pytest.approx(document["duration_s"])
    record = json.loads((out / "pose-1" / "provenance.json").read_text(encoding="utf-8"))
    assert record["command"] == "palpeur stewart present job.toml"


def test_the_summary_says_what_home_serves(palpeur, job):
    ran = palpeur("stewart", "present", job)
    assert ran.code == 0
    assert "every point is measurable: 25 of 25 points from 1 pose of measuring-hexapod" in ran.out
    assert "\nnot checked: torque limits\n" in ran.out
    assert "17 of 25 with it at home" in ran.out
    assert "legs that repeat to 5 um" in ran.out


@pytest.mark.soak
def test_what_no_pose_serves_gives_exit_code_1(palpeur, job):
    changed(job, "0, 1100, -1100", "0, 2600, -1100")
    ran = palpeur("stewart", "present", job)
    assert ran.code == 1
    assert "NOT EVERYTHING IS MEASURABLE" in ran.out
    assert "P140 error" in ran.out


def test_a_presentation_that_fails_has_no_programme_of_any_pose(
    palpeur, job, tmp_path, monkeypatch
):
    monkeypatch.setattr(presenting, "_SPREAD", 40)  # no pose serves the far point
    points = job.parent / "points.csv"
    head, first, *rest = points.read_text(encoding="utf-8").splitlines()[:4]  # a few will do
    far = first.split(",")
    far[:2] = ["far", "9000"]
    points.write_text("\n".join([head, first, *rest, ",".join(far)]) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    ran = palpeur("stewart", "present", job, "--out", out, "--no-figures")
    assert ran.code == 1
    poses = sorted(out.glob("pose-*"))
    assert poses
    for pose in poses:
        assert json.loads((pose / "plan.json").read_text(encoding="utf-8"))["feasible"] is True
        assert [path.name for path in pose.glob("pro*")] == ["provenance.json"]
        text = " ".join((pose / "README.txt").read_text(encoding="utf-8").split())
        assert "written: the presentation is not feasible" in text


def test_a_foreign_folder_is_left_alone(palpeur, job, tmp_path):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    ran = palpeur("stewart", "present", job, "--out", tmp_path)
    assert ran.code == 2
    assert "which is of no presentation that Palpeur wrote; give a new folder" in ran.err


@pytest.mark.parametrize("command", ["plan", "check", "place"])
def test_other_commands_point_to_this_one(palpeur, job, command):
    ran = palpeur(command, job)
    assert ran.code == 2
    assert "has a [presenter], whose hexapod moves the part between plans" in ran.err
    assert "use `palpeur stewart present" in ran.err
    assert [path.name for path in job.parent.parent.iterdir()] == ["job"]  # nothing is written


def test_a_job_without_presenter_is_bad_input(palpeur, job):
    text = job.read_text(encoding="utf-8")
    start, end = text.index("[presenter]"), text.index("[points]")
    job.write_text(text[:start] + text[end:], encoding="utf-8")
    ran = palpeur("stewart", "present", job)
    assert ran.code == 2
    assert "has no [presenter]; add the table with platform and pose" in ran.err


@pytest.mark.parametrize("code", ["P140", "P141", "P142"])
def test_the_findings_have_pages(palpeur, code):
    ran = palpeur("explain", code)
    assert ran.code == 0
    assert code in ran.out
