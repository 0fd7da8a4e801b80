"""Shorter tours through configurations: runs are reversed (2-opt) or moved (Or-opt).

A tour starts and ends where it likes. Only exchanges that bring neighbours together are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Travel = Callable[[Array, Array], Array]  # configurations (..., n) twice -> seconds (...)

_NEIGHBOURS = 10
_LONGEST_RUN = 3  # points that Or-opt moves together
_GAIN = 1e-12  # [s] below which a gain is rounding


def nearest_first(q: Array, travel: Travel) -> Indices:
    """A tour from the first configuration, always on to the nearest that is left. # (k,)."""
    left = np.ones(len(q), dtype=bool)
    tour = [0] if len(q) else []
    for _ in range(len(q) - 1):
        left[tour[-1]] = False
        rest = np.nonzero(left)[0]
        tour.append(int(rest[np.argmin(travel(q[tour[-1]], q[rest]))]))
    return np.array(tour, dtype=np.int64)


def shortened(q: Array, tour: Indices, travel: Travel, *, scale: Array) -> Indices:
    """A tour that no exchange of neighbours shortens further.

    Args:
        q: configurations. # (k, n)
        tour: to begin with, a permutation. # (k,)
        travel: seconds between configurations, symmetric.
        scale: weights of the joints, to find neighbours by. # (n,)
    """
    if len(q) < 3:
        return tour
    exchange = _Exchange(q=q, travel=travel, near=_neighbours(q * scale))
    while True:
        turned = exchange.reversals(tour)
        if turned is None:
            turned = exchange.moves(tour)
        if turned is None:
            return tour
        tour = turned


def _neighbours(scaled: Array) -> Indices:
    """Nearest others of each configuration by the largest joint displacement. # (k, m)."""
    from scipy.spatial import cKDTree

    count = min(_NEIGHBOURS + 1, len(scaled))
    _, near = cKDTree(scaled).query(scaled, k=count, p=np.inf)
    return np.asarray(near, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Exchange:
    """Exchanges on a tour; beyond both of its ends lies a place that is near to everything."""

    q: Array
    travel: Travel
    near: Indices

    def reversals(self, tour: Indices) -> Indices | None:
        """Reverse runs, the best first, as many as do not overlap; None where none gains."""
        k = len(tour)
        place = _inverse(tour)
        a = np.repeat(np.arange(k), self.near.shape[1])  # places whose point gets a new neighbour
        c = place[self.near[tour]].ravel()
        low, high = np.minimum(a, c), np.maximum(a, c)
        # Joining a and c, both at the left or both at the right end of what is reversed.
        first = np.concatenate([low + 1, low])
        last = np.concatenate([high, high - 1])
        useful = first < last
        first, last = first[useful], last[useful]
        gain = self._edge(tour, first - 1, first) + self._edge(tour, last, last + 1)
        gain -= self._edge(tour, first - 1, last) + self._edge(tour, first, last + 1)
        chosen = _disjoint(first, last, gain)
        if not chosen:
            return None
        turned = tour.copy()
        for m in chosen:
            turned[first[m] : last[m] + 1] = tour[first[m] : last[m] + 1][::-1]
        return turned

    def moves(self, tour: Indices) -> Indices | None:
        """Move short runs, the best first, as many as share no edge; None where none gains."""
        lengths = range(1, min(_LONGEST_RUN, len(tour) - 2) + 1)
        parts = [
            self._moves(tour, length, turned=turned, after=after)
            for length, turned, after in product(lengths, (False, True), (False, True))
        ]
        taken = np.zeros(len(tour) + 1, dtype=bool)  # edges, each by the place after it
        key = np.arange(len(tour), dtype=np.float64)
        for move in _by_gain(parts):
            edges = [*range(move.first, move.last + 2), move.gap]
            if not taken[edges].any():
                taken[edges] = True
                # Between the places before and at the gap, in the run's own or opposite order.
                steps = np.arange(1, move.last - move.first + 2) / (_LONGEST_RUN + 2)
                inside = steps[::-1] if move.turned else steps
                key[move.first : move.last + 1] = move.gap - 1 + inside
        return tour[np.argsort(key, kind="stable")] if taken.any() else None

    def _moves(self, tour: Indices, length: int, *, turned: bool, after: bool) -> _Moves:
        """Runs of one length that come to stand before or after a neighbour of their near end."""
        k, place = len(tour), _inverse(tour)
        starts = np.arange(k - length + 1)
        # After a neighbour the run's own head stands beside it, before one its tail.
        near_end = starts if turned != after else starts + length - 1
        first = np.repeat(starts, self.near.shape[1])
        last = first + length - 1
        gap = place[self.near[tour[near_end]]].ravel() + (1 if after else 0)
        useful = (gap < first) | (gap > last + 1)
        first, last, gap = first[useful], last[useful], gap[useful]
        head, tail = (last, first) if turned else (first, last)
        gain = self._edge(tour, first - 1, first) + self._edge(tour, last, last + 1)
        gain += self._edge(tour, gap - 1, gap) - self._edge(tour, first - 1, last + 1)
        gain -= self._edge(tour, gap - 1, head) + self._edge(tour, tail, gap)
        gaining = gain > _GAIN
        return _Moves(
            first=first[gaining],
            last=last[gaining],
            gap=gap[gaining],
            gain=gain[gaining],
            turned=turned,
        )

    def _edge(self, tour: Indices, i: Indices, j: Indices) -> Array:
        """Seconds between the points at two places; nothing from beyond an end. # (m,)."""
        k = len(tour)
        inside = (i >= 0) & (i < k) & (j >= 0) & (j < k)
        from_, to = tour[np.clip(i, 0, k - 1)], tour[np.clip(j, 0, k - 1)]
        return np.where(inside, self.travel(self.q[from_], self.q[to]), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    """A run of places, and the place that its points would be put before."""

    first: int
    last: int
    gap: int
    turned: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Moves:
    """Moves of one kind that gain. # (m,) each."""

    first: Indices
    last: Indices
    gap: Indices
    gain: Array  # [s]
    turned: bool


def _by_gain(parts: list[_Moves]) -> Iterator[_Move]:
    """All moves, the one that gains most first."""
    first, last, gap = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "last", "gap")
    )
    turned = np.concatenate([np.full(part.gain.size, part.turned) for part in parts])
    gain = np.concatenate([part.gain for part in parts])
    for m in np.argsort(-gain, kind="stable").tolist():
        yield _Move(first=int(first[m]), last=int(last[m]), gap=int(gap[m]), turned=bool(turned[m]))


def _inverse(tour: Indices) -> Indices:
    place = np.empty_like(tour)
    place[tour] = np.arange(len(tour))
    return place


def _disjoint(first: Indices, last: Indices, gain: Array) -> list[int]:
    """Exchanges that gain, the best first, none touching another."""
    gaining = np.nonzero(gain > _GAIN)[0]
    order = gaining[np.argsort(-gain[gaining], kind="stable")]
    taken = np.zeros(int(last.max(initial=0)) + 3, dtype=bool)
    chosen = []
    for m in order.tolist():
        a, b = int(first[m]), int(last[m])
        if not taken[a : b + 3].any():  # the places before, between and after
            taken[a : b + 3] = True
            chosen.append(m)
    return chosen
