"""Least times: limits are reached and never exceeded, scaling laws hold, weak drives are named."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from robots.core.motion.motion_law import motion_law, trapezoid
from robots.core.pose import make_pose, rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.library import load
from robots.stewart.model import PlatformModel
from robots.stewart.motion import pose_move
from robots.stewart.motion_check import motion_peaks
from robots.stewart.motion_time import HeavyMotionError, minimum_time, minimum_time_move
from tests.cases import some

PLATFORM = load("measuring-hexapod")
END = PLATFORM.home @ make_pose(rotation_exp([0.1, -0.15, 0.1]), [0.05, 0.03, 0.04])


def model(**limits):
    return PlatformModel(
        replace(PLATFORM, legs=tuple(replace(leg, **limits) for leg in PLATFORM.legs))
    )


@cache
def quickest(law):
    """From home to END within the platform's own limits; found once for all tests."""
    return minimum_time_move(model(), PLATFORM.home, END, law)


@pytest.mark.parametrize("law", some(["quintic", "cubic", "trapezoid"], gate=1))
def test_the_binding_limit_is_reached_and_no_other_is_exceeded(law):
    found = quickest(law)
    taken = motion_peaks(model(), found.motion)
    parts = {
        "speed": taken.speed.value / 0.25,
        "acceleration": taken.acceleration.value / 2.5,
        "force": taken.force.value / 600.0,
    }
    # The peaks are exact to rounding; 1e-9 is the search's own agreement.
    assert max(part.max() for part in parts.values()) == pytest.approx(1.0, abs=1e-9)
    binding = found.binding
    assert parts[binding.kind][binding.leg] == pytest.approx(1.0, abs=1e-9)
    assert str(binding) == f"leg {binding.name} {binding.kind}"


def test_dense_samples_agree():
    found = quickest("quintic")
    state = found.motion.state(np.linspace(0.0, found.motion.duration, 4001))
    speeds = np.abs(model().length_rates(state.T, state.V))
    # Samples miss a flat peak by its curvature times a quarter of the step squared.
    assert speeds.max() == pytest.approx(0.25, rel=1e-6)


def test_twice_the_speed_is_half_the_time_while_speed_binds():
    slow = model(max_speed=0.01)
    fast = model(max_speed=0.02)
    times = [
        minimum_time_move(m, PLATFORM.home, END, "quintic").motion.duration for m in (slow, fast)
    ]
    assert times[0] == pytest.approx(2.0 * times[1], rel=1e-12)


def test_four_times_the_acceleration_is_half_the_time_while_it_binds():
    times = [
        minimum_time_move(
            model(max_speed=np.inf, max_acceleration=a), PLATFORM.home, END, "quintic"
        ).motion.duration
        for a in (0.5, 2.0)
    ]
    assert times[0] == pytest.approx(2.0 * times[1], rel=1e-12)


def test_the_best_trapezoid_is_quicker_than_others():
    limited = model()
    best = quickest("trapezoid").motion.duration
    for fraction in some((0.1, 0.2, 0.3, 0.4, 0.5), gate=2):
        course = pose_move(PLATFORM.home, END, trapezoid(fraction))
        # The part of speeding up is found on samples, which see peaks to about a ten-thousandth.
        assert minimum_time(limited, course).motion.duration >= best * (1.0 - 1e-4)


def test_a_force_limit_binds_and_is_reached():
    weak = model(max_force=78.0)
    found = minimum_time_move(weak, PLATFORM.home, END, "quintic")
    assert found.binding.kind == "force"
    taken = motion_peaks(weak, found.motion)
    assert taken.force.value.max() == pytest.approx(78.0, rel=1e-9)
    assert taken.force.value.argmax() == found.binding.leg


def test_a_drive_that_is_too_weak_at_rest_is_named():
    with pytest.raises(
        HeavyMotionError, match=r"leg 6 holds 7\d\.\d+ N at rest, its limit is 15 N"
    ):
        minimum_time_move(model(max_force=15.0), PLATFORM.home, END, "quintic")


def test_no_limit_no_least_time():
    free = PlatformModel(load("mathworks-hexapod"))
    end = free.platform.home @ make_pose(None, [0.1, 0.0, 0.0])
    course = pose_move(free.platform.home, end, motion_law("quintic"))
    with pytest.raises(PlatformError, match="no leg has a limit of speed or acceleration"):
        minimum_time(free, course)
