"""Corners of detours that were found: what serves the next travel around the same obstacle."""

from __future__ import annotations

import numpy as np

from planner.detours.rounded import direct_time
from planner.detours.route import TravelSpace
from robots.core.arrays import Array

_NEAREST = 24  # corners that an end is joined to


class Roadmap:
    """Postures and the legs between them that are proven.

    Args:
        room: what travel may use.
    """

    def __init__(self, room: TravelSpace) -> None:
        self._room = room
        self._corners = np.zeros((0, room.lower.size))
        self._legs: list[tuple[int, int]] = []

    def add(self, route: Array) -> None:
        """Keep the corners of a way. # (w, n)."""
        first = len(self._corners)
        inner = route[1:-1]
        self._corners = np.concatenate([self._corners, inner])
        self._legs += [(first + k, first + k + 1) for k in range(len(inner) - 1)]

    def route(self, start: Array, end: Array) -> Array:
        """The shortest way by known corners; without corners where there is none. # (w, n)."""
        if len(self._corners) == 0:
            return np.zeros((0, start.size))
        out, back = self._joined(start), self._joined(end)
        count = len(self._corners)
        legs = [*self._legs, *((count, k) for k in out), *((k, count + 1) for k in back)]
        chosen = self._shortest(np.concatenate([self._corners, [start, end]]), legs)
        corners = np.concatenate([self._corners, [start, end]])
        return np.asarray(corners[chosen])

    def _joined(self, q: Array) -> list[int]:
        """Corners that are joined to a posture by a proven leg, of the nearest ones."""
        times = direct_time(self._corners - q, self._room.limits)
        near = np.argsort(times, kind="stable")[:_NEAREST]
        kept = self._room.legs_keep(np.repeat(q[None], near.size, axis=0), self._corners[near])
        return [int(k) for k in near[kept]]

    def _shortest(self, corners: Array, legs: list[tuple[int, int]]) -> list[int]:
        """Dijkstra's way from the last but one corner to the last one; empty without one."""
        count = len(corners)
        cost = np.full((count, count), np.inf)
        for a, b in legs:
            cost[a, b] = cost[b, a] = float(direct_time(corners[b] - corners[a], self._room.limits))
        time, before = np.full(count, np.inf), np.full(count, -1)
        time[count - 2] = 0.0
        open_ = np.ones(count, dtype=bool)
        while True:
            here = int(np.argmin(np.where(open_, time, np.inf)))
            if not open_[here] or not np.isfinite(time[here]):
                return []
            if here == count - 1:
                break
            open_[here] = False
            nearer = time[here] + cost[here] < time
            before[nearer], time[nearer] = here, (time[here] + cost[here])[nearer]
        chosen = [count - 1]
        while chosen[-1] != count - 2:
            chosen.append(int(before[chosen[-1]]))
        return chosen[::-1]
