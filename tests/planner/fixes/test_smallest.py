"""Fixes that are known beforehand are found, within 5 %, and serve the point when written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.fixes.explanation import reasons_of
from planner.fixes.fix import FixKind
from planner.fixes.smallest import Finder, _Point, inward
from planner.job import PlacedPart, read_job
from planner.planning import plan
from robots.core.joint_samples import joint_ranges
from robots.core.model import Model
from robots.library import load

P = {"name": "P", "x": 0.0, "y": 1500.0, "z": 0.0}
EASY = {"name": "easy", "x": 900.0, "y": 900.0, "z": -100.0}
# Search steps are refined to 1/512 and written with 0.1 mm; the issue asks for 5 %.
WITHIN = 1.05
# Beyond contact: 3 mm of search, then 5 mm/s for 2 ms and a stop of at most 20 ms.
DEEPEST = 0.003 + 0.005 * (0.002 + 0.5 * 0.020)


def of_kind(fixes, kind):
    return next(fix for fix in fixes if fix.kind is kind)


def found(path):
    """The search of one point, which fails now."""
    job = read_job(path)
    finder = Finder(job)
    assert not finder.serves("P")
    search = finder.search("P")
    assert all(fix.verified for fix in search.fixes)
    return search


def fix_of(path, kind):
    """The fix of one kind for a point that fails now; all kinds take several times as long."""
    finder = Finder(read_job(path))
    assert not finder.serves("P")
    (fix,), _ = _Point(finder, "P", others=True).of_kind(kind)
    assert fix.verified
    return fix


def close(amount, known):
    """Not below what is needed, and at most 5 % above it."""
    return known * (1.0 - 1e-9) <= amount <= known * WITHIN


def test_out_of_reach_the_part_comes_nearer(job_file, apply, served, arm_reach):
    # The clearance point, 50 mm above the shoulder's height, is farthest: 30.49 mm too far.
    point = P | {"y": arm_reach + 30.0, "z": 409.82}
    path = job_file([point, EASY], stylus=0, ball=0)
    search = found(path)
    (fix,) = search.fixes
    assert fix.kind is FixKind.SHIFT
    # A shift that lowers the line by 25 mm saves the half millimetre.
    assert close(fix.amount, 0.03)
    job = apply(path, fix)
    assert served(job, "P")
    np.testing.assert_allclose(job.part.T_base_part, fix.job.part.T_base_part, atol=1e-12)


def test_a_joint_limit_is_left_by_the_shortest_way(job_file, apply, served):
    azimuth = np.radians(52.0)
    point = P | {"x": 1500.0 * np.cos(azimuth), "y": 1500.0 * np.sin(azimuth)}
    limit = "robot.limits.q1 = { min_deg = -50, max_deg = 50 }\n"
    path = job_file([point, EASY | {"y": 0.0}], more=limit)
    fix = fix_of(path, FixKind.SHIFT)
    # The stylus is upright: the wrist must come over the vertical plane 2 degrees away.
    assert close(fix.amount, 1.5 * np.sin(np.radians(2.0)))
    assert served(apply(path, fix), "P")


def test_a_distance_too_long_for_its_pocket(job_file, apply, served, wall):
    path = job_file(**wall)
    fix = fix_of(path, FixKind.DISTANCE)
    assert fix.line == "distance_mm = 46.6"
    assert close(fix.amount, 0.080 - 0.033 * np.sqrt(2.0))
    assert served(apply(path, fix), "P")


def test_a_wall_near_the_approach(job_file, apply, served, wall):
    path = job_file(**wall)
    search = found(path)
    assert [fix.kind for fix in search.fixes] == [FixKind.DISTANCE, FixKind.AXIS, FixKind.SHIFT]
    fix = of_kind(search.fixes, FixKind.SHIFT)
    assert close(fix.amount, 0.080 / np.sqrt(2.0) - 0.033)
    assert served(apply(path, fix), "P")


def test_a_stylus_too_short_for_its_wrist(job_file, apply, served, shelf):
    path = job_file(**shelf)
    search = found(path)
    needed, left = np.sqrt(0.055**2 - 0.020**2), 0.030 - DEEPEST
    longer, shift = (of_kind(search.fixes, kind) for kind in (FixKind.STYLUS, FixKind.SHIFT))
    assert close(longer.amount, needed - left)
    # Shifting, the wrist leaves the shelf's edge by the shortest way.
    assert close(shift.amount, 0.055 - np.hypot(0.020, left))
    job = apply(path, longer)
    assert served(job, "P")
    np.testing.assert_allclose(job.mechanism.tool, longer.job.mechanism.tool, atol=1e-15)
    # A tilt outside the cone comes last and says so.
    tilt = search.fixes[-1]
    assert tilt.kind is FixKind.TILT
    assert not tilt.allowed
    assert "the job's cone is 0 deg: it takes tilt_deg = " in tilt.sentence


def test_a_tilt_gains_what_the_wrist_lacks(job_file, apply, served):
    limit = "robot.limits.q5 = { min_deg = -35, max_deg = 35 }\n"
    path = job_file([P, EASY], more=limit, stylus=0, ball=0, tilt=10)
    (failure,) = reasons_of(read_job(path), "P").branches[0].failures
    # Without a stylus the wrist stays where it is and q5 turns by what the axis leans.
    fix = fix_of(path, FixKind.TILT)
    assert fix.allowed
    assert failure.what == "q5"
    assert close(np.degrees(fix.amount), failure.amount)
    assert served(apply(path, fix), "P")


def test_a_tilt_of_the_axis_that_all_points_share(job_file, apply, served):
    limit = "robot.limits.q5 = { min_deg = -35, max_deg = 35 }\n"
    axis = "[0, 0, 1], axis = [0, 0, -1]"
    lean = np.radians(15.0)
    point = P | {"n": (np.sin(lean), 0.0, np.cos(lean))}
    path = job_file([point, EASY], more=limit, stylus=0, ball=0, tilt=10, direction=axis)
    (failure,) = reasons_of(read_job(path), "P").branches[0].failures
    fix = fix_of(path, FixKind.TILT)
    assert fix.place == "[approach]"
    assert fix.line.startswith("axis = [")
    assert fix.others.looked_at == 1
    assert close(np.degrees(fix.amount), failure.amount)
    assert served(apply(path, fix), "P")


def test_a_branch_that_is_light_enough(job_file, apply, served):
    """Elbow up holds 45 to 47 N m at q2, elbow down 30 to 32."""
    more = (
        "robot.limits.q3 = { min_deg = -175, max_deg = 175 }\n"
        "robot.limits.q5 = { min_deg = -175, max_deg = 175 }\n"
        "checks.torque_limits_nm = [1000, 40, 1000, 100, 100]\n"
    )
    path = job_file([P], more=more)
    reasons = reasons_of(read_job(path), "P")
    assert {b.holds for b in reasons.branches if "shoulder+" in b.branch} == {True, False}
    fix = fix_of(path, FixKind.BRANCH)
    assert 'branch "shoulder+ elbow- ' in fix.sentence
    assert served(apply(path, fix), "P")


def test_a_normal_that_points_into_the_material(job_file, apply, served):
    path = job_file([P | {"n": (0.0, 0.0, -1.0)}, EASY])
    search = found(path)
    (fix,) = search.fixes
    assert fix.kind is FixKind.APPROACH
    assert "turned around" in fix.sentence
    assert served(apply(path, fix), "P")
    assert dict(search.without)[FixKind.SHIFT].startswith("the probe comes through the material")


def test_a_face_that_the_approach_does_not_suit(job_file, apply, served):
    lean = np.radians(100.0)
    normal = (0.0, -np.sin(lean), np.cos(lean))
    path = job_file([P | {"z": 500.0, "y": 1600.0, "n": normal}], stylus=0, ball=0)
    fix = next(fix for fix in found(path).fixes if fix.place == "[approach]")
    assert fix.line == 'direction = "normal"'
    assert served(apply(path, fix), "P")


def test_a_point_that_is_served_needs_nothing(job_file):
    search = Finder(read_job(job_file([P]))).search("P")
    assert search.fixes == ()
    assert search.without == ()


def test_what_becomes_of_the_other_points(job_file, arm_reach):
    """A shift by 30 mm takes another point, at the far end of the reach, out of it."""
    far = P | {"y": arm_reach + 30.0, "z": 409.82}
    opposite = {"name": "opposite", "x": 0.0, "y": -(arm_reach - 10.0), "z": 409.82}
    both = {"name": "beside", "x": 1.0, "y": arm_reach + 20.0, "z": 409.82}
    (fix,) = found(job_file([far, opposite, both], stylus=0, ball=0)).fixes
    assert fix.others.looked_at == 2
    assert fix.others.lost == ("opposite",)
    assert fix.others.gained == ("beside",)
    assert "1 other point (opposite) measurable now would fail" in fix.hint


def test_points_given_in_the_base_frame_do_not_move_with_the_part(job_file, arm_reach):
    path = job_file([P | {"y": arm_reach + 30.0, "z": 409.82}], stylus=0, ball=0)
    path.write_text(path.read_text().replace("points.comp", 'points.frame = "base"\npoints.comp'))
    search = found(path)
    assert search.fixes == ()
    assert "base frame" in dict(search.without)[FixKind.SHIFT]


def test_the_surface_says_where_a_normal_points():
    from planner.library import path_of

    job = read_job(path_of("block-with-holes"))
    assert not any(inward(job, row) for row in range(len(job.points)))


@pytest.mark.parametrize(
    ("name", "kinds", "amounts"),
    [
        # beam: 65 mm above the wrist at contact; distance and its rest come from its job file
        ("far", {FixKind.SHIFT}, {}),
        pytest.param(  # the command's tests explain it in the gate
            *("wrist", {FixKind.TILT, FixKind.AXIS, FixKind.SHIFT, FixKind.STYLUS}, {}),
            marks=pytest.mark.soak,
        ),
        ("inside", {FixKind.APPROACH}, {}),
        ("good-1", set(), {}),
        # q1 lacks 14°: the wrist, 1.47 m from the axis, must go 0.355 m sideways
        ("limit", {FixKind.SHIFT}, {FixKind.SHIFT: 0.3548}),
    ],
)
def test_the_library_s_unreachable_points(unreachable, name, kinds, amounts):
    fixes = unreachable.search(name, others=False).fixes
    assert {fix.kind for fix in fixes} == kinds
    for kind, amount in amounts.items():
        assert close(of_kind(fixes, kind).amount, amount / 1.001)


@pytest.fixture(scope="module")
def unreachable():
    from planner.library import path_of

    return Finder(read_job(path_of("unreachable")))


@pytest.mark.soak
def test_other_robots_are_fixed_too(corrected_job):
    """A six-axis arm whose point lies 1.6 times as far as a posture of it reaches."""
    robot = load("industrial-6r")
    joints = [replace(joint, max_speed=2.0, max_acceleration=10.0) for joint in robot.joints]
    robot = replace(robot, joints=tuple(joints))
    low, high = joint_ranges(robot, 1.0)
    part = 0.1 + 0.8 * np.random.default_rng(0).random(robot.dof)
    T = Model(robot).forward(low + (high - low) * part)
    points = ProbePoints(names=("P",), positions=1.6 * T[None, :3, 3], normals=-T[None, :3, 2])
    job = replace(
        corrected_job,
        mechanism=robot,
        points=points,
        part=PlacedPart(),
        approach=replace(corrected_job.approach, distance=0.02),
        checks=replace(corrected_job.checks, torque_limits=np.full(6, np.inf)),
    )
    (fix,) = Finder(job).search("P").fixes
    assert fix.kind is FixKind.SHIFT
    assert fix.verified
    # Back to the posture is one way: the smallest is not longer.
    assert fix.amount <= 0.6 * np.linalg.norm(T[:3, 3])
    assert plan(fix.job).feasible
