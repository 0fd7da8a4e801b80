"""The square task of a probe: its Jacobian, its bias and its three singularities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.arm.inverse import ArmInverse, task_bias, task_jacobian


@pytest.mark.parametrize("length", [0.0, 0.15])
def test_the_determinant_is_the_formula_of_decision_5(arm, make_tool, random_postures, length):
    """|det J5| = d3·r4·|cos q3·(r4 sin(q2+q3) + d3 cos q2)·sin q5| for any stylus length."""
    model = ArmInverse(replace(arm, tool=make_tool(-np.pi / 2, length))).model
    q = random_postures(500)
    _, q2, q3, _, q5 = q.T
    radius = 1.5139 * np.sin(q2 + q3) + np.cos(q2)
    right = 1.0 * 1.5139 * np.cos(q3) * radius * np.sin(q5)
    found = np.linalg.det(task_jacobian(model, q))
    np.testing.assert_allclose(np.abs(found), np.abs(right), atol=1e-13)


def test_the_margins_are_its_factors(arms, random_postures):
    for mechanism in arms.values():
        inverse = ArmInverse(mechanism)
        family, margins = inverse.family, inverse.margins(random_postures(200))
        scale = family.upper_arm * family.forearm * family.reach
        product = margins.shoulder * margins.elbow * margins.wrist * scale
        J = task_jacobian(inverse.model, random_postures(200))
        np.testing.assert_allclose(np.abs(np.linalg.det(J)), product, atol=1e-13)
        three = [margins.shoulder, margins.elbow, margins.wrist]
        np.testing.assert_array_equal(margins.least, np.min(three, axis=0))
        assert margins.least.max() <= 1.0


@pytest.mark.parametrize("side", [(0.0, 0.0), (0.03, -0.05)])
def test_jacobian_and_bias_are_derivatives_of_ball_and_direction(
    arm, make_tool, random_postures, side
):
    """Central differences along a joint path with speed and acceleration."""
    model = ArmInverse(replace(arm, tool=make_tool(-np.pi / 2, 0.1, side))).model
    rng = np.random.default_rng(3)
    q, qd, qdd = random_postures(50), rng.normal(size=(50, 5)), rng.normal(size=(50, 5))
    h = 1e-4
    before, here, after = (model.forward(q + t * qd + 0.5 * t * t * qdd) for t in (-h, 0.0, h))
    R = here[:, :3, :3]
    speed = (after - before)[:, :3, 2:] / (2 * h)
    bend = (after - 2 * here + before)[:, :3, 2:] / h**2
    J = task_jacobian(model, q)
    first = np.einsum("nij,nj->ni", J, qd)
    second = np.einsum("nij,nj->ni", J, qdd) + task_bias(model, q, qd)
    # Differences err by h² times third derivatives, and by 1e-16 over h².
    np.testing.assert_allclose(first[:, :3], speed[:, :, 1], atol=1e-6)
    np.testing.assert_allclose(second[:, :3], bend[:, :, 1], atol=1e-5)
    # In tool axes: turning about x moves the direction along -y, turning about y along x.
    along = np.einsum("nji,nj->ni", R, speed[:, :, 0])
    np.testing.assert_allclose(first[:, 3:], np.stack([-along[:, 1], along[:, 0]], 1), atol=1e-6)
    along = np.einsum("nji,nj->ni", R, bend[:, :, 0])
    np.testing.assert_allclose(second[:, 3:], np.stack([-along[:, 1], along[:, 0]], 1), atol=1e-5)
