"""Curves as paths: exact places, ranges that hold near limits, limits in words."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reports.content.curves import CurveSet, Panel
from reports.page.curves import HEIGHT, WIDTH, drawn_set

T = np.linspace(0.0, 4.0, 401)


def panel(values, lower=-np.inf, upper=np.inf):
    return Panel(name="q1", unit="rad/s", t=T, values=values, lower=lower, upper=upper, peak=1.0)


def drawn(one, points=1200):
    curves = CurveSet(key="velocity", title="Joint speeds", panels=(one,))
    return drawn_set(curves, 4.0, points).panels[0]


def corners(path):
    """Places of a path, its steps added up."""
    start, steps = re.fullmatch(r"M(.*?)l(.*)", path).groups()
    pairs = np.array(steps.split(), dtype=int).reshape(-1, 2)
    return np.cumsum(np.vstack([np.array(start.split(), dtype=int), pairs]), axis=0)


def test_the_path_goes_through_the_values():
    found = drawn(panel(np.sin(T)))
    places = corners(found.path)
    t = places[:, 0] / WIDTH * 4.0
    values = found.high - places[:, 1] / HEIGHT * (found.high - found.low)
    # half a unit of either axis; the slope of the sine is at most 1
    assert np.abs(values - np.sin(t)).max() < 0.51 * (found.high - found.low) / HEIGHT + 4 / WIDTH
    assert places[0, 0] == 0
    assert places[-1, 0] == WIDTH


def test_a_near_limit_is_drawn_and_a_far_one_is_stated_only():
    near = drawn(panel(np.sin(T), -1.5, 1.5))
    far = drawn(panel(np.sin(T), -150.0, 150.0))
    assert len(near.limits) == 2
    assert all(0 < y < HEIGHT for y in near.limits)
    assert far.limits == ()
    assert (near.stated, far.stated) == ("±1.5", "±150")
    assert far.high < 1.2


@pytest.mark.parametrize(
    ("lower", "upper", "stated"),
    [
        (-np.inf, np.inf, ""),
        (-160.0, 80.0, "−160 … 80"),
        (-np.inf, 80.0, "−∞ … 80"),
        (10.0, np.inf, "10 … ∞"),
    ],
)
def test_limits_in_words(lower, upper, stated):
    assert drawn(panel(np.sin(T), lower, upper)).stated == stated


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-5])
def test_a_joint_that_rests_has_a_range_and_a_path(value):
    found = drawn(panel(np.full_like(T, value)))
    assert found.low < value < found.high
    assert np.isfinite([found.low, found.high]).all()
    assert corners(found.path)[-1, 0] == WIDTH


def test_fewer_points_keep_the_peak():
    values = np.zeros_like(T)
    values[217] = 1.0
    found = drawn(panel(values), points=40)
    assert len(found.panel.t) <= 42
    assert found.panel.values.max() == 1.0


def test_a_peak_that_is_not_known_is_not_stated():
    assert drawn(replace(panel(np.sin(T)), peak=np.nan)).peak == ""
    assert drawn(panel(np.sin(T))).peak == "1"
