"""Poses that are tried: all allowed, spread over the workspace, aimed where they should be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.presenting.present import PoseSource, halton
from robots.core.pose import rotation_log
from robots.stewart.errors import PlatformError
from robots.stewart.library import load
from robots.stewart.limits import violations


@pytest.fixture(scope="module")
def source():
    return PoseSource(load("measuring-hexapod"), seed=1)


def test_poses_keep_every_limit_and_reach_far(source):
    poses = np.concatenate([source.home(), source.spread(100)])
    assert len(poses) > 50
    assert violations(source.platform, poses) == ()
    shifts = poses[:, :3, 3] - source.platform.home[:3, 3]
    turns = np.degrees(np.linalg.norm(rotation_log(poses[:, :3, :3]), axis=1))
    assert np.ptp(shifts[:, 0]) > 0.2
    assert np.ptp(shifts[:, 2]) > 0.1
    assert turns.max() > 30.0


def test_aimed_poses_turn_the_normal_towards_the_arm(source):
    normal, towards = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    poses = source.aimed(normal[None], towards)
    assert len(poses) > 10
    assert violations(source.platform, poses) == ()
    turned = poses[:, :3, :3] @ normal
    assert np.all(turned @ towards > 0.0)
    assert np.degrees(np.arcsin(np.max(turned @ towards))) > 20.0


def test_nothing_to_aim_at(source):
    assert source.aimed(np.zeros((0, 3)), np.array([0.0, 0.0, 1.0])).shape == (0, 4, 4)


def test_a_home_outside_the_limits_is_refused(source):
    short = replace(source.platform.legs[2], max_length=0.6)
    legs = (*source.platform.legs[:2], short, *source.platform.legs[3:])
    with pytest.raises(PlatformError, match=r"its home pose breaks a limit: leg 3: longest length"):
        PoseSource(replace(source.platform, legs=legs), seed=1)


def test_halton_places_without_its_shift():
    found = halton(4, 2, 1) - halton(1, 2, 1)
    # radical inverses of 1 to 4 in bases 2 and 3, less that of 1
    expected = np.array([[0.0, 0.0], [-0.25, 1 / 3], [0.25, -2 / 9], [-0.375, 1 / 9]])
    np.testing.assert_allclose(np.mod(found, 1.0), np.mod(expected, 1.0), atol=1e-12)


def test_the_sequence_depends_on_its_seed_only():
    np.testing.assert_array_equal(halton(8, 3, 5), halton(8, 3, 5))
    assert not np.array_equal(halton(8, 3, 5), halton(8, 3, 6))
