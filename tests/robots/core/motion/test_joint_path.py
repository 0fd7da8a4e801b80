"""Joint paths: blended corners are smooth, near their polyline and no faster than its legs."""

import numpy as np
import pytest

from robots.core.errors import MotionError
from robots.core.motion.joint_path import JointPath

SPEED = np.array([1.0, 2.0, 0.5])


def blended(seed):
    rng = np.random.default_rng(seed)
    waypoints = rng.uniform(-1.0, 1.0, (6, 3))
    time = np.max(np.abs(np.diff(waypoints, axis=0)) / SPEED, axis=1)
    widths = np.minimum(time[:-1], time[1:]) * rng.uniform(0.2, 1.0, 4)
    return waypoints, widths, JointPath.blended(waypoints, widths, SPEED)


@pytest.mark.parametrize("seed", range(4))
def test_borders_of_pieces_are_smooth(seed):
    waypoints, _, path = blended(seed)
    pieces = np.arange(len(path.length))
    after, before = (
        path.piece_state(pieces, 0.0 * path.length),
        path.piece_state(pieces, path.length),
    )
    for name in ("q", "dq", "ddq"):
        first, last = getattr(after, name)[1:], getattr(before, name)[:-1]
        np.testing.assert_allclose(first, last, atol=1e-11)
    np.testing.assert_allclose(path.state(np.array([0.0, path.span])).q, waypoints[[0, -1]])
    assert path.stops.tolist() == [True] + [False] * (len(pieces) - 1)


@pytest.mark.parametrize("seed", range(4))
def test_r_is_time_at_full_speed(seed):
    waypoints, _, path = blended(seed)
    state = path.state(np.linspace(0.0, path.span, 2001))
    share = np.max(np.abs(state.dq) / SPEED, axis=1)
    assert np.max(share) <= 1.0 + 1e-12
    straight = path.straight[
        np.searchsorted(path.starts, np.linspace(0, path.span, 2001)[1:-1], "right") - 1
    ]
    np.testing.assert_allclose(share[1:-1][straight], 1.0)
    whole = np.sum(np.max(np.abs(np.diff(waypoints, axis=0)) / SPEED, axis=1))
    assert np.isclose(path.span, whole)


def test_derivatives_are_those_of_the_joints():
    _, _, path = blended(7)
    r, h = np.linspace(0.01, path.span - 0.01, 50), 1e-5
    state, left, right = path.state(r), path.state(r - h), path.state(r + h)
    np.testing.assert_allclose((right.q - left.q) / (2.0 * h), state.dq, atol=1e-8)
    np.testing.assert_allclose((right.dq - left.dq) / (2.0 * h), state.ddq, atol=1e-3)


def test_collinear_legs_need_no_stop():
    line = np.array([[0.0], [1.0], [3.0]])
    assert JointPath.blended(line, np.zeros(1), np.ones(1)).stops.tolist() == [True, False]
    back = np.array([[0.0], [1.0], [0.5]])
    assert JointPath.blended(back, np.zeros(1), np.ones(1)).stops.tolist() == [True, True]


@pytest.mark.parametrize("length", [[0.0], [-1.0], []])
def test_refusals(length):
    powers = np.zeros((len(length), 2, 5))
    with pytest.raises(MotionError, match=r"joint path"):
        JointPath(length=np.array(length), powers=powers, stops=np.ones(len(length), dtype=bool))
