"""Choosing few postures of many: none twice, every branch first; whole turns."""

from dataclasses import replace

import numpy as np
import pytest

from planner.reach.serial import distinct, positive, signatures, spread, turned
from planner.reach.serial_search import SerialTask

TURN = 2.0 * np.pi


@pytest.fixture(scope="module")
def task(robots):
    return SerialTask(robots["industrial-6r"])


def test_distinct_leaves_out_repetitions_of_the_same_point_only(task):
    q = np.zeros((5, 6))
    q[1, 3] = TURN  # the same posture, a turn on
    q[2, 0] = 1.0
    q[4, 0] = 1e-6  # the same posture, of another point
    point = np.array([0, 0, 0, 1, 1])
    assert distinct(task, point, q, 1e-4).tolist() == [0, 2, 3]
    assert distinct(task, point[:0], q[:0], 1e-4).tolist() == []


def test_turns_of_a_sliding_joint_are_no_repetition(robots):
    gantry = SerialTask(robots["gantry-5"])
    q = np.zeros((2, 5))
    q[1, 0] = TURN
    assert distinct(gantry, np.zeros(2, dtype=np.int64), q, 1e-4).tolist() == [0, 1]


def test_signatures_are_signs_whole_turns_aside(task):
    q = np.array([[0.1, -0.1, 3.0, -3.0, 0.0, 7.0], [0.1 - TURN, -0.1, 3.0, -3.0, TURN, 0.7]])
    assert positive(q[0]).tolist() == [True, False, True, False, True, True]
    assert len(set(signatures(task, q).tolist())) == 1


def test_spread_takes_the_best_of_every_branch_before_a_second():
    point = np.array([0, 0, 0, 0, 1])
    signature = np.array([5, 5, 2, 2, 5])
    value = np.array([0.9, 0.8, 0.1, 0.2, 0.3])
    assert spread(point, signature, value, 2).tolist() == [0, 3, 4]
    assert spread(point, signature, value, 3).tolist() == [0, 3, 1, 4]
    assert spread(point, signature, value, 9).tolist() == [0, 3, 1, 2, 4]
    assert spread(point[:0], signature[:0], value[:0], 2).size == 0


def test_whole_turns_within_limits_widest_margin_first(task):
    """Joint 6 goes ±266°: 100° is also -260°, and 80° is only itself."""
    q = np.zeros((2, 3, 6))
    q[:, :, 5] = np.radians([[100.0, 101.0, 102.0], [80.0, 81.0, 82.0]])
    found = turned(task, q, 3)
    assert found.row.tolist() == [0, 0, 1]
    assert found.shift[:, 5].tolist() == [0.0, -TURN, 0.0]
    assert np.all(found.shift[:, :5] == 0.0)


def test_a_line_beyond_its_limits_is_kept_once(task):
    q = np.zeros((1, 3, 6))
    q[:, :, 0] = 3.1  # beyond 160°, and so is any turn of it
    found = turned(task, q, 3)
    assert found.row.tolist() == [0]
    assert np.all(found.shift == 0.0)


def test_joints_without_limits_are_offered_a_turn_either_way(task):
    joints = [replace(j, q_min=-np.inf, q_max=np.inf) for j in task.mechanism.joints]
    free = SerialTask(replace(task.mechanism, joints=tuple(joints)))
    found = turned(free, np.zeros((1, 2, 6)), 1000)
    # None, one of six joints, two of them.
    assert found.row.size == 1 + 6 * 2 + 15 * 4
    assert np.all(found.shift[0] == 0.0)
