"""Coverage intervals and settled digits: exact small cases, known distributions, edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.uncertainty.monte_carlo import (
    block_size,
    coverage_interval,
    normal_interval,
    settled,
    tolerance,
)
from tests.cases import cases


def test_twenty_values_by_hand():
    """JCGM 101 §7.7: q = 19 of 20 values; the shortest begins where 19 steps are the least."""
    values = np.array([0.0, *np.arange(10.0, 29.0)])
    assert coverage_interval(values, 0.90, "symmetric") == (10.0, 28.0)
    assert coverage_interval(values, 0.90, "shortest") == (10.0, 28.0)
    assert coverage_interval(values, 0.50, "shortest") == (10.0, 20.0)
    assert coverage_interval(values, 0.50, "symmetric") == (14.0, 24.0)


def test_a_skew_distribution_has_a_shorter_shortest_interval():
    """Of an exponential: from 0 to -ln 0.05, against -ln 0.975 to -ln 0.025."""
    rng = np.random.default_rng(1)
    values = rng.exponential(size=200_000)
    low, high = coverage_interval(values, 0.95, "shortest")
    assert low == pytest.approx(0.0, abs=0.01)
    assert high == pytest.approx(-np.log(0.05), rel=0.02)
    low, high = coverage_interval(values, 0.95, "symmetric")
    assert (low, high) == pytest.approx((-np.log(0.975), -np.log(0.025)), rel=0.03)


@settings(max_examples=cases(gate=15, soak=50), deadline=None)
@given(
    values=st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=60),
    coverage=st.floats(0.05, 0.99),
    kind=st.sampled_from(["symmetric", "shortest"]),
)
def test_an_interval_holds_its_part_of_the_values(values, coverage, kind):
    array = np.array(values)
    low, high = coverage_interval(array, coverage, kind)
    assert low <= high
    assert np.mean((array >= low) & (array <= high)) >= min(coverage, 1.0 - 1.0 / array.size) - 1e-9
    shortest = coverage_interval(array, coverage, "shortest")
    assert shortest[1] - shortest[0] <= high - low


def test_the_normal_interval():
    assert normal_interval(2.0, 0.95)[1] == pytest.approx(2.0 * 1.959963984540054, rel=1e-12)
    assert normal_interval(0.0, 0.95) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("sigma", "digits", "expected"),
    [
        (35e-6, 2, 0.5e-6),  # 35 µm: half a micrometre
        (35e-6, 1, 5e-6),
        (1.0, 2, 0.05),
        (0.0996, 2, 0.005),  # rounds to 0.10
        (0.0, 2, 0.0),
    ],
)
def test_half_a_unit_of_the_last_digit(sigma, digits, expected):
    assert tolerance(sigma, digits) == pytest.approx(expected, rel=1e-12)


def test_blocks_are_long_enough_for_the_ends():
    assert block_size(0.95) == 10_000
    assert block_size(0.9999) == pytest.approx(1_000_000, abs=1)


def test_settled_when_the_means_are_known_well_enough():
    same, other = np.array([0.0, 1.0, -1.96, 1.96]), np.array([0.0, 1.2, -2.3, 2.3])
    assert settled([same, same], 1.0, 2)
    assert not settled([same, other], 1.0, 2)
    assert not settled([same], 1.0, 2)
    # the same scatter, four hundred times: its mean is known
    assert settled([same, other] * 200, 1.1, 2)
