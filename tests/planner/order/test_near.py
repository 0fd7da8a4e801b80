"""Times of travel of every law as the kernels know them, and lists of near candidates."""

from dataclasses import replace

import numpy as np
import pytest

from planner.motion.travel import travel_times
from planner.order.graph import NEIGHBOURS, OUTSIDE, JointTimes, Near, nearest, pair_seconds
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import minimum_time
from robots.core.motion.motion_law import LAW_NAMES

# Small moves of these joints are limited by acceleration, large ones by speed, not all alike.
LIMITS = JointLimits(
    max_speed=np.array([1.5, 1.0, 3.0]),
    max_acceleration=np.array([8.0, 20.0, 2.0]),
    max_jerk=np.array([50.0, 400.0, 90.0]),
)


def joints(seed, count):
    """Some far apart, some close together, two the same."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2.0, 2.0, (count, 3)) * 10.0 ** rng.uniform(-3.0, 0.0, (count, 1))
    q[-1] = q[0]
    return q


@pytest.mark.parametrize("law", LAW_NAMES)
def test_times_are_those_of_the_law(law):
    q = joints(1, 40)
    times = JointTimes.of(q, LIMITS, law)
    every = np.arange(40)
    seconds = times.between(every[:, None], every)
    assert np.abs(seconds - travel_times(q[:, None], q, LIMITS, law)).max() < 1e-14
    for a, b in ((0, 1), (3, 17), (5, 5), (39, 0)):
        exact = minimum_time(law, q[b] - q[a], LIMITS).duration
        assert seconds[a, b] == pytest.approx(exact, rel=1e-12, abs=1e-15)
    assert np.array_equal(seconds, seconds.T)


def test_plain_python_gives_what_the_machine_code_gives():
    times = JointTimes.of(joints(2, 12), LIMITS, "trapezoid")
    start, end, out = np.arange(11), np.arange(1, 12), np.empty(11)
    pair_seconds(times.scaled, times.law, start, end, out)
    assert np.array_equal(out, times.between(start, end))


@pytest.mark.parametrize("law", LAW_NAMES)
def test_ranges_and_times_of_single_joints_are_inverse(law):
    times = JointTimes.of(joints(1, 5), LIMITS, law)
    for duration in (1e-3, 0.1, 0.5, 4.0):
        reach = times.range_of(duration)
        assert times.alone(reach[None])[0] == pytest.approx(duration, rel=1e-9)


@pytest.mark.parametrize("law", ["trapezoid", "quintic", "linear"])
@pytest.mark.parametrize("count", [2, 9, 400])
def test_lists_hold_the_nearest_and_nothing_else_is_nearer(law, count):
    q = np.random.default_rng(3).uniform(-1.0, 1.0, (count, 3))
    point = np.sort(np.random.default_rng(4).integers(0, max(2, count // 3), count))
    point[0], point[-1] = 0, max(2, count // 3) - 1
    times = JointTimes.of(q, LIMITS, law)
    near = nearest(times, point, np.zeros_like(point))
    seconds = travel_times(q[:, None], q, LIMITS, law)
    for a in range(count):
        listed = near.candidate[a][near.candidate[a] >= 0]
        assert np.all(point[listed] != point[a])
        assert len(listed) <= NEIGHBOURS
        assert near.seconds[a, : len(listed)] == pytest.approx(seconds[a, listed], abs=1e-14)
        assert np.all(np.diff(near.seconds[a, : len(listed)]) >= 0.0)
        others = np.setdiff1d(np.nonzero(point != point[a])[0], listed)
        assert seconds[a, others].min(initial=np.inf) >= near.beyond[a] - 1e-12
        # The bound is good for something: few of those beyond it were left out in vain.
        assert near.beyond[a] >= 0.3 * near.seconds[a, 0]


def test_lists_lead_out_of_a_group_too():
    q = np.concatenate([np.zeros((100, 3)), np.ones((100, 3))])
    q += np.random.default_rng(5).uniform(0.0, 0.3, q.shape)
    group = np.repeat([0, 1], 100)
    group[:5] = 1
    near = nearest(JointTimes.of(q, LIMITS, "trapezoid"), np.arange(200), group)
    inside = (group[near.candidate] == group[:, None]) & (near.candidate >= 0)
    outside = (group[near.candidate] != group[:, None]) & (near.candidate >= 0)
    assert np.all(inside[5:100].sum(axis=1) == NEIGHBOURS)
    assert np.all(outside[5:100].sum(axis=1) == OUTSIDE)


def test_no_lists():
    none = Near.none(3)
    assert np.all(none.candidate == -1)
    assert np.all(np.isinf(none.seconds))
    assert replace(none).beyond.tolist() == [0.0] * 3


def test_of_no_candidate_there_are_no_lists():
    """A robot none of whose branches serves a point."""
    times, none = JointTimes.of(np.zeros((0, 3)), LIMITS, "trapezoid"), np.zeros(0, dtype=np.int64)
    assert len(nearest(times, none, none).candidate) == 0
