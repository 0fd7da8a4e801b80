"""The search for short tours: starts, local search with kicks, alternatives by dynamic programming.

The number of steps is fixed by the effort and by what they gain, never by the clock: the same
problem and the same seed give the same tour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.order.graph import APART, TYPES, Graph, edge, forced, home_leg, seconds
from planner.order.stops import Stops
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop

Told = Callable[[int, int], None]  # kicks done, of how many


def search(graph: Graph, ring: Ring, steps: int, kicks: int) -> None:
    """Settle waiting stops for good; or kick, settle and keep what is not worse.

    Args:
        graph: of all stops.
        ring: the tour.
        steps: stops to look at before the first kick, at most.
        kicks: how many.
    """
    settled = ring.counts[WAITING] == 0
    for _ in range(kicks if settled else 1):
        ring.gain[0] = 0.0
        if settled and not kick(graph, ring):
            continue
        settle(graph, ring, steps, settled)
        if settled:
            while ring.counts[WAITING] > 0:
                pull(ring)
            if ring.gain[0] < 0.0:
                undo(graph, ring)
        ring.counts[LOGGED] = 0


RING_TYPES = "i8[1] i8[1] i8[1] f8[1] i8[1] i8[1] i8[2] i8[1] f8[1]"
SEARCH = Loop(search, f"({TYPES}) ({RING_TYPES}) i8 i8")
START_TYPES = "i8[1] i8[1] i8[1] i8[1] i8[1] i8[1]"


def nearest_first(graph: Graph, start: Start, steps: int) -> None:
    """Go on from the last stop of a tour.

    Args:
        graph: of all stops.
        start: the tour so far.
        steps: how many stops to add at most.
    """
    for _ in range(min(steps, start.order.size - start.counts[0])):
        here = graph.leave[start.now[start.order[start.counts[0] - 1]]]
        start.counts[1] = -1
        best = 1e300
        for k in range(graph.near.shape[1]):
            near = graph.near[here, k]
            if near < 0 or graph.near_seconds[here, k] >= best:
                break
            if graph.stop_of[near] >= 0:
                best = offer(graph, start, graph.stop_of[near], near, best)
        if start.counts[1] < 0:
            for k in range(start.left.size - start.counts[0]):
                best = offer(graph, start, start.left[k], -1, best)
        visit(graph, start, start.counts[1], start.counts[2])


NEAREST_FIRST = Loop(nearest_first, f"({TYPES}) ({START_TYPES}) i8")


def measure_all(graph: Graph, ring: Ring) -> None:
    """Find the cost from every place to the next."""
    for place in range(ring.order.size):
        s, t = ring.order[place], stop_at(ring.order, place + 1)
        ring.ahead[place] = edge(graph, ring.now, s, t)


MEASURE = Loop(measure_all, f"({TYPES}) ({RING_TYPES})")


# ------------------------------------------------------------------------------------------ Layers
# Kernel; see ``graph``.


def best_alternatives(
    graph: Graph, order: Indices, now: Indices, totals: Array, back: Indices, cost: Array
) -> None:
    """The alternatives with which an order of stops costs least; the first among equals.

    Args:
        graph: of all stops.
        order: stops. # (k,)
        now: filled: alternative of each stop. # (S,)
        totals: work: least cost up to each alternative. # (A,) [s]
        back: work: the one before it. # (A,)
        cost: filled: the least. # (1,) [s]
    """
    for a in range(graph.first[order[0]], graph.first[order[0] + 1]):
        totals[a], back[a] = graph.weight[a] + home_leg(graph, graph.enter[a]), -1
    for k in range(1, order.size):
        s, t = order[k - 1], order[k]
        apart = APART if graph.group[s] != graph.group[t] else 0.0
        for b in range(graph.first[t], graph.first[t + 1]):
            best, before = 1e300, -1
            for a in range(graph.first[s], graph.first[s + 1]):
                total = totals[a] + seconds(graph, graph.leave[a], graph.enter[b])
                if total < best:
                    best, before = total, a
            totals[b], back[b] = best + apart + graph.weight[b], before
    last = order[order.size - 1]
    a = graph.first[last]
    for b in range(graph.first[last], graph.first[last + 1]):
        totals[b] += home_leg(graph, graph.leave[b])
        if totals[b] < totals[a]:
            a = b
    cost[0] = totals[a]
    for k in range(order.size - 1, -1, -1):
        now[order[k]] = a
        a = back[a]


BEST = Loop(best_alternatives, f"({TYPES}) i8[1] i8[1] f8[1] i8[1] f8[1]")
# Sizes of single calls: a tenth of a second or less, so that Ctrl-C is heard.
_STEPS = 5_000
_KICKS = 2_000
_ADDED = 500
_LOG = 4096  # changes that one kick may entail
_LEGS = 4  # between two of them the alternatives are chosen anew
_TRIED = 4  # starts that get a part of the kicks, before the best gets the rest
_TRIAL = 0.05  # part of the kicks that each of them gets
_SURE = 30_000  # kicks that are made whatever they gain, where there are so many
_MOST_STARTS = 8
_SEEDS = 2147483646  # of the kernels' random numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tour:
    """An order of stops.

    Args:
        order: # (S,)
        now: alternative of each stop. # (S,)
        cost: as the graph counts it. [s]
    """

    order: Indices
    now: Indices
    cost: float


class TourSearch:
    """Looks for tours of some stops.

    Args:
        stops: at least one.
        seed: of the random numbers.
        told: hears how many kicks are done.
    """

    def __init__(self, stops: Stops, seed: int, told: Told | None = None) -> None:
        self._stops, self._told = stops, told or _silent
        self._seed = 1 + seed % _SEEDS
        self._done = self._total = 0

    def best(self, given: Iterable[Indices], kicks: int, worth: float = 0.0) -> Tour:
        """The best tour found, from starts of its own and from given orders of the stops.

        Args:
            given: orders of the stops.
            kicks: how many, at most.
            worth: part of the cost that a leg must gain for another one to follow.
        """
        self._done, self._total = 0, kicks
        tours = [self.quickest(order) for order in given]
        tours += [self._settled(self._nearest_first(way)) for way in self._openings()]
        tours = sorted(tours, key=_cost)[:_TRIED]
        if len(tours) > 1:
            trial = int(_TRIAL * kicks)
            tours = sorted((self._leg(tour, trial) for tour in tours), key=_cost)
        best = tours[0]
        left = kicks - self._done
        for leg in range(_LEGS):
            before = best.cost
            best = self._leg(best, (leg + 1) * left // _LEGS - leg * left // _LEGS)
            if self._done >= _SURE and before - best.cost < worth * before:
                break
        return best

    def better(self, order: Indices, kicks: int) -> Tour:
        """A given order, improved."""
        self._done, self._total = 0, kicks
        return self._leg(self.quickest(order), kicks)

    def quickest(self, order: Indices) -> Tour:
        """An order with its best alternatives."""
        graph = self._stops.graph
        now, ways = np.zeros(self._stops.count, dtype=np.int64), graph.enter.size
        cost = np.zeros(1)
        scratch = np.zeros(ways), np.zeros(ways, dtype=np.int64)
        BEST(graph, np.ascontiguousarray(order), now, *scratch, cost)
        return Tour(order=order, now=now, cost=float(cost[0]))

    def _openings(self) -> list[int]:
        """Alternatives of the stop that has most: each begins a tour of its own."""
        first = self._stops.graph.first
        stop = int(np.argmax(np.diff(first)))
        return list(range(first[stop], first[stop + 1]))[:_MOST_STARTS]

    def _nearest_first(self, way: int) -> Tour:
        """Always on to the nearest stop, from one alternative on."""
        graph, count = self._stops.graph, self._stops.count
        start = Start(
            order=np.zeros(count, dtype=np.int64),
            now=np.zeros(count, dtype=np.int64),
            left=np.arange(count),
            spot=np.arange(count),
            members=np.bincount(graph.group).astype(np.int64),
            counts=np.array([0, -1, -1]),
        )
        stop = int(np.searchsorted(graph.first, way, side="right")) - 1
        visit(graph, start, stop, way)
        while start.counts[0] < count:
            NEAREST_FIRST(graph, start, _ADDED)
            self._told(self._done, self._total)
        return Tour(order=start.order, now=start.now, cost=np.inf)

    def _settled(self, tour: Tour) -> Tour:
        """No change that the search knows shortens it further."""
        return self.quickest(_order(self._settle(tour)))

    def _settle(self, tour: Tour) -> Ring:
        state = self._ring(tour)
        while state.counts[WAITING] > 0:
            SEARCH(self._stops.graph, state, _STEPS, 0)
            self._told(self._done, self._total)
        return state

    def _leg(self, tour: Tour, kicks: int) -> Tour:
        """Settled and kicked, with the best alternatives afterwards; never worse."""
        state = self._settle(tour)
        for low in range(0, kicks if self._stops.count > 1 else 0, _KICKS):
            count = min(_KICKS, kicks - low)
            SEARCH(self._stops.graph, state, _STEPS, count)
            self._done += count
            self._told(self._done, self._total)
        self._seed = int(state.counts[RANDOM])
        return min(self.quickest(_order(state)), tour, key=_cost)

    def _ring(self, tour: Tour) -> Ring:
        """A tour as the kernels know it, every stop waiting to be looked at."""
        graph, count = self._stops.graph, self._stops.count
        order = np.append(tour.order, count)
        place = np.argsort(order).astype(np.int64)
        state = Ring(
            order=order,
            place=place,
            now=np.append(tour.now, 0),
            ahead=np.zeros(count + 1),
            queue=order.copy(),
            waiting=np.ones(count + 1, dtype=np.int64),
            log=np.zeros((_LOG, 3), dtype=np.int64),
            counts=np.array([0, count + 1, 0, self._seed]),
            gain=np.zeros(1),
        )
        MEASURE(graph, state)
        return state


def _silent(done: int, total: int) -> None:
    del done, total


def _order(state: Ring) -> Indices:
    """The tour from the rest on. # (S,)."""
    rest = int(state.place[-1])
    return np.asarray(np.concatenate([state.order[rest + 1 :], state.order[:rest]]))


def _cost(tour: Tour) -> float:
    return tour.cost


# ------------------------------------------------------------------------------------------ Starts
# Kernels; see ``graph``.


class Start(NamedTuple):
    """A tour that grows.

    Args:
        order: stops so far. # (S,)
        now: alternative of each of them. # (S,)
        left: stops that are left. # (S,)
        spot: where each stop stands in ``left``, -1 for those visited. # (S,)
        members: stops that are left of each group. # (groups,)
        counts: stops visited, next stop found (-1 for none) and its alternative. # (3,)
    """

    order: Indices
    now: Indices
    left: Indices
    spot: Indices
    members: Indices
    counts: Indices


def offer(graph: Graph, start: Start, t: int, entrance: int, best: float) -> float:
    """Keep a stop as the next one if one of its alternatives is nearer than the best so far.

    Args:
        graph: of all stops.
        start: the tour so far.
        t: the stop.
        entrance: candidate that it must be entered by; -1 for any.
        best: cost of the best so far.

    Returns:
        The cost of the best now.
    """
    s = start.order[start.counts[0] - 1]
    here = graph.leave[start.now[s]]
    if start.spot[t] < 0 or (
        start.members[graph.group[s]] > 0 and graph.group[t] != graph.group[s]
    ):
        return best
    for alternative in range(graph.first[t], graph.first[t + 1]):
        if entrance < 0 or graph.enter[alternative] == entrance:
            cost = seconds(graph, here, graph.enter[alternative]) + graph.weight[alternative]
            if cost < best:
                best = cost
                start.counts[1], start.counts[2] = t, alternative
    return best


def visit(graph: Graph, start: Start, s: int, alternative: int) -> None:
    """Put a stop at the end of the tour."""
    start.order[start.counts[0]] = s
    start.now[s] = alternative
    start.counts[0] += 1
    start.members[graph.group[s]] -= 1
    last = start.left[start.left.size - start.counts[0]]
    start.left[start.spot[s]], start.spot[last] = last, start.spot[s]
    start.spot[s] = -1


# ------------------------------------------------------------------------------------------ Settle
# Kernels; see ``graph``. A call makes a bounded number of steps, so that the caller can report
# progress and be interrupted; how the steps are shared out among calls does not change the result.

LONGEST = 3  # stops that are moved together
ROOM = 32  # entries of the log that one stop's changes may take
BLOCK = 50  # longest run that a kick moves


def improved(graph: Graph, ring: Ring, s: int) -> bool:
    """Make the first change that gains at a stop."""
    for side in range(2):
        if two_opt(graph, ring, s, side == 0):
            return True
    if switch(graph, ring, s):
        return True
    size = ring.order.size
    for trial in range(2, 2 * min(LONGEST, size - 3) + 2):
        length, first = trial // 2, trial % 2 == 0
        if length == 1 and not first:
            continue
        ahead = ring.place[size - 1] - ring.place[s]
        # A run that holds the rest is none.
        if (ahead if first else -ahead) % size >= length and relocate(
            graph, ring, s, length, first
        ):
            return True
    return False


def settle(graph: Graph, ring: Ring, steps: int, undoable: bool) -> int:
    """Look at waiting stops until none waits, or the steps or the log are used up; steps taken."""
    taken = 0
    while ring.counts[WAITING] > 0 and taken < steps:
        if not undoable:
            ring.counts[LOGGED] = 0
        elif ring.counts[LOGGED] + ROOM > ring.log.shape[0]:
            break
        s = pull(ring)
        taken += 1
        if s < graph.group.size and improved(graph, ring, s):
            push(ring, s)
    return taken


def kick(graph: Graph, ring: Ring) -> bool:
    """Let two neighbouring runs change places (a double bridge nearby), unless it splits groups."""
    size = ring.order.size
    longest = min(BLOCK, (size - 1) // 2)
    start, left, right = draw(ring, size), 1 + draw(ring, longest), 1 + draw(ring, longest)
    middle, end = (start + left) % size, (start + left + right) % size
    a, c, e = (
        stop_at(ring.order, start - 1),
        stop_at(ring.order, middle - 1),
        stop_at(ring.order, end - 1),
    )
    b, d, f = ring.order[start], ring.order[middle], ring.order[end]
    gain = ring.ahead[ring.place[a]] + ring.ahead[ring.place[c]] + ring.ahead[ring.place[e]]
    for k in range(3):
        s = a if k == 0 else (e if k == 1 else c)
        t = d if k == 0 else (b if k == 1 else f)
        gain -= edge(graph, ring.now, s, t)
    if gain < -0.5 * APART:
        return False
    ring.gain[0] += gain
    push_ends(ring, start, left)
    push_ends(ring, middle, right)
    swap_blocks(graph, ring, start, left, right)
    return True


# ------------------------------------------------------------------------------------------- Moves
# Each function looks for the best change of its kind that brings a stop beside one of its near
# candidates, makes it if it gains, and says whether it did. Kernels; see ``graph``.

LEAST = 1e-9  # [s] gain below which a change is rounding


def neighbour(graph: Graph, ring: Ring, candidate: int, k: int, side: int) -> int:
    """Stop that is left (side 0) or entered (side 1) by the k-th near candidate; -1 for none.

    For k = -1 it is the rest.
    """
    if k < 0:
        return graph.group.size
    near = graph.near[candidate, k]
    if near < 0 or graph.stop_of[near] < 0:
        return -1
    stop = graph.stop_of[near]
    way = ring.now[stop]
    found = graph.leave[way] if side == 0 else graph.enter[way]
    return stop if found == near else -1


def to_near(graph: Graph, candidate: int, k: int, apart: bool) -> float:
    """Cost of going to the k-th near candidate, or to the rest. [s]."""
    if k < 0:
        return home_leg(graph, candidate)
    cost = graph.near_seconds[candidate, k]
    cost = forced(graph, candidate, graph.near[candidate, k], cost)
    return cost + APART if apart else cost


def differ(group: Indices, s: int, t: int) -> bool:
    """Whether two stops are of different groups; the rest is of every group."""
    return group.size not in (s, t) and group[s] != group[t]


def holds_oriented(oriented: Indices, place: Indices, start: int, length: int) -> bool:
    """Whether a run of places has a stop that must not be turned round."""
    held = 0
    for k in range(oriented.size):
        if (place[oriented[k]] - start) % place.size < length:
            held += 1
    return held > 0


def push_ends(ring: Ring, start: int, length: int) -> None:
    """Let both ends of a run of places wait, and the stops beside them."""
    size = ring.order.size
    for k in range(2):
        place = (start - 1 + k * length) % size
        push(ring, ring.order[place])
        push(ring, stop_at(ring.order, place + 1))


def make_turn(graph: Graph, ring: Ring, start: int, length: int) -> bool:
    """Reverse a run of places, or all the others, if that gains."""
    size = ring.order.size
    if graph.oriented.size > 0:
        if holds_oriented(graph.oriented, ring.place, start, length):
            start, length = (start + length) % size, size - length
            if holds_oriented(graph.oriented, ring.place, start, length):
                return False
    elif 2 * length > size:
        start, length = (start + length) % size, size - length
    gain = ring.ahead[(start - 1) % size] + ring.ahead[(start + length - 1) % size]
    before, after = stop_at(ring.order, start - 1), ring.order[(start + length) % size]
    gain -= edge(graph, ring.now, before, ring.order[(start + length - 1) % size])
    gain -= edge(graph, ring.now, ring.order[start], after)
    if gain <= LEAST:
        return False
    ring.gain[0] += gain
    push_ends(ring, start, length)
    turn(graph, ring, start, length)
    return True


def two_opt(graph: Graph, ring: Ring, s: int, forward: bool) -> bool:
    """Reverse the run that parts a stop from a near one, so that they come to stand together."""
    size, now = ring.order.size, ring.now
    step, edge_at = (1, 0) if forward else (-1, -1)
    s2 = stop_at(ring.order, ring.place[s] + step)
    old = ring.ahead[(ring.place[s] + edge_at) % size]
    candidate = graph.leave[now[s]] if forward else graph.enter[now[s]]
    best, best_start, best_length = LEAST, -1, 0
    for k in range(-1, graph.near.shape[1]):
        if old <= best or (k >= 0 and graph.near_seconds[candidate, k] >= old):
            break
        r = neighbour(graph, ring, candidate, k, 1 if forward else 0)
        if r < 0 or r in (s, s2):
            continue
        gain = old - to_near(graph, candidate, k, differ(graph.group, s, r))
        gain += ring.ahead[(ring.place[r] + edge_at) % size]
        if gain <= best:
            continue
        gain -= edge(graph, now, s2, stop_at(ring.order, ring.place[r] + step))
        if gain > best:
            start = ring.place[s2] if forward else ring.place[r]
            end = ring.place[r] if forward else ring.place[s2]
            best, best_start, best_length = gain, start, (end - start) % size + 1
    return best_start >= 0 and make_turn(graph, ring, best_start, best_length)


def taken_out(graph: Graph, ring: Ring, start: int, length: int) -> float:
    """Seconds of travel saved where a run of places is left out."""
    size = ring.order.size
    before, after = stop_at(ring.order, start - 1), ring.order[(start + length) % size]
    saved = ring.ahead[(start - 1) % size] + ring.ahead[(start + length - 1) % size]
    return saved - edge(graph, ring.now, before, after)  # type: ignore[no-any-return]


def relocate(graph: Graph, ring: Ring, s: int, length: int, first: bool) -> bool:
    """Move a run that begins (or ends) with a stop, so that this stop comes beside a near one.

    A stop that moves alone may change its alternative.
    """
    size, now, present = ring.order.size, ring.now, ring.now[s]
    start = ring.place[s] if first else (ring.place[s] - length + 1) % size
    e = ring.order[(start + length - 1) % size] if first else ring.order[start]
    a, b = stop_at(ring.order, start - 1), ring.order[(start + length) % size]
    freed = graph.weight[present] + taken_out(graph, ring, start, length)
    best, best_right, best_way, best_turned = LEAST, -1, present, False
    fixed = length > 1 and holds_oriented(graph.oriented, ring.place, start, length)
    ways = graph.first[s + 1] - graph.first[s] if length == 1 else 1
    for trial in range(2 * ways):
        side = trial % 2  # s comes behind the near one, or before it
        now[s] = graph.first[s] + trial // 2 if length == 1 else present
        budget = freed - graph.weight[now[s]]
        turned = length > 1 and first == (side == 1)
        candidate = graph.enter[now[s]] if side == 0 else graph.leave[now[s]]
        for k in range(-1, graph.near.shape[1]):
            if budget <= best or (turned and fixed):
                break
            if k >= 0 and graph.near_seconds[candidate, k] >= budget:
                break
            r = neighbour(graph, ring, candidate, k, side)
            if r < 0 or (ring.place[r] - start) % size < length or r == (a if side == 0 else b):
                continue
            left = r if side == 0 else stop_at(ring.order, ring.place[r] - 1)
            gain = budget + ring.ahead[ring.place[left]]
            gain -= to_near(graph, candidate, k, differ(graph.group, s, r))
            if gain > best:
                right = stop_at(ring.order, ring.place[left] + 1)
                gain -= edge(graph, now, e if side == 0 else left, right if side == 0 else e)
                if gain > best:
                    best, best_right, best_way, best_turned = gain, right, now[s], turned
    now[s] = present
    if best_right < 0:
        return False
    ring.gain[0] += best
    if best_way != present:
        change(graph, ring, s, best_way)
    move(graph, ring, start, length, ring.place[best_right] + (size if best_turned else 0))
    return True


def move(graph: Graph, ring: Ring, start: int, length: int, target: int) -> None:
    """Put a run of places before another place; one ring further means turned round."""
    size = ring.order.size
    push_ends(ring, start, length)
    push_ends(ring, target % size, 0)
    if target >= size:
        turn(graph, ring, start, length)
        target -= size
    ahead = (target - start - length) % size  # places between the run and where it goes
    behind = size - length - ahead
    forward = ahead <= behind
    left, right = (length, ahead) if forward else (behind, length)
    swap_blocks(graph, ring, start if forward else (start - behind) % size, left, right)


def switch(graph: Graph, ring: Ring, s: int) -> bool:
    """Take the alternative that suits a stop best where it stands."""
    now, present = ring.now, ring.now[s]
    a, b = stop_at(ring.order, ring.place[s] - 1), stop_at(ring.order, ring.place[s] + 1)
    best, gained = present, LEAST
    old = ring.ahead[ring.place[s]] + ring.ahead[ring.place[a]] + graph.weight[present]
    for alternative in range(graph.first[s], graph.first[s + 1]):
        if alternative != present:
            now[s] = alternative
            gain = old - edge(graph, now, a, s) - edge(graph, now, s, b)
            gain -= graph.weight[alternative]
            if gain > gained:
                best, gained = alternative, gain
    now[s] = present
    if best == present:
        return False
    ring.gain[0] += gained
    change(graph, ring, s, best)
    push_ends(ring, ring.place[s], 1)
    return True


# -------------------------------------------------------------------------------------------- Ring
# The tour is a ring of all stops and one rest: the path starts after it and ends before it. It is
# home, or at no distance from anything. Every change is a reversal of places or another
# alternative, and is written down until it is accepted. These functions are kernels; see ``graph``.

HEAD, WAITING, LOGGED, RANDOM = 0, 1, 2, 3  # entries of ``Ring.counts``
ALTERNATIVE = -1  # marks a logged change of alternative


class Ring(NamedTuple):
    """A ring of N = S + 1 places, and the state of a search on it.

    Args:
        order: stop at each place. # (N,)
        place: of each stop. # (N,)
        now: alternative of each stop. # (N,)
        ahead: cost of going from each place to the next. # (N,) [s]
        queue: ring of stops that wait to be looked at. # (N,)
        waiting: whether a stop is in the queue. # (N,)
        log: changes since the last accepted tour. # (m, 3)
        counts: queue's head, its length, entries of the log, state of the random numbers. # (4,)
        gain: seconds gained since the last accepted tour. # (1,)
    """

    order: Indices
    place: Indices
    now: Indices
    ahead: Array
    queue: Indices
    waiting: Indices
    log: Indices
    counts: Indices
    gain: Array


def stop_at(order: Indices, place: int) -> int:
    """Stop at a place of the ring; one beyond an end is meant round the ring."""
    if place < 0:
        place += order.size
    elif place >= order.size:
        place -= order.size
    return order[place]  # type: ignore[no-any-return]


def push(ring: Ring, stop: int) -> None:
    """Let a stop wait to be looked at."""
    if not ring.waiting[stop]:
        size = ring.queue.size
        ring.waiting[stop] = 1
        ring.queue[(ring.counts[HEAD] + ring.counts[WAITING]) % size] = stop
        ring.counts[WAITING] += 1


def pull(ring: Ring) -> int:
    """The stop that has waited longest."""
    stop = ring.queue[ring.counts[HEAD]]
    ring.counts[HEAD] = (ring.counts[HEAD] + 1) % ring.queue.size
    ring.counts[WAITING] -= 1
    ring.waiting[stop] = 0
    return stop  # type: ignore[no-any-return]


def reverse(graph: Graph, ring: Ring, start: int, length: int) -> None:
    """Reverse places from start on, round the ring."""
    size = ring.order.size
    low = start
    high = (start + length - 1) % size
    for _ in range(length // 2):
        s, t = ring.order[low], ring.order[high]
        ring.order[low], ring.order[high] = t, s
        ring.place[t], ring.place[s] = low, high
        low = low + 1 if low + 1 < size else 0
        high = high - 1 if high > 0 else size - 1
    low = start
    high = (start + length - 2) % size
    for _ in range((length - 1) // 2):
        ring.ahead[low], ring.ahead[high] = ring.ahead[high], ring.ahead[low]
        low = low + 1 if low + 1 < size else 0
        high = high - 1 if high > 0 else size - 1
    measure_ends(graph, ring, start, length)


def measure_ends(graph: Graph, ring: Ring, start: int, length: int) -> None:
    """Find the cost of coming to a run of places and of going on from it."""
    size = ring.order.size
    for k in range(2):
        place = (start - 1 + k * length) % size
        s, t = ring.order[place], stop_at(ring.order, place + 1)
        ring.ahead[place] = edge(graph, ring.now, s, t)


def turn(graph: Graph, ring: Ring, start: int, length: int) -> None:
    """Reverse and write it down."""
    if length > 1:
        reverse(graph, ring, start, length)
        note(ring, start, length, 0)


def swap_blocks(graph: Graph, ring: Ring, start: int, left: int, right: int) -> None:
    """Let two neighbouring runs change places, both as they are."""
    for k in range(3):  # a single call, which compiles faster than three
        place = (start + left) % ring.order.size if k == 1 else start
        length = left if k == 0 else (right if k == 1 else left + right)
        turn(graph, ring, place, length)
    # A stop with an orientation was passed backwards for a while.
    measure_ends(graph, ring, start, right)


def change(graph: Graph, ring: Ring, stop: int, alternative: int) -> None:
    """Take another alternative and write it down."""
    note(ring, stop, ALTERNATIVE, ring.now[stop])
    ring.now[stop] = alternative
    measure_ends(graph, ring, ring.place[stop], 1)


def note(ring: Ring, first: int, second: int, third: int) -> None:
    """Write a change down."""
    row = ring.counts[LOGGED]
    ring.log[row, 0], ring.log[row, 1], ring.log[row, 2] = first, second, third
    ring.counts[LOGGED] += 1


def undo(graph: Graph, ring: Ring) -> None:
    """Take back everything since the last accepted tour."""
    while ring.counts[LOGGED] > 0:
        ring.counts[LOGGED] -= 1
        row = ring.counts[LOGGED]
        if ring.log[row, 1] == ALTERNATIVE:
            stop = ring.log[row, 0]
            ring.now[stop] = ring.log[row, 2]
            measure_ends(graph, ring, ring.place[stop], 1)
        else:
            reverse(graph, ring, ring.log[row, 0], ring.log[row, 1])


def draw(ring: Ring, count: int) -> int:
    """A random number below count (Lehmer's generator with the multiplier of Park and Miller)."""
    ring.counts[RANDOM] = (ring.counts[RANDOM] * 48271) % 2147483647
    return ring.counts[RANDOM] % count  # type: ignore[no-any-return]
