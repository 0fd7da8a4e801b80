"""Alternatives of least cost for a given order of stops, by dynamic programming.

Kernel; see ``graph``.
"""

from __future__ import annotations

from planner.order.graph import APART, Graph, seconds
from robots.core.arrays import Array, Indices


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
        totals[a], back[a] = graph.weight[a], -1
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
        if totals[b] < totals[a]:
            a = b
    cost[0] = totals[a]
    for k in range(order.size - 1, -1, -1):
        now[order[k]] = a
        a = back[a]
