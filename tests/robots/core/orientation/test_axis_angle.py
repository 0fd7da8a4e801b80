"""Axis and angle of a rotation, near zero, near a half turn and between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robots.core.errors import PoseError
from robots.core.pose import (
    axis_angle,
    rotation_about,
    rotation_exp,
    rotation_log,
    turn_between,
    unit_direction,
)

COMPONENT = st.floats(-1.0, 1.0)
DIRECTIONS = st.tuples(COMPONENT, COMPONENT, COMPONENT).filter(lambda v: np.linalg.norm(v) > 0.1)
# Angles near both ends, where the textbook formula divides by a sine of zero.
ANGLES = st.one_of(
    st.floats(0.0, np.pi),
    st.floats(-16.0, -1.0).map(lambda e: 10.0**e),
    st.floats(-16.0, -1.0).map(lambda e: np.pi - 10.0**e),
    st.sampled_from([0.0, np.pi / 2, np.pi]),
)


@given(DIRECTIONS, ANGLES)
def test_axis_angle_gives_the_rotation_back(axis, angle):
    R = rotation_about(axis, angle)
    found = axis_angle(R)
    np.testing.assert_allclose(found.rotation, R, atol=3e-15)
    np.testing.assert_allclose(found.angle, angle, atol=3e-15)
    np.testing.assert_allclose(np.linalg.norm(found.axis), 1.0, rtol=1e-15)


@given(DIRECTIONS, ANGLES)
def test_exponential_and_rotation_about_agree_with_scipy(axis, angle):
    w = unit_direction(axis) * angle
    expected = Rotation.from_rotvec(w).as_matrix()
    np.testing.assert_allclose(rotation_exp(w), expected, atol=2e-15)
    np.testing.assert_allclose(rotation_about(axis, angle), expected, atol=2e-15)


@pytest.mark.parametrize("angle", [1e-9, 1e-6, 1e-3, 1.0, 3.0, np.pi - 1e-3, np.pi - 1e-8])
def test_axis_keeps_its_digits_at_every_angle(angle):
    U = unit_direction([0.2, -0.7, 0.4])
    found = axis_angle(rotation_about(U, angle))
    np.testing.assert_allclose(found.axis, U, atol=1e-14)
    # Relative for small angles: the logarithm of a small turn is not lost in rounding.
    np.testing.assert_allclose(rotation_log(rotation_about(U, angle)), U * angle, rtol=1e-13)


def test_conventions_at_zero_and_at_a_half_turn():
    still = axis_angle(np.eye(3))
    assert still.angle == 0.0
    np.testing.assert_array_equal(still.axis, [0.0, 0.0, 1.0])
    for axis in ([1.0, 0, 0], [0, -1.0, 0], [0.6, 0.0, -0.8]):
        half = axis_angle(rotation_about(axis, np.pi))
        assert half.angle == np.pi
        expected = unit_direction(axis) * np.sign(axis[int(np.argmax(np.abs(axis)))])
        np.testing.assert_allclose(half.axis, expected, atol=1e-15)


def test_batches_keep_their_shape():
    w = np.random.default_rng(3).normal(size=(4, 5, 3))
    R = rotation_exp(w)
    assert R.shape == (4, 5, 3, 3)
    np.testing.assert_allclose(
        rotation_log(R).reshape(-1, 3),
        Rotation.from_rotvec(w.reshape(-1, 3)).as_rotvec(),
        atol=1e-13,
    )
    assert axis_angle(R).angle.shape == (4, 5)
    assert rotation_exp(np.zeros((0, 3))).shape == (0, 3, 3)


def test_what_is_not_a_rotation_is_refused():
    with pytest.raises(PoseError, match="not orthonormal"):
        axis_angle(1.01 * np.eye(3))
    with pytest.raises(PoseError, match="A rotation axis"):
        rotation_about([0.0, 0.0, 0.0], 1.0)


@given(DIRECTIONS, DIRECTIONS)
def test_turn_between_directions_is_the_smallest(a, b):
    turn = turn_between(a, b)
    a, b = unit_direction(a), unit_direction(b)
    np.testing.assert_allclose(turn.rotation @ a, b, atol=2e-12)
    assert abs(turn.axis @ a) < 1e-14  # no spin about the direction
    assert turn.angle == pytest.approx(2 * np.arcsin(min(np.linalg.norm(a - b) / 2, 1)), abs=3e-8)


@pytest.mark.parametrize("tilt", [0.0, 1e-16, 1e-13, 1e-10, 1e-8, 1e-5])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_turn_between_nearly_parallel_directions(tilt, sense):
    a = unit_direction([0.3, -0.2, 0.9])
    b = sense * (rotation_about([1.0, 0.5, 0.0], tilt) @ a)
    turn = turn_between(a, b)
    # Below 1e-12 the two are taken as parallel.
    np.testing.assert_allclose(turn.rotation @ a, b, atol=1.5e-12)
    assert turn.angle == pytest.approx(0.0 if sense > 0 else np.pi, abs=2 * tilt + 1e-15)
