"""Pieces of rounded motions last ten microseconds, however little legs bend or slow down."""

from __future__ import annotations

import numpy as np
import pytest

from planner.detours.motions import Legs
from robots.core.motion.joint_limits import JointLimits


@pytest.fixture
def limits():
    return JointLimits(
        max_speed=np.array([2.0, 1.5]),
        max_acceleration=np.array([8.0, 6.0]),
        max_effort=np.full(2, np.inf),
    )


def ends_of(pieces):
    """Where each piece ends: its mean velocity is that of its two ends."""
    return pieces.q + 0.5 * (pieces.before + pieces.after) * pieces.duration[:, None]


def check(pieces, route, limits):
    assert np.min(pieces.duration) >= 1e-5
    np.testing.assert_allclose(ends_of(pieces)[:-1], pieces.q[1:], atol=1e-14)
    np.testing.assert_allclose(ends_of(pieces)[-1], route[-1], atol=1e-14)
    np.testing.assert_array_equal(pieces.before[1:], pieces.after[:-1])
    change = np.abs(pieces.after - pieces.before) / pieces.duration[:, None]
    assert np.all(1.5 * change <= limits.max_acceleration * (1.0 + 1e-12))


@pytest.mark.parametrize("bend", [1e-7, 1e-10, 1e-13, 1e-15])
def test_a_corner_that_hardly_bends(limits, bend):
    route = np.array([[0.0, 0.0], [0.7, 0.5], [1.4, 1.0 + bend], [1.5, 0.2]])
    check(Legs(route, limits).pieces(np.full(2, 0.3)), route, limits)


def test_legs_that_are_just_long_enough_for_their_corners(limits):
    """Speeds that a short leg allows leave nothing to slow down by, but for rounding."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        legs = rng.normal(size=(5, 2)) * 10.0 ** rng.uniform(-5, 0, size=(5, 1))
        route = np.concatenate([np.zeros((1, 2)), np.cumsum(legs, axis=0)])
        check(Legs(route, limits).pieces(np.full(4, rng.uniform(0.05, 0.5))), route, limits)
