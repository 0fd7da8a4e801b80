"""The motion in time: continuous, seen from both sides at borders and switches."""

import numpy as np
import pytest

from planner.plan import SegmentKind
from planner.planning import plan
from robots.core.errors import MotionError
from robots.core.motion.joint_motion import minimum_time


@pytest.fixture(scope="module")
def resting(change):
    return plan(change(touch={"settle": 0.25}))


@pytest.fixture(scope="module")
def searching(change):
    return plan(change(touch={"mode": "search", "search_after": 0.004, "settle": 0.25}))


@pytest.fixture(params=["corrected", "resting", "searching"])
def any_plan(request):
    return request.getfixturevalue(request.param)


def test_segments_follow_each_other_without_a_gap(any_plan):
    ends = [s.end for s in any_plan.timeline]
    starts = [s.start for s in any_plan.timeline]
    assert starts == [0.0, *ends[:-1]]
    assert any_plan.trajectory.duration == ends[-1] == any_plan.totals.duration


def test_joints_and_speeds_are_continuous_at_borders(any_plan):
    """Every segment starts and ends at rest, but for what a search passes at touch speed."""
    t = np.array([s.start for s in any_plan.timeline[1:]])
    before, after = (any_plan.trajectory.state(t, side) for side in ("left", "right"))
    passed = [s.kind in (SegmentKind.SEARCH, SegmentKind.STOP) for s in any_plan.timeline[1:]]
    assert sum(passed) == (0 if any_plan.miss is None else 18)
    still = ~np.array(passed)
    assert np.abs(before.q - after.q).max() < 1e-13
    assert np.abs(before.qd[still]).max() < 1e-12
    assert np.abs(after.qd[still]).max() < 1e-12
    assert np.abs(before.qd - after.qd).max() < 1e-12


def test_sides_of_a_border_are_the_two_segments(corrected):
    k = next(k for k, s in enumerate(corrected.timeline) if s.kind is SegmentKind.TRAVEL)
    t = np.array([corrected.timeline[k].start])
    trajectory = corrected.trajectory
    assert trajectory.segment_at(t, "left").tolist() == [k - 1]
    assert trajectory.segment_at(t, "right").tolist() == [k]
    # A quintic ends without acceleration, a trapezoid starts with its largest.
    limits = corrected.job.mechanism.max_acceleration
    assert np.abs(trajectory.state(t, "left").qdd).max() < 1e-9
    assert np.abs(trajectory.state(t, "right").qdd / limits).max() == pytest.approx(1.0)


def test_sides_of_every_switch_of_a_law_in_spite_of_rounding(corrected):
    """Switch instants computed by a caller are off by rounding; the side is the one asked for."""
    travel = corrected.trajectory.stretches[2]
    limits = corrected.job.joint_limits()
    laws = [minimum_time("trapezoid", D, limits).law for D in travel.motions.displacements]
    for law, segment, T in zip(
        laws, travel.segment, corrected.trajectory.durations[travel.segment], strict=True
    ):
        inner = np.array([s for s in law.switches if 0.0 < s < 1.0])
        t = corrected.timeline[segment].start + inner * T
        for off in (-1, 0, 1):  # units in the last place
            near = t + off * np.spacing(t)
            left, right = (corrected.trajectory.state(near, side) for side in ("left", "right"))
            jump = np.abs(right.qdd - left.qdd).max(axis=1)
            assert np.all(jump > 10.0)  # trapezoid: from 28 rad/s² to zero, or to its opposite
            assert np.abs(right.qd - left.qd).max() < 1e-9


def test_derivatives_are_those_of_the_joints(any_plan):
    s = np.array([0.13, 0.37, 0.61, 0.88])
    t = np.concatenate([x.start + s * x.duration for x in any_plan.timeline])
    h = 1e-6
    before, here, after = (any_plan.trajectory.state(t + k * h) for k in (-1, 0, 1))
    # Error of a central difference: h²/6 times a third derivative below 1e4, and rounding 1e-10.
    assert np.abs((after.q - before.q) / (2.0 * h) - here.qd).max() < 1e-7
    assert np.abs((after.qd - before.qd) / (2.0 * h) - here.qdd).max() < 1e-3


def test_a_dwell_is_rest_at_contact(resting, corrected):
    assert resting.totals.duration == pytest.approx(corrected.totals.duration + 9 * 0.25)
    model = resting.trajectory.model
    for k, segment in enumerate(resting.timeline):
        if segment.kind is not SegmentKind.DWELL:
            continue
        t = np.linspace(segment.start, segment.end, 5)
        state = resting.trajectory.segment_state(np.full(5, k), t)
        assert np.array_equal(state.qd, np.zeros((5, 5)))
        assert np.array_equal(state.qdd, np.zeros((5, 5)))
        ball = model.forward(state.q)[:, :3, 3]
        assert np.abs(ball - resting.placed.contacts[segment.point_index]).max() < 1e-12
        assert segment.law == "rest"
        assert segment.binding == "dwell"


def test_a_rest_of_a_search_is_where_its_stop_ends(searching):
    """At most the overrun beyond contact: the ball goes on for the latency and slows down."""
    model, placed = searching.trajectory.model, searching.placed
    for k, segment in enumerate(searching.timeline):
        if segment.kind is not SegmentKind.DWELL:
            continue
        t = np.linspace(segment.start, segment.end, 5)
        state = searching.trajectory.segment_state(np.full(5, k), t)
        assert np.array_equal(state.qd, np.zeros((5, 5)))
        point = segment.point_index
        overrun = searching.planned_points[point].overrun
        assert 0.005 * 0.002 < overrun < placed.depths[point] - placed.search_after[point]
        ball = model.forward(state.q)[:, :3, 3]
        rest = placed.contacts[point] - overrun * placed.directions[point]
        assert np.abs(ball - rest).max() < 1e-12


def test_a_search_goes_through_contact_and_a_miss_beyond_it(searching):
    placed, model = searching.placed, searching.trajectory.model
    order = [s.point_index for s in searching.timeline if s.kind is SegmentKind.PROBE]

    def ball(motion, kind, end):
        t = np.array([getattr(s, end) for s in motion.timeline if s.kind is kind])
        side = "right" if end == "start" else "left"
        return model.forward(motion.trajectory.state(t, side).q)[:, :3, 3]

    miss = searching.miss
    for found, places in (
        (ball(searching, SegmentKind.PROBE, "start"), placed.clearances),
        (ball(searching, SegmentKind.PROBE, "end"), placed.search_starts),
        (ball(searching, SegmentKind.SEARCH, "end"), placed.contacts),
        (ball(searching, SegmentKind.BACK_OFF, "end"), placed.back_offs),
        (ball(searching, SegmentKind.RETRACT, "end"), placed.clearances),
        (ball(miss, SegmentKind.SEARCH, "start"), placed.search_starts),
        (ball(miss, SegmentKind.SEARCH, "end"), placed.search_ends),
        (ball(miss, SegmentKind.RETRACT, "end"), placed.clearances),
    ):
        assert np.abs(found - places[order]).max() < 1e-12
    for name, places in (
        ("q_search_start", placed.search_starts),
        ("q_contact", placed.contacts),
        ("q_search_end", placed.search_ends),
        ("q_back_off", placed.back_offs),
    ):
        stated = model.forward([getattr(p, name) for p in searching.planned_points])[:, :3, 3]
        assert np.abs(stated - places).max() < 1e-12


@pytest.mark.parametrize("period", [1e-3, 0.01, 1.0, 100.0])
def test_samples_are_regular_and_end_with_the_motion(corrected, period):
    samples = corrected.trajectory.sample(period)
    total = corrected.totals.duration
    whole = int(total / period)
    assert np.abs(samples.t[: whole + 1] - np.arange(whole + 1) * period).max() < 1e-12
    assert samples.t[-1] == total
    assert samples.t.size == whole + 2
    assert np.all(np.diff(samples.t) > 0.0)
    assert np.abs(samples.q[-1] - corrected.planned_points[-1].q_clearance).max() < 1e-12
    assert np.abs(samples.qd[-1]).max() < 1e-12


def test_a_duration_of_whole_periods_has_no_double_last_sample(corrected):
    total = corrected.totals.duration
    for count in (1, 3, 7, 1000):
        samples = corrected.trajectory.sample(total / count)
        assert samples.t.size == count + 1
        assert samples.t[-1] == total


def test_samples_say_what_the_model_says(corrected):
    samples = corrected.trajectory.sample(0.01)
    state = corrected.trajectory.state(samples.t)
    model = corrected.trajectory.model
    assert np.array_equal(samples.q, state.q)
    assert np.array_equal(samples.tau, model.torques(state.q, state.qd, state.qdd))
    assert np.array_equal(samples.position, model.forward(state.q)[:, :3, 3])
    assert samples.power == pytest.approx((samples.tau * samples.qd).sum(axis=1))
    inside = [corrected.timeline[k] for k in samples.segment]
    assert all(s.start <= t <= s.end for s, t in zip(inside, samples.t, strict=True))


def test_points_at_one_place_are_joined_by_travel_without_length(change, probe_points):
    row = [0.05, 0.2, 0.345, 0.1, 0.25, 1.0]
    made = plan(change(points=probe_points([row, row])))
    travel = [s for s in made.timeline if s.kind is SegmentKind.TRAVEL]
    assert [s.duration for s in travel] == [0.0]
    assert travel[0].binding == ""
    t = np.array([travel[0].start])
    # At the border it is passed over: the retract before, the probing line after.
    assert made.trajectory.segment_at(t, "left").tolist() == [1]
    assert made.trajectory.segment_at(t, "right").tolist() == [3]
    state = made.trajectory.segment_state(np.array([2]), t)
    assert np.abs(state.q - made.planned_points[1].q_clearance).max() < 1e-12
    assert np.array_equal(state.qd, np.zeros((1, 5)))
    assert np.all(np.isfinite(made.trajectory.sample(1e-3).qdd))


def test_a_plan_without_motion_says_so(change, probe_points):
    made = plan(change(points=probe_points([[50.0, 0.0, 0.0, 0.0, 0.0, 1.0]])))
    assert made.timeline == ()
    assert made.totals.duration == 0.0
    assert not made.feasible
    with pytest.raises(MotionError, match="no motion, as no point is reached"):
        made.trajectory.state(np.zeros(1))
    with pytest.raises(MotionError, match="no motion"):
        made.trajectory.sample(1e-3)
