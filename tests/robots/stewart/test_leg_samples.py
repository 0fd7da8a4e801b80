"""Samples of a platform's motion, and the balance of its energy."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.motion.motion_law import motion_law
from robots.stewart.library import load
from robots.stewart.limits import violations, violations_by_pose
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion, pose_move
from robots.stewart.motion_check import energy_balance, leg_samples


@pytest.fixture(scope="module")
def raised():
    """A platform that is raised by 10 mm."""
    platform = load("measuring-hexapod")
    end = platform.home.copy()
    end[2, 3] += 0.01
    course = pose_move(platform.home, end, motion_law("quintic"))
    return platform, TimedMotion(course=course, duration=1.0)


def test_the_drives_work_is_energy_and_friction(raised):
    platform, motion = raised
    found = energy_balance(PlatformModel(platform), motion)
    assert found.net_work == pytest.approx(found.energy_change + found.friction, rel=1e-9)


def test_rates_are_the_slopes_of_lengths(raised):
    platform, motion = raised
    model = PlatformModel(platform)
    t = np.linspace(0.0, 1.0, 2001)
    found = leg_samples(model, motion, t)
    slopes = np.gradient(found.lengths, t, axis=0, edge_order=2)
    np.testing.assert_allclose(found.rates, slopes, atol=1e-6)
    state = motion.state(t)
    np.testing.assert_allclose(found.power, model.power(state.T, state.V, found.forces), atol=1e-9)


def test_violations_are_listed_by_pose(raised):
    platform, _ = raised
    far = platform.home.copy()
    far[2, 3] += 1.0
    by_pose = violations_by_pose(platform, np.array([platform.home, far, far]))
    count = len(violations(platform, far))
    assert [len(found) for found in by_pose] == [0, count, count]
    assert count > 0
