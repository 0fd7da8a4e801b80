"""Order and branches of least total time, when the job leaves the order open.

The result is the same in every run, never slower than the best order found for the branches that
the job's own order would choose, and stands beside a proven lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Motion
from planner.order.chooser import Choice, Chooser, Problem
from planner.order.search import Told, TourSearch
from planner.progress import Progress, silent
from robots.core.arrays import Array, Indices

STAGE = "visiting order"
_SAME = 1e-9  # relative gain below which the job's own order is kept
_AGAIN = 0.1  # part of the effort that a repeated search makes


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBudget:
    """How long the search looks; never by the clock.

    Args:
        kicks: disturbances that are tried per point.
        base: disturbances that are tried besides.
        ascent: steps of the lower bound.
        seed: of the random numbers.
        worth: part of a tour's cost that many disturbances must gain for more to follow.
    """

    kicks: int = 10
    base: int = 10_000
    ascent: int = 150
    seed: int = 1
    worth: float = 2e-3

    @classmethod
    def named(cls, search: str, seed: int = 1) -> SearchBudget:
        """Of a job's setting. Args: "quick", "normal" or "thorough"; seed."""
        usual, factor = cls(seed=seed), {"quick": 0.25, "normal": 1.0, "thorough": 10.0}[search]
        worth = 0.0 if search == "thorough" else usual.worth
        kicks, base = int(factor * usual.kicks), int(factor * usual.base)
        return replace(usual, kicks=kicks, base=base, worth=worth)

    def of(self, stops: int) -> int:
        """Disturbances for a number of stops."""
        return self.base + self.kicks * stops


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderResult:
    """An order with what it is to be compared with.

    Args:
        choice: the best found.
        given: the job's own order with its best branches.
        given_allowed: whether that order keeps the rules.
        fixed: cost of the best order found for the branches of ``given``. [s]
        bound: no order and no branches cost less. [s]
    """

    choice: Choice
    given: Choice
    given_allowed: bool
    fixed: float
    bound: float

    @property
    def gap(self) -> float:
        """Most that any other order could gain, as a fraction of the cost."""
        cost = self.choice.cost
        return 1.0 - self.bound / cost if np.isfinite(cost) and cost > 0.0 else 0.0


def solve(
    chooser: Chooser,
    points: int,
    effort: SearchBudget | None = None,
    *,
    start: Choice | None = None,
    progress: Progress = silent,
) -> OrderResult:
    """The best order and branches found.

    Args:
        chooser: knows the candidates of all points, what they cost and the rules.
        points: how many there are, served or not.
        effort: how long to look.
        start: an order to begin with, beside those that the search finds.
        progress: told while it looks.
    """
    effort = effort or SearchBudget()
    given = chooser.choose(np.arange(points))
    starts = [given] if start is None else [given, start]
    if given.visits.size == 0:
        return OrderResult(choice=given, given=given, given_allowed=True, fixed=0.0, bound=0.0)
    searches = 2 if chooser.branching else 1
    tally = _Tally(progress, searches * effort.of(given.visits.size))
    fixed = [_fixed(chooser, given, effort, tally)] if chooser.branching else []
    look = _Look(chooser, [*starts, *fixed], effort, tally)
    free = chooser.proven(look, points, free=True)
    best = min((*fixed, free), key=_cost)
    allowed = chooser.rules.kept_by(given.visits)
    if allowed and given.cost <= best.cost * (1.0 + _SAME):
        best = given
    return OrderResult(
        choice=best,
        given=given,
        given_allowed=allowed,
        fixed=(fixed or [best])[0].cost,
        bound=min(best.cost, chooser.bound(best.cost, effort.ascent)),
    )


def improved(
    chooser: Chooser,
    ordered: OrderResult,
    choice: Choice,
    effort: SearchBudget,
    progress: Progress = silent,
) -> OrderResult:
    """An order improved with candidates that it was not made with.

    Args:
        chooser: knows more candidates than the one that made the order.
        ordered: what the order was compared with.
        choice: the order in its last state; of it only the points count.
        effort: of the search that made it; a small part of it is spent.
        progress: told while it looks.
    """
    given = chooser.choose(np.arange(choice.candidate.size))
    best = again(chooser, choice, effort, progress)
    if ordered.given_allowed and given.cost <= best.cost * (1.0 + _SAME):
        best = given
    return replace(
        ordered,
        choice=best,
        given=given,
        bound=min(best.cost, chooser.bound(best.cost, effort.ascent)),
    )


def again(
    chooser: Chooser, choice: Choice, effort: SearchBudget, progress: Progress = silent
) -> Choice:
    """The order of a choice improved, after travels were forced or candidates refused.

    Args:
        chooser: that made the choice.
        choice: to begin with; by now it may cost more than it says.
        effort: of the search that made it; a small part of it is spent.
        progress: told while it looks.
    """
    look = _Look(chooser, [choice], effort, _Tally(progress, 0), first=False)
    return chooser.proven(look, choice.candidate.size, free=True)


def _fixed(chooser: Chooser, given: Choice, effort: SearchBudget, told: Told) -> Choice:
    """The best order found for given branches."""
    problem = chooser.problem(free=True, only=np.sort(given.chosen))
    if problem is None:
        return given
    stops = problem.stops
    search = TourSearch(stops, effort.seed, told)
    order = stops.order_of(given.visits, problem.pool.point)
    tour = search.best([order], effort.of(stops.count), effort.worth)
    chosen = problem.pool.rows[stops.candidates(tour.order, tour.now)]
    return chooser.choice(chosen, given.candidate.size)


class _Look:
    """A search with free branches; one that is repeated goes on from what it has found."""

    def __init__(
        self,
        chooser: Chooser,
        starts: list[Choice],
        effort: SearchBudget,
        told: Told,
        *,
        first: bool = True,
    ) -> None:
        self._rules, self._effort, self._told, self._first = chooser.rules, effort, told, first
        self._visits = [choice.visits for choice in starts]

    def __call__(self, problem: Problem) -> Indices:
        stops, point = problem.stops, problem.pool.point
        kicks = self._effort.of(stops.count)
        search = TourSearch(stops, self._effort.seed, self._told)
        orders = [stops.order_of(visits, point) for visits in self._visits]
        if self._first:
            tour = search.best(orders, kicks, self._effort.worth)
        else:
            tour = search.better(orders[-1], int(_AGAIN * kicks))
        chosen = stops.candidates(tour.order, tour.now)
        self._first = False
        self._visits.append(point[chosen])
        return chosen


class _Tally:
    """Adds up the kicks of one search after another.

    Args:
        progress: told of all of them.
        planned: kicks of the searches that are sure to come.
    """

    def __init__(self, progress: Progress, planned: int) -> None:
        self._progress, self._planned = progress, planned
        self._before = self._last = 0

    def __call__(self, done: int, total: int) -> None:
        if done < self._last:  # another search has begun
            self._before += self._last
        self._last = done
        self._progress(STAGE, self._before + done, max(self._planned, self._before + total))


def _cost(choice: Choice) -> float:
    return choice.cost


def order_note(ordered: OrderResult, home_legs: Array | None, *, with_home: bool) -> Finding:
    """What the order gains over the job's own, and what another might still gain.

    Args:
        ordered: the order.
        home_legs: what the ways from home and back take where they are counted. # (2,) [s]
        with_home: whether the controller has a home.
    """
    cost, given = ordered.choice.cost, ordered.given.cost
    if not ordered.given_allowed:
        gain = f"takes {cost:.3f} s of motion; the job's own order breaks its groups or locks"
    elif cost < given:
        share = 100.0 * (1.0 - cost / given)
        gain = f"is {given - cost:.3f} s ({share:.1f} %) faster than the job's ({given:.3f} s)"
    else:
        gain = f"is the job's own ({given:.3f} s); none that was found is faster"
    branches = 100.0 * (1.0 - cost / ordered.fixed) if ordered.fixed > 0.0 else 0.0
    return Finding(
        code="P110",
        severity=Severity.NOTE,
        subject=Motion(),
        message=f"the visiting order {gain}{_about_home(home_legs, with_home)}; free branches gain "
        f"{max(branches, 0.0):.1f} % over fixed ones; no order is more than "
        f"{100.0 * ordered.gap:.1f} % faster (proven, before detours)",
        quantities=(
            Quantity("gap", 100.0 * ordered.gap, "%"),
            *([] if home_legs is None else [Quantity("home legs", float(home_legs.sum()), "s")]),
        ),
        hint='order = "as-given" in [travel] keeps the order of the job; search = "thorough" looks '
        "longer",
    )


def _about_home(legs: Array | None, with_home: bool) -> str:
    """Whether the ways from home and back are counted, and what they take."""
    if not with_home:
        return ""
    if legs is None:
        return ", without home: it keeps too little margin or clearance"
    first, last = ("no way" if np.isinf(one) else f"{one:.3f} s" for one in legs.tolist())
    return f", with the ways from home ({first}) and back ({last}) at the speed of travels"
