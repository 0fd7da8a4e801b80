"""Changes that shorten a tour: runs reversed (2-opt), runs moved (Or-opt), alternatives changed.

Each function looks for the best change of its kind that brings a stop beside one of its near
candidates, makes it if it gains, and says whether it did. Kernels; see ``graph``.
"""

from __future__ import annotations

from planner.order.graph import APART, Graph, edge, forced
from planner.order.ring import Ring, change, push, stop_at, swap_blocks, turn
from robots.core.arrays import Indices

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
    """Cost of going to the k-th near candidate; nothing to the rest. [s]."""
    if k < 0:
        return 0.0
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
