"""The search, its shortening and the roadmap: bounded, repeatable, every leg proven."""

from dataclasses import replace

import numpy as np
import pytest

from planner.clearance.checker import Checker
from planner.detours.find import Roadmap
from planner.detours.motions import Legs, TravelSpace
from planner.detours.search import GridTest, SearchEffort, reaches, route_time, search, shortened
from planner.job.solids import Cell
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.library.catalogue import load

EFFORT = SearchEffort(motions=400, step=0.02, beyond=1.0, seeds=1)


@pytest.fixture(scope="module")
def room(make_room, wall):
    return make_room([wall])


@pytest.fixture(scope="module")
def found(room, ends):
    free = GridTest(room, EFFORT.step, room.required + 0.01)
    return search(room, ends[0][0], ends[1][0], free, EFFORT, seed=3)


def test_a_way_between_the_ends(room, ends, found):
    assert np.array_equal(found.route[0], ends[0][0])
    assert np.array_equal(found.route[-1], ends[1][0])
    assert np.all(room.inside(found.route))
    assert 0 < found.motions <= EFFORT.motions
    assert np.all(room.legs_keep(found.route[:-1], found.route[1:]))


def test_the_seed_decides(room, ends, found):
    free = GridTest(room, EFFORT.step, room.required + 0.01)
    first, last = ends[0][0], ends[1][0]
    search(room, first, last, free, EFFORT, seed=4)  # leaves no trace in the next one
    again = search(room, first, last, free, EFFORT, seed=3)
    assert np.array_equal(again.route, found.route)
    assert again.motions == found.motions


@pytest.mark.parametrize("motions", [1, 7, 60])
def test_it_ends_after_so_many_motions(room, ends, motions):
    effort = SearchEffort(motions=motions, step=0.02, beyond=np.inf, seeds=1)
    nothing = search(room, ends[0][0], ends[1][0], lambda _a, _b: False, effort, seed=1)
    assert nothing.route.shape == (0, 5)
    assert motions <= nothing.motions <= motions + 2  # the last growth may need two


def test_what_a_test_raises_comes_through(room, ends):
    def broken(_a, _b):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(room, ends[0][0], ends[1][0], broken, EFFORT, seed=1)


def test_joints_without_limits(room, ends):
    free = GridTest(room, 0.02, room.required + 0.01)
    endless = type(room)(
        model=room.model,
        cell=room.cell,
        checker=room.checker,
        limits=room.limits,
        lower=np.full(5, -np.inf),
        upper=np.full(5, np.inf),
        required=room.required,
    )
    effort = SearchEffort(motions=2000, step=0.02, beyond=np.inf, seeds=1)
    assert len(search(endless, ends[0][0], ends[1][0], free, effort, seed=1).route) > 2


def test_reaches_bound_what_points_move(arm):
    """No capsule end moves more per joint than its reach, anywhere."""
    rng = np.random.default_rng(0)
    reach, h = reaches(arm.mechanism), 1e-6
    q = rng.uniform(arm.mechanism.q_min, arm.mechanism.q_max, (200, 5))
    for j in range(5):
        moved = q.copy()
        moved[:, j] += h
        before, after = arm.transforms(q), arm.transforms(moved)
        for capsule in arm.mechanism.capsules:
            if capsule.joint < 0:
                continue
            for end in (capsule.start, capsule.end):
                place = [T[:, capsule.joint, :3, :3] @ end + T[:, capsule.joint, :3, 3]
                         for T in (before, after)]  # fmt: skip
                rate = np.linalg.norm(place[1] - place[0], axis=1) / h
                assert rate.max() <= reach[j] * (1.0 + 1e-6) + 1e-9


def test_a_slide_without_limits_reaches_as_far_as_it_is_out():
    """Its limits say nothing: the reach of what stands before it was infinite: a traceback."""
    model = Model(load("stanford"))
    endless = reaches(model.mechanism)
    assert np.all(np.isinf(endless[:2]))
    out = np.full(6, 0.8)
    mechanism = model.mechanism
    slide = [
        replace(j, q_min=-0.8, q_max=0.8) if not j.kind.angular else j for j in mechanism.joints
    ]
    bounded = reaches(replace(mechanism, joints=tuple(slide)))
    np.testing.assert_array_equal(reaches(mechanism, out), bounded)
    quick = [replace(j, max_speed=1.0, max_acceleration=1.0) for j in mechanism.joints]
    looked = TravelSpace(
        model=model,
        cell=Cell(),
        checker=Checker(model, Cell()),
        limits=JointLimits.of(replace(mechanism, joints=tuple(quick))),
        lower=mechanism.q_min,
        upper=mechanism.q_max,
        required=0.0,
    )
    assert GridTest(looked, 0.02, 0.0)(np.zeros(6), np.full(6, 0.5))


def test_shortened_is_shorter_and_proven(room, ends, found):
    short = shortened(room, found.route, seed=1)
    assert np.array_equal(short[[0, -1]], np.concatenate(ends))
    assert np.all(room.legs_keep(short[:-1], short[1:]))
    assert np.all(room.inside(short))
    assert route_time(short, room.limits) < route_time(found.route, room.limits)
    assert np.array_equal(shortened(room, found.route, seed=1), short)


def test_a_bend_in_free_space_is_pulled_straight(make_room, ends):
    room = make_room([((-3.0, -3.0, -3.0), (-2.9, -2.9, -2.9))])
    bent = np.concatenate([ends[0], 0.5 * (ends[0] + ends[1]) + 0.2, ends[1]])
    assert np.array_equal(shortened(room, bent, seed=1), np.concatenate(ends))


def test_the_time_of_a_way_is_nearly_that_of_its_motion(room, found):
    """Exact without corners; with them the motion may cut corners or slow down for them."""
    straight = found.route[:2]
    exact = Legs(straight, room.limits).pieces(np.zeros(0)).duration.sum()
    assert route_time(straight, room.limits) == pytest.approx(exact, rel=1e-12)
    whole = Legs(found.route, room.limits).pieces(np.full(len(found.route) - 2, 0.5))
    assert whole.duration.sum() == pytest.approx(route_time(found.route, room.limits), rel=0.2)
    assert route_time(straight[[0, 0]], room.limits) == 0.0


def test_a_roadmap_leads_from_its_corners(room, ends, found):
    roadmap = Roadmap(room)
    assert roadmap.route(ends[0][0], ends[1][0]).shape == (0, 5)
    roadmap.add(found.route)
    near = ends[0][0] + 0.01
    route = roadmap.route(near, ends[1][0])
    assert np.array_equal(route[0], near)
    assert np.array_equal(route[-1], ends[1][0])
    assert np.all(room.legs_keep(route[:-1], route[1:]))
    back = roadmap.route(ends[1][0], near)
    assert np.array_equal(back, route[::-1])


def test_a_roadmap_behind_a_wall_is_of_no_use(make_room, high_wall, ends, found):
    roadmap = Roadmap(make_room([high_wall]))
    roadmap.add(found.route[[0, 1, -1]])
    assert len(roadmap.route(ends[0][0], ends[1][0])) == 0
