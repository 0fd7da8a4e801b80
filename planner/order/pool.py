"""Candidates that an order may be made of, with their times of travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from planner.order.graph import REFUSED
from planner.order.joint_times import JointTimes
from planner.order.near import Near, nearest
from robots.core.arrays import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forced:
    """Travels whose time is not that of the straight one.

    Args:
        ends: candidates at both ends. # (f, 2)
        seconds: what each takes, either way; infinite where it is impossible. # (f,) [s]
    """

    ends: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    seconds: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, travels: Mapping[tuple[int, int], float]) -> Forced:
        """From pairs of candidates; each pair once, whichever way."""
        ends = np.array([*travels], dtype=np.int64).reshape(-1, 2)
        return cls(ends=ends, seconds=np.array([*travels.values()], dtype=np.float64))

    def among(self, rows: Indices) -> Forced:
        """Those between some of the candidates, numbered by their places. Args: rows, rising."""
        place = np.searchsorted(rows, self.ends)
        known = np.all(rows[np.minimum(place, rows.size - 1)] == self.ends, axis=1)
        return Forced(ends=place[known], seconds=self.seconds[known])

    def rows(self, count: int) -> tuple[Indices, Indices, Array]:
        """See ``Graph``: first # (count + 1,), other # (2f,), seconds # (2f,) [s]."""
        start = np.concatenate([self.ends[:, 0], self.ends[:, 1]])
        end = np.concatenate([self.ends[:, 1], self.ends[:, 0]])
        seconds = np.minimum(np.tile(self.seconds, 2), REFUSED)
        rank = np.argsort(start, kind="stable")
        first = np.searchsorted(start[rank], np.arange(count + 1))
        return first.astype(np.int64), end[rank], seconds[rank]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidatePool:
    """Some of the candidates, numbered by their places here.

    Args:
        rows: what they are called outside, rising. # (C,)
        point: that each one serves. # (C,)
        weight: seconds that each one costs beside travel. # (C,) [s]
        times: of travel.
        near: candidates near to each.
    """

    rows: Indices
    point: Indices
    weight: Array
    times: JointTimes
    near: Near

    def only(self, chosen: Indices) -> CandidatePool:
        """Some of the candidates, without lists of near ones. Args: chosen, rising."""
        return CandidatePool(
            rows=self.rows[chosen],
            point=self.point[chosen],
            weight=self.weight[chosen],
            times=self.times.take(chosen),
            near=Near.none(chosen.size),
        )

    def with_near(self, group: Indices) -> CandidatePool:
        """The same with lists of near candidates. Args: group of each point. # (points,)."""
        return replace(self, near=nearest(self.times, self.point, group[self.point]))
