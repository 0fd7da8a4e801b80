"""Singular postures found by moving one joint, and the task that a mechanism can do."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.inverse import Task
from robots.core.model import Model
from robots.core.singularities.analysis import natural_task, search_starts, singular_postures
from robots.library import load


@pytest.mark.parametrize(
    ("robot", "task"),
    [
        ("measuring-arm", Task.POSITION_AND_AXIS),
        ("planar-3r", Task.PLANE_POSE),
        ("stanford", Task.POSE),
    ],
)
def test_the_natural_task_is_the_largest_that_the_robot_can_do(robot, task):
    assert natural_task(Model(load(robot), engine="numpy")) is task


def test_every_posture_that_is_found_loses_a_motion():
    model = Model(load("measuring-arm"), engine="numpy")
    found = list(singular_postures(model, Task.POSITION_AND_AXIS))
    assert {one.joint for one in found} >= {"q3", "q5"}
    for one in found:
        values = np.linalg.svd(Task.POSITION_AND_AXIS.jacobian(model, one.q), compute_uv=False)
        assert values[-1] < 1e-5 * values[0]
        assert one.singularity.singular


def test_a_single_start_moves_one_joint_only():
    model = Model(load("measuring-arm"), engine="numpy")
    start = search_starts(model)[0]
    (found,) = singular_postures(model, Task.POSITION_AND_AXIS, [start])
    assert np.count_nonzero(found.q != start) == 1
