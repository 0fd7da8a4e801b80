"""Fits of many measurements at once are those that each would have on its own."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import FitError
from parts.fits.fitting import FIT_KINDS, fit
from parts.fits.repeated_fits import repeated_fits
from tests.cases import some

KINDS = [kind for kind in FIT_KINDS if not kind.endswith("2d")]
DRAWS = 12
X = np.array([1.0, 0.0, 0.0])


def drawn(case, sigma, seed=5):
    """Measurements of the same points. # (DRAWS, k, 3)."""
    rng = np.random.default_rng(seed)
    return case.points + sigma * rng.normal(size=(DRAWS, *case.points.shape))


def alone(kind, points, case, shape):
    if kind == "line3d":
        return fit(kind, points)
    return fit(kind, points, outward=case.normals, hint=shape)


@pytest.mark.parametrize("kind", some(KINDS, gate=3))
@pytest.mark.parametrize("sigma", [1e-6, 1e-4])
@pytest.mark.parametrize("hollow", [False, True])
def test_each_is_its_own_least_squares(kind, sigma, hollow, known):
    case = known(kind, count=30, seed=3)
    case.normals = -case.normals if hollow else case.normals
    near = alone(kind, case.points, case, fit(kind, case.points).shape).shape
    sets = drawn(case, sigma)
    found = repeated_fits(kind, near, sets, None if kind == "line3d" else case.normals)
    assert all(one is not None for one in found)
    for one, points in zip(found, sets, strict=True):
        own = alone(kind, points, case, near)
        # coordinates of 1 m are rounded to 1e-16 m; a torus multiplies that by its condition
        np.testing.assert_allclose(one.residuals, own.residuals, atol=1e-14)
        assert one.kind == own.kind
        assert one.form_error == pytest.approx(own.form_error, abs=2e-14)
        away = points + np.array([0.01, -0.02, 0.015])
        np.testing.assert_allclose(one.shape.distance(away), own.shape.distance(away), atol=1e-12)
        if kind != "line3d":
            assert one.shape.reversed == own.shape.reversed
            turned = np.sum(one.shape.normal(points) * own.shape.normal(points), axis=1)
            assert turned.min() > 1.0 - 1e-12


def test_chunks_do_not_matter(known, monkeypatch):
    case = known("cylinder", count=30)
    shape, sets = fit("cylinder", case.points).shape, drawn(case, 1e-5)
    whole = repeated_fits("cylinder", shape, sets)
    monkeypatch.setattr("parts.fits.repeated_fits._TOGETHER", 100)  # three sets at a time
    parts = repeated_fits("cylinder", shape, sets)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one.residuals, other.residuals, atol=1e-15)
    monkeypatch.setattr("parts.fits.repeated_fits._TOGETHER", 29)
    assert repeated_fits("cylinder", shape, sets) == (None,) * DRAWS


@pytest.mark.parametrize("kind", some(KINDS, gate=3))
@pytest.mark.parametrize("sigma", some([1e-2, 1e-3, 3e-3], gate=1))
def test_what_a_fit_refuses_is_never_answered(kind, sigma, known):
    """Short features under noise that hides them: some draws hold no such feature."""
    small = {"cylinder": {"sweep": 0.8}, "cone": {"sweep": 0.8}, "sphere": {"cap": 0.4}}
    case = known(kind, count=12, seed=2, **small.get(kind, {}))
    shape = fit(kind, case.points).shape
    sets = drawn(case, sigma)
    normals = None if kind == "line3d" else case.normals
    for one, points in zip(repeated_fits(kind, shape, sets, normals), sets, strict=True):
        try:
            own = alone(kind, points, case, shape)
        except FitError:
            assert one is None
        else:
            if one is not None:
                np.testing.assert_allclose(one.residuals, own.residuals, atol=1e-11)


def test_a_hidden_feature_leaves_a_doubt(known):
    case = known("cylinder", count=12, seed=2, sweep=0.8)
    shape = fit("cylinder", case.points).shape
    assert repeated_fits("cylinder", shape, drawn(case, 3e-3)).count(None) > 0


def test_what_is_not_near_is_left_to_a_fit(known):
    """A shift of a third of the radius: Newton's method would get there, but who knows by what."""
    case = known("cylinder", count=30, place=False)
    shape, sets = fit("cylinder", case.points).shape, drawn(case, 1e-6)
    assert repeated_fits("cylinder", shape, sets + 2e-4 * X).count(None) == 0
    assert repeated_fits("cylinder", shape, sets + 6e-3 * X).count(None) == DRAWS


@pytest.mark.parametrize(
    ("kind", "count", "sigma"), some([("sphere", 6, 5e-4), ("circle3d", 4, 2e-3)], gate=1)
)
def test_noise_that_hides_a_feature_refuses_it_here_too(kind, count, sigma, known):
    """Few points, on which Newton's method ends in minima that ``fit`` refuses for their noise."""
    refused = 0
    for seed in range(15):
        case = known(kind, count=count, seed=seed, amplitude=0.0)
        shape = fit(kind, case.points, outward=case.normals).shape
        sets = drawn(case, sigma, seed)
        for one, points in zip(repeated_fits(kind, shape, sets, case.normals), sets, strict=True):
            try:
                alone(kind, points, case, shape)
            except FitError:
                refused += 1
                assert one is None
    assert refused > 10


def test_points_square_to_the_outside_leave_the_side_open(known):
    case = known("plane", count=12, place=False)
    shape = fit("plane", case.points).shape
    level = np.tile([1.0, 0.0, 0.0], (12, 1))
    assert repeated_fits("plane", shape, drawn(case, 1e-6), level) == (None,) * DRAWS


def test_no_degrees_of_freedom_and_no_numbers(known):
    case = known("cylinder", count=20)
    shape = fit("cylinder", case.points).shape
    assert repeated_fits("cylinder", shape, drawn(case, 1e-6)[:, :5]) == (None,) * DRAWS
    assert repeated_fits("cylinder", shape, np.zeros((0, 20, 3))) == ()
    assert repeated_fits("cylinder", shape, np.zeros((2, 0, 3))) == (None, None)
    assert repeated_fits("cylinder", shape, np.zeros((2, 20, 3))) == (None, None)
    broken = drawn(case, 1e-6)
    broken[0, 0, 0] = np.nan
    assert repeated_fits("cylinder", shape, broken) == (None,) * DRAWS
    one_place = drawn(case, 1e-6)
    one_place[4] = one_place[4, 0]  # one set of points that are all the same
    found = repeated_fits("cylinder", shape, one_place)
    assert [one is None for one in found] == [k == 4 for k in range(DRAWS)]
