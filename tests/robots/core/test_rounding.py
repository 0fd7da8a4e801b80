"""What is printed never says the opposite of what was found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robots.core.rounding import apart, apart_digits, at_least, at_most, balance, readable


def test_two_numbers_look_different_when_they_are():
    assert apart(0.7, 1.0, 2) == ("0.70", "1.00")
    assert apart(0.99999, 1.0, 2) == ("0.99999", "1.00000")
    assert apart(1.0, 1.0, 2) == ("1.00", "1.00")
    assert apart_digits(3.1400001, 3.14, 3) == ("3.1400001", "3.14")
    assert apart_digits(1e6 + 1e-9, 1e6, 3)[0] != "1e+06"


@pytest.mark.parametrize("form", [apart, apart_digits])
def test_neighbours_among_the_floats_are_told_apart(form):
    draw = np.random.default_rng(5)
    for value in 10.0 ** draw.uniform(-12, 9, size=200):
        above = math.nextafter(value, math.inf)
        found, limit = form(value, above, 3)
        assert float(found) < float(limit)


def test_a_shortfall_never_vanishes():
    assert at_least(7.0, 1) == "7.0"
    assert at_least(0.31, 1) == "0.4"
    assert at_least(1e-6, 1) == "0.0000010"
    assert at_least(1.23e-6, 1) == "0.0000013"
    assert at_least(0.0, 1) == "0.0"
    assert at_least(math.inf, 1) == "inf"
    draw = np.random.default_rng(6)
    for value in 10.0 ** draw.uniform(-12, 6, size=500):
        told = float(at_least(value, 2))
        assert value * (1 - 1e-11) <= told <= 1.2 * value + 0.01


def test_an_amount_that_is_told_is_rounded_to_the_nearest_and_stays_visible():
    assert readable(4.24, 1) == "4.2"
    assert readable(4e-7, 3) == "0.00000040"
    assert readable(0.0, 3) == "0.000"


def test_a_balance_has_no_digit_that_its_amounts_are_not_shown_with():
    assert balance(-9.14e-9, 1162.2, 5) == 0.0
    assert math.copysign(1.0, balance(-9.14e-9, 1162.2, 5)) == 1.0
    assert balance(-4.55492, 80.05, 5) == -4.555
    assert balance(0.06, 1162.2, 5) == 0.1
    assert math.isnan(balance(math.nan, 1.0, 5))
    assert balance(0.25, 0.0, 5) == 0.25


def test_a_proven_amount_is_never_rounded_up():
    assert at_most(0.9999, 2) == "0.99"
    assert at_most(1.0, 2) == "1.00"
    assert at_most(0.3 - 0.1, 1) == "0.2"  # 0.19999999999999998
    assert at_most(4e-6, 2) == "0.0000040"
