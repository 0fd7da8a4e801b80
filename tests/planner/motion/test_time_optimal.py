"""Time-optimal travels: as motions, as paths to be certified, and in a plan that is proven."""

from dataclasses import replace

import numpy as np
import pytest

from planner.detours.motions import LAW as ROUNDED
from planner.detours.motions import DetourMotions, Legs
from planner.motion.time_optimal import TimeOptimalMotions
from planner.plan import SegmentKind
from planner.planning import plan as planned
from planner.proof import prove
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.time_optimal import time_optimal

LIMITS = JointLimits(
    max_speed=np.array([1.75, 1.75, 2.5]), max_acceleration=np.array([28.0, 14.0, 25.0])
)


@pytest.fixture(scope="module")
def routes():
    rng = np.random.default_rng(0)
    return [rng.uniform(-1.0, 1.0, (count, 3)) for count in (2, 3, 4, 7)]


CUTS = (0.5, 0.5, 0.0, 0.2)  # of the corners; with 0 the motion stops at them


@pytest.fixture(scope="module")
def rounded(routes):
    pieces = [
        Legs(route, LIMITS).pieces(np.full(len(route) - 2, cut))
        for route, cut in zip(routes, CUTS, strict=True)
    ]
    return DetourMotions(pieces, np.array([route[0] for route in routes]), LIMITS)


@pytest.fixture(scope="module")
def motions(rounded):
    paths = [rounded.path(k) for k in range(rounded.count)]
    return TimeOptimalMotions(time_optimal(paths, LIMITS), LIMITS, None)


def at(motions, k, s):
    index = np.full(s.size, k)
    return motions.states(index, motions.law_at(index, s))


@pytest.mark.parametrize("k", range(4))
def test_the_path_is_that_of_the_detour(routes, rounded, k):
    """What was proven of one is proven of the other: joints where the rounded motion is."""
    path = rounded.path(k)
    pieces = Legs(routes[k], LIMITS).pieces(np.full(len(routes[k]) - 2, CUTS[k]))
    # ṙ is the share of the full speed; it changes as 3u² - 2u³, as the velocity does.
    first, last = (
        np.max(np.abs(v) / LIMITS.max_speed, axis=1) for v in (pieces.before, pieces.after)
    )
    u = np.linspace(0.0, 1.0, 33)
    gone = first[:, None] * u + (last - first)[:, None] * (u**3 - 0.5 * u**4)
    gone = pieces.duration[:, None] * gone
    r = (np.cumsum(gone[:, -1]) - gone[:, -1])[:, None] + gone
    t = (np.cumsum(pieces.duration) - pieces.duration)[:, None] + pieces.duration[:, None] * u
    found = path.state(r.ravel()).q
    expected = at(rounded, k, (t / rounded.duration[k]).ravel()).q
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.isclose(r[-1, -1], path.span)


def test_they_are_faster_than_rounded_ones(rounded, motions):
    assert np.all(motions.duration <= rounded.duration * (1.0 + 1e-12))
    assert np.all(motions.duration[[1, 3]] < 0.98 * rounded.duration[[1, 3]])


@pytest.mark.parametrize("k", range(4))
def test_derivatives_and_ends(motions, routes, k):
    s, h = np.linspace(0.003, 0.997, 211), 1e-6
    here, left, right = at(motions, k, s), at(motions, k, s - h), at(motions, k, s + h)
    np.testing.assert_allclose((right.q - left.q) / (2.0 * h), here.dq, atol=1e-4)
    ends = at(motions, k, np.array([0.0, 1.0]))
    np.testing.assert_allclose(ends.q, routes[k][[0, -1]], atol=1e-12)
    assert not np.any(ends.dq)


def test_pieces_cover_every_motion_once(motions):
    pieces = np.arange(motions.pieces)
    for k in range(motions.count):
        index = np.full(pieces.size, k)
        ends = [motions.law_state(index, pieces, np.full(pieces.size, x)) for x in (0.0, 1.0)]
        assert ends[0].s[0] == 0.0
        assert ends[1].s[-1] == 1.0
        np.testing.assert_allclose(ends[0].s[1:], ends[1].s[:-1], atol=1e-15)
        first, last = (motions.states(index, end) for end in ends)
        np.testing.assert_allclose(last.q[:-1], first.q[1:], atol=1e-9)
        np.testing.assert_allclose(last.dq[:-1], first.dq[1:], atol=1e-7)
        # From both sides of every switch, those of stops too.
        for state in (first, last):
            T = motions.duration[k]
            assert np.all(np.abs(state.dq) <= T * LIMITS.max_speed * (1.0 + 1e-9))
            assert np.all(np.abs(state.ddq) <= T * T * LIMITS.max_acceleration * (1.0 + 1e-9))


def test_spread_is_a_bound(motions):
    rng = np.random.default_rng(3)
    index = rng.integers(0, motions.count, 300)
    low = rng.uniform(0.0, 1.0, 300)
    high = np.minimum(low + rng.choice([1e-4, 0.01, 0.1, 1.0], 300), 1.0)
    spread = motions.spread(index, low, high)
    middle = motions.joints(index, 0.5 * (low + high))
    for part in np.linspace(-1.0, 1.0, 21):
        lam = 0.5 * (low + high) + 0.5 * part * (high - low)
        moved = np.abs(motions.joints(index, np.clip(lam, 0.0, 1.0)) - middle)
        assert np.all(moved <= abs(part) * spread + 1e-14)


def test_none_at_all():
    assert TimeOptimalMotions([], LIMITS, None).count == 0


def travels(plan):
    return [one for one in plan.timeline if one.kind is SegmentKind.TRAVEL]


def test_a_detour_in_a_plan_is_faster_and_proven(walled):
    before, job = walled, walled.job
    peaks = np.array([load.peak_torque for load in before.joint_loads])
    state = before.trajectory.state(np.linspace(0.0, before.totals.duration, 500))
    weight = np.max(np.abs(before.trajectory.model.gravity_torques(state.q)), axis=0)
    # The drives bear the robot and less than a third of what the plan asks for beside that.
    limits = tuple((weight + 0.3 * (peaks - weight) + 1e-3).tolist())
    checks = replace(job.checks, torque_limits=limits)
    slow = planned(replace(job, checks=checks))
    fast = planned(replace(job, checks=checks, travel=replace(job.travel, law="time-optimal")))
    assert prove(fast).passed
    for one, other in zip(travels(slow), travels(fast), strict=True):
        assert (one.law, other.law) in {
            (ROUNDED, "time-optimal"),
            ("trapezoid", "time-optimal"),
            ("trapezoid", "trapezoid"),
        }
        assert other.duration <= one.duration * (1.0 + 1e-12)
        if one.law == ROUNDED:
            assert other.duration < 0.7 * one.duration
    names = [one.law for one in travels(fast)]
    assert names.count("time-optimal") > 1
    torque = [
        load.peak_torque / limit for load, limit in zip(fast.joint_loads, limits, strict=True)
    ]
    assert max(torque) <= 1.0 + 1e-9
