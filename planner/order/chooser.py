"""Which branch serves each point, and in which order: least total time, margins proven exactly.

The search judges candidates by margins on a grid; what it has chosen is then proven exactly, and a
candidate that fails there gives way to another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from planner.motion.travel import travel_times
from planner.order.graph import HOME, CandidatePool, Forced, JointTimes, Near, direct, nearest
from planner.order.search import TourSearch
from planner.order.stops import Rules, Stops, stops
from planner.reach.margins import Margins, exact_margins
from planner.reach.reach import Candidates
from robots.core.arrays import Array, Indices, Mask
from robots.core.kernels.loop import Loop
from robots.core.motion.joint_limits import JointLimits

Prove = Callable[[Indices], Mask]  # candidates -> whether each may be used

# Weight of a posture's distance from mid range against seconds: decides only between equals.
_TIE_BREAK = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """The candidate of each point, and the order in which the points are visited.

    Args:
        candidate: -1 where none is valid. # (points,)
        visits: indices of the points that have one, in visiting order. # (k,)
        margins: exact ones of the chosen candidates, in visiting order.
        cost: seconds of lines and travel that the choice was made for, by the rough line times.
    """

    candidate: Indices
    visits: Indices
    margins: Margins
    cost: float

    @property
    def chosen(self) -> Indices:
        """Candidates in visiting order. # (k,)."""
        return np.asarray(self.candidate[self.visits])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequenceCost:
    """What a sequence of candidates costs, and what they must keep.

    Args:
        lines: least duration of each candidate's line, on a grid. # (c,) [s]
        limits: for the travel times.
        travel_law: name of the law of travel.
        required: joint margin that the job asks for. [rad]
        home: posture that the motion comes from and returns to; None where the travel begins and
            ends at its points. # (n,) [rad or m]
    """

    lines: Array
    limits: JointLimits
    travel_law: str = "trapezoid"
    required: float = 0.0
    home: Array | None = None

    def travel(self, starts: Array, ends: Array) -> Array:
        """Least travel times between configurations; see ``travel_times``. # (...) [s]."""
        return travel_times(starts, ends, self.limits, self.travel_law)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """What there is to choose from: stops, and the candidates that they are made of."""

    stops: Stops
    pool: CandidatePool


def choose(found: Candidates, costs: SequenceCost, order: Indices) -> Choice:
    """The sequence of least total time in a given visiting order, margins proven exactly.

    Args:
        found: candidates; a grid has judged their margins.
        costs: of lines and travel.
        order: every point once, in the order in which they are visited. # (points,)
    """
    return Chooser(found, costs).choose(order)


class Chooser:
    """Chooses candidates and orders; what was proven, refused or forced stays so.

    Args:
        found: candidates, point by point; a grid has judged their margins.
        costs: of lines and travel.
        rules: what free orders keep; None for nothing.
        prove: asked once for each candidate that was chosen and keeps its margins; one that it
            refuses is never used again.
    """

    def __init__(
        self,
        found: Candidates,
        costs: SequenceCost,
        *,
        rules: Rules | None = None,
        prove: Prove | None = None,
    ) -> None:
        self.found = found
        self.costs = costs
        self.rules = rules or Rules.none(int(found.point.max(initial=-1)) + 1)
        self._prove = prove
        # A line that is lost between the places of the margins' grid has no time.
        self._valid = found.margins.keep(costs.required) & np.isfinite(costs.lines)
        self._weight = 2.0 * costs.lines + _TIE_BREAK * _from_middle(found)
        self._limit = np.full(found.margins.limit.shape, np.nan)
        self._singularity = np.full(found.point.size, np.nan)
        self._travels: dict[tuple[int, int], float] = {}
        self._pools: dict[bool, CandidatePool] = {}  # with lists of near candidates, or without

    def extended(
        self, found: Candidates, costs: SequenceCost, rows: Indices, prove: Prove | None
    ) -> Chooser:
        """A chooser among more candidates, with all that this one knows.

        Args:
            found: candidates, those of this chooser among them in the same order.
            costs: of all of them.
            rows: where those of this chooser are now, rising. # (c,)
            prove: as of a new chooser.
        """
        other = Chooser(found, costs, rules=self.rules, prove=prove)
        other._valid[rows] = self._valid
        other._limit[rows], other._singularity[rows] = self._limit, self._singularity
        now = dict(enumerate(rows.tolist())) | {HOME: HOME}
        other._travels = {(now[a], now[b]): s for (a, b), s in self._travels.items()}
        return other

    def among(self, rows: Indices) -> Chooser:
        """A chooser that knows the same and uses only some candidates. Args: rows. # (k,)."""
        other = self.extended(self.found, self.costs, np.arange(self.found.point.size), self._prove)
        kept = np.zeros_like(other._valid)
        kept[rows] = True
        other._valid &= kept
        return other

    @property
    def usable(self) -> Indices:
        """Candidates that were not refused, rising. # (k,)."""
        return np.flatnonzero(self._valid)

    @property
    def branching(self) -> bool:
        """Whether some point has more than one candidate that may be used."""
        return bool(np.any(np.diff(self.found.point[self._valid]) == 0))

    def force(self, travels: Mapping[tuple[int, int], float]) -> None:
        """Let travels between candidates take another time, both ways. [s], inf: impossible."""
        for (a, b), seconds in travels.items():
            self._travels[min(a, b), max(a, b)] = seconds

    @property
    def forced(self) -> Collection[tuple[int, int]]:
        """Pairs of candidates, rising, whose travel has been forced."""
        return self._travels.keys()

    def choose(self, order: Indices) -> Choice:
        """The sequence of least total time in a visiting order. Args: order. # (points,)."""

        def quickest(problem: Problem) -> Indices:
            stops = problem.stops
            tour = TourSearch(stops, 0).quickest(stops.order_of(order, problem.pool.point))
            return stops.candidates(tour.order, tour.now)

        return self.proven(quickest, order.size, free=False)

    def proven(self, find: Callable[[Problem], Indices], points: int, *, free: bool) -> Choice:
        """What a search finds, as often as it takes until all of it is proven.

        Args:
            find: candidates of the problem's pool, in visiting order.
            points: how many there are, served or not.
            free: see ``problem``.
        """
        while True:
            problem = self.problem(free=free)
            chosen = np.zeros(0, dtype=np.int64)
            if problem is not None:
                chosen = problem.pool.rows[find(problem)]
            if np.all(self._proven(chosen)):
                return self.choice(chosen, points)

    def problem(self, *, free: bool, only: Indices | None = None) -> Problem | None:
        """What there is to choose from; None for nothing.

        Args:
            free: whether the order is to be found, by the rules; else every point is a stop.
            only: these candidates, rising; None for all that are valid.
        """
        pool = self._pool(near=free and only is None)
        if only is not None:
            pool = pool.only(np.searchsorted(pool.rows, only))
            pool = pool.with_near(self.rules.group) if free else pool
        alive = self._valid[pool.rows]
        if not np.any(alive):
            return None
        rules = self.rules if free else Rules.none(self.rules.group.size)
        return Problem(stops=stops(pool, alive, rules, pool.forced(self._travels)), pool=pool)

    def choice(self, chosen: Indices, points: int) -> Choice:
        """Candidates in visiting order as a choice. Args: chosen, all proven; number of points."""
        candidate = np.full(points, -1, dtype=np.int64)
        visits = self.found.point[chosen]
        candidate[visits] = chosen
        travel = float(np.sum(self.seconds(chosen)))
        limit, singularity = self._limit[chosen], self._singularity[chosen]
        return Choice(
            candidate=candidate,
            visits=visits,
            margins=replace(self.found.margins, limit=limit, singularity=singularity),
            cost=travel + 2.0 * float(np.sum(self.costs.lines[chosen])),
        )

    def bound(self, cost: float, steps: int) -> float:
        """Seconds that no order with any branches goes below.

        Args:
            cost: of a known order. [s]
            steps: in which the bound is raised.
        """
        pool = self._pool(near=False)
        pool = pool.only(np.nonzero(self._valid[pool.rows])[0])
        pool = replace(pool, weight=2.0 * self.costs.lines[pool.rows])
        return lower_bound(pool, pool.forced(self._travels), cost, steps)

    def seconds(self, chosen: Indices) -> Array:
        """What each of the ``legs`` takes, forced times included. # (k - 1,) or (k + 1,) [s]."""
        legs = self.legs(chosen)
        direct = zip(legs, self.direct_seconds(legs).tolist(), strict=True)
        return np.array([self._travels.get((min(a, b), max(a, b)), s) for (a, b), s in direct])

    def legs(self, chosen: Indices) -> list[tuple[int, int]]:
        """From each candidate to the next; from ``HOME`` first and there at last, if there is."""
        tour = chosen.tolist()
        if self.costs.home is not None and tour:
            tour = [HOME, *tour, HOME]
        return list(pairwise(tour))

    def direct_seconds(self, legs: Sequence[tuple[int, int]]) -> Array:
        """Least times of straight travels. Args: pairs of candidates or ``HOME``. # (m,) [s]."""
        ends = np.array(legs, dtype=np.int64).reshape(-1, 2)
        q = np.empty((*ends.shape, self.found.lines.q_starts.shape[1]))
        own = ends != HOME
        q[own] = self.found.lines.q_starts[ends[own]]
        if self.costs.home is not None:
            q[~own] = self.costs.home
        return self.costs.travel(q[:, 0], q[:, 1])

    def _pool(self, *, near: bool) -> CandidatePool:
        """All candidates that were valid to begin with."""
        if near not in self._pools:
            self._pools[near] = (
                self._pool(near=False).with_near(self.rules.group) if near else self._bare_pool()
            )
        return self._pools[near]

    def _bare_pool(self) -> CandidatePool:
        rows = np.nonzero(self._valid)[0]
        q, home = self.found.lines.q_starts[rows], self.costs.home
        limits, law = self.costs.limits, self.costs.travel_law
        return CandidatePool(
            rows=rows,
            point=self.found.point[rows],
            weight=self._weight[rows],
            times=JointTimes.of(q, limits, law),
            near=Near.none(rows.size),
            home=None if home is None else JointTimes.of(home[None], limits, law).scaled,
        )

    def _proven(self, chosen: Indices) -> Mask:
        """Whether candidates keep their margins exactly; those that do not are never used again."""
        new = chosen[np.isnan(self._singularity[chosen])]
        margins = exact_margins(self.found.lines.take(new))
        self._limit[new], self._singularity[new] = margins.limit, margins.singularity
        self._valid[new] = margins.keep(self.costs.required)
        kept = new[self._valid[new]]
        if self._prove is not None and kept.size:
            self._valid[kept] = self._prove(kept)
        return self._valid[chosen]


def _from_middle(found: Candidates) -> Array:
    """Mean distance from mid range, 0 in the middle and 1 at a limit; unlimited joints count 0."""
    mechanism = found.lines.model.mechanism
    low, high = mechanism.q_min, mechanism.q_max
    bounded = np.isfinite(low) & np.isfinite(high) & (high > low)
    low, high = np.where(bounded, low, 0.0), np.where(bounded, high, 0.0)
    middle, half = (low + high) / 2.0, np.where(bounded, (high - low) / 2.0, np.inf)
    return np.asarray(np.mean(np.abs(found.lines.q_starts - middle) / half, axis=1))


# --- Lower bound ---------------------------------------------------------------------------------
# Between two points no travel is quicker than the quickest one between any of their candidates.
# With these times a path through all points and the rest beyond its ends is a ring, and no ring is
# shorter than the shortest 1-tree: a spanning tree of the points and two edges to the rest, which
# is home, or at no distance. Prices
# on the points, which every ring pays alike but not every tree, raise it (Held and Karp 1970). Only
# pairs of near points are listed; for all others stands a time that none of them beats.

_LISTED = 10  # pairs kept for each point
_FAR = 1e6  # [s] stands for "no pair is left out"
_PATIENCE = 8  # steps without a rise, before they become shorter
_SHORTER = 0.7
_MEMORY = 0.4  # part of the last direction in the next one
_GUESS = 1.2  # of the best order over the first tree
_ROUNDING = 1e-9  # of the bound, taken off


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """Pairs of points, numbered from 0, with times that no candidates beat.

    Args:
        ends: # (m, 2)
        seconds: exact for these. # (m,) [s]
        others: at each point, no pair that is not listed is quicker. # (points,) [s]
        rest: from each point to the rest. # (points,) [s]
    """

    ends: Indices
    seconds: Array
    others: Array
    rest: Array


def lower_bound(pool: CandidatePool, forced: Forced, cost: float, steps: int) -> float:
    """Seconds that no order and no branches go below, lines and travel together.

    Args:
        pool: candidates that may be used; their weights are the lines.
        forced: travels that take another time, numbered as the pool's ``with_home`` is.
        cost: of a known order: the nearer the better. [s]
        steps: in which the bound is raised.
    """
    if not len(pool.point):  # no point is measured
        return 0.0
    point = np.unique(pool.point, return_inverse=True)[1].reshape(-1)
    first = np.searchsorted(point, np.arange(point[-1] + 2))
    least = np.minimum.reduceat(pool.weight, first[:-1])
    constant = float(np.sum(least))
    extra = 0.5 * (pool.weight - least[point])
    rest = np.minimum.reduceat(extra + _to_rest(pool), first[:-1])
    if point[-1] == 0:
        if pool.home is None:
            return constant
        raised = 2.0 * float(rest[0])
    else:
        raised = _raised(_pairs(pool, point, first, extra, rest), cost - constant, steps)
    bound = constant + raised
    a, b = forced.ends.T
    shortcut = np.maximum(0.0, pool.with_home.between(a, b) - forced.seconds)
    return bound - float(np.sum(shortcut)) - _ROUNDING * abs(bound)


def _to_rest(pool: CandidatePool) -> Array:
    """Direct travel between each candidate and home; zeros without home. # (C,) [s]."""
    count = pool.point.size
    if pool.home is None:
        return np.zeros(count)
    return pool.with_home.between(np.arange(count), np.array(count))


def _pairs(
    pool: CandidatePool, point: Indices, first: Indices, extra: Array, rest: Array
) -> _Pairs:
    near = nearest(pool.times, point, np.zeros_like(point))
    start, k = np.nonzero(near.candidate >= 0)
    both = np.sort(np.stack([point[start], point[near.candidate[start, k]]], axis=1), axis=1)
    ends = np.unique(both, axis=0)
    seconds = np.empty(len(ends))
    PAIRS(pool.times.scaled, pool.times.law, first, extra, ends, seconds)
    others = np.minimum.reduceat(near.beyond + extra, first[:-1])
    return _fewer(_Pairs(ends=ends, seconds=seconds, others=np.minimum(others, _FAR), rest=rest))


def _fewer(pairs: _Pairs) -> _Pairs:
    """Pairs that are among the quickest at one of their ends."""
    both = np.concatenate([pairs.ends[:, 0], pairs.ends[:, 1]])
    seconds = np.tile(pairs.seconds, 2)
    rank = np.lexsort((seconds, both))
    first = np.searchsorted(both[rank], np.arange(pairs.others.size))
    place = np.empty_like(rank)
    place[rank] = np.arange(rank.size) - first[both[rank]]
    kept = np.any(place.reshape(2, -1) < _LISTED, axis=0)
    others = pairs.others.copy()
    for side in range(2):
        np.minimum.at(others, pairs.ends[~kept, side], pairs.seconds[~kept])
    return replace(pairs, ends=pairs.ends[kept], seconds=pairs.seconds[kept], others=others)


def _raised(pairs: _Pairs, cost: float, steps: int) -> float:
    """The largest 1-tree that the prices reach."""
    points = pairs.others.size
    price, last, best = np.zeros(points), np.zeros(points), -np.inf
    factor, waited = 1.0, 0
    for _ in range(steps):
        length, degree = _one_tree(pairs, price)
        if not np.isfinite(cost):  # no order is known that is possible
            cost = _GUESS * length
        waited = waited + 1 if length <= best else 0
        best = max(best, length)
        if waited == _PATIENCE:
            factor, waited = factor * _SHORTER, 0
        slope = degree - 2.0
        norm = float(np.sum(slope * slope))
        if norm == 0.0 or length >= cost:
            break
        last = (1.0 - _MEMORY) * slope + _MEMORY * last
        price = price + factor * (cost - length) / norm * last
    return best


def _one_tree(pairs: _Pairs, price: Array) -> tuple[float, Array]:
    """Length of the shortest 1-tree less twice the prices, and the points' degrees."""
    points = price.size
    # Of unlisted pairs a star about the cheapest point suffices: it has the longest edge of every
    # ring that they close.
    half = 0.5 * pairs.others + price
    hub = int(np.argmin(half))
    star = np.stack([np.arange(points), np.full(points, hub)], axis=1)
    ends = np.concatenate([pairs.ends, star])
    seconds = np.concatenate(
        [pairs.seconds + price[pairs.ends[:, 0]] + price[pairs.ends[:, 1]], half + half[hub]]
    )
    rank = np.argsort(seconds, kind="stable")
    parent, degree, length = np.arange(points), np.zeros(points), np.zeros(1)
    TREE(ends, seconds, rank, parent, degree, length)
    away = price + pairs.rest
    rest = np.argsort(away, kind="stable")[:2]
    degree[rest] += 1.0
    return float(length[0] + np.sum(away[rest]) - 2.0 * np.sum(price)), degree


def quickest_pairs(
    scaled: Array, law: Array, first: Indices, extra: Array, ends: Indices, seconds: Array
) -> None:
    """The quickest travel between any candidates of two points, with what these cost more.

    Args:
        scaled: see ``Graph``. # (C, kinds · n)
        law: see ``Graph``. # (3,)
        first: where each point's candidates begin. # (points + 1,)
        extra: half of what each costs more than the point's cheapest. # (C,) [s]
        ends: pairs of points. # (m, 2)
        seconds: filled. # (m,) [s]
    """
    for k in range(seconds.size):
        best = 1e300
        for a in range(first[ends[k, 0]], first[ends[k, 0] + 1]):
            for b in range(first[ends[k, 1]], first[ends[k, 1] + 1]):
                best = min(best, direct(scaled, law, a, b) + extra[a] + extra[b])
        seconds[k] = best


def root(parent: Indices, s: int) -> int:
    """Name of the tree that a point belongs to."""
    while parent[s] != s:
        parent[s] = parent[parent[s]]
        s = parent[s]
    return s


def spanning_tree(
    ends: Indices, seconds: Array, rank: Indices, parent: Indices, degree: Array, length: Array
) -> None:
    """The shortest spanning tree (Kruskal).

    Args:
        ends: of the edges. # (m, 2)
        seconds: of the edges. # (m,) [s]
        rank: edges, the shortest first. # (m,)
        parent: work: every point itself. # (points,)
        degree: zeros; filled. # (points,)
        length: zero; filled. # (1,) [s]
    """
    left = parent.size - 1
    for k in range(rank.size):
        if left == 0:
            break
        s, t = ends[rank[k], 0], ends[rank[k], 1]
        a, b = root(parent, s), root(parent, t)
        if a != b:
            parent[a] = b
            degree[s] += 1.0
            degree[t] += 1.0
            length[0] += seconds[rank[k]]
            left -= 1


PAIRS = Loop(quickest_pairs, "f8[2] f8[1] i8[1] f8[1] i8[2] f8[1]")
TREE = Loop(spanning_tree, "i8[2] f8[1] i8[1] i8[1] f8[1] f8[1]")
