"""Histograms: nothing is lost, whatever the numbers; far ones do not hide the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.batch.dashboard import JobValue, histogram, plots
from reports.batch.rows import SECONDS, Figure

PLAIN = Figure(key="x", title="x", unit="s")


def samples(values, failed=()):
    return [JobValue(value=float(v), failed=k in failed, row=k) for k, v in enumerate(values)]


@given(
    values=st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60),
    figure=st.sampled_from([PLAIN, SECONDS]),
)
def test_every_number_is_counted_once(values, figure):
    found = histogram(figure, samples(values, failed={0}))
    assert found.count == len(values)
    assert sum(item.failed for item in found.bins) == 1
    assert (found.least.value, found.most.value) == (min(values), max(values))
    assert found.median == pytest.approx(np.median(values))
    assert 1 <= len(found.bins) <= 60
    edges = [item.low for item in found.bins]
    assert edges == sorted(edges)


def test_bins_agree_with_numpy():
    values = np.random.default_rng(1).normal(10.0, 2.0, 3000)
    found = histogram(PLAIN, samples(values))
    edges = [found.bins[0].low, *(item.high for item in found.bins)]
    counts, _ = np.histogram(values, edges)
    assert [item.count for item in found.bins] == counts.tolist()
    assert (found.below, found.above) == (0, 0)


def test_far_numbers_are_counted_at_the_end_and_told():
    values = [*np.linspace(1.0, 2.0, 995), *([500.0] * 4), -300.0]
    found = histogram(PLAIN, samples(values))
    assert (found.below, found.above) >= (1, 4)
    assert found.bins[-1].high < 3.0
    assert found.count == 1000


def test_times_over_decades_have_bins_in_decades():
    values = np.geomspace(0.01, 100.0, 400)
    found = histogram(SECONDS, samples(values))
    ratios = [item.high / item.low for item in found.bins]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))
    assert not histogram(PLAIN, samples(values)).decades


@pytest.mark.parametrize("value", [0.0, -3.0, 1e-320, 1e300, 7.0])
def test_equal_numbers_are_one_bar(value):
    found = histogram(PLAIN, samples([value] * 5))
    assert [item.count for item in found.bins if item.count] == [5]


def test_what_has_no_range_is_not_drawn():
    assert histogram(PLAIN, []) is None
    assert histogram(PLAIN, samples([1e308, -1e308])) is None


def test_rows_give_the_issues_plots(generated):
    drawn = {plot.figure.title: plot for plot in plots(generated)}
    titles = ["duration", "joint margin", "minimum clearance, proven", "torque of limit"]
    assert list(drawn) == [*titles, "time per job", "memory per job"]
    assert drawn["duration"].summary.startswith("4,500 jobs, median ")
    assert drawn["torque of limit"].limit
    assert not drawn["time per job"].limit
    row, told = drawn["time per job"].most
    assert (generated[row].seconds, told) == (60.0, "60 s")


def test_torque_is_drawn_where_no_joint_has_a_limit(row_of):
    def titles(*figures):
        rows = [row_of(f"{k}", seconds=math.nan, figures=one) for k, one in enumerate(figures)]
        return [plot.figure.title for plot in plots(rows)]

    free, held = {"peak_torque_nm": 40.0}, {"peak_torque_nm": 60.0, "torque_fraction": 0.5}
    assert titles(free, free) == ["peak torque", "memory per job"]
    assert titles(free, held) == ["torque of limit", "memory per job"]


def test_nothing_measured_is_nothing_drawn(row_of):
    rows = [row_of("a", seconds=math.nan)]
    assert [plot.figure.title for plot in plots(rows)] == ["memory per job"]
    assert plots([]) == ()
