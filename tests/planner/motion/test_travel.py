"""Travel: the synchronised laws of the core, many at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.motion.travel import TravelMotions, travel_times
from robots.core.errors import MotionError
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import at_rest, minimum_time
from robots.core.motion.motion_law import LAW_NAMES

LIMITS = JointLimits(
    max_speed=np.array([1.75, 1.75, 1.75, 2.5, 2.5]),
    max_acceleration=np.array([28.0, 28.0, 28.0, 25.0, 25.0]),
    max_jerk=np.array([400.0, 400.0, 500.0, 900.0, 800.0]),
)
angles = st.lists(st.floats(-3.0, 3.0), min_size=5, max_size=5).map(np.array)


@given(start=angles, end=angles, law=st.sampled_from(LAW_NAMES))
def test_times_are_those_of_the_core(start, end, law):
    end = np.where(at_rest(end - start), start, end)  # the rest is tested in test_rest
    expected = minimum_time(law, end - start, LIMITS)
    motions = TravelMotions(start[None], end[None], law, LIMITS)
    assert motions.duration[0] == expected.duration
    assert motions.bindings[0] == ", ".join(map(str, expected.bindings))
    assert travel_times(start, end, LIMITS, law) == pytest.approx(expected.duration, rel=1e-14)
    assert travel_times(end, start, LIMITS, law) == travel_times(start, end, LIMITS, law)


@pytest.mark.parametrize("small", [True, False])
def test_trapezoid_with_and_without_plateau_by_hand(small):
    """One joint: 2·√(D/KA) below D = KV²/KA, above it D/KV + KV/KA."""
    limits = JointLimits(max_speed=[2.0], max_acceleration=[8.0])
    D = 0.4 if small else 0.6  # the border is at 0.5 rad
    expected = 2.0 * np.sqrt(D / 8.0) if small else D / 2.0 + 2.0 / 8.0
    assert travel_times(np.zeros(1), np.full(1, D), limits) == pytest.approx(expected, rel=1e-15)
    assert travel_times(np.zeros(1), np.full(1, 0.5), limits) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("law", LAW_NAMES)
def test_many_at_once_broadcast(law):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-2, 2, (4, 5)), rng.uniform(-2, 2, (6, 5))
    b[0] = a[0]
    found = travel_times(a[:, None], b[None], LIMITS, law)
    assert found.shape == (4, 6)
    assert found[0, 0] == 0.0
    for i, j in np.ndindex(4, 6):
        expected = minimum_time(law, b[j] - a[i], LIMITS).duration
        assert found[i, j] == pytest.approx(expected, rel=1e-14)


def test_the_double_s_needs_jerk_limits():
    bare = JointLimits(max_speed=LIMITS.max_speed, max_acceleration=LIMITS.max_acceleration)
    with pytest.raises(MotionError, match=r"Joint q1: it has no jerk limit.*max_jerk_rad_s3"):
        travel_times(np.zeros(5), np.ones(5), bare, "double-s")
    with pytest.raises(MotionError, match="Joint q1"):
        TravelMotions(np.zeros((1, 5)), np.ones((1, 5)), "double-s", bare)


@pytest.mark.parametrize("law", LAW_NAMES)
def test_states_agree_with_the_motion_of_the_core(law):
    start, end = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([1.1, -0.8, 0.3, 0.0, 2.0])
    motions = TravelMotions(start[None], end[None], law, LIMITS)
    core = minimum_time(law, end - start, LIMITS).motion(start)
    s = np.linspace(0.003, 0.997, 37)
    T = motions.duration[0]
    zero = np.zeros(s.size, dtype=np.int64)
    found = motions.states(zero, motions.law_at(zero, s))
    assert found.q == pytest.approx(core.position(s * T), abs=1e-13)
    assert found.dq / T == pytest.approx(core.velocity(s * T), abs=1e-12)
    assert found.ddq / T**2 == pytest.approx(core.acceleration(s * T), abs=1e-10)


def test_standing_still_takes_no_time():
    q = np.full((2, 5), 0.7)
    motions = TravelMotions(q, q, "trapezoid", LIMITS)
    assert np.array_equal(motions.duration, [0.0, 0.0])
    assert motions.bindings == ("", "")
    assert TravelMotions(q[:0], q[:0], "quintic", LIMITS).duration.size == 0
