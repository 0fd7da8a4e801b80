"""Colours of deviations: alike on both sides of zero, told apart without hue, nothing clipped."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.evaluation.colours import DeviationScale, deviation_scale, legend_of, rounded_up

SCALE = DeviationScale(reach=100e-6, limits=(50e-6,))
# relative luminance of sRGB, linearised: what every reader sees, colour-blind or not
LIGHT = np.array([0.2126, 0.7152, 0.0722])


def luminance(values):
    signal = SCALE.colours(np.asarray(values)) / 255.0
    return np.where(signal <= 0.04045, signal / 12.92, ((signal + 0.055) / 1.055) ** 2.4) @ LIGHT


def test_darkness_grows_with_the_deviation_on_both_sides():
    share = np.linspace(0.0, 100e-6, 60)
    for side in (-1.0, 1.0):
        assert np.all(np.diff(luminance(side * share)) < 1e-3)  # 8 bits of a channel


def test_the_two_sides_differ_where_red_and_green_look_alike():
    # What a deuteranope sees well is blue against yellow: the blue channel must part the sides.
    for share in (0.2, 0.5, 1.0):
        low, high = SCALE.colours(np.array([-share, share]) * 100e-6).astype(int)
        assert low[2] - high[2] > 60
        assert high[0] - low[0] > 60


def test_what_is_beyond_has_the_last_colour():
    ends = SCALE.colours(np.array([-1.0, -100e-6, 100e-6, 1.0]))
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[2], ends[3])
    assert SCALE.hexadecimal(np.array([0.0])) == ["#ecece8"]


@given(st.floats(min_value=1e-9, max_value=1e3))
def test_rounding_up_is_up_and_near(value):
    assert value * (1 - 1e-9) <= rounded_up(value) <= 1.34 * value


def test_the_scale_holds_deviations_and_limits(shown, plain):
    scale = deviation_scale(shown)
    assert scale.limits == (50e-6,)  # half the profile tolerance of the cone
    assert scale.reach >= np.abs(shown.evaluation.points.profile).max()
    assert deviation_scale(plain).limits == ()


def test_points_outside_are_those_beyond_half_the_profile_tolerance(shown):
    features = np.array(shown.evaluation.points.features)
    assert set(features[np.isfinite(shown.limits)]) == {"cone"}
    assert np.all(shown.outside == (features == "cone"))


def test_the_legend_says_where_tolerances_end():
    legend = legend_of(SCALE)
    assert (legend.low, legend.high, legend.limited) == ("−0.1", "0.1", True)
    assert [(m.share, m.text) for m in legend.marks if m.limit] == [
        ("25.00%", "−0.05"),
        ("75.00%", "0.05"),
    ]
    at_end = legend_of(DeviationScale(reach=50e-6, limits=(50e-6,)))
    assert [m.text for m in at_end.marks if m.limit] == ["", ""]  # the ends say it already


@pytest.mark.parametrize("limits", [(), (1e-5, 2e-5, 3e-5, 4e-5)])
def test_a_legend_never_has_more_limits_than_find_room(limits):
    marks = legend_of(DeviationScale(reach=1e-4, limits=limits)).marks
    assert sum(mark.limit for mark in marks) == min(4, 2 * len(limits))
