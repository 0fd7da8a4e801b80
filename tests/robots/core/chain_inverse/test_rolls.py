"""Intervals of the roll: their ends are exact, and nothing between two samples is missed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.chain_inverse.rolls import FeasibleRolls
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.errors import InverseError
from robots.core.model import Model
from robots.core.pose import make_pose, rotation_z, rotation_zyx
from robots.library import load
from tests.cases import cases

_TURN = 2.0 * np.pi
_PROBE = make_pose(rotation_zyx(np.radians([20.0, 35.0, 10.0])), [0.03, 0.02, 0.12])
_POSES = 3


def _with_probe(name):
    robot = load(name)
    return replace(robot, tool=robot.tool @ _PROBE)


@pytest.fixture(scope="module", params=["yaskawa-gp7", "ur5e"])
def case(request):
    """A robot with a probe beside its last axis, poses that it reaches, and their intervals."""
    robot = _with_probe(request.param)
    rolls = FeasibleRolls(robot, engine="numpy")
    low, high = np.maximum(robot.q_min, -np.pi), np.minimum(robot.q_max, np.pi)
    q = np.random.default_rng(3).uniform(low, high, (_POSES, 6))
    T = Model(robot, "numpy").forward(q)
    return robot, q, T, [rolls.intervals(pose) for pose in T]


def _within(interval, roll):
    return (roll - interval.low) % _TURN <= interval.high - interval.low


def test_a_branch_is_within_limits_in_its_intervals_and_nowhere_else(case):
    """Against every branch at many rolls of each pose, by solutions that know no interval."""
    robot, _, T, found = case
    inverse = ChainInverse.of(robot, engine="numpy")
    rolls = np.linspace(0.0, _TURN, cases(gate=180, soak=720), endpoint=False) + 1e-4
    low, high = robot.q_min, robot.q_max
    for pose, intervals in zip(T, found, strict=True):
        poses = np.repeat(pose[None], rolls.size, axis=0)
        poses[:, :3, :3] = pose[:3, :3] @ rotation_z(rolls)
        raw = inverse.angles(poses)
        q = raw[..., :-1, None] + _TURN * np.array([-1.0, 0.0, 1.0])
        inside = np.any((q >= low[:, None]) & (q <= high[:, None]), axis=-1)
        good = np.all(inside, axis=-1) & (raw[..., -1] >= 0.0)
        for branch, name in enumerate(inverse.names):
            told = np.zeros(rolls.size, dtype=np.bool_)
            for one in intervals:
                if one.branch == name:
                    told |= np.array([_within(one, roll) for roll in rolls])
            assert np.array_equal(told, good[:, branch])


def test_the_posture_that_a_pose_was_made_of_is_in_an_interval(case):
    _, _, _, found = case
    for intervals in found:
        assert any(_within(one, 0.0) for one in intervals)


def test_ends_are_at_limits_or_at_folds(case):
    """A joint at its limit there by the inverse of the pose; a fold has no reserve left."""
    robot, _, T, found = case
    inverse = ChainInverse.of(robot, engine="numpy")
    names = [joint.name for joint in robot.movable]
    kinds = set()
    for pose, intervals in zip(T, found, strict=True):
        for one in intervals:
            for roll, end in zip((one.low, one.high), one.ends or (), strict=False):
                turned = pose.copy()
                turned[:3, :3] = pose[:3, :3] @ rotation_z(np.array([roll]))[0]
                raw = inverse.angles(turned)[inverse.names.index(one.branch)]
                kinds.add(end.fold)
                if end.fold:
                    assert abs(raw[-1]) < 1e-9
                else:
                    away = raw[names.index(end.joint)] - end.limit
                    assert abs((away + np.pi) % _TURN - np.pi) < 1e-8
    assert (True in kinds) if robot.name == "ur5e" else (False in kinds)


def test_a_probe_on_the_last_axis_turns_the_last_joint_alone():
    """Of a GP7 the other joints stay; joint 6 has more than a turn: every branch has all rolls."""
    robot = load("yaskawa-gp7")
    q = np.array([0.3, 0.2, -0.4, 0.5, 0.7, 0.1])
    T = Model(robot, "numpy").forward(q)
    intervals = FeasibleRolls(robot, engine="numpy").intervals(T)
    assert intervals
    assert all(one.ends is None and one.high - one.low == pytest.approx(_TURN) for one in intervals)


def test_limits_of_a_last_joint_of_half_a_turn_are_told_exactly():
    robot = load("yaskawa-gp7")
    joints = list(robot.joints)
    joints[5] = replace(joints[5], q_min=-1.0, q_max=0.5)
    robot = replace(robot, joints=tuple(joints))
    T = Model(robot, "numpy").forward(np.array([0.3, 0.2, -0.4, 0.5, 0.7, 0.1]))
    rolls = FeasibleRolls(robot, engine="numpy")
    own = [one for one in rolls.intervals(T) if _within(one, 0.0)]
    assert own
    assert all(one.high - one.low == pytest.approx(1.5, abs=1e-9) for one in own)
    assert {end.joint for one in own for end in one.ends} == {robot.movable[5].name}
    assert {round(end.limit, 12) for one in own for end in one.ends} == {-1.0, 0.5}
    assert own[0].to_ends(0.0) == pytest.approx((-own[0].low % _TURN, own[0].high % _TURN))
    assert own[0].to_ends(own[0].low - 1e-3) is None


def test_a_place_out_of_reach_has_no_interval():
    """By a metre, and by a millimetre beyond the last place of a line that has one."""
    robot = load("staubli-tx2-60")
    rolls = FeasibleRolls(robot, engine="numpy")
    down = np.diag([1.0, -1.0, -1.0])
    low, high = 0.4, 3.0
    for _ in range(12):
        middle = 0.5 * (low + high)
        reached = rolls.intervals(make_pose(down, [middle, 0.0, 0.1]))
        low, high = (middle, high) if reached else (low, middle)
    assert 0.4 < low < 0.7
    assert rolls.intervals(make_pose(down, [high + 1e-3, 0.0, 0.1])) == ()
    assert rolls.intervals(make_pose(down, [high + 1.0, 0.0, 0.1])) == ()


def test_a_robot_without_closed_form_is_refused():
    with pytest.raises(InverseError, match="six joints in closed form; 'ufactory-xarm6' has 6"):
        FeasibleRolls(load("ufactory-xarm6"), engine="numpy")
