"""Whole plans of robots that are no measuring arm, judged by the validator and by Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest

from planner.findings import Severity, page
from planner.plan import SegmentKind
from planner.planning import plan
from planner.proof import prove
from robots.core.urdf import write_urdf
from tests.cases import cases, some

# In the gate an arm that has a joint too many, and a machine that slides.
ROBOTS = some(["industrial-7r", "industrial-6r", "angled-6r", "gantry-5"], gate=2)


@pytest.fixture(scope="module", params=ROBOTS)
def made(request, robots, serial_job):
    count = cases(gate=4, soak=12)
    return plan(serial_job(robots[request.param], count, distance=0.03, shrink=0.25))


def test_every_point_is_served_and_the_search_is_owned_up_to(made):
    assert made.feasible
    assert all(point.reachable for point in made.planned_points)
    mechanism = made.job.mechanism
    notes = [finding for finding in made.finding_list if finding.code == "P106"]
    assert len(notes) == (mechanism.dof > 5)  # of five joints every branch is known
    for note in notes:
        assert (note.severity, note.where) == (Severity.NOTE, "robot")
        assert "may have been missed" in note.message
    assert page("P106").code == "P106"
    for point in made.planned_points:
        assert point.branch
        assert point.margin_joint in [joint.name for joint in mechanism.movable]
        assert 1e-3 <= point.singularity_margin <= 1.0


def test_the_validator_passes(made):
    found = prove(made)
    assert found.passed, found.failures
    assert len(found.check_list) >= 28


def test_the_lines_are_straight_by_pinocchio(made):
    mechanism = made.job.mechanism
    model = pinocchio.buildModelFromXML(write_urdf(mechanism))
    data, frame = model.createData(), model.getFrameId("tool")
    for segment in made.timeline:
        if segment.kind is SegmentKind.TRAVEL:
            continue
        start = made.placed.clearances[segment.point_index]
        axis = made.placed.axes[segment.point_index]
        t = np.linspace(segment.start, segment.end, 7)
        for q in made.trajectory.state(t).q:
            pinocchio.framesForwardKinematics(model, data, q)
            T = data.oMf[frame].homogeneous
            away = T[:3, 3] - start
            # Approached along the normal: the line is along the axis.
            assert np.abs(away - (away @ axis) * axis).max() < 1e-9
            assert np.abs(T[:3, 2] - axis).max() < 1e-9


def test_limits_bind_and_are_kept(made):
    mechanism = made.job.mechanism
    speed = np.array([joint.peak_velocity for joint in made.joint_loads]) / mechanism.max_speed
    acceleration = (
        np.array([joint.peak_acceleration for joint in made.joint_loads])
        / mechanism.max_acceleration
    )
    assert max(speed.max(), acceleration.max()) == pytest.approx(1.0, rel=1e-9)


def test_planning_twice_gives_the_same_bits(made):
    again = plan(made.job)
    assert again.totals == made.totals
    assert [repr(s) for s in again.timeline] == [repr(s) for s in made.timeline]


def test_a_free_order_is_not_slower(robots, serial_job):
    job = serial_job(robots["industrial-6r"], cases(gate=8, soak=12), distance=0.03, shrink=0.25)
    free = plan(replace(job, travel=replace(job.travel, order="fastest")))
    assert free.totals.duration <= plan(job).totals.duration * (1.0 + 1e-9)
    assert free.feasible


def test_a_gantry_with_two_columns_is_planned(two_columns, robots, serial_job):
    """Six joints that cannot hold the turn about the probe axis; one bridge rests on each line."""
    gantry = robots["gantry-5"]
    job = serial_job(gantry, 6, distance=0.03, shrink=0.25)
    limits = np.full(6, np.inf)
    made = plan(
        replace(job, mechanism=two_columns, checks=replace(job.checks, torque_limits=limits))
    )
    assert made.feasible
    found = prove(made)
    assert found.passed, found.failures


def test_a_sliding_joint_tells_its_shortage_in_millimetres(robots, serial_job):
    """The carriage's travel ends 25 mm before the clearance point of the second point."""
    gantry = robots["gantry-5"]
    job = serial_job(gantry, 1, shrink=0.25)
    place = [[0.5, 0.5, 0.6], [0.5, 1.025, 0.6]]
    points = replace(
        job.points,
        names=("near", "far"),
        positions=np.array(place),
        normals=np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
        features=(),
    )
    made = plan(replace(job, points=points))
    errors = [f for f in made.finding_list if f.severity is Severity.ERROR]
    assert [(f.code, f.where) for f in errors] == [("P102", "far")]
    assert 'every branch passes a joint limit; nearest is "q4' in errors[0].message
    assert "with q2 25.000 mm beyond its limit" in errors[0].message
    assert "q2 gains 25.0 mm" in errors[0].hint
    # An angle as margin asks nothing of the axes that slide.
    wide = replace(job, points=points, checks=replace(job.checks, joint_margin=np.radians(20.0)))
    again = [f for f in plan(wide).finding_list if f.severity is Severity.ERROR]
    assert [f.where for f in again] == ["far"]
    assert again[0].message.endswith("25.000 mm beyond its limit")


def test_a_point_far_away_says_how_near_the_best_attempt_came(robots, serial_job):
    arm = robots["industrial-7r"]
    job = serial_job(arm, 1)
    points = replace(
        job.points, positions=np.array([[0.0, 3.0, 0.36]]), normals=np.array([[0.0, -1.0, 0.0]])
    )
    (error,) = [f for f in plan(replace(job, points=points)).finding_list if f.code == "P101"]
    left = float(error.message.split("the nearest leaves ")[1].split(" mm")[0])
    # Stretched towards it the arm reaches 0.96 m; the clearance point is 20 mm nearer.
    assert left == pytest.approx((2.98 - 0.96) * 1e3, rel=0.02)
    assert "none of 40 attempts" in error.message
