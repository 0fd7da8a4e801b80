"""Rotations: exact quadrants, orthonormality, nearest rotation, directions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import PoseError
from robots.core.pose import (
    as_rotation,
    exact_cos_sin,
    exact_cos_sin_deg,
    nearest_rotation,
    rotation_x,
    rotation_y,
    rotation_z,
    skew,
    unit_direction,
)

QUADRANT = {0: (1.0, 0.0), 1: (0.0, 1.0), 2: (-1.0, 0.0), 3: (0.0, -1.0)}


@given(st.integers(-1000, 1000))
def test_quarter_turns_are_exact_however_they_were_made(k):
    for angle in (np.deg2rad(90.0 * k), k * np.pi / 2, k * (np.pi / 2), np.radians(90) * k):
        assert exact_cos_sin(float(angle)) == QUADRANT[k % 4]
    assert exact_cos_sin_deg(90.0 * k) == QUADRANT[k % 4]
    assert exact_cos_sin_deg(np.nextafter(90.0 * k, np.inf)) == pytest.approx(QUADRANT[k % 4])


def test_no_negative_zero_appears():
    values = [*exact_cos_sin_deg(np.arange(-720.0, 721.0, 90.0)), rotation_z(0.0), rotation_x(0.0)]
    assert not any(np.any(np.signbit(v) & (v == 0.0)) for v in values)


@given(st.floats(-1e4, 1e4))
def test_other_angles_are_cos_and_sin(angle):
    # 4 ulp of the angle is all that snapping may move the result by.
    slack = 4 * np.spacing(abs(angle)) + 1e-15
    assert exact_cos_sin(angle) == pytest.approx((np.cos(angle), np.sin(angle)), abs=slack)
    c, s = exact_cos_sin_deg(np.rad2deg(angle))
    assert (c, s) == pytest.approx((np.cos(angle), np.sin(angle)), abs=1e-14 + 4 * slack)


def test_a_small_angle_beside_a_quarter_turn_is_kept():
    c, _ = exact_cos_sin(np.pi / 2 - 1e-12)
    assert c == pytest.approx(1e-12, rel=1e-3)  # π/2 itself is known to 1e-16
    assert exact_cos_sin(1e-300) == (1.0, 1e-300)


def test_exactness_in_batches_and_beyond_the_snapping_range():
    c, s = exact_cos_sin(np.array([[0.0, np.pi / 2], [np.pi, 1.0]]))
    np.testing.assert_array_equal(c[:, 0], [1.0, -1.0])
    assert s.shape == (2, 2)
    assert exact_cos_sin(1e17) == (np.cos(1e17), np.sin(1e17))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_angle_that_is_not_finite_is_refused(bad):
    with pytest.raises(PoseError, match=f"An angle holds {bad}"):
        exact_cos_sin(bad)
    with pytest.raises(PoseError, match="finite"):
        rotation_y(np.array([0.0, bad]))


@pytest.mark.parametrize(("turn", "axis"), [(rotation_x, 0), (rotation_y, 1), (rotation_z, 2)])
def test_elementary_rotation_is_right_handed(turn, axis):
    after = turn(np.pi / 2) @ np.eye(3)[(axis + 1) % 3]
    np.testing.assert_array_equal(after, np.eye(3)[(axis + 2) % 3])
    assert turn(np.zeros((4, 5))).shape == (4, 5, 3, 3)


def test_skew_is_the_cross_product():
    v, w = np.random.default_rng(1).normal(size=(2, 7, 3))
    np.testing.assert_allclose((skew(v) @ w[..., None])[..., 0], np.cross(v, w), atol=1e-15)


def test_nearest_rotation_offered_and_deviation_stated():
    rounded = np.round(rotation_z(0.3) @ rotation_x(1.0), 3)
    with pytest.raises(PoseError, match=r"not orthonormal.*limit is 1e-09") as caught:
        as_rotation(rounded, "The part's rotation")
    assert caught.value.facts["deviation"] > 1e-4
    nearest = as_rotation(caught.value.facts["nearest"])
    # Rounding moved each entry by at most 5e-4.
    np.testing.assert_allclose(nearest, rotation_z(0.3) @ rotation_x(1.0), atol=1e-3)


def test_nearest_rotation_is_the_best_of_its_neighbours():
    rng = np.random.default_rng(2)
    M = rotation_y(0.7) + 0.1 * rng.normal(size=(3, 3))
    best = nearest_rotation(M)
    others = best @ rotation_x(rng.normal(size=50) * 0.01) @ rotation_y(rng.normal(size=50) * 0.01)
    assert np.all(np.linalg.norm(others - M, axis=(1, 2)) >= np.linalg.norm(best - M))


def test_matrices_without_a_nearest_rotation():
    with pytest.raises(PoseError, match="No single rotation"):
        nearest_rotation(np.zeros((3, 3)))
    with pytest.raises(PoseError) as caught:
        as_rotation(np.zeros((3, 3)))
    assert caught.value.facts["nearest"] == []


def test_left_handed_wrong_shape_and_nan_are_refused():
    with pytest.raises(PoseError, match="left-handed"):
        as_rotation(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(PoseError, match=r"shape \(2, 2\).*\(3, 3\)"):
        as_rotation(np.eye(2))
    with pytest.raises(PoseError, match=r"nan at index \(0, 1\)"):
        as_rotation([[1, np.nan, 0], [0, 1, 0], [0, 0, 1]])
    assert as_rotation(np.zeros((0, 3, 3))).shape == (0, 3, 3)


@given(st.floats(-1e-9, 300), st.integers(0, 2))
def test_unit_direction_has_length_one_over_the_whole_range(exponent, axis):
    v = np.array([0.3, -0.4, 0.5]) * 10.0**exponent
    v[axis] *= 2
    np.testing.assert_allclose(np.linalg.norm(unit_direction(v)), 1.0, rtol=4e-16)


def test_a_direction_needs_length():
    with pytest.raises(PoseError, match=r"The normal of P3 is \[0.0, 0.0, 0.0\].*non-zero"):
        unit_direction([0.0, 0.0, 0.0], "The normal of P3")
    with pytest.raises(PoseError) as caught:
        unit_direction([[1.0, 0.0, 0.0], [0.0, 1e-13, 0.0]])
    assert caught.value.facts["index"] == (1,)
    with pytest.raises(PoseError, match="finite"):
        unit_direction([np.nan, 0.0, 1.0])
