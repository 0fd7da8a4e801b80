"""Reach of any robot: points found, margin gained, candidates spread, shortfalls in numbers."""

from dataclasses import replace

import numpy as np
import pytest

from planner.reach.branches import BranchSearch
from planner.reach.closed_form import ArmReach
from planner.reach.margins import SINGULAR, Margins, joint_units
from planner.reach.placement import place
from planner.reach.reach import some_points
from planner.reach.robot import reach_of
from planner.reach.serial import (
    KNOTS,
    SerialReach,
    Straight,
    Tasks,
    follow,
    held_rotations,
    improved,
    line_values,
)
from planner.reach.serial_search import SerialTask
from robots.core.joint_samples import joint_samples
from tests.cases import cases, some

ROBOTS = ["industrial-6r", "angled-6r", "industrial-7r", "gantry-5"]


def own_margins(job, placed):
    """Margins of the line that each point's own posture keeps, NaN where it keeps none."""
    robot, task = job.mechanism, SerialTask(job.mechanism)
    low, high = robot.q_min, robot.q_max
    q = low + (high - low) * np.random.default_rng(0).random((len(placed), robot.dof))
    at = task.posed(q)
    assert np.abs(at.balls - placed.contacts).max() < 1e-12
    back = Straight(
        starts=placed.contacts,
        tangents=placed.clearances - placed.contacts,
        rotations=held_rotations(at, placed.axes),
    )
    followed = follow(task, q, back)
    knots = followed.knots[followed.whole][:, :, : robot.dof]
    worst = np.minimum(
        task.limit_margin(knots.reshape(-1, robot.dof)),
        np.abs(task.condition(task.posed(knots.reshape(-1, robot.dof)))),
    )
    margins = np.full(len(placed), np.nan)
    margins[followed.whole] = worst.reshape(-1, KNOTS).min(axis=1)
    return margins


@pytest.mark.parametrize("name", some(ROBOTS, gate=3))
@pytest.mark.parametrize("distance", some([0.005, 0.05], gate=1))
def test_points_that_can_be_reached_are_reached(reaches, serial_job, name, distance):
    """Lines that a random posture within limits can run: at least 95 % must be found."""
    reach, count = reaches[name], cases(gate=40, soak=120)
    job = serial_job(reach.model.mechanism, count, distance=distance, shrink=0.0)
    placed = place(job)
    able = own_margins(job, placed) >= SINGULAR
    assert np.count_nonzero(able) > count // 2
    found = reach.candidates(placed)
    served = np.bincount(found.point[found.margins.keep(0.0)], minlength=len(placed)) > 0
    assert np.mean(served[able]) >= 0.95


@pytest.mark.parametrize("name", ["angled-6r", "industrial-7r"])
def test_the_spare_motion_gains_margin(reaches, serial_job, name):
    """A stylus on the flange's own axis gives six joints nothing: only the last one would turn."""
    reach = reaches[name]
    task = reach.task
    placed = place(serial_job(reach.model.mechanism, 40))
    low, high = task.mechanism.q_min, task.mechanism.q_max
    part = 0.1 + 0.8 * np.random.default_rng(0).random((40, task.model.dof))
    contact = low + (high - low) * part
    back = Tasks(
        starts=placed.contacts,
        tangents=placed.clearances - placed.contacts,
        axes=placed.axes,
    )
    before = line_values(task, contact, back)
    better = improved(task, contact, back)
    after = line_values(task, better, back)
    assert np.all(after >= before - 1e-6)
    lines = before > 0.0
    assert np.median(after[lines]) > 1.2 * np.median(before[lines])
    gap = task.gap(task.posed(better), placed.contacts, placed.axes)
    assert np.abs(gap).max() < 1e-9


def test_five_joints_have_no_spare_motion(reaches):
    task = reaches["gantry-5"].task
    q = np.array([[0.1, 0.2, -0.3, 0.4, 0.5]])
    nothing = Tasks(starts=np.zeros((1, 3)), tangents=np.zeros((1, 3)), axes=np.zeros((1, 3)))
    assert improved(task, q, nothing) is q


def test_candidates_stand_point_by_point_few_and_spread(reaches, serial_job):
    reach = reaches["industrial-6r"]
    found = reach.candidates(place(serial_job(reach.model.mechanism, 30)))
    assert np.all(np.diff(found.point) >= 0)
    counts = np.bincount(found.point, minlength=30)
    assert counts.max() <= 2 * 8 * 3  # told and searched, of each eight, of these three turns
    branches = [
        {found.lines.branch(row) for row in np.nonzero(found.point == k)[0].tolist()}
        for k in range(30)
    ]
    assert np.median([len(names) for names in branches]) >= 4


def test_the_same_job_gives_the_same_candidates_whatever_else_is_asked(robots, serial_job):
    job = serial_job(robots["industrial-6r"], 12)
    placed = place(job)
    one = SerialReach(job.mechanism, seed=1).candidates(placed)
    again = SerialReach(job.mechanism, seed=1).candidates(placed)
    assert np.array_equal(one.lines.q_starts, again.lines.q_starts)
    alone = SerialReach(job.mechanism, seed=1).candidates(some_points(placed, np.array([7])))
    assert np.abs(alone.lines.q_starts - one.lines.q_starts[one.point == 7]).max() < 1e-9


def test_no_points_have_no_candidates(reaches, serial_job):
    reach = reaches["gantry-5"]
    placed = some_points(place(serial_job(reach.model.mechanism, 2)), np.arange(0))
    assert len(reach.candidates(placed).lines) == 0
    assert reach.shortfalls(placed, np.arange(0)) == []


def test_the_measuring_arm_keeps_its_closed_form(corrected_job, serial_job, robots):
    arm = reach_of(corrected_job)
    assert isinstance(arm, ArmReach)
    assert arm.complete
    other = reach_of(serial_job(robots["gantry-5"], 2))
    assert isinstance(other, SerialReach)
    assert other.complete  # five joints: every branch is told
    assert not reach_of(serial_job(robots["industrial-6r"], 2)).complete


def test_a_line_that_leaves_the_reach_says_how_far_it_gets(reaches, serial_job):
    """The wrist centre, 140 mm behind the ball, starts 790 mm from the shoulder and runs outwards
    at 45 degrees; the arm spans 820 mm, which is s along the line: 0.79² + 2·0.79·s·cos 45° + s² =
    0.82²."""
    reach = reaches["industrial-7r"]
    placed = place(serial_job(reach.model.mechanism, 1))
    radial, across = np.array([0.0, np.sin(1.2), np.cos(1.2)]), np.array([1.0, 0.0, 0.0])
    axis = (radial + across) / np.sqrt(2.0)
    start = np.array([0.0, 0.0, 0.36]) + 0.79 * radial + 0.14 * axis
    c = 0.79 * np.sqrt(0.5)
    s = np.sqrt(c * c + 0.82**2 - 0.79**2) - c
    end = start + 0.06 * axis
    assert s < 0.05
    far = replace(
        placed,
        contacts=end[None],
        clearances=start[None],
        directions=-axis[None],
        distances=np.array([0.06]),
        depths=np.zeros(1),
        axes=axis[None],
        normals=-axis[None],
    )
    assert len(reach.candidates(far).lines) == 0
    (reason,) = reach.shortfalls(far, np.array([0]))
    assert reason.code == "P103"
    assert "of 60.0 mm from the clearance point, until the robot is stretched" in reason.message
    goes = float(reason.message.split("farthest goes ")[1].split(" mm")[0])
    # Places are looked at every 3.75 mm, and the last before a stretched arm are not followed.
    assert s * 1e3 - 8.0 < goes <= s * 1e3


def test_margins_ask_an_angle_of_turning_joints_only(robots):
    mechanism = robots["gantry-5"]
    limit = np.array([[0.01, 0.01, 0.01, 0.2, 0.2]])
    sliding = np.array([True, True, True, False, False])
    mixed = Margins(limit=limit, singularity=np.ones(1), sliding=sliding)
    assert mixed.keep(0.1).tolist() == [True]
    assert mixed.keep(0.3).tolist() == [False]
    assert Margins(limit=limit, singularity=np.ones(1)).keep(0.1).tolist() == [False]
    assert mixed.take(np.array([0])).keep(0.1).tolist() == [True]
    units = joint_units(mechanism)
    assert units[3:].tolist() == [1.0, 1.0]
    assert np.all(units[:3] > 1.0)


@pytest.mark.parametrize("name", ["industrial-6r", "gantry-5"])
def test_every_branch_of_a_clearance_point_is_among_those_told(name, reaches):
    """Branches of the whole chain beside what the search finds from many starts."""
    task = reaches[name].task
    q = joint_samples(task.mechanism, 12, slide=task.length, skip=40)
    at = task.posed(q)
    found = BranchSearch.of(task).postures(at.balls, at.rotations[:, :, 2])
    point, told = found.point, found.q
    reached = task.posed(told)
    np.testing.assert_allclose(reached.balls, at.balls[point], atol=1e-9)
    np.testing.assert_allclose(reached.rotations[:, :, 2], at.rotations[point, :, 2], atol=1e-9)
    if task.spare == 0:
        away = np.abs(told - q[point]) / task.units
        turned = np.abs(away - 2.0 * np.pi * np.round(away / (2.0 * np.pi)))
        away = np.max(np.where(task.angular, turned, away), axis=1)
        nearest = [np.min(away[point == k]) for k in range(len(q))]
        assert max(nearest) < 1e-8


@pytest.mark.parametrize("name", ["industrial-6r", "angled-6r", "industrial-7r"])
def test_branches_stand_at_close_turns_by_the_bare_steps(name, reaches, serial_job):
    """They reach their places by the robot's own forward model; with a joint held, of seven too."""
    reach = reaches[name]
    placed = place(serial_job(reach.model.mechanism, 6))
    found = reach.branches(placed)
    assert np.bincount(found.point, minlength=6).min() >= 40
    reached = reach.task.posed(found.q)
    np.testing.assert_allclose(reached.balls, placed.clearances[found.point], atol=1e-9)
    np.testing.assert_allclose(reached.rotations[:, :, 2], placed.axes[found.point], atol=1e-9)


def test_a_robot_without_motion_to_spare_has_no_further_branches(reaches, serial_job):
    reach = reaches["gantry-5"]
    assert len(reach.branches(place(serial_job(reach.model.mechanism, 3))).point) == 0


def test_candidates_with_more_stay_point_by_point(reaches, serial_job):
    reach = reaches["industrial-6r"]
    placed = place(serial_job(reach.model.mechanism, 5))
    found, more = reach.candidates(placed), reach.branches(placed)
    whole, rows = reach.with_more(found, placed, more.take(np.arange(0, len(more.point), 40)))
    assert np.all(np.diff(whole.point) >= 0)
    assert len(whole.point) > len(found.point)
    assert np.array_equal(whole.lines.take(rows).q_starts, found.lines.q_starts)
    assert np.array_equal(whole.point[rows], found.point)
