"""Names of postures: those under which the inverse answers the same postures."""

import numpy as np
import pytest

from robots.core.chain_inverse.names import BranchNames
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.inverse.task import Task
from robots.core.joint_samples import joint_samples
from robots.core.model import Model
from robots.library import load
from tests.cases import cases


@pytest.mark.parametrize("name", ["ur5e", "cylindrical-5", "yaskawa-hc10", "franka-panda"])
def test_a_posture_has_the_name_under_which_the_inverse_answers_it(name):
    """Of seven joints with the last one locked where the posture has it."""
    robot = load(name)
    names = BranchNames(robot, "numpy")
    for q in joint_samples(robot, cases(gate=1, soak=3), slide=1.0, skip=5):
        held = {robot.movable[-1].name: float(q[-1])} if robot.dof == 7 else None
        task = Task.POSITION_AND_AXIS if robot.dof == 5 else Task.POSE
        inverse = ChainInverse.of(robot, task, held, "numpy")
        found = inverse.solve(Model(robot, "numpy").forward(q))
        away = np.abs(found.q[0] - q[: inverse.chain.own])
        turned = np.abs(away - 2.0 * np.pi * np.round(away / (2.0 * np.pi)))
        turned = np.where(inverse.chain.revolute[: inverse.chain.own], turned, away)
        distance = np.where(found.solved[0], np.max(turned, axis=1), np.inf)
        assert np.min(distance) < 1e-8
        assert names.of(q) == inverse.names_at(found, 0)[int(np.argmin(distance))] != ""


def test_a_posture_where_two_branches_meet_has_no_name():
    names = BranchNames(load("ur5e"), "numpy")
    assert names.of(np.array([0.3, -1.0, 1e-12, -0.5, 0.8, 0.0])) == ""
