"""Round numbers along an axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.page.curves import ticks


@pytest.mark.parametrize(
    ("low", "high", "count", "texts"),
    [
        (0.0, 2.79, 8, ["0", "0.5", "1.0", "1.5", "2.0", "2.5"]),
        (-1.0, 1.0, 4, ["−1.0", "−0.5", "0", "0.5", "1.0"]),
        (0.0, 1.0, 4, ["0", "0.25", "0.50", "0.75", "1.00"]),
        (0.0, 1000.0, 4, ["0", "250", "500", "750", "1000"]),
        (-3e-6, 3e-6, 3, ["−2e−06", "0", "2e−06"]),
        (119.9, 120.1, 2, ["119.9", "120.0", "120.1"]),
    ],
)
def test_ticks_are_round_and_written_alike(low, high, count, texts):
    assert [tick.text for tick in ticks(low, high, count)] == texts


@given(
    st.floats(-1e9, 1e9),
    st.floats(1e-6, 1e9),
    st.integers(1, 12),
)
def test_ticks_lie_inside_and_are_no_more_than_asked(low, width, count):
    high = low + width
    found = ticks(low, high, count)
    slack = 1e-6 * max(abs(low), abs(high), width)  # rounding of a step's multiples
    assert all(low - slack <= tick.at <= high + slack for tick in found)
    assert len(found) <= count + 1 + (slack > width / count)
