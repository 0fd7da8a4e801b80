"""From leg lengths to poses and points: against drawn lengths, a closed form, singular poses."""

from __future__ import annotations

import numpy as np
import pytest

from planner.presenting.present import point_sigma, pose_covariance
from robots.core.pose import make_pose, rotation_log, rotation_zyx
from robots.stewart.errors import PlatformError
from robots.stewart.forward import forward
from robots.stewart.library import load
from robots.stewart.model import PlatformModel
from robots.stewart.platform import lengths

SIGMA = 5e-6


@pytest.fixture(scope="module")
def platform():
    return load("measuring-hexapod")


@pytest.fixture(scope="module")
def pose(platform):
    turn = make_pose(rotation_zyx(np.radians([10.0, -8.0, 5.0])), np.array([0.02, -0.03, 0.01]))
    T = platform.home @ turn
    assert np.all(lengths(platform, T) > 0.5)
    return T


def test_covariance_is_that_of_the_jacobian(platform, pose):
    J = PlatformModel(platform).jacobian(pose)
    expected = SIGMA**2 * np.linalg.inv(J.T @ J)
    found = pose_covariance(platform, pose, SIGMA)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * expected.max())
    assert np.all(np.linalg.eigvalsh(found) > 0.0)


def test_drawn_lengths_scatter_as_predicted(platform, pose):
    rng = np.random.default_rng(7)
    drawn = lengths(platform, pose) + SIGMA * rng.standard_normal((4000, 6))
    T = forward(platform, drawn, np.tile(pose, (4000, 1, 1))).T
    turns = rotation_log(T[:, :3, :3] @ pose[:3, :3].T)
    errors = np.concatenate([T[:, :3, 3] - pose[:3, 3], turns], axis=1)
    covariance = pose_covariance(platform, pose, SIGMA)
    scale = np.sqrt(np.diag(covariance))
    # 4000 draws: a covariance is known to about 1/sqrt(4000) = 1.6 %; four of these are allowed
    scatter = np.cov(errors.T) / np.outer(scale, scale)
    np.testing.assert_allclose(scatter, covariance / np.outer(scale, scale), atol=0.07)
    point, normal = np.array([0.1, 0.05, 0.7]), np.array([0.6, 0.0, 0.8])
    there = np.linalg.inv(pose) @ [*point, 1.0]
    moved = (T @ there)[:, :3] - point
    found = point_sigma(covariance, pose[:3, 3], point[None], normal[None])
    assert np.std(moved @ normal) == pytest.approx(found[0], rel=0.05)


def test_at_the_origin_only_the_translation_counts(platform, pose):
    covariance = pose_covariance(platform, pose, SIGMA)
    origin = pose[:3, 3]
    found = point_sigma(covariance, origin, np.tile(origin, (3, 1)), np.eye(3))
    np.testing.assert_allclose(found, np.sqrt(np.diag(covariance)[:3]), rtol=1e-12)


def test_a_singular_pose_has_no_covariance():
    platform = load("mathworks-hexapod")
    quarter = make_pose(rotation_zyx(np.radians([90.0, 0.0, 0.0])), np.zeros(3))
    with pytest.raises(PlatformError, match="the pose is singular, so the legs do not hold it"):
        pose_covariance(platform, platform.home @ quarter, SIGMA)
