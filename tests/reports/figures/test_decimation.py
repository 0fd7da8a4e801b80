"""Decimation: no peak is lost, ends stay, order stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.drawn_samples import decimated, run_length

values = arrays(float, st.integers(1, 300), elements=st.floats(-1e6, 1e6))


@given(values, st.integers(1, 40))
def test_no_extreme_is_lost_and_the_ends_stay(series, buckets):
    t = np.arange(len(series)) * 0.5
    curve = decimated(t, series, buckets)
    assert curve.values.max() == series.max()
    assert curve.values.min() == series.min()
    assert (curve.t[0], curve.t[-1]) == (t[0], t[-1])
    assert (curve.values[0], curve.values[-1]) == (series[0], series[-1])
    assert np.all(np.diff(curve.t) > 0)
    assert len(curve.t) <= 2 * buckets + 2


@given(values, st.integers(1, 40))
def test_only_samples_are_drawn(series, buckets):
    t = np.arange(len(series)) * 1.0
    curve = decimated(t, series, buckets)
    np.testing.assert_array_equal(series[curve.t.astype(int)], curve.values)


def test_the_extremes_of_every_run_are_kept():
    series = np.zeros(1000)
    series[[137, 611]] = 5.0, -7.0
    curve = decimated(np.arange(1000.0), series, 50)
    assert 137.0 in curve.t
    assert 611.0 in curve.t


@pytest.mark.parametrize(("count", "run"), [(0, 1), (2, 1), (20, 1), (21, 3), (1000, 100)])
def test_a_short_series_stays_whole(count, run):
    assert run_length(count, 10) == run
