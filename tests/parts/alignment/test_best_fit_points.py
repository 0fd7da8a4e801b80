"""Best fit of point pairs: known poses, SciPy, equivariance, degenerate sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import move_points, pose_of
from parts.alignment.best_fit import best_fit_points
from parts.errors import AlignmentError

seeds = st.integers(0, 10_000)


def cloud(seed, count=8):
    return np.random.default_rng(seed).normal(size=(count, 3))


def random_pose(seed):
    rng = np.random.default_rng(seed)
    return pose_of(Rotation.random(rng=rng).as_matrix(), rng.normal(size=3))


@given(seeds)
def test_a_known_pose_is_found_again(seed):
    T, points = random_pose(seed), cloud(seed + 1)
    fit = best_fit_points(points, move_points(T, points))
    # An SVD of numbers near 1 keeps about 15 digits; the condition multiplies what is lost.
    assert np.abs(fit.T_base_part - T).max() < 1e-13 * max(1.0, fit.condition**2)
    assert fit.rms < 1e-13
    assert fit.method == "best-fit-points"


@given(seeds)
def test_weights_and_noise_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    points = cloud(seed)
    seen = move_points(random_pose(seed), points) + 0.05 * rng.normal(size=points.shape)
    weights = rng.uniform(0.1, 3.0, len(points))
    fit = best_fit_points(points, seen, weights)
    share = weights / weights.sum()
    centred = (seen - share @ seen, points - share @ points)
    rotation, _ = Rotation.align_vectors(*centred, weights=weights)
    assert np.abs(fit.T_base_part[:3, :3] - rotation.as_matrix()).max() < 1e-12
    misses = seen - move_points(fit.T_base_part, points)
    assert np.abs(share @ misses).max() < 1e-14  # the translation makes the mean miss zero
    assert fit.rms == pytest.approx(np.sqrt(share @ np.sum(misses**2, axis=1)), rel=1e-12)


@given(seeds)
def test_moving_what_was_measured_moves_the_answer(seed):
    """Equivariance: T(G p, x) = G T(p, x)."""
    rng = np.random.default_rng(seed)
    points = cloud(seed)
    seen = move_points(random_pose(seed), points) + 0.01 * rng.normal(size=points.shape)
    G = random_pose(seed + 7)
    first, second = best_fit_points(points, seen), best_fit_points(points, move_points(G, seen))
    assert np.abs(second.T_base_part - G @ first.T_base_part).max() < 1e-12
    assert np.abs(second.residuals - first.residuals).max() < 1e-12


@given(seeds)
def test_no_small_motion_is_better(seed):
    rng = np.random.default_rng(seed)
    points = cloud(seed)
    seen = move_points(random_pose(seed), points) + 0.05 * rng.normal(size=points.shape)
    fit = best_fit_points(points, seen)
    for _ in range(5):
        step = pose_of(Rotation.from_rotvec(1e-3 * rng.normal(size=3)).as_matrix(),
                       1e-3 * rng.normal(size=3))  # fmt: skip
        other = np.linalg.norm(move_points(step @ fit.T_base_part, points) - seen, axis=1)
        assert np.sqrt(np.mean(other**2)) > fit.rms


def test_points_of_one_plane_are_enough():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    T = random_pose(3)
    assert np.abs(best_fit_points(points, move_points(T, points)).T_base_part - T).max() < 1e-14


def test_degenerate_sets_are_refused_with_the_reason():
    line = np.outer([0.0, 1.0, 2.0, 5.0], [1.0, 2.0, -1.0])
    with pytest.raises(AlignmentError, match=r"nominal points are collinear .*on one line"):
        best_fit_points(line, line)
    with pytest.raises(AlignmentError, match="measured points are collinear"):
        best_fit_points(cloud(1, 4), line)
    with pytest.raises(AlignmentError, match="in one place"):
        best_fit_points(np.ones((4, 3)), cloud(1, 4))
    with pytest.raises(AlignmentError, match=r"2 point pairs with weight .* at least 3"):
        best_fit_points(cloud(1, 3), cloud(1, 3), [1, 1, 0])
    corner = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
    with pytest.raises(AlignmentError, match="mirror image"):
        best_fit_points(corner, -corner)


def test_bad_numbers_are_refused():
    good = cloud(2, 4)
    bad = good.copy()
    bad[2, 1] = np.nan
    with pytest.raises(AlignmentError, match="Row 3 of the measured points is"):
        best_fit_points(good, bad)
    with pytest.raises(AlignmentError, match=r"have shape \(3, 3\); expected \(4, 3\)"):
        best_fit_points(good, good[:3])
    with pytest.raises(AlignmentError, match="not negative and not all zero"):
        best_fit_points(good, good, [1, -1, 1, 1])
    with pytest.raises(AlignmentError, match="give one each"):
        best_fit_points(good, good, [1, 1, 1])
