"""The highest value of a function on an interval, against closed forms and dense grids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import MotionError
from robots.core.motion.time_scaling import highest, highest_of_each


def of(*functions):
    return lambda s, _side: np.stack([f(s) for f in functions], axis=-1)


@given(st.floats(0, 1), st.floats(0.5, 300))
def test_a_smooth_summit_is_exact(centre, sharpness):
    peak = highest(
        of(lambda s: 2.0 - np.cosh(0.01 * s), lambda s: 3 / (1 + (sharpness * (s - centre)) ** 2))
    )
    assert peak.value == pytest.approx(3.0, rel=1e-12)
    assert peak.s == pytest.approx(centre, abs=1e-7)
    assert peak.column == 1


@pytest.mark.parametrize(
    ("f", "s", "value"),
    [
        (lambda s: s, 1.0, 1.0),
        (lambda s: -s, 0.0, 0.0),
        (lambda s: 1 - np.abs(s - 1 / 3), 1 / 3, 1.0),
        (np.ones_like, None, 1.0),
        (lambda s: np.abs(np.sin(40 * np.pi * s)) * (1 - 1e-4 * (s - 0.4123) ** 2), 0.4125, None),
    ],
)
def test_ends_kinks_plateaus_and_twenty_rivals(f, s, value):
    peak = highest(of(f))
    if value is not None:
        assert peak.value == pytest.approx(value, abs=1e-10)
    if s is not None:
        assert peak.s == pytest.approx(s, abs=1e-3)


def test_both_sides_of_a_break_count():
    def jump(s, side):
        before = (s < 0.25) | ((s == 0.25) & (side == "left"))
        return np.where(before, s, 0.1 * s)[:, None]

    peak = highest(jump, (0.25,))
    assert (peak.value, peak.s) == (0.25, 0.25)
    mirrored = highest(lambda s, side: jump(1 - s, "left" if side == "right" else "right"), (0.75,))
    assert (mirrored.value, mirrored.s) == (0.25, 0.75)


def test_noise_is_refused_not_answered():
    def noise(s, _side):
        return np.modf(np.sin(s * 1e9) * 43758.5453)[0][:, None]

    with pytest.raises(MotionError, match=r"too rough.*16385 samples"):
        highest(noise)


def test_peaks_of_each_are_those_of_one_alone():
    """One of them settles on a finer grid than the others, one is flat, one has rivals."""
    functions = (
        lambda s: -((s - 0.7) ** 2),
        lambda s: np.where(s < 0.5, s, 1.0 - s),
        np.zeros_like,
        lambda s: 3 / (1 + (1e3 * (s - 0.3331)) ** 2),
        lambda s: np.sin(40 * np.pi * s),
    )
    each = highest_of_each(of(*functions), (0.5,))
    assert [peak.column for peak in each] == list(range(len(functions)))
    for peak, f in zip(each, functions, strict=True):
        alone = highest(of(f), (0.5,))
        assert (peak.value, peak.s) == (alone.value, alone.s)
    with pytest.raises(MotionError, match="too rough"):
        highest_of_each(of(np.sin, lambda s: np.modf(np.sin(s * 1e9) * 43758.5453)[0]))
