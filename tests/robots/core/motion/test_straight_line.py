"""Straight-line motion of a pose: position, orientation and their derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from robots.core.errors import PoseError
from robots.core.motion.motion_law import QUINTIC
from robots.core.motion.straight_line import StraightLine, line_limits
from robots.core.pose import as_pose, make_pose, rotation_about, rotation_zyx

START = make_pose(rotation_zyx([0.3, -0.5, 1.1]), [0.2, -0.1, 0.7])


def line(angle, axis=(0.2, -0.7, 0.4), step=(0.3, 0.0, -0.4)):
    end = make_pose(START[:3, :3] @ rotation_about(axis, angle), START[:3, 3] + step)
    return StraightLine(start=START, end=end)


def test_printed_formulas_v10_to_v13():
    given = line(1.2)
    relative = START[:3, :3].T @ given.end[:3, :3]
    cosine = (np.trace(relative) - 1) / 2
    v = np.array(
        [
            relative[2, 1] - relative[1, 2],
            relative[0, 2] - relative[2, 0],
            relative[1, 0] - relative[0, 1],
        ]
    )
    sine = np.linalg.norm(v) / 2
    assert given.distance == pytest.approx(0.5, rel=1e-15)
    assert given.angle == pytest.approx(np.arctan2(sine, cosine), rel=1e-15)
    np.testing.assert_allclose(given.turn.axis, v / (2 * sine), atol=1e-15)


@given(st.floats(0, np.pi), st.floats(0, 1))
def test_orientation_against_scipys_slerp(angle, r):
    given = line(angle)
    ends = Rotation.from_matrix([given.start[:3, :3], given.end[:3, :3]])
    pose = given.pose(r)
    np.testing.assert_allclose(pose[:3, 3], START[:3, 3] + r * np.array([0.3, 0, -0.4]), atol=1e-15)
    if angle < np.pi - 1e-6:  # at a half turn both ways round are right
        np.testing.assert_allclose(pose[:3, :3], Slerp([0, 1], ends)(r).as_matrix(), atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-15, 1e-9, 1.0, np.pi - 1e-8, np.pi - 1e-10, np.pi])
def test_ends_are_reached_at_every_angle(angle):
    # (V.13) divides by sin α, which is 0 at α = 0 and α = π.
    given = line(angle)
    np.testing.assert_allclose(given.pose(0.0), given.start, atol=1e-15)
    np.testing.assert_allclose(given.pose(1.0), given.end, atol=4e-15)
    as_pose(given.pose(np.linspace(0, 1, 5)))
    assert given.is_half_turn == (angle > np.pi - 1e-9)


def test_half_turn_keeps_to_one_axis():
    given = line(np.pi, axis=(0.0, -1.0, 0.0))
    np.testing.assert_allclose(given.turn.axis, [0.0, 1.0, 0.0], atol=1e-15)
    half_way = START[:3, :3] @ rotation_about([0, 1, 0], np.pi / 2)
    np.testing.assert_allclose(given.pose(0.5)[:3, :3], half_way, atol=2e-15)


@pytest.mark.parametrize("angle", [0.0, 0.8, np.pi])
def test_rates_against_finite_differences(angle):
    given, T, h = line(angle), 1.7, 1e-5
    t = np.linspace(0.1, 1.6, 7)

    def at(t):
        s = t / T
        return given.state(QUINTIC.r(s), QUINTIC.dr(s) / T, QUINTIC.ddr(s) / T**2)

    before, now, after = at(t - h), at(t), at(t + h)
    # Central differences of smooth functions: h² ≈ 1e-10 times the third derivative (≈ 60).
    step = (after.pose - before.pose) / (2 * h)
    np.testing.assert_allclose(now.velocity[:, :3], step[:, :3, 3], atol=1e-8)
    W = step[:, :3, :3] @ np.swapaxes(now.pose[:, :3, :3], 1, 2)
    np.testing.assert_allclose(
        now.velocity[:, 3:], np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], 1), atol=1e-7
    )
    np.testing.assert_allclose(
        now.acceleration, (after.velocity - before.velocity) / (2 * h), atol=1e-7
    )


def test_least_time_along_the_line():
    given = line(1.2)
    limits = line_limits(
        max_speed=1.0, max_acceleration=2.0, max_angular_speed=0.5, max_angular_acceleration=9.0
    )
    answer = given.least_time("quintic", limits)
    assert answer.duration == pytest.approx(15 * 1.2 / (8 * 0.5), rel=1e-14)
    assert str(answer.binding) == "rotation velocity"
    still = StraightLine(start=START, end=START).least_time("trapezoid", limits)
    assert still.duration == 0.0


def test_poses_with_ten_printed_digits_are_accepted():
    rounded = np.round(START, 10)
    other = np.round(line(2.0).end, 10)
    as_pose(StraightLine(start=rounded, end=other).pose(np.linspace(0, 1, 9)))


def test_refusals():
    with pytest.raises(PoseError, match="The line's end pose's rotation is not orthonormal"):
        StraightLine(start=START, end=np.diag([2.0, 1, 1, 1]))
    with pytest.raises(PoseError, match="finite"):
        line(1.0).pose(np.nan)
    assert line(1.0).pose(np.zeros((2, 3))).shape == (2, 3, 4, 4)
