"""Lagrange's torques, against Newton-Euler and against Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.proof.lagrange_torques import LagrangeTorques
from robots.core.model import Model
from robots.library import load


@pytest.fixture(scope="module")
def mechanism():
    arm = load("measuring-arm")
    joints = [replace(j, coulomb=1.5, viscous=0.7, motor_inertia=0.2) for j in arm.joints]
    return replace(arm, joints=tuple(joints))


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(3).normal(size=(3, 50, 5))


def test_they_are_the_torques_of_newton_and_euler(mechanism, states):
    expected = Model(mechanism).torques(*states)
    # Traces about the base cancel sums of order 1e3 N m down to the wrist's torques.
    assert LagrangeTorques(mechanism).full(*states) == pytest.approx(expected, abs=1e-11)


def test_dry_friction_is_apart(mechanism, states):
    torques = LagrangeTorques(mechanism)
    dry = torques.full(*states) - torques.smooth(*states)
    assert dry == pytest.approx(1.5 * np.sign(states[1]), abs=1e-11)


def test_they_are_pinocchios(states):
    """A joint-by-joint oracle without friction, built from the robot's own placements."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
    arm = load("measuring-arm")
    model = pin.Model()
    model.gravity.linear = np.array(arm.gravity)
    for index, joint in enumerate(arm.joints):
        place = pin.SE3(np.array(joint.placement[:3, :3]), np.array(joint.placement[:3, 3]))
        added = model.addJoint(index, pin.JointModelRZ(), place, joint.name)
        I, h = joint.body.inertia_at_origin, joint.body.first_moment
        ten = [joint.body.mass, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
        inertia = pin.Inertia.FromDynamicParameters(np.array(ten))
        model.appendBodyToJoint(added, inertia, pin.SE3.Identity())
    data = model.createData()
    expected = [pin.rnea(model, data, *state) for state in zip(*states, strict=True)]
    assert LagrangeTorques(arm).full(*states) == pytest.approx(np.array(expected), abs=1e-10)
