"""Footsteps, ZMP reference and swing of the feet."""

from itertools import pairwise

import numpy as np
import pytest

from robots.biped.errors import BipedError
from robots.biped.walking.gait import Gait, footsteps, walking_pattern

FEET = np.array([[0.0, -0.11], [0.0, 0.11]])


@pytest.fixture(scope="module")
def pattern():
    return walking_pattern(Gait(), FEET)


def test_timing_of_the_published_walk():
    """bip2000.md: 0.1 m/s, 0.2 m steps of 2 s, 0.4 s of them on both feet."""
    gait = Gait(speed=0.1, steps=3)
    assert gait.step_time == pytest.approx(2.0)
    steps = footsteps(gait, 0)
    assert [step.foot for step in steps] == [0, 1, 0, 1]
    assert [step.end for step in steps] == pytest.approx([0.2, 0.4, 0.6, 0.6])
    assert {(step.land - step.lift) * gait.period for step in steps} == {1.6}
    assert [b.lift - a.land for a, b in pairwise(steps)] == [80, 80, 80]


def test_feet_stay_where_they_bear_load(pattern):
    moved = np.abs(np.diff(pattern.feet, axis=0)).max(axis=2)
    both = pattern.loaded[1:] & pattern.loaded[:-1]
    assert moved[both].max() == 0.0
    assert pattern.feet[pattern.loaded][:, 2].max() == 0.0
    assert pattern.loaded.any(axis=1).all()
    assert pattern.feet[~pattern.loaded][:, 2].min() > 0.0


def test_swing_reaches_its_clearance_and_starts_at_rest(pattern):
    assert pattern.feet[:, :, 2].max() == pytest.approx(pattern.gait.clearance)
    step = pattern.footsteps[1]
    x = pattern.feet[step.lift : step.land + 1, step.foot]
    speed = np.diff(x, axis=0) / pattern.gait.period
    # A quintic starts and ends as s³: its first sample moves by 10·s³ of the way.
    assert np.abs(speed[[0, -1]]).max() < 1e-2 * np.abs(speed).max()
    assert x[-1, 0] - x[0, 0] == pytest.approx(0.4)


def test_zmp_reference_is_under_the_loaded_feet(pattern):
    ahead = np.array([pattern.gait.ahead, 0.0])
    for k in range(0, len(pattern.t), 7):
        feet = pattern.feet[k, :, :2] + ahead
        if pattern.loaded[k].all():
            a, b = feet
            part = np.clip((pattern.zmp_reference[k] - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
            nearest = a + part * (b - a)
        else:
            nearest = feet[pattern.loaded[k]][0]
        np.testing.assert_allclose(pattern.zmp_reference[k], nearest, atol=1e-12)


def test_starts_and_ends_between_the_feet(pattern):
    np.testing.assert_allclose(pattern.zmp_reference[0], [pattern.gait.ahead, 0], atol=1e-15)
    np.testing.assert_allclose(pattern.zmp_reference[-1], [0.8 + pattern.gait.ahead, 0], atol=1e-12)
    np.testing.assert_allclose(pattern.feet[-1, :, 0], 0.8)


def test_left_first_is_the_mirror_image(pattern):
    mirrored = walking_pattern(Gait(first="left"), FEET, 1)
    np.testing.assert_allclose(mirrored.feet[:, ::-1, 0], pattern.feet[:, :, 0])
    np.testing.assert_allclose(mirrored.zmp_reference[:, 1], -pattern.zmp_reference[:, 1])


@pytest.mark.parametrize(
    "field", ["speed", "step_length", "double_support", "clearance", "rest", "period"]
)
@pytest.mark.parametrize("value", [0.0, -0.1, np.nan])
def test_figures_above_zero(field, value):
    with pytest.raises(BipedError, match=f"walk's {field}"):
        Gait(**{field: value})


def test_too_fast_says_the_limit():
    with pytest.raises(BipedError, match=r"limit is 0\.49") as caught:
        Gait(speed=0.6)
    assert caught.value.facts["limit"] == pytest.approx(0.2 / 0.405)
    Gait(speed=caught.value.facts["limit"])


def test_other_refusals():
    with pytest.raises(BipedError, match="0 steps"):
        Gait(steps=0)
    with pytest.raises(BipedError, match="raised above stretched"):
        Gait(lowering=-0.1)
    with pytest.raises(BipedError, match="beside each other"):
        walking_pattern(Gait(), np.array([[0.0, -0.1], [0.2, 0.1]]))


@pytest.mark.parametrize("speed", [5e-324, 0.003])
def test_a_step_that_takes_minutes_is_refused(speed):
    with pytest.raises(BipedError, match=r"at most 60 s are walked: the limit is 0\.003333 m/s"):
        Gait(speed=speed)
