"""Branch and bound over λ, for all motions at once: how near a motion comes, proven.

An interval of λ is judged at its middle: how far things are there (``here``), and what they keep
for certain in the whole interval (``lower``). Things move at most in proportion to the distance
from the middle, so the part around it that keeps any floor is known at once: the distance in hand
decides the step, as in conservative advancement. What is left on either side is judged again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from planner.progress import Progress, silent
from robots.core.arrays import Array, Indices, Mask

Floor = Callable[[Array], Array]  # floors of motions from the least clearance seen, (m,) -> (m,)

_ROWS = 8192  # intervals judged at once
_NARROW = 1e-12  # of λ: rounding
_ROUNDING = 1e-12  # [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalVerdict:
    """What is known of intervals.

    Args:
        lower: kept in the whole interval. # (m,) [m]
        here: at its middle; exact where ``lower`` is under the floor. # (m,) [m]
    """

    lower: Array
    here: Array


class IntervalCheck(Protocol):
    """Judges intervals of motions."""

    def __call__(self, index: Indices, low: Array, high: Array, floor: Array) -> IntervalVerdict:
        """Judge; rows whose lower bound reaches their floor need not be looked at closer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Course:
    """How near motions come.

    Args:
        certified: never nearer than this; of motions given up, what is known. # (k,) [m]
        seen: least clearance that was found. # (k,) [m]
        lam: where. # (k,)
        judged: intervals judged for each motion. # (k,)
    """

    certified: Array
    seen: Array
    lam: Array
    judged: Indices


class Advance:
    """One search.

    Args:
        judge: of intervals.
        floor: what an interval must keep to be closed, from what was seen of its motion; -inf for
            motions that need not be followed further, +inf where nothing was seen yet.
        ends: whether to look at both ends first, so that floors are low from the start.
    """

    def __init__(self, judge: IntervalCheck, floor: Floor, *, ends: bool) -> None:
        self._judge = judge
        self._floor = floor
        self._ends = ends

    def run(self, count: int, progress: Progress = silent, stage: str = "clearance") -> Course:
        """Follow ``count`` motions until every interval is closed or given up."""
        course = Course(
            certified=np.full(count, np.inf),
            seen=np.full(count, np.inf),
            lam=np.zeros(count),
            judged=np.zeros(count, dtype=np.int64),
        )
        every, unknown = np.arange(count), np.full(count, -np.inf)
        if self._ends:
            for end in (0.0, 1.0):
                at = np.full(count, end)
                self._round(course, _Front(every, at, at, unknown))
        front = _Front(every, np.zeros(count), np.ones(count), unknown)
        while front.index.size:
            front = self._round(course, front)
            left = np.unique(front.index).size
            progress(stage, count - left, count)
        np.minimum(course.certified, course.seen, out=course.certified)
        return course

    def _round(self, course: Course, front: _Front) -> _Front:
        """Judge every interval; what is left of them."""
        parts = [
            self._block(course, front.take(slice(start, start + _ROWS)))
            for start in range(0, front.index.size, _ROWS)
        ]
        return _Front(
            np.concatenate([p.index for p in parts]),
            np.concatenate([p.low for p in parts]),
            np.concatenate([p.high for p in parts]),
            np.concatenate([p.kept for p in parts]),
        )

    def _block(self, course: Course, front: _Front) -> _Front:
        front = self._dropped(course, front)
        i = front.index
        floor = self._floor(course.seen[i])
        found = self._judge(i, front.low, front.high, floor)
        lower, here = found.lower, found.here
        np.add.at(course.judged, i, 1)
        looked = lower < floor
        _see(course, i[looked], here[looked], 0.5 * (front.low + front.high)[looked])
        floor = self._floor(course.seen[i])
        kept = np.maximum(lower, front.kept)
        # Sides that were cut where the floor is just kept come back a rounding below it.
        kept = np.where((kept < floor) & (kept >= floor - _ROUNDING), floor, kept)
        closed = (kept >= floor) | (front.high - front.low <= _NARROW)
        np.minimum.at(course.certified, i[closed], kept[closed])
        judged = IntervalVerdict(lower=lower[~closed], here=here[~closed])
        return _rest(course, front.take(~closed), judged, floor[~closed])

    def _dropped(self, course: Course, front: _Front) -> _Front:
        """Leave out what belongs to motions that are given up."""
        given_up = self._floor(course.seen[front.index]) == -np.inf
        np.minimum.at(course.certified, front.index[given_up], front.kept[given_up])
        return front.take(~given_up)


@dataclass(frozen=True, slots=True, eq=False)
class _Front:
    """Open intervals."""

    index: Indices  # (m,) motion
    low: Array  # (m,)
    high: Array  # (m,)
    kept: Array  # (m,) lower bound that is known already

    def take(self, rows: slice | Mask | Indices) -> _Front:
        return _Front(self.index[rows], self.low[rows], self.high[rows], self.kept[rows])


def _see(course: Course, index: Indices, here: Array, lam: Array) -> None:
    """Take over clearances that are the least of their motions."""
    order = np.lexsort((lam, here, index))
    first = np.concatenate([np.ones(min(1, order.size), bool), np.diff(index[order]) > 0])
    rows = order[first]
    rows = rows[here[rows] < course.seen[index[rows]]]
    course.seen[index[rows]] = here[rows]
    course.lam[index[rows]] = lam[rows]


def _rest(course: Course, front: _Front, judged: IntervalVerdict, floor: Array) -> _Front:
    """Both sides of the part around each middle that keeps the floor."""
    here, fall = judged.here, judged.here - judged.lower
    known = np.isfinite(fall) & np.isfinite(floor) & (here > floor)
    share = np.where(known, (here - floor) / np.where(known, fall, 1.0), 0.0)
    np.minimum.at(course.certified, front.index[share > 0.0], floor[share > 0.0])
    kept = np.maximum(judged.lower, front.kept)
    middle, half = 0.5 * (front.low + front.high), 0.5 * (front.high - front.low)
    left, right = middle - share * half, middle + share * half
    sides = _Front(
        np.concatenate([front.index, front.index]),
        np.concatenate([front.low, right]),
        np.concatenate([left, front.high]),
        np.concatenate([kept, kept]),
    )
    return sides.take(np.argsort(sides.index, kind="stable"))
