"""Visiting: the order, the branches and the ways between the points of a plan.

Order and branches are chosen as if every travel could go straight. Those that cannot are then made
as long as a way around is likely to be, and the choice is made again; at last ways around are
searched for what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from planner.job import Job
from planner.order.chooser import Choice, Chooser, Prove, SequenceCost
from planner.order.graph import HOME, REFUSED
from planner.order.stops import Rules
from planner.progress import Progress, silent
from planner.reach.margins import home_within
from planner.reach.reach import Candidates
from planner.touch.lines import LineMotions, rough_line_times
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.joint_limits import JointLimits

if TYPE_CHECKING:
    from planner.clearance.safety import Safety
    from planner.detours.find import Detours
    from planner.order.fastest import OrderResult
    from planner.touch.limits import TouchLimits

Improve = Callable[[Chooser, Choice], Choice]

_ROUNDS = 6  # in which travels that cannot go straight are avoided
_SEARCHES = 3  # in which ways around are searched
# What a way around is expected to take beside the straight travel, until it is known.
_LONGER = 1.3
_LIFT = 0.5  # [s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visit:
    """Points in their order, with branches and ways between them.

    Args:
        choice: order and branches.
        detours: of travels that do not go straight; None where all do.
        ordered: what a free order is to be compared with; None where the order is the job's.
        rank: points left out, travels without a way, seconds: less is better.
        chooser: what is known of the candidates.
    """

    choice: Choice
    detours: Detours | None
    ordered: OrderResult | None
    rank: tuple[int, int, float]
    chooser: Chooser

    @property
    def home_legs(self) -> Array | None:
        """What the ways from home and back take, where they are counted. # (2,) [s]."""
        if self.chooser.costs.home is None or self.choice.visits.size == 0:
            return None
        return self.chooser.seconds(self.choice.chosen)[[0, -1]]

    @property
    def hard(self) -> Indices:
        """Points that are left out, or whose travels have no way."""
        visits, blocked = self.choice.visits, () if self.detours is None else self.detours.blocked
        ends = [k for item in blocked for k in (item.travel, item.travel + 1)]
        left = np.flatnonzero(self.choice.candidate < 0)
        return np.union1d(left, visits[np.array(ends, dtype=np.int64)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Start:
    """A visit that another one begins with.

    Args:
        visit: of fewer candidates.
        rows: where these are now, rising. # (c,)
    """

    visit: Visit
    rows: Indices


def visit(
    job: Job,
    found: Candidates,
    limits: JointLimits,
    safety: Safety | None,
    touch: TouchLimits | None = None,
    progress: Progress = silent,
    start: Start | None = None,
) -> Visit:
    """Choose order, branches and ways.

    Args:
        job: for the order it asks for.
        found: candidates.
        limits: of the joints.
        safety: of lines and travels; None where there is nothing to touch.
        touch: of the cycle; None where it comes to rest at contact.
        progress: told what is being done.
        start: made before, of fewer candidates; its order is only improved.
    """
    prove = _all_of([one.prove for one in (touch, safety) if one is not None])
    costs = _costs(found, limits, job, _home(job, safety))
    chooser = (
        Chooser(found, costs, rules=_rules(job), prove=prove)
        if start is None
        else start.visit.chooser.extended(found, costs, start.rows, prove)
    )
    count, travel = len(job.points), job.travel
    if travel.order == "as-given":
        order = np.arange(count)
        choice = chooser.choose(order)
        return _clear(chooser, choice, safety, lambda chooser, _: chooser.choose(order), None)
    from planner.order.fastest import SearchBudget, again, improved, solve

    effort = SearchBudget.named(travel.search, travel.seed)
    before = None if start is None else start.visit
    if before is None or before.ordered is None:
        ordered = solve(chooser, count, effort, progress=progress)
    else:
        ordered = improved(chooser, before.ordered, before.choice, effort, progress)

    def improve(chooser: Chooser, choice: Choice) -> Choice:
        return again(chooser, choice, effort, progress)

    by_rule = before is not None and not any(before.rank[:2])
    return _clear(chooser, ordered.choice, safety, improve, ordered, by_rule=by_rule)


def _clear(
    chooser: Chooser,
    choice: Choice,
    safety: Safety | None,
    improve: Improve,
    ordered: OrderResult | None,
    *,
    by_rule: bool = False,
) -> Visit:
    """Avoid travels that collide, then go around those that are left.

    A travel without a way may be one between islands, of which a single travel says nothing: the
    next choice would cross at another place. So it is made among one island's candidates.

    Where ways go by rules only, a travel without a way rules out all like it that are not known:
    else the next choice would be the next turn about the probe.
    """
    if safety is None:
        return _visit(chooser, choice, None, ordered)

    def settled(chooser: Chooser, choice: Choice) -> Visit:
        # The next choice may be no better: what does not go straight there is not known either.
        tried = []
        for left in reversed(range(_ROUNDS)):
            longer = _expected(chooser, choice, safety)
            chooser.force(longer)
            tried.append((_visit(chooser, choice, None, ordered).rank, choice))
            if not longer or not left:
                break
            choice = improve(chooser, choice)
        choice = min(tried, key=lambda one: one[0])[1]
        return _around(chooser, choice, safety, ordered)

    best = last = settled(chooser, choice)
    if best.rank[1] and not by_rule:
        rows = chooser.usable
        kept = rows[mainland(chooser.found.point[rows], safety.islands(rows))]
        if np.setdiff1d(best.choice.chosen, kept).size:
            chooser = chooser.among(kept)
            last = settled(chooser, improve(chooser, best.choice))
            best = min(best, last, key=lambda one: one.rank)
    for _ in range(_SEARCHES):
        if not best.rank[1]:
            break
        if by_rule:
            chooser.force(_alike(chooser, last, safety))
        last = _around(chooser, improve(chooser, best.choice), safety, ordered)
        best = min(best, last, key=lambda one: one.rank)
    return best


def mainland(point: Indices, island: Indices) -> Mask:
    """Candidates on the island that serves most points; for the others, on the next one.

    Args:
        point: that each candidate serves. # (k,)
        island: that it lies on; -1 for none. # (k,)
    """
    kept = np.zeros(point.size, dtype=bool)
    served = np.zeros(int(point.max(initial=-1)) + 1, dtype=bool)
    while True:
        open_ = ~served[point] & (island >= 0)
        if not np.any(open_):
            return kept
        numbers, count = np.unique(
            np.unique(np.stack([island[open_], point[open_]]), axis=1)[0], return_counts=True
        )
        here = open_ & (island == numbers[np.argmax(count)])
        kept |= here
        served[point[here]] = True


def _alike(chooser: Chooser, made: Visit, safety: Safety) -> dict[tuple[int, int], float]:
    """All travels between points whose travel has no way, but for those that are known."""
    chosen, point = made.choice.chosen, chooser.found.point
    blocked = () if made.detours is None else made.detours.blocked
    pairs: list[tuple[int, int]] = []
    for item in blocked:
        a, b = (np.flatnonzero(point == point[chosen[item.travel + k]]).tolist() for k in (0, 1))
        pairs += product(a, b)
    return dict.fromkeys(safety.unknown(pairs), np.inf)


def _expected(chooser: Chooser, choice: Choice, safety: Safety) -> dict[tuple[int, int], float]:
    """Travels of a choice that turn out not to go straight, with what they may take instead."""
    pairs = chooser.legs(choice.chosen)
    forced = chooser.forced
    new = [pair for pair in pairs if tuple(sorted(pair)) not in forced]
    bad = [pair for pair, good in zip(new, safety.direct(new), strict=True) if not good]
    if not bad:
        return {}
    if not safety.goes_around:
        return dict.fromkeys(bad, np.inf)
    seconds = _LIFT + _LONGER * chooser.direct_seconds(bad)
    return dict(zip(bad, seconds.tolist(), strict=True))


def _around(chooser: Chooser, choice: Choice, safety: Safety, ordered: OrderResult | None) -> Visit:
    """Search ways around, and let the chooser know what they take."""
    legs = [leg for leg in chooser.legs(choice.chosen) if HOME in leg]
    away = [leg for leg, good in zip(legs, safety.direct(legs), strict=True) if not good]
    chooser.force({leg: safety.home_seconds(min(leg)) for leg in away})
    detours = safety.around(choice.chosen)
    if detours is not None:
        pairs = list(pairwise(choice.chosen.tolist()))
        known = {
            pairs[k]: float(seconds)
            for k, seconds in zip(
                detours.travels.tolist(), detours.motions.duration.tolist(), strict=True
            )
        }
        chooser.force(known | {pairs[item.travel]: np.inf for item in detours.blocked})
    return _visit(chooser, choice, detours, ordered)


def _all_of(proofs: Sequence[Prove]) -> Prove | None:
    """One proof of several; each is asked of the candidates that passed those before it."""
    if len(proofs) <= 1:
        return proofs[0] if proofs else None

    def prove(candidates: Indices) -> Mask:
        kept = np.ones(candidates.size, dtype=bool)
        for one in proofs:
            rows = np.flatnonzero(kept)
            kept[rows] = one(candidates[rows])
        return kept

    return prove


def _visit(
    chooser: Chooser, choice: Choice, detours: Detours | None, ordered: OrderResult | None
) -> Visit:
    """A visit with its rank by the times that the chooser knows."""
    blocked = 0 if detours is None else len(detours.blocked)
    seconds = chooser.seconds(choice.chosen)
    home = chooser.costs.home is not None
    # A leg of home without a way is none that the plan makes: programmes begin or end at a point.
    if home and seconds.size:
        seconds[[0, -1]] = np.minimum(seconds[[0, -1]], REFUSED)
    motion = float(np.sum(seconds[np.isfinite(seconds)]))
    motion += 2.0 * float(np.sum(chooser.costs.lines[choice.chosen]))
    left_out = int(np.sum(choice.candidate < 0))
    rank = left_out, blocked, motion
    return Visit(choice=choice, detours=detours, ordered=ordered, rank=rank, chooser=chooser)


def _home(job: Job, safety: Safety | None) -> Array | None:
    """Where programmes come from and return to, if a free order is to count on it. # (n,)."""
    if job.travel.order == "as-given":
        return None
    return home_within(job.mechanism, job.checks.joint_margin) if safety is None else safety.home


def _rules(job: Job) -> Rules:
    features = job.points.features if job.travel.group == "feature" else ()
    return Rules.named(job.points.names, features, job.travel.locked)


def _costs(found: Candidates, limits: JointLimits, job: Job, home: Array | None) -> SequenceCost:
    """Costs of the candidates; those that the grid refuses already are not timed."""
    required = job.checks.joint_margin
    usable = np.nonzero(found.margins.keep(required))[0]
    lines = np.full(found.point.size, np.inf)
    motions = LineMotions(found.lines.take(usable), job.approach.law)
    lines[usable] = rough_line_times(motions, limits).duration
    return SequenceCost(
        lines=lines, limits=limits, travel_law=job.travel.law, required=required, home=home
    )
