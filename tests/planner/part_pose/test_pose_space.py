"""Moves of a part: inside the box, evenly spread, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from planner.part_pose.pose_space import YAW, PoseSpace


def test_nothing_is_the_given_pose(corrected_job):
    space = PoseSpace.of(corrected_job)
    np.testing.assert_array_equal(space.poses(np.zeros((1, 6)))[0], corrected_job.part.T_base_part)
    np.testing.assert_array_equal(space.nearest, np.zeros(6))


def test_the_part_turns_through_its_own_origin(settled):
    space = PoseSpace.of(settled(full=True))
    moves = np.array([[0.1, 0.2, 0.0, 0.7, 0.3, -0.4]])
    T = space.poses(moves)[0]
    np.testing.assert_allclose(T[:3, 3] - space.T_given[:3, 3], [0.1, 0.2, 0.0], atol=1e-15)
    turned = T[:3, :3] @ space.T_given[:3, :3].T
    # yaw first in the product: base z is tilted by the length of the tilt, whatever the yaw
    assert np.arccos(turned[2, 2]) == pytest.approx(0.5, abs=1e-12)


def test_moves_fill_the_box_evenly(settled):
    space = PoseSpace.of(settled(shift_mm=[[-100, 300], [0, 0], [-50, 50]], yaw_deg=[-90, 45]))
    moves = space.spread(512, seed=7)
    assert np.all((moves >= space.low) & (moves <= space.high))
    assert list(space.free) == [0, 2, YAW]
    low, span = space.low[space.free], (space.high - space.low)[space.free]
    cells = np.floor(4.0 * (moves[:, space.free] - low) / span).astype(int)
    counts = np.bincount(cells @ [16, 4, 1], minlength=64)
    # 8 of the 512 in each of 64 cells; random ones would leave some cell with 2 and another with 16
    assert counts.size == 64
    assert counts.min() >= 5
    assert counts.max() <= 11


def test_a_seed_repeats_and_another_differs(corrected_job):
    space = PoseSpace.of(corrected_job)
    np.testing.assert_array_equal(space.spread(50, 4), space.spread(50, 4))
    assert not np.array_equal(space.spread(50, 4), space.spread(50, 5))


def test_no_freedom_leaves_one_pose(settled):
    space = PoseSpace.of(settled(shift_mm=[[0, 0], [20, 20], [0, 0]], yaw_deg=[0, 0]))
    assert space.free.size == 0
    np.testing.assert_array_equal(space.spread(3, 1), np.tile([0, 0.02, 0, 0, 0, 0], (3, 1)))
