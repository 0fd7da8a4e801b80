"""The tilted ground: the thesis's rotation in our axes, clearances, points straight below."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.posture.ground import R_WORLD_SOURCE, Ground

angles = st.floats(-1.2, 1.2)


def thesis_rotation(alpha: float, beta: float) -> np.ndarray:
    """Eq. (46), and the product (45) that it comes from must be the same."""
    ca, sa, cb, sb = np.cos(alpha), np.sin(alpha), np.cos(beta), np.sin(beta)
    printed = np.array([[ca * cb, -sa, -ca * sb], [sa * cb, ca, -sa * sb], [sb, 0.0, cb]])
    first = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    turned = np.array([[cb, -sb, 0], [sb, cb, 0], [0, 0, 1]])
    swap = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    np.testing.assert_allclose(first @ swap @ turned @ swap.T, printed, atol=1e-15)
    return printed


@given(angles, angles)
def test_rotation_is_the_thesis_s_in_our_axes(alpha, beta):
    R = R_WORLD_SOURCE @ thesis_rotation(alpha, beta) @ R_WORLD_SOURCE.T
    np.testing.assert_allclose(Ground(alpha=alpha, beta=beta).rotation, R, atol=1e-15)


def test_source_axes_are_up_right_forward():
    assert np.linalg.det(R_WORLD_SOURCE) == pytest.approx(1.0)
    np.testing.assert_array_equal(R_WORLD_SOURCE @ [1, 0, 0], [0, 0, 1])
    np.testing.assert_array_equal(R_WORLD_SOURCE @ [0, 1, 0], [0, -1, 0])


def test_positive_beta_lowers_the_front_and_positive_alpha_raises_the_left():
    assert Ground(beta=0.2).below([1.0, 0.0])[2] == pytest.approx(-np.tan(0.2))
    assert Ground(alpha=0.2).below([0.0, 1.0])[2] == pytest.approx(np.tan(0.2))


@given(angles, angles, st.tuples(*[st.floats(-2, 2)] * 3), st.tuples(*[st.floats(-2, 2)] * 2))
def test_points_straight_below_lie_on_the_plane(alpha, beta, point, across):
    ground = Ground(alpha=alpha, beta=beta, point=np.array(point))
    below = ground.below(across)
    assert ground.clearance(below) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(below[:2], across)
    # One metre up the normal is one metre of clearance.
    assert ground.clearance(below + ground.normal) == pytest.approx(1.0)


def test_batches_and_pose():
    ground = Ground(alpha=0.1, beta=0.2, point=np.array([0.1, 0.2, 0.3]))
    assert ground.below(np.zeros((4, 5, 3))).shape == (4, 5, 3)
    np.testing.assert_array_equal(ground.T_world_ground[:3, 3], ground.point)


@pytest.mark.parametrize("angle", [np.nan, np.inf, np.radians(89.5)])
def test_a_wall_is_no_ground(angle):
    with pytest.raises(BipedError, match=r"beta is .* deg; it must be finite and within ±89 deg"):
        Ground(beta=angle)


@pytest.mark.parametrize("point", [[0.0, 0.0], [0.0, np.nan, 0.0]])
def test_a_bad_point_is_refused(point):
    with pytest.raises(BipedError, match="three finite numbers in metres"):
        Ground(point=np.array(point))
