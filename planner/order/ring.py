"""A tour and what a search remembers of it: reversals that can be undone, stops to look at.

The tour is a ring of all stops and one rest, which is at no distance from anything: the path starts
after it and ends before it. Every change is a reversal of places or another alternative, and is
written down until it is accepted. These functions are kernels; see ``graph``.
"""

from __future__ import annotations

from typing import NamedTuple

from planner.order.graph import Graph, edge
from robots.core.arrays import Array, Indices

HEAD, WAITING, LOGGED, RANDOM = 0, 1, 2, 3  # entries of ``Ring.counts``
ALTERNATIVE = -1  # marks a logged change of alternative
TYPES = "i8[1] i8[1] i8[1] f8[1] i8[1] i8[1] i8[2] i8[1] f8[1]"


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


def measure_all(graph: Graph, ring: Ring) -> None:
    """Find the cost from every place to the next."""
    for place in range(ring.order.size):
        s, t = ring.order[place], stop_at(ring.order, place + 1)
        ring.ahead[place] = edge(graph, ring.now, s, t)
