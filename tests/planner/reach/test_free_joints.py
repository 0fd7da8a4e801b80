"""Which joints move along a line, and which robots are refused, with the reason."""

from dataclasses import replace

import numpy as np
import pytest

from planner.planning import plan
from planner.reach.serial_search import SerialTask
from robots.core.errors import InverseError
from robots.core.mechanism import Mechanism
from robots.library import load


def test_five_joints_move_all_and_six_hold_the_whole_orientation(robots):
    gantry, arm = SerialTask(robots["gantry-5"]), SerialTask(robots["industrial-6r"])
    assert gantry.free.tolist() == [0, 1, 2, 3, 4]
    assert not gantry.holds_roll
    assert arm.free.tolist() == [0, 1, 2, 3, 4, 5]
    assert arm.holds_roll


def test_of_seven_joints_one_is_locked_and_the_others_stay_regular(robots):
    task = SerialTask(robots["industrial-7r"])
    assert task.free.size == 6
    rng = np.random.default_rng(0)
    low, high = task.mechanism.q_min, task.mechanism.q_max
    at = task.posed(low + (high - low) * rng.random((200, 7)))
    # With a joint locked that must not be (the elbow's bend) the system is never far from singular.
    assert np.median(np.abs(task.condition(at))) > 0.05


def test_a_tool_that_cannot_turn_about_its_axis_is_not_asked_to(two_columns):
    task = SerialTask(two_columns)
    assert task.model.dof == 6
    assert not task.holds_roll
    assert task.free.size == 5
    # One of the two bridges is locked along a line.
    assert len({0, 1} & set(task.free.tolist())) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("planar-3r", "'planar-3r' has 3 joints; a ball's place and the direction of its stylus"),
        ("anthropomorphic", "has 3 joints"),
    ],
)
def test_too_few_joints_are_refused(name, words, serial_job, robots):
    job = serial_job(robots["gantry-5"], 2)
    with pytest.raises(InverseError, match=words):
        plan(replace(job, mechanism=load(name)))


def test_a_robot_that_cannot_tilt_the_probe_is_refused(robots):
    """A gantry whose head turns twice about the same axis."""
    gantry = robots["gantry-5"]
    twice = replace(gantry.joints[3], name="again", parent=3, placement=np.eye(4))
    stiff = Mechanism(name="stiff", joints=(*gantry.joints[:4], twice))
    with pytest.raises(InverseError, match="'stiff' cannot bring a ball to a place along a given"):
        SerialTask(stiff)


def test_a_branched_tree_is_refused_with_the_idle_joint(robots):
    arm = robots["industrial-6r"]
    idle = replace(arm.joints[5], name="gripper", parent=4)
    tree = replace(arm, joints=(*arm.joints, idle), tool_joint=5)
    with pytest.raises(InverseError, match="is no serial robot: gripper does not carry the tool"):
        SerialTask(tree)
