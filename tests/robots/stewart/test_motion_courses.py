"""Moves and prescribed motions: ends, derivatives, bounds, and the published motion."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import PoseError
from robots.core.motion.motion_law import motion_law
from robots.core.pose import make_pose, rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.library import load
from robots.stewart.motion import (
    Harmonic,
    PrescribedMotion,
    TimedMotion,
    pose_move,
    published_motion,
)
from robots.stewart.platform import lengths

START = make_pose(rotation_exp([0.1, -0.2, 0.3]), [0.1, 0.2, 0.9])
END = make_pose(rotation_exp([-0.4, 0.5, 0.2]), [-0.1, 0.25, 1.1])


def courses():
    yield pose_move(START, END, motion_law("quintic"))
    yield pose_move(START, END, motion_law("trapezoid", acceleration_fraction=0.3))
    yield PrescribedMotion(
        home=START,
        translation=(
            Harmonic(sine=0.1),
            Harmonic(versine=0.2),
            Harmonic(sine=0.1, versine=0.3, turns=2.0),
        ),
        angles=(
            Harmonic(versine=0.4),
            Harmonic(sine=0.3),
            Harmonic(sine=0.2, versine=-0.3, turns=1.5),
        ),
    )


@pytest.mark.parametrize("course", list(courses()), ids=["quintic", "trapezoid", "prescribed"])
def test_velocities_and_accelerations_are_derivatives(course):
    motion = TimedMotion(course=course, duration=1.7)
    t, h = np.array([0.11, 0.4, 0.86, 1.3, 1.62]), 1e-6
    state, before, after = (motion.state(t + step) for step in (0.0, -h, h))
    slope = (after.T - before.T) / (2 * h)
    spin = slope[:, :3, :3] @ np.swapaxes(state.T[:, :3, :3], -1, -2)
    angular = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
    # Central differences of values near one: about 1e-16/1e-6 and h².
    assert pytest.approx(np.concatenate([slope[:, :3, 3], angular], axis=-1), abs=1e-8) == state.V
    assert pytest.approx((after.V - before.V) / (2 * h), abs=1e-6) == state.A


@pytest.mark.parametrize("course", list(courses()), ids=["quintic", "trapezoid", "prescribed"])
def test_speeds_stay_below_their_bounds(course):
    V = course.state(np.linspace(0.0, 1.0, 2001)).V
    bound = course.speed_bound()
    assert np.linalg.norm(V[:, :3], axis=-1).max() <= bound.linear * (1 + 1e-12)
    assert np.linalg.norm(V[:, 3:], axis=-1).max() <= bound.angular * (1 + 1e-12)


@pytest.mark.parametrize("law", ["cubic", "quintic", "bang-bang", "trapezoid"])
def test_a_move_goes_straight_about_one_axis(law):
    course = pose_move(START, END, motion_law(law))
    assert pytest.approx(np.stack([START, END]), abs=1e-14) == course.state(np.array([0.0, 1.0])).T
    T = course.state(np.linspace(0.0, 1.0, 9)).T
    along = T[:, :3, 3] - START[:3, 3]
    assert np.cross(along, END[:3, 3] - START[:3, 3]) == pytest.approx(np.zeros((9, 3)), abs=1e-15)
    axis = course.turn / np.linalg.norm(course.turn)
    for R in T[:, :3, :3]:
        assert R @ START[:3, :3].T @ axis == pytest.approx(axis, abs=1e-14)


def test_moves_that_are_none():
    with pytest.raises(PlatformError, match="same pose"):
        pose_move(START, START, motion_law("quintic"))
    half = START @ make_pose(rotation_exp([np.pi, 0.0, 0.0]))
    with pytest.raises(PlatformError, match="both directions of rotation"):
        pose_move(START, half, motion_law("quintic"))
    with pytest.raises(PoseError):
        pose_move(START, np.full((4, 4), np.nan), motion_law("quintic"))


def test_the_published_motion(published):
    platform = load("staicu-stewart")
    motion = published_motion(platform)
    t = np.linspace(0.0, 3.0, 13)
    state, expected = motion.state(t), published(t)
    assert pytest.approx(expected.T, abs=1e-14) == state.T
    assert pytest.approx(expected.V, abs=1e-14) == state.V
    assert pytest.approx(expected.A, abs=1e-14) == state.A
    assert motion.state(0.0).V[0] == pytest.approx(0.0419, abs=5e-5)  # errata of [STAICU09]
    # Leg F shortens to 2.330 m (stewart.md item 1).
    fine = motion.state(np.linspace(0.0, 3.0, 3001)).T
    assert lengths(platform, fine)[:, 5].min() == pytest.approx(2.330, abs=5e-4)


def test_times_outside_and_durations_that_are_none():
    motion = published_motion(load("staicu-stewart"))
    for time in (-0.1, 3.1, np.nan):
        with pytest.raises(PlatformError, match="it lasts from 0 to 3 s"):
            motion.state(time)
    for duration in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(PlatformError, match="duration"):
            TimedMotion(course=motion.course, duration=duration)
