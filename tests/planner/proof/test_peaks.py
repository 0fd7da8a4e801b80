"""Bounds of highest values, and integrals of positive parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.proof.chebyshev import COUNT, NODES
from planner.proof.dynamics import integrals, positive_parts
from planner.proof.peaks import peaks


def highest(*functions):
    """Peaks of pieces with one column each."""
    values = np.stack([function(NODES) for function in functions])[:, :, None]
    return peaks(lambda rows: values[rows], len(values))


@given(
    w=st.floats(0.1, 6.0),
    phase=st.floats(-3.0, 3.0),
    tilt=st.floats(-2.0, 2.0),
)
def test_the_bound_is_above_every_value_and_close(w, phase, tilt):
    def function(x):
        return np.sin(w * x + phase) + tilt * x

    found = highest(function)
    x = np.linspace(-1.0, 1.0, 200_001)
    top = function(x).max()
    # The dense grid misses a peak by w²h²/8 = 5e-10; interpolation of sin(6x) errs by 1e-10.
    assert top - 1e-10 <= found.upper[0] <= top + 1e-8
    assert found.upper[1] == pytest.approx(-function(x).min(), abs=1e-8)
    assert function(found.x[0]) == pytest.approx(top, abs=1e-9)


def test_the_highest_of_many_pieces_wins():
    low, high = (lambda x: 1.0 - x * x), (lambda x: 1.0 + 1e-9 - (x - 0.3) ** 2)
    found = highest(low, high, low)
    assert found.piece[0] == 1
    assert found.x[0] == pytest.approx(0.3, abs=1e-4)
    # What a parabola can do between places 1e-5 apart.
    assert found.upper[0] == pytest.approx(1.0 + 1e-9, abs=1e-10)


def test_a_peak_at_an_end():
    found = highest(np.exp)
    assert found.x[0] == 1.0
    assert found.upper[0] == pytest.approx(np.e, rel=1e-9)


def test_nothing_has_no_peak():
    empty = np.zeros((0, COUNT, 2))
    assert peaks(lambda rows: empty[rows], 0).upper.tolist() == [-np.inf] * 4


def test_what_is_not_a_number_is_not_passed_over():
    found = highest(np.sin, lambda x: np.full_like(x, np.nan))
    assert np.isnan(found.upper).all()


def test_positive_part_of_a_sine():
    """Three zeros inside one piece; the integral over its positive arches is known."""
    values = np.sin(2 * np.pi * NODES)[None, :, None]
    # x from -1 to 1 with two positive arches of 1/π each; a piece of 5 s is 2.5 s per unit.
    assert positive_parts(values, np.array([5.0])).value[0, 0] == pytest.approx(
        5.0 / np.pi, rel=1e-10
    )
    assert integrals(values, np.array([5.0]))[0, 0] == pytest.approx(0.0, abs=1e-13)


@given(
    middle=st.floats(-1.0, 1.0),
    depth=st.floats(0.0, 1e-3),
    steep=st.floats(0.01, 100.0),
)
def test_positive_part_of_a_valley_that_hardly_dips_below_zero(middle, depth, steep):
    """Both zeros may lie between two places of any grid; what they enclose is not lost."""
    values = (steep * ((NODES - middle) ** 2 - depth))[None, :, None]
    found = positive_parts(values, np.array([2.0]))
    reach = np.sqrt(depth)
    low, high = (np.clip(middle + side * reach, -1.0, 1.0) for side in (-1.0, 1.0))
    whole = np.polynomial.Polynomial([-middle, 1.0]) ** 2 * steep - steep * depth
    area = whole.integ()
    exact = area(low) - area(-1.0) + area(1.0) - area(high)
    assert found.value[0, 0] == pytest.approx(exact, abs=1e-13 * steep)
    assert found.unsure[0, 0] <= 1e-12 * steep


def test_a_power_that_starts_and_ends_at_zero_has_one_sign_there():
    """Two ways to evaluate a polynomial disagree about the sign of zero; the sum must not."""
    for sign in (1.0, -1.0):
        values = (sign * (1.0 - NODES**2) * (NODES + 0.3))[None, :, None]
        f = np.polynomial.Polynomial([0.3, 1.0]) * np.polynomial.Polynomial([1.0, 0.0, -1.0])
        area = (f * sign).integ()
        exact = area(1.0) - area(-0.3) if sign > 0 else area(-0.3) - area(-1.0)
        found = positive_parts(values, np.array([2.0])).value[0, 0]
        assert found == pytest.approx(exact, abs=1e-14)


@given(zero=st.floats(-1.5, 1.5), steep=st.floats(0.01, 100.0))
def test_positive_part_of_a_line(zero, steep):
    values = (steep * (NODES - zero))[None, :, None]
    a, b = np.clip(zero, -1.0, 1.0), 1.0
    exact = steep * (0.5 * (b - zero) ** 2 - 0.5 * (a - zero) ** 2)
    found = positive_parts(values, np.array([2.0])).value[0, 0]
    assert found == pytest.approx(exact, abs=1e-12 * steep)


@given(shift=st.floats(-3.0, 3.0))
def test_positive_less_negative_is_the_whole(shift):
    values = (np.sin(5 * NODES) + shift * NODES**3)[None, :, None]
    length = np.array([0.3])
    up, down = positive_parts(values, length), positive_parts(-values, length)
    assert up.value - down.value == pytest.approx(integrals(values, length), abs=1e-14)
    assert np.all(up.value >= 0.0)


def test_a_function_that_is_zero():
    assert positive_parts(np.zeros((2, COUNT, 1)), np.ones(2)).value.tolist() == [[0.0], [0.0]]
