"""Paths and their bounds: straight, probing lines, splines."""

from __future__ import annotations

import numpy as np
import pytest

from planner.clearance.paths import LinePaths, StraightPaths
from planner.reach.closed_form import candidates, end_solutions
from planner.reach.placement import place
from robots.core.errors import MotionError
from tests.planner.clearance.spline_paths import SplinePaths

ROUNDING = 1e-12  # [rad]


def assert_bounded(paths, intervals=400, seed=0):
    """|q − q(middle)| within the spread, in proportion, for random intervals; how tight it is.

    The same of what is left beside the way that the joints go together.
    """
    rng = np.random.default_rng(seed)
    index = rng.integers(0, paths.count, intervals)
    low = rng.uniform(0.0, 1.0, intervals)
    high = low + (1.0 - low) * rng.uniform(0.0, 1.0, intervals) ** 3
    spread, along = paths.spread(index, low, high), paths.along(index, low, high)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    q = paths.joints(index, middle)
    for share in np.linspace(-1.0, 1.0, 31):
        lam = np.clip(middle + share * half, low, high)
        moved = np.abs(paths.joints(index, lam) - q)
        assert np.all(moved <= abs(share) * spread + ROUNDING)
        t = np.where(half > 0.0, (lam - middle) / np.where(half > 0.0, half, 1.0), 0.0)[:, None]
        beside = np.abs(paths.joints(index, lam) - q - t * along)
        assert np.all(beside <= np.abs(t) * (spread - np.abs(along)) + ROUNDING)
    ends = np.abs(paths.joints(index, high) - q)
    moving = spread > 1e-6
    return np.median((ends[moving] + 1e-15) / spread[moving])


def test_straight_paths():
    rng = np.random.default_rng(1)
    starts, ends = rng.normal(size=(2, 20, 4))
    paths = StraightPaths(starts, ends)
    assert assert_bounded(paths) == pytest.approx(1.0, abs=1e-6)
    every = np.arange(20)
    np.testing.assert_allclose(paths.joints(every, np.zeros(20)), starts)
    np.testing.assert_allclose(paths.joints(every, np.ones(20)), ends)


def test_line_paths(corrected_job, inverse):
    placed = place(corrected_job)
    found = candidates(inverse, placed, end_solutions(inverse, placed))
    usable = np.nonzero(found.margins.singularity > 1e-3)[0]
    paths = LinePaths(found.lines.take(usable))
    assert paths.count > 9
    assert assert_bounded(paths) > 0.95


@pytest.fixture(scope="module")
def spline():
    def made(degree, seed=0, count=15):
        rng = np.random.default_rng(seed)
        knots, controls = [], []
        for _ in range(count):
            points = int(rng.integers(degree + 1, degree + 10))
            inner = np.sort(rng.uniform(0.0, 3.0, points - degree - 1))
            if inner.size > 3 and degree > 1:
                inner[1] = inner[2]  # a double knot
            ends = np.zeros(degree + 1), np.full(degree + 1, 3.0)
            knots.append(np.concatenate([ends[0], inner, ends[1]]))
            controls.append(rng.normal(size=(points, 3)))
        return knots, controls

    return made


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_splines_are_those_of_scipy(spline, degree):
    from scipy.interpolate import BSpline

    knots, controls = spline(degree)
    paths = SplinePaths(knots, controls)
    rng = np.random.default_rng(2)
    index, lam = rng.integers(0, 15, 300), rng.uniform(0.0, 1.0, 300)
    lam[:40] = np.repeat([0.0, 1.0], 20)
    oracle = [BSpline(knots[k], controls[k], degree) for k in range(15)]
    want = [oracle[k](3.0 * x) for k, x in zip(index, lam, strict=True)]
    np.testing.assert_allclose(paths.joints(index, lam), want, atol=1e-9)
    slopes = [3.0 * oracle[k].derivative()(3.0 * x) for k, x in zip(index, lam, strict=True)]
    np.testing.assert_allclose(paths.slopes(index, lam), slopes, atol=1e-5)  # near double knots


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_splines_stay_within_their_bounds(spline, degree):
    tight = assert_bounded(SplinePaths(*spline(degree, seed=3)))
    assert tight > 0.3


def test_splines_that_are_none(spline):
    knots, controls = spline(3, count=2)
    with pytest.raises(MotionError, match=r"degrees \[2, 3\]"):
        SplinePaths([knots[0], knots[1][:-1]], controls)
    torn = np.array([0.0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    with pytest.raises(MotionError, match="path 0 has knots"):
        SplinePaths([torn], [np.zeros((8, 3))])
    with pytest.raises(MotionError, match="must rise"):
        SplinePaths([knots[0][::-1]], [controls[0]])


def test_no_spline_at_all():
    assert SplinePaths([], []).count == 0
