"""The search for short tours: starts, local search with kicks, alternatives by dynamic programming.

The number of steps is fixed by the effort, never by the clock: the same problem and the same seed
give the same tour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from planner.order import layers, ring, settle, starts
from planner.order.graph import TYPES
from planner.order.stops import Stops
from robots.core.arrays import Indices
from robots.core.kernels.loop import Loop

Told = Callable[[int, int], None]  # kicks done, of how many

SEARCH = Loop(settle.search, f"({TYPES}) ({ring.TYPES}) i8 i8")
NEAREST_FIRST = Loop(starts.nearest_first, f"({TYPES}) ({starts.TYPES}) i8")
MEASURE = Loop(ring.measure_all, f"({TYPES}) ({ring.TYPES})")
BEST = Loop(layers.best_alternatives, f"({TYPES}) i8[1] i8[1] f8[1] i8[1] f8[1]")

# Sizes of single calls: a tenth of a second or less, so that Ctrl-C is heard.
_STEPS = 5_000
_KICKS = 2_000
_ADDED = 500

_LOG = 4096  # changes that one kick may entail
_LEGS = 4  # between two of them the alternatives are chosen anew
_TRIED = 4  # starts that get a part of the kicks, before the best gets the rest
_TRIAL = 0.05  # part of the kicks that each of them gets
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

    def best(self, given: Iterable[Indices], kicks: int) -> Tour:
        """The best tour found, from starts of its own and from given orders of the stops."""
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
            best = self._leg(best, (leg + 1) * left // _LEGS - leg * left // _LEGS)
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
        start = starts.Start(
            order=np.zeros(count, dtype=np.int64),
            now=np.zeros(count, dtype=np.int64),
            left=np.arange(count),
            spot=np.arange(count),
            members=np.bincount(graph.group).astype(np.int64),
            counts=np.array([0, -1, -1]),
        )
        stop = int(np.searchsorted(graph.first, way, side="right")) - 1
        starts.visit(graph, start, stop, way)
        while start.counts[0] < count:
            NEAREST_FIRST(graph, start, _ADDED)
            self._told(self._done, self._total)
        return Tour(order=start.order, now=start.now, cost=np.inf)

    def _settled(self, tour: Tour) -> Tour:
        """No change that the search knows shortens it further."""
        return self.quickest(_order(self._settle(tour)))

    def _settle(self, tour: Tour) -> ring.Ring:
        state = self._ring(tour)
        while state.counts[ring.WAITING] > 0:
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
        self._seed = int(state.counts[ring.RANDOM])
        return min(self.quickest(_order(state)), tour, key=_cost)

    def _ring(self, tour: Tour) -> ring.Ring:
        """A tour as the kernels know it, every stop waiting to be looked at."""
        graph, count = self._stops.graph, self._stops.count
        order = np.append(tour.order, count)
        place = np.argsort(order).astype(np.int64)
        state = ring.Ring(
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


def _order(state: ring.Ring) -> Indices:
    """The tour from the rest on. # (S,)."""
    rest = int(state.place[-1])
    return np.asarray(np.concatenate([state.order[rest + 1 :], state.order[:rest]]))


def _cost(tour: Tour) -> float:
    return tour.cost
