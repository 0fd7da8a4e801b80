"""The lower bound never passes the best order, and comes near to it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.motion.travel import travel_times
from planner.order.chooser import Chooser, lower_bound, quickest_pairs, spanning_tree
from planner.order.fastest import SearchBudget, solve
from planner.order.graph import CandidatePool, Forced, JointTimes, Near
from robots.core.motion.joint_limits import JointLimits
from tests.cases import cases

LIMITS = JointLimits(max_speed=np.array([1.5, 1.0]), max_acceleration=np.array([8.0, 20.0]))


def pool_of(q, point, weight):
    times = JointTimes.of(q, LIMITS, "trapezoid")
    rows = np.arange(len(q))
    return CandidatePool(rows=rows, point=point, weight=weight, times=times, near=Near.none(len(q)))


def shortest(q, point, weight, home=None):
    """Least cost of all orders and candidates, by dynamic programming over sets of points."""
    travel = travel_times(q[:, None], q, LIMITS)
    away = np.zeros(len(q)) if home is None else travel_times(home, q, LIMITS)
    points, best = point[-1] + 1, {}
    for c, k in enumerate(point):
        best[1 << k, c] = away[c] + weight[c]
    for visited in range(1, 1 << points):
        for c, k in enumerate(point):
            if visited >> k & 1 and visited != 1 << k:
                rest = visited & ~(1 << k)
                ways = [b for b in range(len(q)) if rest >> point[b] & 1]
                best[visited, c] = weight[c] + min(best[rest, b] + travel[b, c] for b in ways)
    return min(best[(1 << points) - 1, c] + away[c] for c in range(len(q)))


@settings(max_examples=cases(gate=15, soak=60), deadline=None)
@given(seed=st.integers(0, 10_000), points=st.integers(1, 6), most=st.integers(1, 3))
def test_no_order_is_below_the_bound(seed, points, most):
    rng = np.random.default_rng(seed)
    point = np.repeat(np.arange(points), rng.integers(1, most + 1, points))
    q = rng.uniform(-1.0, 1.0, (point.size, 2))
    weight = rng.uniform(0.0, 1.0, point.size)
    home = rng.uniform(-3.0, 3.0, 2)
    with_home = replace(
        pool_of(q, point, weight), home=JointTimes.of(home[None], LIMITS, "trapezoid").scaled
    )
    for pool, least in (
        (pool_of(q, point, weight), shortest(q, point, weight)),
        (with_home, shortest(q, point, weight, home)),
    ):
        for known, steps in ((least, 80), (1.3 * least + 1.0, 40), (0.5 * least, 10), (np.inf, 30)):
            bound = lower_bound(pool, Forced(), known, steps)
            assert bound <= least
            assert bound >= weight.min()


@pytest.mark.parametrize("seed", range(3))
def test_pairs_that_are_not_listed_do_not_raise_it(seed):
    """Clusters far apart with more points than a list holds: links between them are not listed."""
    rng = np.random.default_rng(seed)
    centre = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    q = np.repeat(centre, 40, axis=0) + rng.uniform(0.0, 0.05, (120, 2))
    pool = pool_of(q, np.arange(120), np.zeros(120))
    # An order that runs through each cluster by the first joint, and links them.
    order = np.concatenate([40 * k + np.argsort(q[40 * k : 40 * k + 40, 0]) for k in (1, 0, 2)])
    cost = float(travel_times(q[order[:-1]], q[order[1:]], LIMITS).sum())
    bound = lower_bound(pool, Forced(), cost, 100)
    assert bound <= cost
    assert bound >= 117 * 1e-3  # the links inside are not free


@pytest.mark.parametrize("home", [None, [-1.0, 0.0]])
def test_points_in_a_row_have_no_gap(home):
    """Equal steps of one joint: the row is the shortest tree, whether or not it begins at home."""
    q = np.stack([np.linspace(0.0, 2.0, 50), np.zeros(50)], axis=1)
    cost = float(travel_times(q[:-1], q[1:], LIMITS).sum())
    pool = pool_of(q, np.arange(50), np.zeros(50))
    if home is not None:
        cost += float(travel_times(np.array(home), q[[0, -1]], LIMITS).sum())
        at_home = JointTimes.of(np.array([home]), LIMITS, "trapezoid").scaled
        pool = replace(pool, home=at_home)
    bound = lower_bound(pool, Forced(), cost, 200)
    assert (0.999 if home is None else 0.9) * cost <= bound <= cost


def test_the_gap_of_a_thousand_points_is_small(made_up):
    found, costs = made_up(2, 300, 3)
    ordered = solve(Chooser(found, costs), 300, SearchBudget(base=3000))
    assert 0.0 < ordered.gap < 0.1


def test_shortcuts_are_taken_off():
    q = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    pool = pool_of(q, np.arange(3), np.zeros(3))
    direct = float(travel_times(q[0], q[1], LIMITS))
    free = lower_bound(pool, Forced(), 5.0, 50)
    shortcut = lower_bound(pool, Forced.of({(1, 0): 0.25}), 5.0, 50)
    assert shortcut == pytest.approx(free - (direct - 0.25), abs=1e-6)
    assert lower_bound(pool, Forced.of({(0, 1): np.inf}), 5.0, 50) == free


def test_without_a_candidate_there_is_nothing_to_bound():
    """A tour of no point may be improved: every point of a job can be out of reach."""
    empty = pool_of(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), np.zeros(0))
    assert lower_bound(empty, Forced(), 0.0, 50) == 0.0


def test_plain_python_counts_a_spanning_tree():
    ends = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    seconds = np.array([1.0, 2.0, 1.5, 4.0])
    parent, degree, length = np.arange(4), np.zeros(4), np.zeros(1)
    spanning_tree(ends, seconds, np.argsort(seconds), parent, degree, length)
    assert length[0] == 6.5
    assert degree.tolist() == [2.0, 1.0, 2.0, 1.0]
    times, out = (
        JointTimes.of(np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]), LIMITS, "linear"),
        np.empty(1),
    )
    pairs = (np.array([0, 1, 3]), np.array([0.0, 0.0, 0.01]), np.array([[0, 1]]), out)
    quickest_pairs(times.scaled, times.law, *pairs)
    assert out[0] == pytest.approx(0.5 / 1.5 + 0.01)
