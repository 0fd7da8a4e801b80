"""A rejected plan: joint, motion and instant are named, and a file keeps the evidence."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from planner.proof import Location, prove
from reports.rejection import failed_check_text, location_text, write_evidence


@pytest.fixture(scope="module")
def wrong(nine_points):
    """A plan that states 1e-6 more rms torque of q3 than the motion has."""
    joints = list(nine_points.joint_loads)
    joints[2] = replace(joints[2], rms_torque=joints[2].rms_torque * (1.0 + 1e-6))
    return replace(nine_points, joint_loads=tuple(joints))


@pytest.fixture(scope="module")
def nine_points():
    from planner.job import read_job
    from planner.library import path_of
    from planner.planning import plan

    return plan(read_job(path_of("nine-points-corrected")))


def test_a_location_is_told_in_the_words_of_the_trade(nine_points):
    where = nine_points.timeline[2]
    location = Location(joint="q3", segment=2, instant=where.start)
    assert location_text(nine_points, location) == f"q3, travel to P2, at {where.start:.6g} s"
    assert location_text(nine_points, Location(point="P7")) == "point P7"
    assert location_text(nine_points, Location()) == ""


def test_a_failed_check_names_the_joint_with_residual_and_limit(wrong):
    (failed,) = prove(wrong).failures
    assert failed.value == pytest.approx(1e-6, rel=0.1)  # less for the rounding allowed
    told = failed_check_text(wrong, failed)
    assert told == f"reported rms torque {failed.value:.3g} (limit 1e-08): q3"


def test_a_residual_of_the_motion_names_joint_motion_and_instant(nine_points):
    """Samples whose fifth torque is wrong at one instant."""
    from planner.motion.sampled_motion import InMemory

    samples = nine_points.trajectory.sample(1e-3)
    tau = samples.tau.copy()
    tau[1000, 4] += 1.0
    changed = InMemory(samples=replace(samples, tau=tau))
    (failed,) = prove(nine_points, changed).failures
    assert failed.name == "torques by Lagrange"
    assert failed.location.joint == "q5"
    assert failed.location.segment == samples.segment[1000]
    assert failed.location.instant == pytest.approx(1.0)


def test_the_evidence_is_a_file(wrong, tmp_path):
    path = write_evidence(prove(wrong), tmp_path / "rejected")
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert [one["joint"] for one in kept["failed"]] == ["q3"]
    assert kept["plan"]["job"]["sha256"] == wrong.job.sha256
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_evidence_that_cannot_be_kept_is_no_second_fault(wrong, tmp_path):
    (tmp_path / "file").touch()
    assert write_evidence(prove(wrong), tmp_path / "file" / "rejected") is None
