"""Steps: the polyline stays at the ball's path, touches have the plan's distances and speeds."""

import numpy as np
import pytest

from planner.plan import SegmentKind
from reports.programmes import source as steps_module
from reports.programmes.source import CHORD, Move, Touch, steps_of


def dense_path(plan, segment, count=2000):
    """The ball's own path. # (count, 3) [m]."""
    t = np.linspace(segment.start, segment.end, count)
    index = np.full(count, plan.timeline.index(segment))
    return plan.trajectory.model.forward(plan.trajectory.segment_state(index, t).q)[:, :3, 3]


def from_polyline(points, corners):
    """Distance of points from a polyline. # (m,)."""
    a, b = corners[:-1], corners[1:]
    way = b - a
    along = np.einsum("mkj,kj->mk", points[:, None] - a, way) / np.sum(way * way, axis=1)
    foot = a + np.clip(along, 0, 1)[..., None] * way
    return np.linalg.norm(points[:, None] - foot, axis=2).min(axis=1)


def test_travels_stay_within_a_chord_error_of_the_balls_path(two_points):
    travels = [s for s in two_points.timeline if s.kind is SegmentKind.TRAVEL]
    steps = steps_of(two_points).steps
    moves = [step for step in steps if isinstance(step, Move)][1:]
    assert len(moves) == len(travels) == 1
    start = two_points.placed.clearances[0]
    corners = np.vstack([start, moves[0].centres])
    off = from_polyline(dense_path(two_points, travels[0]), corners)
    # The largest departure is looked for at seven places of each chord, hence the per cent.
    assert 0.1 * CHORD < off.max() < 1.01 * CHORD
    assert moves[0].centres[-1] == pytest.approx(two_points.placed.clearances[1], abs=1e-9)
    centres = two_points.trajectory.model.forward(moves[0].joints)[:, :3, 3]
    assert moves[0].centres == pytest.approx(centres, abs=1e-12)


def test_order_and_content_of_the_steps(two_points, job):
    steps = steps_of(two_points)
    assert [type(step) for step in steps.steps] == [Move, Touch, Move, Touch]
    first = steps.steps[0]
    assert (first.point, first.duration, first.speed) == ("P1", 0.0, 0.0)
    assert first.centres == pytest.approx(two_points.placed.clearances[:1])
    for touch, row in zip(steps.touches, (0, 1), strict=True):
        placed = two_points.placed
        assert touch.name == job.points.names[row]
        assert touch.clearance == pytest.approx(touch.contact + 0.02 * touch.direction)
        assert touch.contact == pytest.approx(touch.surface + 0.002 * touch.normal)
        assert touch.axis == pytest.approx(-placed.normals[row])
        assert (touch.approach, touch.search_after) == pytest.approx((0.02, 0.002))
        assert (touch.search_before, touch.cosine) == pytest.approx((0.003, 1.0))
        assert touch.settle == pytest.approx(0.1)
        assert touch.speed == 5e-3
        planned = two_points.planned_points[row]
        assert touch.overrun == planned.overrun > 0.0
        for name in ("clearance", "search_start", "contact", "search_end", "back_off"):
            T = getattr(touch, f"T_base_{name}")
            assert T[:3, 3] == pytest.approx(getattr(touch, name), abs=1e-9)
            assert T[:3, 2] == pytest.approx(touch.axis, abs=1e-9)
            assert np.array_equal(getattr(touch, f"q_{name}"), getattr(planned, f"q_{name}"))
    assert steps.left_out == ()


def test_speeds_are_the_largest_of_the_ball(two_points):
    steps = steps_of(two_points)
    trajectory = two_points.trajectory
    for kind, found in (
        (SegmentKind.SEARCH, [touch.speed for touch in steps.touches]),
        (SegmentKind.TRAVEL, [steps.steps[2].speed]),
    ):
        own = [k for k, s in enumerate(two_points.timeline) if s.kind is kind]
        for k, speed in zip(own, found, strict=True):
            segment = two_points.timeline[k]
            t = np.linspace(segment.start, segment.end, 2001)
            state = trajectory.segment_state(np.full(t.size, k), t)
            seen = np.linalg.norm(trajectory.model.velocity(state.q, state.qd)[:, :3], axis=1).max()
            assert speed == pytest.approx(seen, rel=0.02)


def test_too_many_places_make_longer_chords_that_the_programme_tells(planned, monkeypatch):
    grid = [[x, y, 300] for x in (0, 250) for y in (40, 300)]
    plan = planned(np.array(grid) * 1e-3, np.tile([0, 0, 1], (4, 1)))
    fine = steps_of(plan)
    monkeypatch.setattr(steps_module, "MOST_POINTS", 7)
    coarse = steps_of(plan)
    count = [sum(len(s.centres) for s in k.steps if isinstance(s, Move)) for k in (fine, coarse)]
    assert count[0] > 8 >= count[1]
    assert coarse.chord in (2 * CHORD, 4 * CHORD, 8 * CHORD, 16 * CHORD, 32 * CHORD)


def test_a_straight_travel_has_one_corner_and_a_detour_those_of_its_path(library_plan):
    plan = library_plan("obstructed")
    moves = [step for step in steps_of(plan).steps if isinstance(step, Move)][1:]
    travels = [s for s in plan.timeline if s.kind is SegmentKind.TRAVEL]
    corners = [len(move.path) for move in moves]
    assert corners.count(1) == len(corners) - 1
    assert max(corners) > 3
    for move, travel in zip(moves, travels, strict=True):
        k = plan.timeline.index(travel)
        t = np.linspace(travel.start, travel.end, 500)
        q = np.degrees(plan.trajectory.segment_state(np.full(t.size, k), t).q)
        start = plan.trajectory.segment_state(np.array([k]), t[:1]).q
        path = np.degrees(np.vstack([start, move.path]))
        assert from_polyline(q, path).max() < 0.03


def test_a_plan_that_rests_at_contact_leaves_the_search_to_the_machine(library_plan):
    touches = steps_of(library_plan("nine-points-corrected")).touches
    assert {(t.speed, round(t.search_after, 9)) for t in touches} == {(5e-3, 3e-3)}
    assert all(np.isnan(t.q_search_start).all() for t in touches)


def test_points_that_are_not_reached_are_left_out(planned):
    far = np.array([[0, 0, 0.3], [0, 9.0, 0.3], [0.05, 0, 0.3]])
    plan = planned(far, np.tile([0, 0, 1], (3, 1)), names=("A", "far", "B"))
    steps = steps_of(plan)
    assert [touch.name for touch in steps.touches] == ["A", "B"]
    assert steps.left_out == ("far",)
