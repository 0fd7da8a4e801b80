"""``palpeur explain JOB POINT``: branches, fixes, exit codes; a fix that is written serves."""

from __future__ import annotations

import re
import shutil

import pytest

from planner.detours import find as detours
from planner.fixes import explanation
from planner.library import path_of

JOB = path_of("unreachable")


@pytest.fixture(scope="module", autouse=True)
def _a_job_is_planned_and_a_point_explained_once():
    """Tests ask for one point in several forms.

    To the walled-in point no way leads, so that searching longer shows nothing but that.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detours, "_EFFORTS", detours._EFFORTS[:1])
        for name in ("plan", "explain"):
            patch.setattr(explanation, name, _remembered(getattr(explanation, name)))
        yield


def _remembered(make):
    made = {}

    def remembered(job, *rest):
        key = job.fingerprint, *(one for one in rest if isinstance(one, str))
        if key not in made:
            made[key] = make(job, *rest)
        return made[key]

    return remembered


@pytest.fixture
def copy(tmp_path):
    """``copy("unreachable")`` → the job file of a copy that may be changed."""

    def copied(name):
        return shutil.copytree(path_of(name).parent, tmp_path / name) / "job.toml"

    return copied


def test_a_point_that_fails(palpeur):
    ran = palpeur("explain", JOB, "wrist")
    assert (ran.code, ran.err) == (1, "")
    words = " ".join(ran.out.split())
    assert words.startswith("wrist: NOT MEASURABLE in 'one reason of each kind'")
    for text in (
        "contact mm (1528.334, 617.487, 1.147)",
        "shoulder+ elbow+ wrist+",
        "P131 wrist enters wrist-post by 21.44 mm or more, 2.1 mm beyond contact",
        "1. the probe axis of wrist leaning 7.9 deg",
        "[probe]: stylus_length_mm = 24",
        "pose in [part]: translation_mm = [",
        "no distance: nothing was found from 49 mm shorter to 200 mm longer",
    ):
        assert text in words


def test_a_point_that_is_served(palpeur):
    ran = palpeur("explain", JOB, "good-1", "--json")
    assert ran.code == 0
    document = ran.json
    assert document["format"] == 1
    assert document["served"] is True
    assert document["fixes"] == []
    first = document["branches"][0]
    assert first["holds"] is True
    assert first["margin_joint"] == "q1"
    assert first["joint_margin"] == pytest.approx(10.0, abs=1e-6)
    names = [branch["branch"] for branch in document["branches"]]
    assert any(name.startswith(document["planned_branch"]) for name in names)
    shown = palpeur("explain", JOB, "good-1").out
    assert "good-1: measurable" in shown
    assert "Fixes" not in shown


def test_what_was_not_checked_stands_first(palpeur):
    job = path_of("nine-points-corrected")
    missing = ["part geometry", "stylus shape", "torque limits"]
    assert palpeur("explain", job, "P1", "--json").json["unchecked"] == missing
    lines = palpeur("explain", job, "P1").out.splitlines()
    assert lines[1] == f"  not checked: {', '.join(missing)}"
    assert "not checked" not in palpeur("explain", JOB, "good-1").out


def test_a_point_that_no_travel_leads_to(palpeur):
    ran = palpeur("explain", JOB, "walled-in", "--json")
    assert ran.code == 1
    document = ran.json
    assert document["served"] is False
    assert [finding["code"] for finding in document["findings"]] == ["P137"]
    assert document["branches"][0]["holds"] is True
    assert "The line to the point holds" in palpeur("explain", JOB, "walled-in").out


def test_the_document_has_numbers_for_every_reason(palpeur):
    document = palpeur("explain", JOB, "limit", "--json").json
    failure = document["branches"][0]["failures"][0]
    assert failure["code"] == "P102"
    assert failure["what"] == "q1"
    assert failure["amount"] == pytest.approx(14.0)
    assert failure["unit"] == "deg"
    assert failure["before_contact_mm"] <= 50.0 + 1e-9
    (fix,) = document["fixes"]
    assert fix["kind"] == "shift"
    assert fix["verified"] is True
    assert fix["other_points"]["lost"]
    reasons = {item["kind"]: item["reason"] for item in document["no_fix_by"]}
    assert set(reasons) == {"branch", "approach", "distance", "tilt", "axis", "stylus"}


@pytest.mark.soak  # tests/planner/fixes writes fixes of every kind into jobs in the gate
def test_a_fix_written_into_the_job_serves_the_point(palpeur, copy):
    job = copy("unreachable")
    points = job.parent / "points.csv"
    lines = points.read_text().splitlines(keepends=True)
    kept = ("name,", "good-1,", "beam,")  # all others take most of the time
    points.write_text("".join(line for line in lines if line.startswith(kept)))
    fixes = palpeur("explain", job, "beam", "--json").json["fixes"]
    (fix,) = (item for item in fixes if item["kind"] == "shift")
    key = fix["line"].split(" = ")[0]
    # The first translation_mm of the file is that of [part].
    text, count = re.subn(rf"{key} = (\[[^]]*\]|\S+)", fix["line"], job.read_text(), count=1)
    assert count == 1
    job.write_text(text)
    plan = palpeur("check", job, "--json").json
    (point,) = (item for item in plan["points"] if item["name"] == "beam")
    assert point["reachable"] is True
    assert "beam" not in [f["where"] for f in plan["findings"] if f["severity"] == "error"]


def test_a_normal_into_the_material_of_a_geometry(palpeur, copy):
    job = copy("block-with-holes")
    points = job.parent / "points.csv"
    lines = points.read_text().splitlines()
    name, x, y, z, nx, ny, nz, *rest = lines[1].split(",")
    turned = [str(-float(value)) for value in (nx, ny, nz)]
    points.write_text("\n".join([lines[0], ",".join([name, x, y, z, *turned, *rest]), *lines[2:]]))
    document = palpeur("explain", job, name, "--json").json
    assert document["findings"][0]["code"] == "P121"
    (fix,) = document["fixes"]
    assert fix["kind"] == "approach"
    found = [float(value) for value in fix["line"].split(" = ")[1].split(", ")]
    assert found == pytest.approx([float(nx), float(ny), float(nz)], abs=1e-6)


def test_an_unknown_point_names_the_nearest(palpeur):
    ran = palpeur("explain", JOB, "gooood-2")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean 'good-2'" in ran.err


def test_a_job_that_is_not_there(palpeur, tmp_path):
    ran = palpeur("explain", tmp_path / "nothing.toml", "P1")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing.toml" in ran.err


def test_a_job_without_a_point_says_what_is_missing(palpeur):
    ran = palpeur("explain", JOB)
    assert (ran.code, ran.out) == (2, "")
    assert "name the point too" in ran.err


def test_codes_are_explained_as_before(palpeur):
    assert palpeur("explain", "P101").out.startswith("P101: point out of reach")
    assert palpeur("explain", "P999").code == 2


def test_a_point_that_is_not_there_is_told_with_the_job(palpeur):
    ran = palpeur("explain", JOB, "gooood-2")
    assert ran.code == 2
    assert ran.err == f"Error: {JOB.name}: There is no point 'gooood-2'; did you mean 'good-2'?\n"


def test_job_and_point_in_the_wrong_order_are_told(palpeur):
    ran = palpeur("explain", "good-1", JOB)
    assert ran.code == 2
    assert ran.err == (
        f"Error: good-1 is no job file, but {JOB} looks like one: the job comes first, as in "
        f"palpeur explain {JOB} good-1.\n"
    )
