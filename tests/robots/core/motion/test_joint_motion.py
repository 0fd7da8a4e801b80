"""A joint motion in time: values, rates and peaks."""

import numpy as np
import pytest

from robots.core.errors import MotionError
from robots.core.motion.joint_motion import JointMotion
from robots.core.motion.motion_law import BANG_BANG, CUBIC, LINEAR, QUINTIC, trapezoid


def motion(law=QUINTIC, duration=2.5, start=(0.1, -0.2, 0.3), displacement=(1.0, -2.0, 0.0)):
    return JointMotion(
        law=law, start=np.array(start), displacement=np.array(displacement), duration=duration
    )


@pytest.mark.parametrize("law", [LINEAR, CUBIC, QUINTIC, BANG_BANG, trapezoid(0.3)])
def test_rates_are_derivatives_of_the_position(law):
    m = motion(law)
    # Off the switches; h² of the third derivative is 1e-9, rounding 1e-16/h.
    t, h = np.array([0.31, 0.9, 1.21, 1.4, 2.2]), 1e-5
    velocity = (m.position(t + h) - m.position(t - h)) / (2 * h)
    acceleration = (m.velocity(t + h) - m.velocity(t - h)) / (2 * h)
    np.testing.assert_allclose(m.velocity(t), velocity, atol=1e-8)
    np.testing.assert_allclose(m.acceleration(t), acceleration, atol=1e-8)


@pytest.mark.parametrize("law", [LINEAR, CUBIC, QUINTIC, BANG_BANG, trapezoid(0.3)])
def test_peaks_and_ends(law):
    m = motion(law)
    t = np.linspace(0, m.duration, 5001)
    speed, acceleration = np.abs(m.velocity(t)), np.abs(m.acceleration(t, side="left"))
    np.testing.assert_allclose(speed.max(axis=0), m.peak_velocity, rtol=1e-12)
    # The quintic's peak lies between samples: (1/5000)² of the curvature.
    np.testing.assert_allclose(acceleration.max(axis=0), m.peak_acceleration, rtol=1e-6)
    np.testing.assert_allclose(m.position([0, m.duration]), [m.start, m.end], rtol=1e-15)
    np.testing.assert_allclose(m.position([-1, m.duration + 1]), [m.start, m.end], rtol=1e-15)
    np.testing.assert_array_equal(m.velocity([-1, m.duration + 1]), np.zeros((2, 3)))


@pytest.mark.parametrize("duration", [0.1, 0.7, 1 / 3, 2.0899703])
def test_switch_instants_are_seen_from_both_sides(duration):
    m = motion(trapezoid(0.3), duration)
    left, right = (
        m.acceleration(m.switches, side)[:, 0] * duration**2 for side in ("left", "right")
    )
    bend = 1 / (0.3 * 0.7)
    np.testing.assert_allclose(left, [bend, 0.0])
    np.testing.assert_allclose(right, [0.0, -bend])


def test_motion_without_displacement_takes_no_time():
    m = motion(duration=0.0, displacement=(0.0, 0.0, 0.0))
    t = np.array([-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(m.position(t), [m.start] * 3)
    np.testing.assert_array_equal(m.velocity(t), np.zeros((3, 3)))
    np.testing.assert_array_equal(m.acceleration(t), np.zeros((3, 3)))
    np.testing.assert_array_equal(m.peak_velocity, np.zeros(3))


def test_a_motion_is_a_path_of_s():
    m = motion(BANG_BANG)
    s = np.array([0.0, 0.3, 0.5, 1.0])
    state = m.state(s, side="left")
    np.testing.assert_allclose(state.q, m.position(s * m.duration))
    np.testing.assert_allclose(state.dq, m.velocity(s * m.duration) * m.duration)
    expected = m.acceleration(s * m.duration, "left") * m.duration**2
    np.testing.assert_allclose(state.ddq, expected)
    assert m.breaks == (0.5,)


def test_refusals():
    with pytest.raises(MotionError, match=r"duration is 0.0 s.*only when no joint moves"):
        motion(duration=0.0)
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(MotionError, match=f"duration is {bad}"):
            motion(duration=bad)
    with pytest.raises(MotionError, match=r"start is .*nan"):
        motion(start=(0.0, np.nan, 0.0))
    with pytest.raises(MotionError, match="starts with 2 joints and displaces 3"):
        motion(start=(0.0, 0.0))
    with pytest.raises(MotionError, match="s = nan"):
        motion().position(np.nan)
