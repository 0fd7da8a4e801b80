"""Damped least squares and the null-space projector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import InverseError
from robots.core.inverse.pseudo_inverse import (
    adaptive_damped_inverse,
    damped_inverse,
    null_projector,
    project,
)

RNG_SHAPES = [(6, 6), (6, 7), (3, 5), (6, 5), (1, 3)]


def planar_3r(q):
    """Position Jacobian of the planar 3R arm of [COURSE-JAC], a = (0.5, 0.4, 0.3) m."""
    angle = np.cumsum(q, axis=-1)
    a = np.array([0.5, 0.4, 0.3])
    x = np.cumsum((a * np.cos(angle))[..., ::-1], axis=-1)[..., ::-1]
    y = np.cumsum((a * np.sin(angle))[..., ::-1], axis=-1)[..., ::-1]
    return np.stack([-y, x], axis=-2)


@pytest.mark.parametrize("shape", RNG_SHAPES)
@pytest.mark.parametrize("k", [1e-2, 0.3, 10.0])
def test_equals_the_formula_of_the_course(shape, k):
    J = np.random.default_rng(1).normal(size=(20, *shape))
    JT = np.swapaxes(J, -1, -2)
    formula = JT @ np.linalg.inv(J @ JT + k**2 * np.eye(shape[0]))
    # k = 1e-2 leaves J Jᵀ + k² with a condition number up to 1e6.
    np.testing.assert_allclose(damped_inverse(J, k).inverse, formula, rtol=0, atol=1e-9)


def test_minimises_the_damped_sum_of_squares():
    rng = np.random.default_rng(2)
    J, v, k = rng.normal(size=(6, 5)), rng.normal(size=6), 0.4
    stacked = np.vstack([J, k * np.eye(5)])
    best = np.linalg.lstsq(stacked, np.concatenate([v, np.zeros(5)]), rcond=None)[0]
    np.testing.assert_allclose(damped_inverse(J, k).inverse @ v, best, rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", [(6, 6), (6, 7), (3, 5)])
def test_tends_to_the_pseudo_inverse_and_is_it_without_damping_at_full_row_rank(shape):
    rng = np.random.default_rng(3)
    U, _, Vt = np.linalg.svd(rng.normal(size=shape), full_matrices=False)
    J = U @ np.diag(rng.uniform(1.0, 2.0, shape[0])) @ Vt
    pinv = np.linalg.pinv(J)
    errors = [np.abs(damped_inverse(J, k).inverse - pinv).max() for k in (1e-1, 1e-2, 1e-3)]
    assert errors[1] < errors[0] / 20.0  # falls as k²
    assert errors[2] < errors[1] / 50.0
    np.testing.assert_allclose(damped_inverse(J, 0.0).inverse, pinv, rtol=0, atol=1e-13)


def test_without_full_row_rank_only_the_limit_is_the_pseudo_inverse():
    # The course says that k = 0 gives J⁺. At k = 0 the formula has no value here; its limit is J⁺.
    J = planar_3r(np.zeros(3))  # stretched: the arm cannot move along itself
    pinv = np.linalg.pinv(J)
    np.testing.assert_allclose(damped_inverse(J, 1e-6).inverse, pinv, rtol=0, atol=1e-11)
    with pytest.raises(InverseError, match=r"k is 0 but J .* not full row rank .*k > 0"):
        damped_inverse(J, 0.0)
    with pytest.raises(InverseError, match="6 rows, 5 columns"):
        damped_inverse(np.random.default_rng(4).normal(size=(6, 5)), 0.0)
    with pytest.raises(InverseError, match=r"sample \(1,\)"):
        damped_inverse(np.stack([planar_3r(np.array([0.1, 1.0, 0.5])), J]), 0.0)


def test_zero_matrix_with_damping_does_nothing():
    assert not damped_inverse(np.zeros((3, 4)), 0.1).inverse.any()


def test_damping_may_differ_from_sample_to_sample():
    J = np.random.default_rng(5).normal(size=(2, 3, 4))
    both = damped_inverse(J, [0.1, 0.5])
    np.testing.assert_allclose(
        both.inverse[1], damped_inverse(J[1], 0.5).inverse, rtol=0, atol=1e-15
    )
    assert both.damping.tolist() == [0.1, 0.5]


@pytest.mark.parametrize("k", [-0.1, np.nan, np.inf])
def test_a_damping_out_of_range_is_refused(k):
    with pytest.raises(InverseError, match=r"Damping k is .* zero or more"):
        damped_inverse(np.eye(2), k)


def test_adaptive_damping_is_absent_away_from_singularities():
    J = planar_3r(np.array([0.3, 1.2, 0.8]))
    answer = adaptive_damped_inverse(J, threshold=0.05, maximum=0.05)
    assert answer.damping == 0.0
    assert answer.smallest_singular_value > 0.05
    np.testing.assert_allclose(answer.inverse, np.linalg.pinv(J), rtol=0, atol=1e-13)


def test_adaptive_damping_is_full_at_a_singularity_and_continuous_at_the_threshold():
    J = planar_3r(np.zeros(3))
    answer = adaptive_damped_inverse(J, threshold=0.05, maximum=0.08)
    assert answer.damping == pytest.approx(0.08, rel=1e-12)
    fan = np.stack([np.diag([1.0, s]) for s in (0.05 - 1e-9, 0.05, 0.05 + 1e-9)])
    damping = adaptive_damped_inverse(fan, threshold=0.05, maximum=0.08).damping
    assert damping[1:].tolist() == [0.0, 0.0]
    assert damping[0] == pytest.approx(0.08 * np.sqrt(2e-9 / 0.05), rel=1e-6)


@given(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3), st.floats(1.0, 5.0))
def test_no_joint_speed_exceeds_the_reciprocal_of_the_threshold(singular_values, ratio):
    threshold = 0.1
    answer = adaptive_damped_inverse(
        np.diag(singular_values), threshold=threshold, maximum=ratio * threshold
    )
    assert np.linalg.norm(answer.inverse, ord=2) <= (1.0 + 1e-12) / threshold


def test_adaptive_damping_refuses_tall_matrices_and_bad_parameters():
    with pytest.raises(InverseError, match="6 rows and 5 columns"):
        adaptive_damped_inverse(np.ones((6, 5)), threshold=0.1, maximum=0.1)
    with pytest.raises(InverseError, match="Damping threshold is 0"):
        adaptive_damped_inverse(np.eye(2), threshold=0.0, maximum=0.1)
    with pytest.raises(InverseError, match="Damping maximum is nan"):
        adaptive_damped_inverse(np.eye(2), threshold=0.1, maximum=np.nan)


@pytest.mark.parametrize("shape", RNG_SHAPES)
def test_projector_is_the_orthogonal_one_on_the_kernel(shape):
    J = np.random.default_rng(6).normal(size=(20, *shape))
    N = null_projector(J)
    np.testing.assert_allclose(J @ N, 0.0, rtol=0, atol=1e-11)
    np.testing.assert_allclose(N @ N, N, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(N, np.swapaxes(N, -1, -2))
    dimension = np.trace(N, axis1=-2, axis2=-1)
    np.testing.assert_allclose(dimension, max(shape[1] - shape[0], 0), rtol=0, atol=1e-11)


def test_self_motion_of_the_planar_arm_leaves_the_point_still():
    q = np.array([0.3, 1.2, 0.8])
    J = planar_3r(q)
    a2, a3 = 0.4, 0.3
    # Minors of J, by hand: the kernel of a 2×3 Jacobian.
    s2, s3, s23 = np.sin(q[1]), np.sin(q[2]), np.sin(q[1] + q[2])
    kernel = np.array([a2 * a3 * s3, -a3 * (0.5 * s23 + a2 * s3), 0.5 * (a2 * s2 + a3 * s23)])
    np.testing.assert_allclose(J @ kernel, 0.0, rtol=0, atol=1e-15)
    wanted = np.outer(kernel, kernel) / (kernel @ kernel)
    np.testing.assert_allclose(null_projector(J), wanted, rtol=0, atol=1e-14)


def test_project_does_the_task_and_the_rest_of_the_wish():
    rng = np.random.default_rng(7)
    q, v, wish = rng.uniform(0.3, 1.5, (30, 3)), rng.normal(size=(30, 2)), rng.normal(size=(30, 3))
    J = planar_3r(q)
    qd = project(J, v, wish)
    np.testing.assert_allclose((J @ qd[..., None])[..., 0], v, rtol=0, atol=1e-12)
    pinv = np.linalg.pinv(J)
    course = pinv @ v[..., None] + (np.eye(3) - pinv @ J) @ wish[..., None]
    np.testing.assert_allclose(qd, course[..., 0], rtol=0, atol=1e-12)


def test_project_without_a_wish_is_the_shortest_motion():
    J, v = planar_3r(np.array([0.3, 1.2, 0.8])), np.array([0.1, -0.2])
    np.testing.assert_allclose(
        project(J, v, np.zeros(3)), np.linalg.pinv(J) @ v, rtol=0, atol=1e-15
    )


def test_project_refuses_vectors_of_the_wrong_length():
    J = planar_3r(np.array([0.3, 1.2, 0.8]))
    with pytest.raises(InverseError, match=r"primary velocity has shape \(3,\); J has 2 rows"):
        project(J, np.zeros(3), np.zeros(3))
    with pytest.raises(InverseError, match=r"secondary velocity .* J has 3 columns"):
        project(J, np.zeros(2), np.zeros(2))
    with pytest.raises(InverseError, match="secondary velocity holds a value that is not finite"):
        project(J, np.zeros(2), [0.0, np.nan, 0.0])
