"""The secondary objectives of [COURSE-JAC]: values by hand, gradients by finite differences."""

import numpy as np
import pytest

from robots.core.errors import InverseError
from robots.core.inverse.null_space import (
    joint_limit_objective,
    manipulability_objective,
    obstacle_objective,
)

A = np.array([0.5, 0.4, 0.3])  # links of a planar 3R arm [m]
H = 1e-6  # step of the central differences: truncation 1e-12, rounding 1e-10


def points(q):
    """Elbow, wrist and tip of the arm. # (3, 3) [m]."""
    angle = np.cumsum(q)
    steps = A[:, None] * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)
    return np.cumsum(steps, axis=0)


def point_jacobians(q):
    """Linear Jacobians of these points. # (3, 3, 3)."""
    p = points(q)
    origins = np.vstack([np.zeros(3), p[:2]])
    J = np.cross([0.0, 0.0, 1.0], p[:, None, :] - origins[None, :, :])
    return np.swapaxes(J * np.tri(3)[:, :, None], 1, 2)


def jacobian(q):
    return point_jacobians(q)[2, :2]


def central(function, q):
    steps = H * np.eye(len(q))
    return np.stack([(function(q + h) - function(q - h)) / (2.0 * H) for h in steps], axis=-1)


Q = np.array([0.3, 1.2, 0.8])


def test_manipulability_of_the_planar_2r_arm_is_a1_a2_sine():
    q2 = 0.7
    J = np.array(
        [
            [-0.5 * np.sin(0.2) - 0.4 * np.sin(0.9), -0.4 * np.sin(0.9)],
            [0.5 * np.cos(0.2) + 0.4 * np.cos(0.9), 0.4 * np.cos(0.9)],
        ]
    )
    w = manipulability_objective(J, np.zeros((2, 2, 2)))
    assert w.value == pytest.approx(0.5 * 0.4 * np.sin(q2), abs=1e-15)


def test_manipulability_and_its_gradient():
    answer = manipulability_objective(jacobian(Q), central(jacobian, Q))
    J = jacobian(Q)
    assert answer.value == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), abs=1e-15)
    slope = central(lambda q: np.sqrt(np.linalg.det(jacobian(q) @ jacobian(q).T)), Q)
    np.testing.assert_allclose(answer.gradient, slope, rtol=0, atol=1e-9)
    assert answer.gradient[0] == pytest.approx(0.0, abs=1e-9)  # turning the base changes nothing
    assert answer.differentiable


def test_manipulability_near_a_singularity_keeps_a_finite_accurate_gradient():
    q = np.array([0.3, 1e-7, 0.0])
    answer = manipulability_objective(jacobian(q), central(jacobian, q))
    # w ≈ 1e-7 here; J⁺ itself holds 1e7. w² is a quadratic form in (q2, q3), with these minors:
    a1, a2, a3 = A
    minors = np.array([[a1 * a2 + a1 * a3, a1 * a3], [a1 * a3, (a1 + a2) * a3], [0.0, a2 * a3]])
    w = np.linalg.norm(minors @ q[1:])
    assert answer.value == pytest.approx(w, rel=1e-6)
    np.testing.assert_allclose(answer.gradient[1:], minors.T @ minors @ q[1:] / w, rtol=1e-6)


def test_manipulability_at_a_singularity_is_zero_without_a_gradient():
    q = np.zeros(3)
    answer = manipulability_objective(jacobian(q), central(jacobian, q))
    assert answer.value < 1e-16
    assert not answer.differentiable
    assert not answer.gradient.any()


def test_manipulability_of_a_batch():
    batch = np.stack([Q, Q + 0.2])
    J = np.stack([jacobian(q) for q in batch])
    dJ = np.stack([central(jacobian, q) for q in batch])
    both = manipulability_objective(J, dJ)
    assert both.gradient.shape == (2, 3)
    np.testing.assert_allclose(
        both.gradient[1], manipulability_objective(J[1], dJ[1]).gradient, rtol=0, atol=1e-15
    )


def test_manipulability_refuses_what_has_none():
    with pytest.raises(InverseError, match="6 rows and 5 columns"):
        manipulability_objective(np.ones((6, 5)), np.ones((6, 5, 5)))
    with pytest.raises(InverseError, match=r"dJ_dq has shape \(2, 3, 2\).*\(2, 3, 3\)"):
        manipulability_objective(np.ones((2, 3)), np.ones((2, 3, 2)))


LOW, HIGH = np.array([-1.0, 0.0, -2.0]), np.array([1.0, 3.0, 4.0])


def test_joint_limit_distance_is_zero_at_mid_range_and_an_eighth_at_the_limits():
    middle = joint_limit_objective(0.5 * (LOW + HIGH), LOW, HIGH)
    assert middle.value == 0.0
    assert not middle.gradient.any()
    # The full range divides, so each of the n joints gives (1/2)²/(2n): with the half range, which
    # the slide could also be read as, it would be four times as much.
    for limit in (LOW, HIGH):
        assert joint_limit_objective(limit, LOW, HIGH).value == pytest.approx(-1.0 / 8.0, abs=1e-16)


def test_joint_limit_gradient():
    def value(q):
        return joint_limit_objective(q, LOW, HIGH).value

    answer = joint_limit_objective(Q, LOW, HIGH)
    np.testing.assert_allclose(answer.gradient, central(value, Q), rtol=0, atol=1e-9)
    assert answer.differentiable


def test_a_joint_without_limits_does_not_count():
    high = np.array([1.0, np.inf, 4.0])
    answer = joint_limit_objective(np.stack([Q, Q + np.array([0.0, 50.0, 0.0])]), LOW, high)
    assert answer.value[0] == answer.value[1] < 0.0
    assert answer.gradient[:, 1].tolist() == [0.0, 0.0]
    none = joint_limit_objective(Q, np.full(3, -np.inf), np.full(3, np.inf))
    assert none.value == 0.0


def test_joint_limit_refusals():
    with pytest.raises(InverseError, match="Joint 1 has limits 0 and 0; the lower must be below"):
        joint_limit_objective(Q, LOW, np.array([1.0, 0.0, 4.0]))
    with pytest.raises(InverseError, match="Joint 0 has limits nan"):
        joint_limit_objective(Q, np.array([np.nan, 0.0, 0.0]), HIGH)
    with pytest.raises(InverseError, match="one lower and one upper limit per joint"):
        joint_limit_objective(Q[:2], LOW, HIGH)
    with pytest.raises(InverseError, match="q holds a value that is not finite"):
        joint_limit_objective([np.nan, 0.0, 0.0], LOW, HIGH)


OBSTACLES = np.array([[0.9, 0.9, 0.1], [-0.4, 0.5, 0.0]])


def test_obstacle_distance_and_its_gradient():
    def value(q):
        return obstacle_objective(points(q), point_jacobians(q), OBSTACLES).value

    answer = obstacle_objective(points(Q), point_jacobians(Q), OBSTACLES)
    gaps = points(Q)[:, None] - OBSTACLES[None]
    assert answer.value == pytest.approx(np.linalg.norm(gaps, axis=-1).min(), abs=1e-16)
    np.testing.assert_allclose(answer.gradient, central(value, Q), rtol=0, atol=1e-9)
    assert answer.differentiable


def test_a_step_along_the_gradient_moves_away():
    answer = obstacle_objective(points(Q), point_jacobians(Q), OBSTACLES)
    after = Q + 1e-3 * answer.gradient
    moved = obstacle_objective(points(after), point_jacobians(after), OBSTACLES)
    assert moved.value - answer.value == pytest.approx(
        1e-3 * answer.gradient @ answer.gradient, rel=0.1
    )


def test_contact_and_ties_have_no_derivative():
    contact = obstacle_objective(points(Q), point_jacobians(Q), points(Q)[1:2])
    assert contact.value == 0.0
    assert not contact.differentiable
    assert not contact.gradient.any()
    J = point_jacobians(Q)[2:]
    tie = obstacle_objective(np.zeros((1, 3)), J, [[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]])
    assert tie.value == 0.1
    assert not tie.differentiable
    np.testing.assert_allclose(np.abs(tie.gradient), np.abs(J[0, 0]), rtol=0, atol=1e-15)


def test_obstacle_distance_of_a_batch_beside_shared_obstacles():
    batch = np.stack([Q, Q + 0.4, -Q])
    p = np.stack([points(q) for q in batch])
    J = np.stack([point_jacobians(q) for q in batch])
    answer = obstacle_objective(p, J, OBSTACLES)
    assert answer.value.shape == (3,)
    single = obstacle_objective(p[2], J[2], OBSTACLES)
    np.testing.assert_array_equal(answer.gradient[2], single.gradient)


def test_obstacle_refusals():
    with pytest.raises(InverseError, match=r"obstacles has shape \(2, 2\)"):
        obstacle_objective(points(Q), point_jacobians(Q), OBSTACLES[:, :2])
    with pytest.raises(InverseError, match=r"point_jacobians has shape \(2, 3, 3\)"):
        obstacle_objective(points(Q), point_jacobians(Q)[:2], OBSTACLES)
    with pytest.raises(InverseError, match=r"points\[0, 1\] is nan"):
        obstacle_objective([[0.0, np.nan, 0.0]], point_jacobians(Q)[:1], OBSTACLES)
