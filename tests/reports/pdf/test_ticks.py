"""Ticks: round, few, inside, told with enough digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.content.table import signed, told
from reports.pdf.document import ticks


@pytest.mark.parametrize(
    ("low", "high", "labels", "factor"),
    [
        (0.0, 2.7931, ("0.0", "0.5", "1.0", "1.5", "2.0", "2.5"), ""),
        (-31.0, 31.0, ("−20", "0", "20"), ""),
        (-5.4, -0.6, ("−4", "−2"), ""),
        (-2.4e-5, 1.4e-5, ("−2", "−1", "0", "1"), "10⁻⁵"),
        (0.0, 2.5e6, ("0", "1", "2"), "10⁶"),
    ],
)
def test_ticks_are_round(low, high, labels, factor):
    marks = ticks(low, high, 6 if low == 0 and high < 10 else 4)
    assert (marks.labels, marks.factor) == (labels, factor)


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6), st.integers(2, 10))
def test_ticks_lie_inside_and_are_few(low, height, count):
    high = low + height
    if high - low < 1e-9 * max(1.0, abs(low)):
        return  # an axis that floating point cannot divide
    marks = ticks(low, high, count)
    slack = 1e-6 * (high - low)
    assert 1 <= len(marks.values) <= count + 1
    assert all(low - slack <= value <= high + slack for value in marks.values)
    assert len(set(marks.labels)) == len(marks.labels)


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.1144e-5, "2.1144·10⁻⁵"), (-28.0, "−28"), (456.337, "456.34"), (0.0, "0"), (1e9, "1·10⁹")],
)
def test_numbers_are_told_as_typography_does(value, text):
    assert told(value) == text


def test_there_is_no_negative_zero():
    assert signed("-0.00") == "0.00"
    assert signed("-0.01") == "−0.01"
