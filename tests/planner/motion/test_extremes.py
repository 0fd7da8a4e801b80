"""Largest values against closed forms and dense brute force.

Relative error 1e-9 is what the plan promises; 1e-12 is asked for where the closed form is exact.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from planner.motion.extremes import Scope, highest

EXACT = 1e-12


def of(*functions):
    """Evaluate for one motion of one piece: all functions of x."""

    def evaluate(_index, _piece, x):
        return np.stack([np.broadcast_to(f(x), x.shape) for f in functions], axis=1)

    return evaluate


def largest(function, **options):
    found = highest(of(function), 1, 1, **options)
    return found.value[0, 0], found.x[0, 0]


def brute(function, points=20001):
    x = np.linspace(0.0, 1.0, points)
    values = function(x)
    best = values.max()
    for i in np.argsort(values)[-20:]:
        box = (x[max(i - 1, 0)], x[min(i + 1, points - 1)])
        found = minimize_scalar(
            lambda u: -function(u), bounds=box, method="bounded", options={"xatol": 1e-9}
        )
        best = max(best, -found.fun)
    return best


def lorentz(x, at, width):
    return 1.0 / (1.0 + ((x - at) / width) ** 2)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_exactness_does_not_depend_on_the_unit(size):
    """A robot made to creep has powers of 1e-11 W; its peaks are as exact as any other's."""
    value, _ = largest(lambda x: size * (2.0 - 3.0 * (x - 0.371) ** 2))
    assert value == pytest.approx(2.0 * size, rel=EXACT)


def test_rounding_is_judged_by_the_largest_of_its_kind():
    """The noise of a torque that is zero is not refined, a small power beside it is."""

    def noise(x):
        return 1e-17 * np.sin(1e8 * x)

    calls = []

    def functions(_index, _piece, x):
        calls.append(x.size)
        power = 1e-10 * (2.0 - 3.0 * (x - 0.371) ** 2)
        return np.stack([30.0 + x * 0.0, noise(x), power], axis=1)

    found = highest(functions, 1, 1, magnitudes=3, kinds=(slice(0, 2), slice(2, 3)))
    assert found.value[0, 2] == pytest.approx(2e-10, rel=EXACT)
    assert sum(calls) < 200


def test_a_margin_without_limit_stays_infinite_and_warns_nobody(recwarn):
    found = highest(of(lambda x: x * 0.0 - np.inf, lambda x: -((x - 0.371) ** 2)), 1, 1)
    assert found.value[0].tolist() == [-np.inf, pytest.approx(0.0, abs=1e-15)]
    assert not recwarn.list


@pytest.mark.parametrize("at", [0.0, 1e-4, 0.37, 0.5, 0.98, 1.0])
def test_a_parabola(at):
    value, x = largest(lambda x: 2.0 - 3.0 * (x - at) ** 2)
    assert value == pytest.approx(2.0, rel=EXACT)
    assert x == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize(("function", "value", "x"), [
    (np.exp, np.e, 1.0),
    (lambda x: np.exp(-x), 1.0, 0.0),
    (lambda x: x * 0.0 + 7.0, 7.0, 0.0),
    (lambda x: x * 0.0, 0.0, 0.0),
    (lambda x: x * 0.0 - 7.0, -7.0, 0.0),
])  # fmt: skip
def test_peaks_at_the_ends_and_constants(function, value, x):
    assert largest(function) == (pytest.approx(value, rel=EXACT), x)


@pytest.mark.parametrize("low", [8 / 32, 8.5 / 32])  # on a grid point, and between two of them
def test_twin_peaks_that_differ_by_1e_9(low):
    high = 24.5 / 32 if low == 8 / 32 else 24 / 32

    def twins(x):
        hills = [np.exp(-(((x - at) / 0.06) ** 2)) for at in (low, high)]
        return hills[0] + (1.0 + 1e-9) * hills[1]

    value, x = largest(twins)
    assert x == pytest.approx(high, abs=1e-6)
    # The other hill's tail at this distance is e^-75.
    assert value == pytest.approx(1.0 + 1e-9, rel=EXACT)


@given(at=st.floats(0.0, 1.0), width=st.floats(1 / 300, 1.0), broad=st.floats(0.0, 1.5))
def test_narrow_hills_beside_a_broad_one(at, width, broad):
    """A line that passes a singularity has such a peak of speed."""

    def function(x):
        return lorentz(x, at, width) + broad * np.sin(3.0 * x)

    assert largest(function)[0] == pytest.approx(brute(function), rel=1e-9)


@given(coefficients=st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=12))
def test_trigonometric_sums(coefficients):
    def function(x):
        return 1e-3 + sum(
            c * np.sin((k + 1) * np.pi * x / 2 + k) for k, c in enumerate(coefficients)
        )

    expected = brute(function)
    assert largest(function)[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    expected = max(expected, brute(lambda x: -function(x)))
    assert largest(function, magnitudes=1)[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_magnitude_may_be_that_of_a_minimum():
    value, x = largest(lambda x: (x - 0.3) ** 2 - 1.0, magnitudes=1)
    assert value == pytest.approx(1.0, rel=EXACT)
    assert x == pytest.approx(0.3, abs=1e-6)


def test_a_kink_at_the_top_is_zoomed_into():
    value, x = largest(lambda x: 1.0 - np.abs(x - 0.3712))
    assert value == pytest.approx(1.0, rel=1e-10)
    assert x == pytest.approx(0.3712, abs=1e-9)


def test_rounding_noise_is_not_looked_into():
    noise = 1e-19 * np.random.default_rng(3).standard_normal(33)
    calls = []

    def evaluate(_index, _piece, x):
        calls.append(x.size)
        return np.interp(x, np.linspace(0, 1, 33), noise)[:, None]

    highest(evaluate, 1, 1)
    assert calls == [33]


def test_peaks_at_and_beside_the_borders_of_pieces():
    # Rises to the border and jumps down; the second piece has a lower hill of its own.
    def evaluate(index, piece, x):
        first = 2.0 * x + index
        second = 1.5 - (x - 0.4) ** 2 + index
        return np.where(piece == 0, first, second)[:, None]

    found = highest(evaluate, 3, 2)
    assert np.array_equal(found.value[:, 0], [2.0, 3.0, 4.0])
    assert np.array_equal(found.piece[:, 0], [0, 0, 0])
    assert np.array_equal(found.x[:, 0], [1.0, 1.0, 1.0])


def waves(index, _piece, x):
    """Three functions of each motion; the tops are known and between grid points."""
    at = 0.31 + 0.1 * np.sin(index)
    size = 1.0 + 0.5 * np.cos(2.0 * index)
    hill = 1.0 - (x - at) ** 2
    return np.stack([size * hill, 2.0 * size * hill, (3.0 - size) * hill], axis=1)


MOTIONS = 700  # more than one block


def tops():
    size = 1.0 + 0.5 * np.cos(2.0 * np.arange(MOTIONS))
    return np.stack([size, 2.0 * size, 3.0 - size], axis=1)


def test_scope_each():
    assert highest(waves, MOTIONS, 1).value == pytest.approx(tops(), rel=EXACT)


def test_scope_motion():
    found = highest(waves, MOTIONS, 1, Scope.MOTION).value
    assert found.max(axis=1) == pytest.approx(tops().max(axis=1), rel=EXACT)
    assert np.all(found <= tops() * (1.0 + EXACT))
    assert np.all(found > tops() * (1.0 - 1e-3))  # (half a step of the grid)²


def test_scope_function():
    found = highest(waves, MOTIONS, 1, Scope.FUNCTION).value
    assert found.max(axis=0) == pytest.approx(tops().max(axis=0), rel=EXACT)
    assert np.all(found <= tops() * (1.0 + EXACT))
    assert np.all(found > tops() * (1.0 - 1e-3))


def test_the_place_that_is_told_has_the_value():
    found = highest(waves, 20, 1)
    for motion in range(20):
        for column in range(3):
            x = found.x[motion, column : column + 1]
            there = waves(np.array([motion]), found.piece[motion, column : column + 1], x)
            assert there[0, column] == found.value[motion, column]


def test_no_motions():
    assert highest(waves, 0, 1).value.size == 0
