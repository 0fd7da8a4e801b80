"""Poses that are tried: all allowed, spread over the workspace, aimed where they should be."""

from __future__ import annotations

import numpy as np
import pytest

from planner.presenting.candidates import PoseSource, halton
from robots.core.pose import rotation_log
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


def test_the_sequence_depends_on_its_seed_only():
    np.testing.assert_array_equal(halton(8, 3, 5), halton(8, 3, 5))
    assert not np.array_equal(halton(8, 3, 5), halton(8, 3, 6))
