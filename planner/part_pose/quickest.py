"""The quickest branches of many visits at once: one visit of the same points for every pose.

The same dynamic programming as in ``planner.order.chooser``, with one more dimension.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices

Travel = Callable[[Array, Array], Array]  # (..., n), (..., n) -> (...) [s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineCandidates:
    """Ways to serve the points of many visits.

    Args:
        table: candidates of each visit and point, -1 where there are no more. # (p, k, c)
        q: joints of every candidate at its clearance point. # (rows, n)
        cost: of serving a point by a candidate. # (rows,) [s]
    """

    table: Indices
    q: Array
    cost: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visits:
    """The quickest visits.

    Args:
        chosen: candidate of each point, -1 where there is none. # (p, k)
        time: of each visit, points without a candidate left out. # (p,) [s]
    """

    chosen: Indices
    time: Array


def tabled(visit: Indices, visits: int) -> Indices:
    """Indices of candidates by what they serve; -1 fills up. # (visits, most of one).

    Args:
        visit: what each candidate serves, rising. # (rows,)
        visits: how many there are.
    """
    counts = np.bincount(visit, minlength=visits)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    table = np.full((visits, max(int(np.max(counts, initial=0)), 1)), -1, dtype=np.int64)
    table[visit, np.arange(visit.size) - first[visit]] = np.arange(visit.size)
    return table


def quickest(ways: LineCandidates, travel: Travel) -> Visits:
    """Branches of least total time, points visited in their own order."""
    visits, points, width = ways.table.shape
    if not ways.cost.size:
        return Visits(chosen=np.full((visits, points), -1), time=np.zeros(visits))
    total = np.zeros((visits, width))
    reached = np.zeros((visits, width), dtype=bool)
    before = np.zeros((visits, width), dtype=np.int64)
    steps = np.tile(np.arange(width), (visits, points, 1))
    for k in range(points):
        layer = ways.table[:, k]
        here = layer >= 0
        served = np.any(here, axis=1)
        arrive, step = _arrivals(ways, travel, before, layer, np.where(reached, total, np.inf))
        fresh = ~np.any(reached, axis=1)
        arrive = np.where(fresh[:, None], 0.0, arrive) + np.where(here, ways.cost[layer], np.inf)
        total = np.where(served[:, None], arrive, total)
        before = np.where(served[:, None], layer, before)
        reached = np.where(served[:, None], here, reached)
        steps[:, k] = np.where(served[:, None] & ~fresh[:, None], step, steps[:, k])
    return _traced(ways.table, steps, np.where(reached, total, np.inf))


def _arrivals(
    ways: LineCandidates, travel: Travel, before: Indices, layer: Indices, total: Array
) -> tuple[Array, Indices]:
    """Least time at each candidate of a layer, and the candidate before it. # (p, c) each."""
    arrive = total[:, :, None] + travel(ways.q[before][:, :, None], ways.q[layer][:, None])
    step = np.argmin(arrive, axis=1)
    return np.take_along_axis(arrive, step[:, None], axis=1)[:, 0], step


def _traced(table: Indices, steps: Indices, total: Array) -> Visits:
    """Follow the best ends back to the first point."""
    visits, points, _ = table.shape
    rows = np.arange(visits)
    column = np.argmin(total, axis=1)
    time = total[rows, column]
    chosen = np.full((visits, points), -1, dtype=np.int64)
    for k in range(points - 1, -1, -1):
        served = np.any(table[:, k] >= 0, axis=1)
        chosen[:, k] = np.where(served, table[rows, k, column], -1)
        column = np.where(served, steps[rows, k, column], column)
    return Visits(chosen=chosen, time=np.where(np.isfinite(time), time, 0.0))
