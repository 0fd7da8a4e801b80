"""Rigid transforms: laws of composition, inversion and refusal."""

import numpy as np
import pytest

from robots.core.errors import PoseError
from robots.core.pose import (
    as_pose,
    compose,
    inverse_pose,
    make_pose,
    rotation_exp,
    rotation_zyx,
    transform_directions,
    transform_points,
)


def random_poses(*batch):
    rng = np.random.default_rng(6)
    return make_pose(rotation_exp(rng.normal(size=(*batch, 3))), rng.normal(size=(*batch, 3)))


def test_job_convention_base_from_part():
    # The corrected nine-point job: Rz(30°), t = (0, 1.5, 0.84) m (sources.md, decision 2).
    T_base_part = make_pose(rotation_zyx(np.deg2rad([30, 0, 0])), [0.0, 1.5, 0.84])
    np.testing.assert_allclose(
        transform_points(T_base_part, [0.1, 0.0, 0.0]),
        [0.1 * np.sqrt(3) / 2, 1.5 + 0.05, 0.84],
        rtol=1e-15,
    )
    np.testing.assert_array_equal(transform_directions(T_base_part, [0, 0, 1]), [0, 0, 1])


def test_group_laws_in_batches():
    A, B, C = random_poses(3, 8)
    np.testing.assert_allclose(
        compose(A, inverse_pose(A)), np.broadcast_to(np.eye(4), A.shape), atol=1e-15
    )
    np.testing.assert_allclose(compose(A, B, C), A @ (B @ C), atol=1e-14)
    np.testing.assert_allclose(
        inverse_pose(compose(A, B)), compose(inverse_pose(B), inverse_pose(A)), atol=1e-14
    )
    np.testing.assert_array_equal(compose(), np.eye(4))


def test_points_and_directions_broadcast():
    T, p = random_poses(), np.random.default_rng(7).normal(size=(10, 3))
    expected = (T @ np.concatenate([p, np.ones((10, 1))], axis=1).T).T[:, :3]
    np.testing.assert_allclose(transform_points(T, p), expected, atol=1e-15)
    np.testing.assert_allclose(
        transform_points(T, p) - transform_points(T, np.zeros(3)),
        transform_directions(T, p),
        atol=1e-15,
    )
    assert transform_points(random_poses(10), p).shape == (10, 3)
    assert transform_points(T, np.zeros((0, 3))).shape == (0, 3)


def test_parts_left_out_are_the_identity():
    np.testing.assert_array_equal(make_pose(), np.eye(4))
    np.testing.assert_array_equal(make_pose(translation=np.ones((2, 3)))[1, :3, 3], np.ones(3))


def test_what_is_not_a_pose_is_refused():
    with pytest.raises(PoseError, match=r"The tool's rotation is not orthonormal") as caught:
        as_pose(np.diag([1.0, 1.0, 1.01, 1.0]), "The tool")
    np.testing.assert_allclose(caught.value.facts["nearest"], np.eye(3), atol=1e-15)
    with pytest.raises(PoseError, match=r"last row \[1.0, 2.0, 3.0, 1.0\].*transposed"):
        as_pose(make_pose(translation=[1, 2, 3]).T)
    with pytest.raises(PoseError, match="Pose 2 has shape"):
        compose(np.eye(4), np.eye(3))
    with pytest.raises(PoseError, match="origin holds inf"):
        make_pose(translation=[0, np.inf, 0])
