"""The library's own stand-ins: they are called ours, and stand and move as their files say."""

import numpy as np
import pytest

from robots.core.inverse.task import Task
from robots.core.mechanism import JointKind
from robots.core.model import Model
from robots.library import load, text_of

NAMES = ["gantry-5", "industrial-7r"]


@pytest.mark.parametrize("name", NAMES)
def test_a_stand_in_says_so_and_can_be_planned(name):
    mechanism = load(name)
    assert "own stand-in" in mechanism.source
    assert "every number is ours" in text_of(name)
    assert mechanism.warnings() == ()
    for values in (mechanism.max_speed, mechanism.max_acceleration, mechanism.max_effort):
        assert np.all(np.isfinite(values))
    assert np.all(mechanism.q_min < mechanism.q_max)
    assert mechanism.capsules
    assert mechanism.self_pairs


@pytest.mark.parametrize("name", NAMES)
def test_the_drives_hold_the_arm_still(name):
    mechanism = load(name)
    rng = np.random.default_rng(0)
    part = rng.random((500, mechanism.dof))
    q = mechanism.q_min + (mechanism.q_max - mechanism.q_min) * part
    tau = Model(mechanism).gravity_torques(q)
    assert np.all(np.abs(tau) < 0.5 * mechanism.max_effort)


def test_the_gantry_slides_along_the_base_and_hangs_its_stylus():
    gantry = load("gantry-5")
    model = Model(gantry)
    assert [joint.kind for joint in gantry.movable] == [JointKind.PRISMATIC] * 3 + [
        JointKind.REVOLUTE
    ] * 2
    q = np.array([0.3, 0.4, -0.5, 0.7, 0.0])
    T = model.forward(q)
    # The tilt axis stands at 1400 mm + q3, the ball 150 mm below it.
    assert T[:3, 3] == pytest.approx([0.3, 0.4, 1.4 - 0.5 - 0.15], abs=1e-12)
    assert T[:3, 2] == pytest.approx([0.0, 0.0, -1.0], abs=1e-12)
    assert model.jacobian(q)[:3, :3] == pytest.approx(np.eye(3), abs=1e-12)
    level = model.forward(q + np.array([0.0, 0.0, 0.0, 0.0, np.pi / 2.0]))
    assert abs(level[2, 2]) < 1e-12


def test_the_seven_axis_arm_swings_its_elbow_without_moving_the_tool():
    arm = load("industrial-7r")
    model = Model(arm)
    assert model.forward(np.zeros(7))[:3, 3] == pytest.approx([0.0, 0.0, 1.32], abs=1e-12)
    q = np.array([0.3, 0.6, -0.4, 0.9, 0.5, -0.7, 0.2])
    J = Task.POSE.jacobian(model, q)
    _, s, Vt = np.linalg.svd(J)
    assert s[-1] > 0.05
    swing = Vt[-1]
    # The wrist's and shoulder's axes cross in one point each: the elbow's bend takes no part.
    assert abs(swing[3]) < 1e-12
    assert np.abs(J @ swing).max() < 1e-12
    elbow = model.transforms(np.stack([q, q + 0.01 * swing]))[:, 3, :3, 3]
    assert np.linalg.norm(elbow[1] - elbow[0]) > 1e-3
