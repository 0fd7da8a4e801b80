"""Intervals of the roll: their ends are exact, and whoever stands on one is told the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.chain_inverse.rolls import FeasibleRolls
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.model import Model
from robots.core.pose import make_pose, rotation_z, rotation_zyx
from robots.library import load
from tests.cases import cases

_TURN = 2.0 * np.pi
_PROBE = make_pose(rotation_zyx(np.radians([20.0, 35.0, 10.0])), [0.03, 0.02, 0.12])
_POSES = cases(gate=1, soak=8)
_SAMPLES = cases(gate=9, soak=360)  # of a turn
# A spherical wrist, an offset wrist, and one of seven joints; the soak adds others.
ARMS = ["yaskawa-gp7", "kuka-iiwa-7-r800"]
MORE = [
    "yaskawa-hc10",
    "ur5e",
    "fanuc-crx-10ia",
    "abb-crb-15000-5",
    "ufactory-xarm6",
    "franka-fr3",
    "ufactory-xarm7",
]
_NARROW = {  # of arms whose joints have whole turns
    "yaskawa-hc10": {2: (-2.0, 2.5), 4: (-2.2, 1.9)},
    "abb-crb-15000-5": {4: (-2.2, 1.9)},
}


class Case:
    """A robot with a probe beside its last axis, poses, and all branches at equal rolls of each."""

    def __init__(self, name):
        robot = load(name)
        joints = list(robot.joints)
        for k, (low, high) in _NARROW.get(name, {}).items():
            joints[k] = replace(joints[k], q_min=low, q_max=high)
        self.robot = replace(robot, joints=tuple(joints), tool=robot.tool @ _PROBE)
        self.model, self.rolls = Model(self.robot, "numpy"), FeasibleRolls(self.robot)
        self.seven = robot.dof == 7
        low, high = np.maximum(robot.q_min, -np.pi), np.minimum(robot.q_max, np.pi)
        q = np.random.default_rng(3).uniform(low, high, (_POSES, robot.dof))
        self.T = self.model.forward(q)
        sampled = np.linspace(0.0, _TURN, _SAMPLES, endpoint=False)
        self.at = [self.within(*self.branches(T, sampled)) for T in self.T]
        self.found = [self.rolls.around(q) for _, q in self.at]

    def branches(self, T, rolls):
        """All postures of a pose at some rolls, and the roll of each."""
        if self.seven:  # the sixth joint's inverse, with the last one at its value
            six = ChainInverse.of(self.robot, locked={self.robot.movable[6].name: 0.0})
            behind = self.model.transforms(np.zeros(7))[-1]
            behind = np.linalg.inv(behind) @ self.model.forward(np.zeros(7))
            turns = np.tile(np.eye(4), (rolls.size, 1, 1))
            turns[:, :3, :3] = rotation_z(-rolls)
            found = six.solve(T @ np.linalg.inv(behind) @ turns @ behind)
        else:
            turned = np.repeat(T[None], rolls.size, axis=0)
            turned[:, :3, :3] = T[:3, :3] @ rotation_z(rolls)
            found = ChainInverse.of(self.robot).solve(turned)
        roll, branch = np.nonzero(found.solved)
        q = found.q[roll, branch]
        return rolls[roll], np.column_stack([q, rolls[roll]]) if self.seven else q

    def within(self, rolls, q):
        """Those within the limits, by whole turns tried one by one."""
        turned = q[..., None] + _TURN * np.arange(-2.0, 3.0)
        low, high = self.robot.q_min[:, None], self.robot.q_max[:, None]
        good = np.all(np.any((turned >= low) & (turned <= high), axis=2), axis=1)
        return rolls[good], q[good]

    def ends(self, pose):
        """Rolls and ends of all intervals of a pose, each as often as a posture tells it."""
        for roll, one in zip(self.at[pose][0], self.found[pose], strict=True):
            for place, end in zip((roll - one.back, roll + one.on), one.ends, strict=False):
                yield float(place) % _TURN, end


def apart(a, b):
    return np.abs((a - b + np.pi) % _TURN - np.pi)


@pytest.fixture(
    scope="module",
    params=[*ARMS, *(pytest.param(name, marks=pytest.mark.soak) for name in MORE)],
)
def case(request):
    return Case(request.param)


def test_an_interval_has_one_posture_at_each_of_its_rolls(case):
    """All of them, which an inverse that knows no interval answers, tell the same ends."""
    told, step = 0, _TURN / _SAMPLES
    for (rolls, _), found in zip(case.at, case.found, strict=True):
        assert None not in found
        kept = [k for k, one in enumerate(found) if one.ends]
        ends = [found[k].ends for k in kept]
        low = np.array([rolls[k] - found[k].back for k in kept])
        high = np.array([rolls[k] + found[k].on for k in kept])
        passed = 1 + np.floor(high / step + 1e-9) - np.ceil(low / step - 1e-9)
        for k, one in enumerate(ends):
            # Two branches that meet at both folds have both ends in common.
            near = np.flatnonzero((apart(low, low[k]) < 1e-7) & (apart(high, high[k]) < 1e-7))
            # One longer than a turn may end where a short one does.
            near = near[np.abs(high[near] - low[near] - (high[k] - low[k])) < 1e-7]
            alike = [j for j in near if ends[j] == one]
            assert len(alike) % int(passed[k]) == 0
            told += 1
    assert told


def test_ends_are_at_limits_or_at_folds(case):
    """By the inverse of the pose there: a joint at its limit; beyond a fold, fewer branches."""
    names = [joint.name for joint in case.robot.movable]
    for k in range(_POSES):
        each = {(round(place, 7), end.joint): (place, end) for place, end in case.ends(k)}
        for place, end in list(each.values())[: cases(gate=2, soak=100)]:
            rolls, q = case.branches(case.T[k], place + np.array([-1e-6, 0.0, 1e-6]))
            if end.fold:
                sides = [int(np.sum(rolls == place + way)) for way in (-1e-6, 1e-6)]
                assert sides[0] != sides[1]
                continue
            joint = names.index(end.joint)
            assert end.limit in (case.robot.q_min[joint], case.robot.q_max[joint])
            assert np.min(apart(q[rolls == place, joint], end.limit)) < 1e-7


def test_every_roll_at_which_a_limit_is_met_is_an_end(case):
    """With a joint locked at its limit the roll is the unknown of a chain that misses no root.

    All ends at the limit are among its postures, and from none of these does a turn go on beyond.
    """
    robot, seven = case.robot, case.seven
    task = Task.POSE if seven else Task.POSITION_AND_AXIS
    names = [joint.name for joint in robot.movable]
    told = {end for pose in range(_POSES) for _, end in case.ends(pose) if not end.fold}
    assert told or case.robot.name == "ur5e"  # whose joints have whole turns
    for want in sorted(told, key=str)[: cases(gate=1, soak=14)]:
        inverse = ChainInverse.of(robot, task, {want.joint: want.limit}, "numpy")
        answers = inverse.solve(case.T)
        for pose, T in enumerate(case.T):
            q = answers.q[pose][answers.solved[pose]]
            q = np.insert(q, names.index(want.joint), want.limit, axis=1)
            R = T[:3, :3].T @ case.model.forward(q)[:, :3, :3]
            rolls = q[:, 6] if seven else np.arctan2(R[:, 1, 0], R[:, 0, 0])
            rolls, q = case.within(rolls, q)
            for one in case.rolls.around(q):
                assert one is not None
                assert min(one.back, one.on) < 1e-7
                assert want in one.ends
            places = [place for place, end in case.ends(pose) if end == want]
            assert all(np.min(apart(rolls, place), initial=1.0) < 1e-9 for place in places)


def test_a_probe_on_the_last_axis_turns_the_last_joint_alone():
    """Of a GP7 the other joints stay; joint 6 has more than a turn: every branch has all rolls."""
    q = np.array([[0.3, 0.2, -0.4, 0.5, 0.7, 0.1], [1.0, 0.2, -0.4, -0.5, -0.7, 0.1]])
    for one in FeasibleRolls(load("yaskawa-gp7")).around(q):
        assert one.ends == ()
        assert (one.back, one.on) == pytest.approx((_TURN, _TURN))


def test_limits_of_a_last_joint_of_half_a_turn_are_told_exactly():
    robot = load("yaskawa-gp7")
    joints = list(robot.joints)
    joints[5] = replace(joints[5], q_min=-1.0, q_max=0.5)
    robot = replace(robot, joints=tuple(joints))
    (one,) = FeasibleRolls(robot).around(np.array([[0.3, 0.2, -0.4, 0.5, 0.7, 0.1]]))
    # The joint's axis and the tool's point opposite ways.
    assert (one.back, one.on) == pytest.approx((0.4, 1.1), abs=1e-12)
    assert [end.limit for end in one.ends] == [0.5, -1.0]
    assert {end.joint for end in one.ends} == {robot.movable[5].name}


def test_a_posture_beyond_a_limit_or_at_a_singularity_has_no_interval():
    robot = load("yaskawa-gp7")
    q = np.array([[0.3, 3.0, -0.4, 0.5, 0.7, 0.1], [0.3, 0.2, -0.4, 0.5, 0.0, 0.1]])
    assert FeasibleRolls(robot).around(q) == [None, None]


def test_a_place_out_of_reach_has_no_posture_at_any_turn():
    """By a metre, and by five millimetres beyond the last place of a line that has one."""
    rolls = FeasibleRolls(load("staubli-tx2-60"))
    down = np.diag([1.0, -1.0, -1.0])
    low, high = 0.4, 0.7
    for _ in range(6):
        middle = 0.5 * (low + high)
        reached = rolls.any_within(make_pose(down, [middle, 0.0, 0.1]))
        low, high = (middle, high) if reached else (low, middle)
    assert 0.4 < low < high < 0.7
    for place in (high + 5e-3, high + 1.0):
        assert not rolls.any_within(make_pose(down, [place, 0.0, 0.1]))


@pytest.mark.parametrize(("name", "count"), [("measuring-arm", 5), ("scara-4", 4)])
def test_a_robot_of_other_joints_is_refused(name, count):
    with pytest.raises(InverseError, match=f"or of seven of which the last one turns; .* {count}"):
        FeasibleRolls(load(name))
