"""Branches beside a known tour: travel through each posture, and plans that never become worse."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from planner.order.quicker import (
    KnownTour,
    _through,
    _Travel,
    on_few_sheets,
    worth_following,
)
from planner.planning import plan
from planner.reach.branches import Postures
from planner.reach.placement import place
from planner.reach.serial import SerialReach
from robots.core.motion.joint_limits import JointLimits
from robots.library import load
from tests.cases import cases
from tests.planner.reach.conftest import reaches, robots, serial_job  # noqa: F401  fixtures

LIMITS = JointLimits(max_speed=np.array([1.0, 2.0]), max_acceleration=np.array([5.0, 5.0]))


def test_travel_through_a_posture_is_that_of_the_best_sequence_with_it():
    """Against every sequence of four layers, one of them empty."""
    rng = np.random.default_rng(5)
    point = np.array([0, 0, 0, 1, 1, 3, 3, 3])
    layers, travel = (
        Postures(point=point, q=rng.uniform(-2.0, 2.0, (8, 2))),
        _Travel(LIMITS, "trapezoid"),
    )
    order = np.array([3, 2, 0, 1])
    found = _through(layers, order, travel, None)
    seconds = travel.between_all(layers.q, layers.q)
    ways = list(product(*(np.flatnonzero(point == k).tolist() for k in (3, 0, 1))))
    totals = [seconds[a, b] + seconds[b, c] for a, b, c in ways]
    for row in range(8):
        least = min(total for way, total in zip(ways, totals, strict=True) if row in way)
        assert found[row] == pytest.approx(least, abs=1e-12)
    home = np.array([0.3, -1.2])
    away = travel.between_all(home[None], layers.q)[0]
    with_home = _through(layers, order, travel, home)
    for row in range(8):
        least = min(
            total + away[way[0]] + away[way[-1]]
            for way, total in zip(ways, totals, strict=True)
            if row in way
        )
        assert with_home[row] == pytest.approx(least, abs=1e-12)


class Turning:
    """A robot of two turning joints, as far as sheets ask for it."""

    def __init__(self, limit):
        self.mechanism = SimpleNamespace(
            q_min=np.full(2, -limit),
            q_max=np.full(2, limit),
            dof=2,
            movable=load("industrial-6r").movable[:2],
        )


def test_sheets_that_serve_all_points_near_to_each_other_are_chosen():
    """Three rows of postures: one of most points, a near and a far one of the others."""
    x = 0.1 * np.arange(12)
    main, near, far = x[:9], x[9:], x[6:]
    rows = [(k, 0.0) for k in range(9)] + [(k, 0.5) for k in range(9, 12)]
    rows += [(k, 2.5) for k in range(6, 12)] + [(11, 9.0)]
    rows.sort()
    every = Postures(
        point=np.array([k for k, _ in rows]), q=np.array([[x[k], height] for k, height in rows])
    )
    asked = {"law": "trapezoid", "margin": 0.0}
    lacking = np.array([11])
    found = on_few_sheets(lacking, every, Turning(3.0), LIMITS, clear=None, **asked)
    assert found.point.tolist() == [*range(12)]
    assert np.array_equal(found.q[:, 1], np.repeat([0.0, 0.5], [main.size, near.size]))
    # With the near row in the way the far one serves them, all of it.
    found = on_few_sheets(
        lacking, every, Turning(3.0), LIMITS, clear=lambda q: q[:, 1] != 0.5, **asked
    )
    assert set(found.q[:, 1].tolist()) == {0.0, 2.5}
    assert np.sum(found.q[:, 1] == 2.5) == far.size
    # Nothing where every point has a candidate, and where those that lack one stay without.
    for points in ([], [12]):
        none = on_few_sheets(np.array(points), every, Turning(3.0), LIMITS, clear=None, **asked)
        assert len(none.point) == 0


@pytest.fixture
def tour(reaches, serial_job):  # noqa: F811
    """Eight points of a six-axis arm; the fourth is not served, and each posture is the first."""
    reach = reaches["industrial-6r"]
    placed = place(serial_job(reach.model.mechanism, 8))
    found = reach.candidates(placed)
    first = np.searchsorted(found.point, np.arange(8))
    visits = np.array([7, 0, 1, 2, 4, 5, 6])
    q = found.lines.q_starts[first[visits]]
    return reach, KnownTour(placed=placed, visits=visits, q=q, hard=np.array([3]), home=None)


def followed(tour, **changes):
    reach, known = tour
    joints = reach.model.mechanism.movable
    limits = JointLimits(
        max_speed=np.array([joint.max_speed for joint in joints]),
        max_acceleration=np.array([joint.max_acceleration for joint in joints]),
    )
    asked = {"law": "trapezoid", "margin": 0.1, "clear": None} | changes
    return worth_following(known, reach.branches(known.placed), reach.task, limits, **asked)


def test_a_point_that_is_not_served_stands_behind_the_nearest_and_has_most_branches(tour):
    _, known = tour
    order = known.order.tolist()
    assert sorted(order) == list(range(8))
    places = known.placed.clearances
    away = np.linalg.norm(places[known.visits] - places[3], axis=1)
    assert order.index(3) == order.index(int(known.visits[np.argmin(away)])) + 1
    counts = np.bincount(followed(tour).point, minlength=8)
    assert counts[3] == max(counts) > 7
    assert np.all(counts[known.visits] <= 7)


def test_they_keep_the_joint_margin_and_touch_nothing(tour):
    reach, _ = tour
    mechanism = reach.model.mechanism
    found = followed(tour, clear=lambda q: q[:, 0] < 0.5)
    assert len(found.point) > 8
    assert np.all(found.q[:, 0] < 0.5)
    assert np.min(np.minimum(found.q - mechanism.q_min, mechanism.q_max - found.q)) >= 0.1 - 1e-12
    reached = reach.task.posed(found.q)
    np.testing.assert_allclose(
        reached.balls, place_of(tour).clearances[found.point], atol=1e-9, rtol=0.0
    )


def place_of(tour):
    return tour[1].placed


def test_where_nothing_is_clear_nothing_is_followed(tour):
    assert len(followed(tour, clear=lambda q: np.zeros(len(q), dtype=np.bool_)).point) == 0


@pytest.mark.parametrize("name", ["angled-6r", "industrial-7r"])
def test_plans_with_branches_are_never_worse_than_those_of_the_search(
    name,
    robots,  # noqa: F811
    serial_job,  # noqa: F811
    monkeypatch,
):
    job = serial_job(robots[name], cases(gate=3, soak=7), shrink=0.2)
    job = replace(job, travel=replace(job.travel, order="fastest"))
    with_branches = plan(job)
    none = Postures(point=np.zeros(0, dtype=np.int64), q=np.zeros((0, robots[name].dof)))
    monkeypatch.setattr(SerialReach, "branches", lambda *_: none)
    searched = plan(job)
    served = [
        sum(point.reachable for point in one.planned_points) for one in (with_branches, searched)
    ]
    assert served[0] >= served[1]
    if served[0] == served[1]:
        assert with_branches.totals.duration <= searched.totals.duration * (1.0 + 1e-9)
