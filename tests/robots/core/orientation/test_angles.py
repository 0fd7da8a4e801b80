"""Euler ZXZ and yaw-pitch-roll both ways, their singular cases and rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robots.core.errors import PoseError
from robots.core.pose import (
    angles_zxz,
    angles_zyx,
    inverse_rate_matrix,
    rate_matrix_zxz,
    rate_matrix_zyx,
    rotation_z,
    rotation_zxz,
    rotation_zyx,
)

SETS = {
    "zxz": (rotation_zxz, angles_zxz, rate_matrix_zxz, "ZXZ"),
    "zyx": (rotation_zyx, angles_zyx, rate_matrix_zyx, "ZYX"),
}
EACH_SET = pytest.mark.parametrize("name", SETS)
TRIPLES = st.tuples(*[st.floats(-np.pi, np.pi)] * 3)


def test_printed_matrix_of_ii_11():
    psi, theta, phi = 0.4, 1.1, -0.7
    C, S = np.cos, np.sin
    printed = [
        [
            C(psi) * C(phi) - S(psi) * C(theta) * S(phi),
            -C(psi) * S(phi) - S(psi) * C(theta) * C(phi),
            S(psi) * S(theta),
        ],
        [
            S(psi) * C(phi) + C(psi) * C(theta) * S(phi),
            -S(psi) * S(phi) + C(psi) * C(theta) * C(phi),
            -C(psi) * S(theta),
        ],
        [S(theta) * S(phi), S(theta) * C(phi), C(theta)],
    ]
    np.testing.assert_allclose(rotation_zxz([psi, theta, phi]), printed, atol=1e-15)


def test_erratum_phi_turns_about_the_moving_axis():
    # The text of II.4.1 says Z0. A turn about the fixed Z0 would multiply from the left.
    R = rotation_zxz([0.4, 1.1, 0.3])
    np.testing.assert_allclose(rotation_zxz([0.4, 1.1, 0.8]), R @ rotation_z(0.5), atol=1e-15)
    assert np.abs(rotation_zxz([0.4, 1.1, 0.8]) - rotation_z(0.5) @ R).max() > 0.1


@EACH_SET
@given(TRIPLES)
def test_both_solutions_give_the_rotation_back(name, triple):
    rotation, angles, _, scipy_name = SETS[name]
    R = rotation(triple)
    # Rounding, and what exact_cos_sin does: it moves each angle by up to 4 units in the last place.
    moved = 1e-15 + 4.0 * np.sum(np.spacing(np.abs(triple)))
    np.testing.assert_allclose(R, Rotation.from_euler(scipy_name, triple).as_matrix(), atol=moved)
    found = angles(R)
    # At the singular set the free angle is fixed where the sine is below 1e-12.
    np.testing.assert_allclose(rotation(found.angles), R, atol=3e-12)
    np.testing.assert_allclose(rotation(found.alternative), R, atol=3e-12)
    low, high = (0.0, np.pi) if name == "zxz" else (-np.pi / 2, np.pi / 2)
    assert low <= found.angles[1] <= high
    assert np.all(np.abs(found.alternative) <= np.pi)


@EACH_SET
def test_regular_angles_are_recovered_to_rounding(name):
    rotation, angles, _, _ = SETS[name]
    rng = np.random.default_rng(4)
    triples = rng.uniform([-3, 0.1, -3], [3, 1.4, 3], size=(3, 40, 3))
    found = angles(rotation(triples))
    np.testing.assert_allclose(found.angles, triples, atol=1e-14)
    assert found.angles.shape == (3, 40, 3)
    assert not found.singular.any()


@pytest.mark.parametrize(
    ("name", "triple", "expected"),
    [
        ("zxz", (0.3, 0.0, 0.5), (0.8, 0.0, 0.0)),
        ("zxz", (0.3, np.pi, 0.5), (-0.2, np.pi, 0.0)),
        ("zyx", (0.3, np.pi / 2, 0.5), (-0.2, np.pi / 2, 0.0)),
        ("zyx", (0.3, -np.pi / 2, 0.5), (0.8, -np.pi / 2, 0.0)),
    ],
)
def test_singular_orientations_are_named(name, triple, expected):
    rotation, angles, rates, _ = SETS[name]
    found = angles(rotation(triple))
    assert found.singular
    np.testing.assert_allclose(found.angles, expected, atol=1e-15)
    np.testing.assert_allclose(rotation(found.alternative), rotation(triple), atol=1e-15)
    assert found.convention.startswith("φ = 0" if name == "zxz" else "γ = 0")
    with pytest.raises(PoseError, match=r"angle set is singular.*sin θ = 0 for ZXZ"):
        inverse_rate_matrix(rates(triple))


@EACH_SET
def test_rate_matrix_against_finite_differences(name):
    rotation, _, rates, _ = SETS[name]
    rng = np.random.default_rng(5)
    angles, speed = rng.uniform(-1.4, 1.4, (2, 20, 3))
    h = 1e-6
    R_dot = (rotation(angles + h * speed) - rotation(angles - h * speed)) / (2 * h)
    W = R_dot @ np.swapaxes(rotation(angles), -1, -2)
    omega = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=-1)
    # Central differences: h² ≈ 1e-12 of the third derivative, and rounding 1e-16/h.
    np.testing.assert_allclose((rates(angles) @ speed[..., None])[..., 0], omega, atol=1e-9)


@EACH_SET
@given(TRIPLES)
def test_determinant_of_the_rate_matrix(name, triple):
    E = SETS[name][2](triple)
    expected = -np.sin(triple[1]) if name == "zxz" else -np.cos(triple[1])
    assert np.linalg.det(E) == pytest.approx(expected, abs=1e-15)
    if abs(expected) > 1e-3:
        np.testing.assert_allclose(inverse_rate_matrix(E) @ E, np.eye(3), atol=1e-12)


def test_bad_angles_are_refused():
    with pytest.raises(PoseError, match="ZXZ angles holds nan"):
        rotation_zxz([0.0, np.nan, 0.0])
    with pytest.raises(PoseError, match=r"shape \(2,\)"):
        rotation_zyx([0.0, 1.0])
    with pytest.raises(PoseError, match="left-handed"):
        angles_zyx(-np.eye(3))
