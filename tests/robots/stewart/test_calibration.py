"""Calibration: stewart.md item 6, the Jacobian, the covariance, and poses that cannot do it."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.pose import rotation_exp
from robots.stewart.calibration import (
    PARAMETERS,
    MeasurementNoise,
    calibrate,
    length_jacobian,
    nominal_parameters,
)
from robots.stewart.errors import PlatformError
from robots.stewart.limits import pose_limits
from robots.stewart.platform import lengths
from robots.stewart.platform_file import load
from tests.robots.stewart.calibration_poses import candidate_poses, choose_poses

NOISE = MeasurementNoise(position=5e-6, orientation=20e-6)


@pytest.fixture(scope="module")
def hexapod():
    return load("measuring-hexapod")


@pytest.fixture(scope="module")
def candidates(hexapod):
    """On the border of the workspace, within strokes, cones and clearances."""
    return candidate_poses(pose_limits(hexapod), 3000, shift=0.6, turn=1.2)


@pytest.fixture(scope="module")
def thirty(hexapod, candidates):
    return candidates[choose_poses(hexapod, candidates, 30, noise=NOISE)]


@pytest.fixture(scope="module")
def truth(hexapod):
    """Points wrong by a millimetre, scales by a half."""
    errors = np.random.default_rng(4).normal(size=(6, 7)) * [1e-3] * 7
    errors[:, 6] *= 0.5
    return nominal_parameters(hexapod) + errors


def readings(theta, T):
    """Another road to the lengths, point by point."""
    rows = []
    for pose in T:
        ends = [pose[:3, :3] @ leg[3:6] + pose[:3, 3] for leg in theta]
        rows.append(
            [np.linalg.norm(b - leg[:3]) - leg[6] for b, leg in zip(ends, theta, strict=True)]
        )
    return np.array(rows)


def disturbed(T, rng):
    noisy = T.copy()
    noisy[:, :3, 3] += NOISE.position * rng.normal(size=(len(T), 3))
    noisy[:, :3, :3] = rotation_exp(NOISE.orientation * rng.normal(size=(len(T), 3))) @ T[:, :3, :3]
    return noisy


def test_item_6_nine_poses_without_noise(hexapod, candidates, truth):
    T = candidates[choose_poses(hexapod, candidates[:500], 9)]
    found = calibrate(hexapod, T, readings(truth, T))
    assert np.max(np.abs(found.parameters - truth)) <= 1e-9  # 1e-6 mm
    assert found.residual_rms < 1e-12
    assert found.correction == pytest.approx(np.max(np.abs(truth - nominal_parameters(hexapod))))


def test_item_6_thirty_poses_with_noise(hexapod, thirty, truth):
    rng, m = np.random.default_rng(11), readings(truth, thirty)
    squares, predicted = [], 0.0
    for _ in range(12):
        found = calibrate(hexapod, disturbed(thirty, rng), m, noise=NOISE)
        squares.append(np.mean((found.parameters - truth) ** 2))
        predicted = np.sqrt(np.mean(found.deviations**2))
    rms = np.sqrt(np.mean(squares))
    assert rms <= 10e-6
    # 12 runs of 42 correlated errors, ruled by the six offsets: about a tenth
    assert rms == pytest.approx(predicted, rel=0.3)


def test_knowing_the_noise_helps(hexapod, thirty, truth):
    rng, m = np.random.default_rng(12), readings(truth, thirty)
    noisy = [disturbed(thirty, rng) for _ in range(8)]
    errors = [
        [np.mean((calibrate(hexapod, T, m, noise=n).parameters - truth) ** 2) for T in noisy]
        for n in (NOISE, None)
    ]
    assert np.mean(errors[0]) < 0.7 * np.mean(errors[1])


def test_the_jacobian_against_differences(thirty, truth):
    T, h = thirty[:3], 1e-6
    J = length_jacobian(T, truth)
    for k in range(PARAMETERS):
        step = h * np.eye(PARAMETERS)[k].reshape(6, 7)
        slope = (readings(truth + step, T) - readings(truth - step, T)) / (2.0 * h)
        np.testing.assert_allclose(J[:, :, k], slope, atol=1e-9)


def test_the_covariance_against_a_sample(hexapod, thirty, truth):
    """Only the lengths disturbed, by 1 µm, and the noise unknown: estimated from the residuals."""
    rng, m = np.random.default_rng(13), readings(truth, thirty)
    runs = [calibrate(hexapod, thirty, m + 1e-6 * rng.normal(size=m.shape)) for _ in range(60)]
    spread = np.std([run.parameters for run in runs], axis=0)
    ratio = spread / runs[0].deviations
    # a deviation of 60 values is known to a tenth; the residuals' own estimate to a seventeenth
    assert np.min(ratio) > 0.6
    assert np.max(ratio) < 1.6


def test_seven_poses_are_enough_but_leave_no_check(hexapod, candidates, truth):
    T = candidates[choose_poses(hexapod, candidates[:300], 7)]
    found = calibrate(hexapod, T, readings(truth, T))
    assert np.max(np.abs(found.parameters - truth)) < 1e-8
    assert np.all(np.isnan(found.covariance))


def test_the_calibrated_platform_has_the_points(hexapod, thirty, truth):
    found = calibrate(hexapod, thirty, readings(truth, thirty))
    better = found.applied_to(hexapod)
    expected = readings(truth, thirty) + found.offsets
    np.testing.assert_allclose(lengths(better, thirty), expected, atol=1e-10)
    np.testing.assert_allclose(better.base_points, truth[:, :3], atol=1e-9)
    np.testing.assert_allclose(found.platform, truth[:, 3:6], atol=1e-9)


def test_shifts_alone_tell_only_the_differences_of_points(hexapod):
    """Without turns only b − a and c can be seen: 4 of a leg's 7."""
    T = np.tile(hexapod.home, (20, 1, 1))
    T[:, :3, 3] += np.random.default_rng(1).uniform(-0.1, 0.1, (20, 3))
    with pytest.raises(PlatformError, match="tell 24 of 42 parameters apart") as caught:
        calibrate(hexapod, T, lengths(hexapod, T))
    assert caught.value.facts["rank"] == 24


def test_bad_measurements(hexapod, thirty):
    m = lengths(hexapod, thirty)
    with pytest.raises(PlatformError, match="has 6 poses, 36 readings for 42"):
        calibrate(hexapod, thirty[:6], m[:6])
    with pytest.raises(PlatformError, match=r"poses of shape \(30, 4, 4\).*shape \(29, 6\)"):
        calibrate(hexapod, thirty, m[1:])
    with pytest.raises(PlatformError, match="six finite lengths"):
        calibrate(hexapod, thirty, np.full((30, 6), np.nan))
    with pytest.raises(PlatformError, match="give the noise of the lengths"):
        calibrate(hexapod, thirty, m, noise=MeasurementNoise(orientation=1e-5))


def test_chosen_poses_tell_more_than_random_ones(hexapod, candidates, thirty):
    chosen = calibrate(hexapod, thirty, lengths(hexapod, thirty), noise=NOISE)
    for start in range(0, 300, 30):
        T = candidates[start : start + 30]
        other = calibrate(hexapod, T, lengths(hexapod, T), noise=NOISE)
        ratio = np.linalg.slogdet(other.covariance)[1] - np.linalg.slogdet(chosen.covariance)[1]
        assert ratio > 0.0


def test_candidates_keep_the_limits_and_use_them(hexapod, candidates):
    worst = pose_limits(hexapod).worst(candidates)
    assert np.min(worst) >= 0.0
    assert np.median(worst) < 5e-3  # metres or radians from a limit
    one, other = (candidate_poses(pose_limits(hexapod), 60, shift=0.6, turn=1.2) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_choices_that_are_not_possible(hexapod, candidates):
    with pytest.raises(PlatformError, match="6 calibration poses cannot be chosen"):
        choose_poses(hexapod, candidates, 6)
    with pytest.raises(PlatformError, match="from 7 up to the number of candidates"):
        choose_poses(hexapod, candidates[:8], 9)
    assert choose_poses(hexapod, candidates[:8], 8).tolist() == list(range(8))


def test_candidates_need_a_home_within_the_limits(staicu):
    from dataclasses import replace

    legs = tuple(replace(leg, min_length=3.5) for leg in staicu.legs)
    limits = pose_limits(replace(staicu, legs=legs))
    with pytest.raises(PlatformError, match=r"home, which breaks a limit by 0\.5"):
        candidate_poses(limits, 5, shift=1.0, turn=1.0)
