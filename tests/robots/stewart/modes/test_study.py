"""Study parameters: the forms are the leg equations, and poses survive the round trip."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.pose import make_pose, rotation_exp
from robots.stewart.forward import (
    LegGeometry,
    leg_matrices,
    parameters_of_pose,
    pose_of_parameters,
    quadratic_forms,
    scaled_geometry,
)
from robots.stewart.platform import lengths


@pytest.fixture(scope="module")
def scaled(make_platform):
    platform = make_platform(5)
    L = lengths(platform, platform.home)
    return scaled_geometry(platform.base_points, platform.platform_points, L)


def poses(count):
    rng = np.random.default_rng(0)
    return make_pose(rotation_exp(rng.normal(size=(count, 3)) * 2.0), rng.normal(size=(count, 3)))


def test_a_form_is_the_error_of_a_squared_length(make_platform, scaled):
    platform, T = make_platform(5), poses(50)
    x = parameters_of_pose(T, scaled)
    values = np.einsum("na,kab,nb->nk", x, quadratic_forms(scaled.legs), x)
    squares = (lengths(platform, T) / scaled.scale) ** 2
    np.testing.assert_allclose(values[:, :6], squares - scaled.legs.squares, atol=1e-12)
    np.testing.assert_allclose(values[:, 6], 0.0, atol=1e-14)


def test_poses_survive_the_round_trip_whatever_the_factor(scaled):
    T = poses(50)
    x = parameters_of_pose(T, scaled)
    np.testing.assert_allclose(np.linalg.norm(x[:, :4], axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(pose_of_parameters(-3.0 * x, scaled), T, atol=1e-13)


@pytest.mark.parametrize("turn", [[0, 0, 0], [np.pi, 0, 0], [0, 0, np.pi], [1e-9, 0, 0]])
def test_no_turn_and_half_turns(scaled, turn):
    T = make_pose(rotation_exp(turn), [0.1, 0.2, 0.3])
    found = pose_of_parameters(parameters_of_pose(T, scaled), scaled)
    np.testing.assert_allclose(found, T, atol=1e-13)


def test_a_product_of_quaternions_by_hand():
    """j·k = i and i·j = k: with b = j and a = i, D·q = q j − i q."""
    D = leg_matrices(np.array([1.0, 0, 0]), np.array([0.0, 1, 0]))
    np.testing.assert_array_equal(D @ [1, 0, 0, 0], [0, -1, 1, 0])  # 1: j − i
    np.testing.assert_array_equal(D @ [0, 1, 0, 0], [1, 0, 0, 1])  # i: k + 1
    np.testing.assert_array_equal(D @ [0, 0, 1, 0], [-1, 0, 0, -1])  # j: −1 − k
    np.testing.assert_array_equal(D @ [0, 0, 0, 1], [0, -1, 1, 0])  # k: −i + j


def test_forms_of_a_batch_of_lengths(scaled):
    legs = scaled.legs
    many = np.stack([legs.squares, 2.0 * legs.squares])
    batch = quadratic_forms(LegGeometry(base=legs.base, platform=legs.platform, squares=many))
    np.testing.assert_array_equal(batch[0], quadratic_forms(legs))
    assert batch.shape == (2, 7, 8, 8)
