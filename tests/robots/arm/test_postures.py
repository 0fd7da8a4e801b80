"""Postures for targets: in closed form for the measuring arm, by search for any other robot."""

from __future__ import annotations

import numpy as np
import pytest

from robots.arm.postures import inverse_postures, is_measuring_arm
from robots.core.inverse import Target
from robots.core.joint_samples import joint_samples
from robots.core.model import Model
from robots.library import load


@pytest.mark.parametrize("robot", ["measuring-arm", "industrial-6r"])
def test_every_posture_reaches_its_target(robot):
    model = Model(load(robot))
    q = joint_samples(model.mechanism, 4, slide=1.0, skip=3)
    T = model.forward(q)
    arm = is_measuring_arm(model.mechanism)
    assert arm == (robot == "measuring-arm")
    target = Target.position_and_axis(T[:, :3, 3], T[:, :3, 2]) if arm else Target.pose(T)
    for row, found in enumerate(inverse_postures(model, target, q)):
        assert found.success
        assert found.postures[0].within_limits
        np.testing.assert_allclose(found.postures[0].q, q[row], atol=1e-6)  # nearest to ``near``
        for posture in found.postures:
            np.testing.assert_allclose(model.forward(posture.q)[:3, 3], T[row, :3, 3], atol=1e-8)
            assert (posture.arm is not None) == arm


def test_a_target_out_of_reach_is_told_by_how_much():
    model = Model(load("measuring-arm"))
    target = Target.position_and_axis(np.array([[30.0, 0.0, 0.5]]), np.array([[0.0, 0.0, -1.0]]))
    (found,) = inverse_postures(model, target)
    assert (found.success, found.postures) == (False, ())
    assert "out of reach" in found.reason
