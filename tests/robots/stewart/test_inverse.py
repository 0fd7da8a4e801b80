"""Leg lengths: published examples, scipy-free closed forms, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import PoseError
from robots.core.pose import rotation_z, rotation_zxz
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Leg, Platform, leg_vectors, lengths

# Printed with four decimals.
PRINTED = 1e-4
ROBOOP_BASE = [
    (1.758, 2.8, -1.015),
    (1.6021, 3.07, -0.925),
    (-1.758, 2.8, -1.015),
    (-1.6021, 3.07, -0.925),
    (0, 2.8, 2.03),
    (0, 3.07, 1.85),
]
ROBOOP_PLATFORM = [
    (0.225, 0),
    (0.1125, 0.1949),
    (-0.1125, 0.1949),
    (-0.225, 0),
    (-0.1125, -0.1949),
    (0.1125, -0.1949),
]
ROBOOP_LENGTHS = [3.0508, 3.2324, 3.2997, 3.4560, 3.5797, 3.6935]


def platform_of(base: list, top: list) -> Platform:
    legs = tuple(
        Leg(name=str(k), base=a, platform=b, first_axis=[0.3, 1.0, 0.1])
        for k, (a, b) in enumerate(zip(base, top, strict=True))
    )
    return Platform(name="example", legs=legs, home=np.eye(4))


def test_roboop_lengths():
    platform = platform_of(ROBOOP_BASE, [(x, y, -0.228) for x, y in ROBOOP_PLATFORM])
    T = np.eye(4)
    T[:3, :3] = rotation_zxz([0.1, -1.4, 0.1])
    T[:3, 3] = [0.2, 0.3, -0.4]
    assert np.abs(lengths(platform, T) - ROBOOP_LENGTHS).max() < PRINTED


def test_mathworks_lengths_at_home(mathworks):
    assert np.abs(lengths(mathworks, mathworks.home) - 3.15380).max() < 1e-5


def test_staicu_legs_start_at_three_metres(staicu):
    assert np.abs(lengths(staicu, staicu.home) - 3.0).max() < 1e-14
    assert staicu.home[2, 3] == pytest.approx(1.07703296, abs=5e-9)
    slope = np.arctan2(staicu.home[2, 3], 2.8)
    assert np.rad2deg(slope) == pytest.approx(21.0395, abs=5e-5)


def test_lengths_do_not_change_when_everything_moves(make_platform, make_states):
    """Turning base points and pose together about the base's z axis is only another view."""
    platform = make_platform(2)
    T = make_states(platform, 5).T
    turn = np.eye(4)
    turn[:3, :3] = rotation_z(0.7)
    base = [turn[:3, :3] @ leg.base for leg in platform.legs]
    turned = platform_of(base, [leg.platform for leg in platform.legs])
    assert np.allclose(lengths(turned, turn @ T), lengths(platform, T), rtol=0, atol=1e-14)


def test_batches_keep_their_shape(staicu):
    T = np.broadcast_to(staicu.home, (2, 3, 4, 4))
    assert lengths(staicu, T).shape == (2, 3, 6)
    assert leg_vectors(staicu, T).shape == (2, 3, 6, 3)
    assert lengths(staicu, np.empty((0, 4, 4))).shape == (0, 6)


def test_nan_is_refused_with_its_place(staicu):
    T = np.array([staicu.home, staicu.home])
    T[1, 0, 3] = np.nan
    with pytest.raises(PlatformError, match=r"holds nan at index \(1, 0, 3\)"):
        lengths(staicu, T)


def test_other_shapes_are_refused(staicu):
    with pytest.raises(PlatformError, match=r"shape \(6,\)"):
        lengths(staicu, np.zeros(6))


@pytest.mark.parametrize("scale", [1.001, -1.0])
def test_what_is_no_rotation_is_refused(staicu, scale):
    T = np.array(staicu.home)
    T[:3, :3] *= scale
    with pytest.raises(PoseError, match="staicu"):
        lengths(staicu, T)
