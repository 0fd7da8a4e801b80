"""``palpeur place``: exit codes, streams, files, and a pose that does what it says."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from planner.library import path_of
from planner.part_pose import best_pose as search
from planner.part_pose import place as placing
from planner.part_pose import tolerance as mis_fixturing
from tests.cases import SOAK, cases

POSE = re.compile(r"^pose = .*$", re.MULTILINE)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(search, "_FIRST", 150)
    monkeypatch.setattr(search, "_ROUNDS", 5)
    monkeypatch.setattr(mis_fixturing, "_MOST", 0)  # no plans with errors


@pytest.fixture(scope="module", autouse=True)
def _a_job_is_placed_once():
    """Tests ask for what becomes of one job in several forms; of its maps only that they are."""
    placed, tolerated = {}, {}

    def best_pose(job, *rest):
        if job.fingerprint not in placed:
            placed[job.fingerprint] = search.best_pose(job, *rest)
        return placed[job.fingerprint]

    def tolerance(plan, kind, *rest):
        key = id(plan), kind  # of a placing that is kept
        if key not in tolerated:
            tolerated[key] = mis_fixturing.mis_fixturing(plan, kind, *rest)
        return tolerated[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placing, "best_pose", best_pose)
        patch.setattr(placing, "mis_fixturing", tolerance)
        patch.setattr(placing, "_CELLS", cases(gate=13, soak=41))
        yield


@pytest.fixture
def job(tmp_path):
    """A copy of the corrected nine-point job, free to be changed."""
    folder = shutil.copytree(path_of("nine-points-corrected").parent, tmp_path / "nine")
    return folder / "job.toml"


def change(job, pattern, text):
    job.write_text(re.sub(pattern, text, job.read_text(), flags=re.MULTILINE))


def test_the_proposed_pose_can_be_pasted_and_is_better(palpeur, job):
    ran = palpeur("place", job, "--no-figures")
    assert ran.code == 0
    assert "9 of 9 points from the best pose" in ran.out
    missing = ["part geometry", "stylus shape", "torque limits"]
    assert f"\nnot checked: {', '.join(missing)}\n" in ran.out
    assert "\nClearance: self-clearance only, part geometry not given" in ran.out
    assert ran.err == f"Placing written to {job.parent / 'job-place'}\n"
    document = json.loads((job.parent / "job-place" / "place.json").read_text())
    (line,) = POSE.findall(ran.out)
    assert document["pose_line"] == line
    assert document["unchecked"] == missing
    given = palpeur("check", job, "--json").json
    change(job, POSE.pattern, line)
    best = palpeur("check", job, "--json").json
    assert best["duration_s"] == pytest.approx(document["best"]["duration_s"], rel=1e-9)
    assert best["duration_s"] < given["duration_s"]
    least = [min(p["joint_margin_deg"] for p in plan["points"]) for plan in (given, best)]
    assert document["best"]["joint_margin_deg"] == pytest.approx(least[1], abs=1e-6)
    assert least[1] > 2.0 * least[0]


def test_json_is_one_document_and_the_file(palpeur, job, tmp_path):
    out = tmp_path / "deep" / "set"
    ran = palpeur("place", job, "--json", "--quiet", "--out", out)
    assert ran.code == 0
    assert ran.err == ""
    assert sorted(p.name for p in out.iterdir()) == [
        *("place.json", "provenance.json", "reach-map.png")
    ]
    assert (out / "place.json").read_text() == ran.out
    document = ran.json
    assert document["format"] == 1
    assert document["feasible"] is True
    assert (document["given"]["points_served"], document["best"]["points"]) == (9, 9)
    tolerance = document["tolerance"]
    for kind, unit in (("translation", "mm"), ("rotation", "deg")):
        found = tolerance[kind]
        assert 0.9 * found[f"size_{unit}"] < found[f"proven_{unit}"] < found[f"size_{unit}"]
        assert re.fullmatch("P[1-9]", found["first_failure"]["point"])
        assert len(found["first_failure"]["direction"]) == 3
    if SOAK:  # a second run takes the place of the first, byte for byte
        figure = (out / "reach-map.png").read_bytes()
        assert palpeur("place", job, "--json", "--quiet", "--out", out).out == ran.out
        assert (out / "reach-map.png").read_bytes() == figure


def test_the_table_place_says_where_to_look(palpeur, job):
    job.write_text(
        job.read_text() + "\n[place]\nrange_mm = { y = [10, 30] }\nyaw_deg = [0, 0]\n"
        'goal = "time"\nseed = 3\n'
    )
    document = palpeur("place", job, "--no-figures", "--json").json
    x, y, z = document["shift_mm"]
    assert (x, z) == (0.0, 0.0)
    assert 9.99 <= y <= 30.01
    assert document["search"]["range_mm"]["y"] == [10.0, 30.0]
    assert (document["goal"], document["search"]["seed"]) == ("time", 3)


def test_a_part_out_of_reach_ends_with_1(palpeur, job):
    change(job, r"translation_mm = \[0, 1500, 840\]", "translation_mm = [9000, 9000, 840]")
    ran = palpeur("place", job)
    assert ran.code == 1
    assert "0 of 9 points" in ran.out
    assert "NOT EVERY POINT" in ran.out
    document = json.loads((job.parent / "job-place" / "place.json").read_text())
    assert document["feasible"] is False
    assert document["best"]["joint_margin_deg"] is None
    assert len(document["best"]["errors"]) == 9


def test_points_in_the_base_frame_are_bad_input(palpeur, tmp_path):
    ran = palpeur("place", path_of("nine-points-as-published"), "--out", tmp_path / "set")
    assert ran.code == 2
    assert 'frame = "part"' in ran.err
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("range_mm = { x = [50, -50] }", "range_mm.x"),
        ("yaw_deg = [-400, 0]", "yaw_deg"),
        ('goal = "beauty"', "goal"),
        ("range = 3", "range"),
    ],
)
def test_bad_ranges_name_their_key(palpeur, job, table, told):
    job.write_text(job.read_text() + f"\n[place]\n{table}\n")
    ran = palpeur("place", job)
    assert ran.code == 2
    assert told in ran.err
    assert "job.toml, line" in ran.err


def test_other_files_are_not_replaced(palpeur, job, tmp_path):
    out = tmp_path / "mine"
    out.mkdir()
    (out / "letter.txt").write_text("dear")
    ran = palpeur("place", job, "--out", out)
    assert ran.code == 2
    assert "letter.txt" in ran.err
    assert [p.name for p in out.iterdir()] == ["letter.txt"]


def test_a_file_in_the_way(palpeur, job, tmp_path):
    (tmp_path / "file").write_text("")
    ran = palpeur("place", job, "--out", tmp_path / "file")
    assert ran.code == 2
    assert "file" in ran.err
