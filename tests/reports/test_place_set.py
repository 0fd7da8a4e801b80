"""The files of a placing, and its summary for a reader."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from planner.errors import OutputError
from planner.part_pose.best_pose import Placing, PlannedPose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.pose_space import PoseSpace, WrittenPose
from planner.part_pose.tolerance import FirstFailure, MisFixturing
from planner.result_files import check_set
from reports.place import KIND, place_document, place_lines, write_place_set
from reports.plan_document import document_text


@pytest.fixture
def placing(plan):
    given = PlannedPose(pose=WrittenPose.of(plan.job.part.T_base_part), plan=plan)
    T = np.array(plan.job.part.T_base_part)
    T[:3, 3] += [0.0123456, 0.0, 0.0]
    best = replace(given, pose=WrittenPose.of(T))
    space = PoseSpace.of(plan.job)
    return Placing(job=plan.job, space=space, given=given, best=best, tried=7, planned=3)


@pytest.fixture
def tolerances():
    first = FirstFailure(
        size=0.0201,
        direction=np.array([0.6, 0.0, 0.8]),
        point="P3",
        limit="upper limit of q2",
        place=1.0,
    )
    moved = MisFixturing(
        kind=FixturingErrorKind.TRANSLATION,
        size=0.02,
        proven=0.019,
        directions=200,
        plans=14,
        first=first,
    )
    turned = MisFixturing(
        kind=FixturingErrorKind.ROTATION,
        size=np.pi / 2,
        proven=None,
        directions=0,
        plans=14,
        first=None,
    )
    return moved, turned


def test_the_document_is_in_mm_and_degrees(placing, tolerances):
    document = place_document(placing, tolerances)
    again = json.loads(document_text(document))
    assert again["shift_mm"] == [12.35, 0.0, 0.0]  # written to 0.01 mm
    assert again["feasible"] is False  # the synthetic plan misses a point
    assert (again["best"]["points_served"], again["best"]["points"]) == (2, 3)
    assert again["best"]["joint_margin_deg"] == pytest.approx(np.degrees(0.1))
    assert (again["best"]["margin_joint"], again["best"]["margin_point"]) == ("q2", "P3")
    assert [error["code"] for error in again["best"]["errors"]] == ["P101"]
    moved, turned = (again["tolerance"][kind] for kind in ("translation", "rotation"))
    assert (moved["size_mm"], moved["proven_mm"]) == (20.0, 19.0)
    assert moved["first_failure"]["direction"] == [0.6, 0.0, 0.8]
    assert (turned["size_deg"], turned["proven_deg"], turned["first_failure"]) == (90.0, None, None)


def test_the_summary_names_what_matters(placing, tolerances):
    text = "\n".join(place_lines(placing, tolerances))
    assert "NOT EVERY POINT IS MEASURABLE: 2 of 3 points" in text
    assert placing.best.pose.line in text
    assert "5.73 deg, q2" in text  # 0.1 rad
    assert "shifted by up to 20 mm (19 proven)" in text
    assert "first: P3, upper limit of q2, along (0.600, 0.000, 0.800)" in text
    assert "nothing fails, and no farther was searched" in text
    still = "\n".join(place_lines(replace(placing, best=placing.given), tolerances))
    assert "the part stands well" in still


def test_what_was_not_evaluated_is_said(placing):
    document = place_document(replace(placing, interrupted=True), ())
    assert document["tolerance"]["translation"] is document["tolerance"]["rotation"] is None
    assert document["search"]["interrupted"] is True
    text = "\n".join(place_lines(placing, ()))
    assert "tolerates: not evaluated, as not every point is measurable." in text
    text = "\n".join(place_lines(replace(placing, interrupted=True), ()))
    assert "Interrupted: this is the best pose so far." in text
    assert "not evaluated, as the work was interrupted" in text


def test_files_are_written_whole_and_replaced(tmp_path):
    folder = tmp_path / "a" / "set"
    write_place_set(folder, "{}\n", b"png")
    assert sorted(p.name for p in folder.iterdir()) == [
        "place.json",
        "provenance.json",
        "reach-map.png",
    ]
    write_place_set(folder, "[]\n", None)
    assert sorted(p.name for p in folder.iterdir()) == ["place.json", "provenance.json"]
    assert (folder / "place.json").read_text() == "[]\n"


def test_what_is_not_ours_stays(tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    with pytest.raises(OutputError, match=r"holds plan\.json.*--force"):
        check_set(tmp_path, KIND)
    check_set(tmp_path / "nothing-there", KIND)


def test_a_written_pose_reads_back():
    pose = WrittenPose(translation_mm=(1.5, -2.0, 840.25), rotation_zyx_deg=(101.25, -3.5, 178.0))
    assert WrittenPose.of(pose.T) == pose
    assert pose.line == (
        "pose = { translation_mm = [1.5, -2, 840.25], rotation_zyx_deg = [101.25, -3.5, 178] }"
    )
