"""A first tour: always on to the nearest stop that is left, by whichever alternative.

Kernels; see ``graph``.
"""

from __future__ import annotations

from typing import NamedTuple

from planner.order.graph import Graph, seconds
from robots.core.arrays import Indices

TYPES = "i8[1] i8[1] i8[1] i8[1] i8[1] i8[1]"


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
