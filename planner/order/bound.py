"""A lower bound of every order with every choice of branches.

Between two points no travel is quicker than the quickest one between any of their candidates. With
these times a path through all points and the rest beyond its ends is a ring, and no ring is shorter
than the shortest 1-tree: a spanning tree of the points and two edges to the rest. Prices on the
points, which every ring pays alike but not every tree, raise it (Held and Karp 1970). Only pairs of
near points are listed; for all others stands a time that none of them beats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.order.graph import CandidatePool, Forced, direct, nearest
from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop

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
    """

    ends: Indices
    seconds: Array
    others: Array


def lower_bound(pool: CandidatePool, forced: Forced, cost: float, steps: int) -> float:
    """Seconds that no order and no branches go below, lines and travel together.

    Args:
        pool: candidates that may be used; their weights are the lines.
        forced: travels that take another time.
        cost: of a known order: the nearer the better. [s]
        steps: in which the bound is raised.
    """
    point = np.unique(pool.point, return_inverse=True)[1].reshape(-1)
    first = np.searchsorted(point, np.arange(point[-1] + 2))
    least = np.minimum.reduceat(pool.weight, first[:-1])
    constant = float(np.sum(least))
    if point[-1] == 0:
        return constant
    pairs = _pairs(pool, point, first, 0.5 * (pool.weight - least[point]))
    bound = constant + _raised(pairs, cost - constant, steps)
    a, b = forced.ends.T
    shortcut = np.maximum(0.0, pool.times.between(a, b) - forced.seconds)
    return bound - float(np.sum(shortcut)) - _ROUNDING * abs(bound)


def _pairs(pool: CandidatePool, point: Indices, first: Indices, extra: Array) -> _Pairs:
    near = nearest(pool.times, point, np.zeros_like(point))
    start, k = np.nonzero(near.candidate >= 0)
    both = np.sort(np.stack([point[start], point[near.candidate[start, k]]], axis=1), axis=1)
    ends = np.unique(both, axis=0)
    seconds = np.empty(len(ends))
    PAIRS(pool.times.scaled, pool.times.law, first, extra, ends, seconds)
    others = np.minimum.reduceat(near.beyond + extra, first[:-1])
    return _fewer(_Pairs(ends=ends, seconds=seconds, others=np.minimum(others, _FAR)))


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
    return _Pairs(ends=pairs.ends[kept], seconds=pairs.seconds[kept], others=others)


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
    rest = np.argsort(price, kind="stable")[:2]
    degree[rest] += 1.0
    return float(length[0] + np.sum(price[rest]) - 2.0 * np.sum(price)), degree


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
