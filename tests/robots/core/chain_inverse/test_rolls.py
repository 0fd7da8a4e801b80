"""Intervals of the roll: their ends are exact, and nothing between two samples is missed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.chain_inverse.chain import chain_of
from robots.core.chain_inverse.rolls import FeasibleRolls
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.errors import InverseError
from robots.core.model import Model
from robots.core.pose import make_pose, rotation_z, rotation_zyx
from robots.library import load
from tests.cases import cases

_TURN = 2.0 * np.pi
_PROBE = make_pose(rotation_zyx(np.radians([20.0, 35.0, 10.0])), [0.03, 0.02, 0.12])
_POSES = cases(gate=2, soak=8)
_SAMPLES = cases(gate=720, soak=62832)  # of a turn: 1e-4 rad apart in the soak
# A spherical wrist, parallel axes, an offset wrist, and one of seven joints; the soak adds others.
ARMS = ["yaskawa-gp7", "ur5e", "yaskawa-hc10", "kuka-iiwa-7-r800"]
MORE = ["fanuc-crx-10ia", "abb-crb-15000-5", "ufactory-xarm6", "franka-fr3", "ufactory-xarm7"]
_NARROW = {"yaskawa-hc10": {2: (-2.0, 2.5), 4: (-2.2, 1.9)}}  # its joints have whole turns


def _with_probe(name):
    robot = load(name)
    joints = list(robot.joints)
    for k, (low, high) in _NARROW.get(name, {}).items():
        joints[k] = replace(joints[k], q_min=low, q_max=high)
    return replace(robot, joints=tuple(joints), tool=robot.tool @ _PROBE)


@pytest.fixture(
    scope="module",
    params=[*ARMS, *(pytest.param(name, marks=pytest.mark.soak) for name in MORE)],
)
def case(request):
    """A robot with a probe beside its last axis, its rolls, postures, and the intervals."""
    robot = _with_probe(request.param)
    rolls = FeasibleRolls(robot)
    low, high = np.maximum(robot.q_min, -np.pi), np.minimum(robot.q_max, np.pi)
    q = np.random.default_rng(3).uniform(low, high, (_POSES, robot.dof))
    T = Model(robot, "numpy").forward(q)
    return robot, rolls, q, T, [rolls.intervals(pose) for pose in T]


def _passes(interval, rolls):
    """How often an interval passes rolls; more than once where it is longer than a turn."""
    first = (rolls - interval.low) % _TURN
    length = interval.high - interval.low
    return np.where(first <= length, 1 + np.floor((length - first) / _TURN), 0).astype(int)


def test_as_many_branches_are_within_limits_as_intervals_pass(case):
    """Against all branches at close rolls, by solutions that know no interval.

    Within limits is judged by whole turns one by one.
    """
    robot, _, _, T, found = case
    low, high = robot.q_min, robot.q_max
    sampled = np.linspace(0.0, _TURN, _SAMPLES, endpoint=False) + 3e-5
    joints = [joint.name for joint in robot.movable]
    for pose, intervals in zip(T, found, strict=True):
        if robot.dof == 6:
            poses = np.repeat(pose[None], sampled.size, axis=0)
            poses[:, :3, :3] = pose[:3, :3] @ rotation_z(sampled)
        else:  # the tool as the sixth joint would have it, did the last one turn with the roll
            last = Model(robot, "numpy").transforms(np.zeros(7))[-1]
            behind = np.linalg.inv(last) @ Model(robot, "numpy").forward(np.zeros(7))
            turns = np.tile(np.eye(4), (sampled.size, 1, 1))
            turns[:, :3, :3] = rotation_z(sampled)
            poses = pose @ np.linalg.inv(behind) @ turns @ behind
        held = {joints[6]: 0.0} if robot.dof == 7 else None
        answers = ChainInverse.of(robot, locked=held).solve(poses)
        roll, branch = np.nonzero(answers.solved)
        q = answers.q[roll, branch]
        if robot.dof == 7:
            q = np.column_stack([q, -sampled[roll]])
        turned = q[..., None] + _TURN * np.arange(-2.0, 3.0)
        good = np.all(np.any((turned >= low[:, None]) & (turned <= high[:, None]), axis=2), axis=1)
        counted = np.bincount(roll[good], minlength=sampled.size)
        told = sum((_passes(one, sampled) for one in intervals), np.zeros(sampled.size, int))
        assert np.array_equal(told, counted)


def test_the_posture_that_a_pose_was_made_of_has_its_place(case):
    _, rolls, q, T, found = case
    for posture, pose, intervals in zip(q, T, found, strict=True):
        place = rolls.on(pose, posture, intervals)
        assert place is not None
        assert place.away < 1e-2
        assert place.back + place.on == pytest.approx(place.interval.high - place.interval.low)


def test_ends_are_at_limits_or_at_folds(case):
    """A joint at its limit there by the inverse of the pose; at a fold the Jacobian is singular."""
    robot, _, _, T, found = case
    names = [joint.name for joint in robot.movable]
    six = chain_of(_six(robot))
    model = Model(robot, "numpy")
    for pose, intervals in zip(T, found, strict=True):
        for one in intervals[: cases(gate=6, soak=100)]:
            for row, roll, end in zip((0, -1), (one.low, one.high), one.ends or (), strict=False):
                q = one.q[row]
                if end.fold:
                    values = np.linalg.svd(six.jacobian(q[None])[0], compute_uv=False)
                    assert values[-1] < 1e-3 * values[0]
                    continue
                place = names.index(end.joint)
                value = -roll if place == 6 else q[place]
                assert end.limit in (robot.q_min[place], robot.q_max[place])
                assert abs((value - end.limit + np.pi) % _TURN - np.pi) < 1e-7
                turned = pose.copy()
                if robot.dof == 6:
                    turned[:3, :3] = pose[:3, :3] @ rotation_z(np.array(roll))
                whole = q if robot.dof == 6 else np.append(q, -roll)
                assert model.forward(whole) == pytest.approx(turned, abs=1e-7)


def _six(robot):
    """The first six joints: what is singular where two of their branches meet."""
    if robot.dof == 6:
        return robot
    place = [joint.name for joint in robot.joints].index(robot.movable[-1].name)
    return replace(
        robot,
        joints=robot.joints[:place],
        tool=robot.joints[place].placement,
        tool_joint=place - 1,
        capsules=(),
        self_pairs=(),
    )


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
    own = [one for one in rolls.intervals(T) if _passes(one, np.zeros(1))[0]]
    assert own
    assert all(one.high - one.low == pytest.approx(1.5, abs=1e-9) for one in own)
    assert {end.joint for one in own for end in one.ends} == {robot.movable[5].name}
    assert {round(end.limit, 12) for one in own for end in one.ends} == {-1.0, 0.5}
    place = rolls.on(T, np.array([0.3, 0.2, -0.4, 0.5, 0.7, 0.1]), tuple(own))
    assert place is not None
    # The joint's axis and the tool's point opposite ways.
    assert (place.back, place.on) == pytest.approx((0.4, 1.1), abs=1e-9)


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


@pytest.mark.parametrize(("name", "count"), [("measuring-arm", 5), ("scara-4", 4)])
def test_a_robot_of_other_joints_is_refused(name, count):
    with pytest.raises(InverseError, match=f"or of seven of which the last one turns; .* {count}"):
        FeasibleRolls(load(name), engine="numpy")
