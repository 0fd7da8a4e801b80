"""Orders with branches: beside counting out, by the rules, with refusals and forced travels."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from planner.order import graph
from planner.order.chooser import _TIE_BREAK, Chooser
from planner.order.fastest import SearchBudget, again, solve
from planner.order.graph import HOME
from planner.order.search import TourSearch
from planner.order.stops import Rules
from tests.cases import cases, some

LITTLE = SearchBudget(kicks=10, base=500, ascent=60)
TIE = 8 * _TIE_BREAK  # the tie-break may prefer a posture that costs this much more


def checked(found, costs, choice, travels=()):
    """Cost of a choice, worked out anew; every point once, by a candidate of its own."""
    q, chosen = found.lines.q_starts, choice.chosen
    assert sorted(choice.visits) == sorted(set(found.point.tolist()))
    assert np.array_equal(found.point[chosen], choice.visits)
    cost = 2.0 * costs.lines[chosen].sum()
    if costs.home is not None:
        cost += float(np.sum(costs.travel(costs.home, q[chosen[[0, -1]]])))
    for a, b in pairwise(chosen):
        direct = float(costs.travel(q[a], q[b]))
        cost += dict(travels).get((a, b), dict(travels).get((b, a), direct))
    return cost


@pytest.mark.parametrize("points", [1, 2, 3, 4, 6, 7])
@pytest.mark.parametrize("seed", range(cases(gate=1, soak=4)))
def test_small_orders_are_the_best_of_all(made_up, counted_out, seed, points):
    found, costs = made_up(seed, points, 3)
    ordered = solve(Chooser(found, costs), points, LITTLE)
    least = counted_out(found, costs)
    assert ordered.choice.cost == pytest.approx(checked(found, costs, ordered.choice), rel=1e-12)
    assert least - 1e-9 <= ordered.choice.cost <= least + TIE
    assert ordered.bound <= least
    assert ordered.choice.cost <= ordered.fixed <= ordered.given.cost + TIE
    assert 0.0 <= ordered.gap < 0.5


@pytest.mark.parametrize(("points", "seed"), [(1, 0), (2, 1), (5, 2), (7, 3)])
def test_ways_from_home_and_back_belong_to_the_tour(made_up, counted_out, points, seed):
    found, costs = made_up(seed, points, 3)
    costs = replace(costs, home=np.random.default_rng(seed).uniform(-2.0, 2.0, 5))
    chooser = Chooser(found, costs)
    ordered = solve(chooser, points, LITTLE)
    least = counted_out(found, costs)
    assert ordered.choice.cost == pytest.approx(checked(found, costs, ordered.choice), rel=1e-12)
    assert least - 1e-9 <= ordered.choice.cost <= least + TIE
    assert ordered.bound <= least
    # A way home that turns out dearer sends the tour home from another point, or costs so much.
    last = int(ordered.choice.chosen[-1])
    chooser.force({(last, HOME): 50.0})
    other = again(chooser, ordered.choice, LITTLE)
    assert other.cost <= ordered.choice.cost + 50.0
    assert last not in other.chosen[[0, -1]] or points == 1


def test_refused_candidates_give_way_to_others(made_up, counted_out):
    found, costs = made_up(5, 6, 4, refused=0.5)
    ordered = solve(Chooser(found, costs), 6, LITTLE)
    assert np.all(found.lines.good[ordered.choice.chosen])
    least = counted_out(found, costs)
    assert least - 1e-9 <= ordered.choice.cost <= least + TIE
    assert ordered.bound <= least


def test_a_veto_is_asked_once_for_each_candidate_and_heard(made_up, counted_out):
    found, costs = made_up(6, 6, 4)
    allowed = np.random.default_rng(0).uniform(size=found.point.size) > 0.4
    allowed[np.searchsorted(found.point, np.arange(6))] = True
    asked = []

    def prove(candidates):
        asked.extend(candidates.tolist())
        return allowed[candidates]

    ordered = solve(Chooser(found, costs, prove=prove), 6, LITTLE)
    assert len(asked) == len(set(asked))
    assert np.all(allowed[ordered.choice.chosen])
    refused = replace(found, lines=replace(found.lines, good=allowed))
    assert ordered.choice.cost <= counted_out(refused, costs) + TIE


def test_a_point_whose_last_candidate_is_refused_is_left_out(made_up):
    found, costs = made_up(7, 5, 2)
    bad = found.point == 3
    ordered = solve(Chooser(found, costs, prove=lambda c: ~bad[c]), 5, LITTLE)
    assert sorted(ordered.choice.visits) == [0, 1, 2, 4]
    assert ordered.choice.candidate[3] == -1
    none = solve(Chooser(found, costs, prove=lambda c: np.zeros(c.size, bool)), 5, LITTLE)
    assert none.choice.visits.size == 0
    assert none.choice.cost == none.bound == none.gap == 0.0


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=6)))
def test_forced_travels_count_both_ways(made_up, counted_out, seed):
    """Half of all travels collide; a third of these have no way round."""
    found, costs = made_up(seed, 6, 3)
    rng = np.random.default_rng(seed)
    count, q = found.point.size, found.lines.q_starts
    travels = {
        (int(b), int(a)): np.inf if rng.uniform() < 0.3 else 2.0 + float(costs.travel(q[a], q[b]))
        for a in range(count)
        for b in range(a + 1, count)
        if rng.uniform() < 0.5
    }
    chooser = Chooser(found, costs)
    chooser.force(travels)
    ordered = solve(chooser, 6, LITTLE)
    least = counted_out(found, costs, travels=travels)
    assert ordered.choice.cost == pytest.approx(checked(found, costs, ordered.choice, travels))
    assert least - 1e-9 <= ordered.choice.cost <= least + TIE
    assert ordered.bound <= least


def test_a_search_goes_on_from_what_it_had_when_travels_turn_out_dearer(made_up, counted_out):
    found, costs = made_up(11, 7, 3)
    chooser, travels = Chooser(found, costs), {}
    choice = solve(chooser, 7, LITTLE).choice
    for _ in range(6):
        dear = {
            (int(a), int(b)): 9.0 for a, b in zip(choice.chosen, choice.chosen[1:], strict=False)
        }
        travels |= dear
        chooser.force(dear)
        choice = again(chooser, choice, LITTLE)
        assert choice.cost == pytest.approx(checked(found, costs, choice, travels))
    assert choice.cost <= 1.02 * counted_out(found, costs, travels=travels)


def test_a_shortcut_lowers_the_bound(made_up, counted_out):
    found, costs = made_up(3, 6, 2)
    travels = {(a, b): 0.0 for a in range(4) for b in range(a + 1, 6)}
    chooser = Chooser(found, costs)
    chooser.force(travels)
    ordered = solve(chooser, 6, LITTLE)
    least = counted_out(found, costs, travels=travels)
    assert ordered.bound <= least <= ordered.choice.cost + 1e-9
    assert ordered.choice.cost <= least + TIE


RULES = {
    "two features": Rules(group=np.array([0, 1, 0, 1, 0, 1])),
    "a feature and free points": Rules(group=np.array([0, -1, 0, -1, 0, -1])),
    "a locked run": Rules(group=np.full(6, -1), runs=((4, 1, 2),)),
    "two locked runs": Rules(group=np.full(6, -1), runs=((5, 0), (3, 1, 2))),
    "all locked": Rules(group=np.full(6, -1), runs=((5, 0, 4, 3, 1, 2),)),
    "a run in a feature": Rules(group=np.array([0, 0, 0, 1, 1, -1]), runs=((2, 0),)),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", some(range(3), gate=1))
def test_rules_are_kept_at_the_least_cost(made_up, counted_out, name, seed):
    found, costs = made_up(seed, 6, 3)
    ordered = solve(Chooser(found, costs, rules=RULES[name]), 6, LITTLE)
    assert RULES[name].kept_by(ordered.choice.visits)
    assert ordered.given_allowed == RULES[name].kept_by(np.arange(6))
    least = counted_out(found, costs, RULES[name])
    assert ordered.choice.cost == pytest.approx(checked(found, costs, ordered.choice), rel=1e-12)
    assert least - 1e-9 <= ordered.choice.cost <= least + TIE
    assert ordered.bound <= least


@pytest.mark.parametrize("seed", range(3))
def test_many_points_in_features_and_runs(made_up, seed):
    found, costs = made_up(seed, 120, 3)
    group = np.random.default_rng(seed).integers(-1, 8, 120)
    members = [np.nonzero(group == k)[0] for k in range(8)]
    runs = tuple(tuple(int(k) for k in m[:3][::-1]) for m in members[:4])
    rules = Rules(group=group, runs=runs)
    ordered = solve(Chooser(found, costs, rules=rules), 120, LITTLE)
    free = solve(Chooser(found, costs), 120, LITTLE)
    assert rules.kept_by(ordered.choice.visits)
    assert ordered.choice.cost == pytest.approx(checked(found, costs, ordered.choice), rel=1e-12)
    assert free.choice.cost <= 1.001 * ordered.choice.cost
    assert ordered.bound <= free.choice.cost


def test_the_same_seed_gives_the_same_order_and_progress_is_told(made_up):
    found, costs = made_up(0, 60, 4)
    told = []
    runs = [
        solve(Chooser(found, costs), 60, LITTLE, progress=lambda *step: told.append(step))
        for _ in range(2)
    ]
    assert np.array_equal(runs[0].choice.chosen, runs[1].choice.chosen)
    assert runs[0].bound == runs[1].bound
    stages, done, totals = zip(*told, strict=True)
    assert set(stages) == {"visiting order"}
    assert set(totals) == {2 * LITTLE.of(60)}
    assert max(done) == totals[0]
    half = len(told) // 2
    assert list(done[:half]) == sorted(done[:half])
    other = solve(Chooser(found, costs), 60, replace(LITTLE, seed=7))
    assert other.choice.cost == pytest.approx(runs[0].choice.cost, rel=0.01)


def test_travels_that_are_kept_are_those_that_are_computed_each_time(made_up, monkeypatch):
    found, costs = made_up(12, 25, 4)
    costs = replace(costs, home=np.random.default_rng(12).uniform(-2.0, 2.0, 5))
    orders = []
    for kept in (graph._TABLED, 0):
        monkeypatch.setattr(graph, "_TABLED", kept)
        assert (graph.nothing_known(found.point.size).size > 0) == (kept > 0)
        chooser = Chooser(found, costs)
        first = solve(chooser, 25, LITTLE).choice
        a, b = first.chosen[3:5].tolist()
        chooser.force({(a, b): 9.0, (int(first.chosen[0]), HOME): 9.0})
        orders += [first, again(chooser, first, LITTLE)]
    for one, other in zip(orders[:2], orders[2:], strict=True):
        assert np.array_equal(one.chosen, other.chosen)
        assert one.cost == other.cost
    assert not np.array_equal(orders[0].chosen, orders[1].chosen)


def test_efforts():
    usual = SearchBudget.named("normal", seed=3)
    assert usual == SearchBudget(seed=3)
    assert (
        SearchBudget.named("quick").of(1000)
        < usual.of(1000)
        < SearchBudget.named("thorough").of(1000)
    )
    assert usual.of(10_000) == usual.base + 10_000 * usual.kicks


def test_with_one_branch_each_there_is_nothing_to_gain(made_up, counted_out):
    found, costs = made_up(8, 7, 1)
    ordered = solve(Chooser(found, costs), 7, LITTLE)
    assert ordered.fixed == ordered.choice.cost
    assert ordered.choice.cost == pytest.approx(counted_out(found, costs), rel=1e-9)


def test_where_every_travel_is_impossible_the_cost_is_infinite(made_up):
    found, costs = made_up(9, 4, 2)
    count = found.point.size
    chooser = Chooser(found, costs)
    chooser.force({(a, b): np.inf for a in range(count) for b in range(a + 1, count)})
    ordered = solve(chooser, 4, LITTLE)
    assert np.isinf(ordered.choice.cost)
    assert sorted(ordered.choice.visits) == [0, 1, 2, 3]
    assert np.isfinite(ordered.bound)
    assert ordered.gap == 0.0


def test_an_order_as_given_goes_round_forced_travels(made_up):
    found, costs = made_up(10, 5, 3)
    free = Chooser(found, costs).choose(np.arange(5))
    chooser = Chooser(found, costs)
    dear = {(int(free.chosen[0]), int(free.chosen[1])): free.cost + 1.0}
    chooser.force(dear)
    other = chooser.choose(np.arange(5))
    assert free.cost < other.cost < 2.0 * free.cost
    assert other.visits.tolist() == list(range(5))
    assert other.cost == pytest.approx(checked(found, costs, other, dear))


def test_kicks_that_no_longer_pay_are_not_made(made_up, monkeypatch):
    """After the kicks that are made in any case, a leg without a gain is the last one."""
    found, costs = made_up(3, 6, 1)
    problem = Chooser(found, costs).problem(free=True)
    done = []

    def searched(*, worth):
        search = TourSearch(problem.stops, 1, lambda kicks, _: done.append(kicks))
        done.clear()
        tour = search.best([np.arange(6)], 4_000, worth)
        return tour.cost, max(done)

    cost, kicks = searched(worth=2e-3)
    assert kicks == 4_000
    monkeypatch.setattr("planner.order.search._SURE", 1_000)
    assert searched(worth=0.0) == (cost, 4_000)
    short, kicks = searched(worth=2e-3)
    assert short == cost  # six stops: the best tour each time
    assert 1_000 <= kicks < 4_000
    assert SearchBudget.named("thorough").worth == 0.0 < SearchBudget.named("normal").worth
