"""Covariances beside Monte Carlo, closed forms, and what is given or estimated."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import FitError
from parts.fits.fitting import FIT_KINDS, fit
from tests.cases import some

SIGMA = 5e-6
RUNS = 400


def _held(kind, truth):
    """Projector on the directions in which a point of the feature is held."""
    axis = truth.value("axis")
    if kind == "plane":
        return np.outer(axis, axis)
    return np.eye(len(axis)) - np.outer(axis, axis)


@pytest.mark.parametrize("kind", some(FIT_KINDS[::-1], gate=1))
def test_covariances_agree_with_simulation(kind, known):
    case = known(kind, seed=1, count=30, amplitude=0.0, offset=0.1)
    truth = fit(kind, case.points, sigma=SIGMA)
    rng = np.random.default_rng(2)
    shape = (RUNS, *case.points.shape)
    samples = {name: [] for name in truth.derived}
    variances = []
    for noise in SIGMA * rng.normal(size=shape):
        run = fit(kind, case.points + noise, hint=truth.shape)
        variances.append(run.estimated_sigma**2)
        for name, values in samples.items():
            values.append(run.value(name))
    samples.pop("distance", None)  # belongs to the point, which noise shifts along the axis too
    for name, values in samples.items():
        expected, found = truth.covariance_of(name), np.atleast_2d(np.cov(np.array(values).T))
        if name == "point":
            across = _held(kind, truth)
            expected, found = across @ expected @ across, across @ found @ across
        # relative error of a variance from 400 runs: √(2 / 399) = 7 %; four of those; a component
        # that cannot move to first order has a variance of rounding or of σ⁴ instead
        floor = 1e-3 * np.trace(expected)
        np.testing.assert_allclose(
            np.diag(found), np.diag(expected), rtol=0.28, atol=floor, err_msg=name
        )
        np.testing.assert_allclose(found, expected, atol=0.3 * np.trace(expected), err_msg=name)
    assert np.mean(variances) == pytest.approx(SIGMA**2, rel=4 * np.sqrt(2 / RUNS / truth.dof))


def test_an_even_circle_has_the_textbook_covariance():
    """n even points of a full circle: var(x) = 2 σ²/n, var(r) = σ²/n."""
    n = 36
    angle = np.arange(n) * 2.0 * np.pi / n
    points = 0.04 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    fitted = fit("circle2d", points, sigma=SIGMA)
    np.testing.assert_allclose(
        fitted.covariance_of("centre"), 2 * SIGMA**2 / n * np.eye(2), atol=1e-12 * SIGMA**2
    )
    assert fitted.deviation_of("diameter")[0] == pytest.approx(2 * SIGMA / np.sqrt(n), rel=1e-12)
    joint = fitted.joint_covariance("centre", "diameter")
    assert joint.shape == (3, 3)
    assert np.abs(joint[:2, 2]).max() < 1e-12 * SIGMA**2


def test_a_straight_row_has_the_textbook_covariance():
    """var(slope) = σ²/Σ(x - x̄)²; the axis direction turns by it."""
    x = np.linspace(-1.0, 1.0, 11)
    fitted = fit("line2d", np.stack([x, np.zeros(11)], axis=1), sigma=SIGMA)
    covariance = fitted.covariance_of("axis")
    assert covariance[1, 1] == pytest.approx(SIGMA**2 / np.sum(x**2), rel=1e-12)
    assert fitted.covariance_of("point")[1, 1] == pytest.approx(SIGMA**2 / 11, rel=1e-12)


def test_sigma_is_the_given_one_or_follows_the_residuals(known):
    case = known("cylinder")
    free, told = fit("cylinder", case.points), fit("cylinder", case.points, sigma=1e-6)
    spare = len(case.points) - 5
    assert free.dof == spare
    assert free.sigma == pytest.approx(np.sqrt(np.sum(case.residuals**2) / spare), rel=1e-9)
    assert told.sigma == 1e-6
    ratio = (told.sigma / free.sigma) ** 2
    np.testing.assert_allclose(told.covariance, ratio * free.covariance, rtol=1e-9)
    assert free.form_error == pytest.approx(np.ptp(case.residuals), rel=1e-9)


def test_points_without_any_to_spare_say_nothing_about_noise():
    corner = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    fitted = fit("plane", corner)
    assert fitted.dof == 0
    with pytest.raises(FitError, match="3 points hold the plane without any to spare"):
        fitted.covariance_of("axis")
    assert fit("plane", corner, sigma=1e-6).deviation_of("point")[2] > 0.0
    with pytest.raises(FitError, match="has no 'diameter'; it has point, axis"):
        fitted.value("diameter")


@pytest.mark.parametrize("sigma", [0.0, -1e-6, float("nan")])
def test_a_sigma_that_is_none_is_refused(sigma, known):
    with pytest.raises(FitError, match="expected a standard deviation above zero"):
        fit("plane", known("plane").points, sigma=sigma)
