"""Stretches of time between two places of a motion, and their refinement to a given error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.plan import Plan
from robots.core.arrays import Array, Indices, Mask

_ROUNDS = 10
_MOST_PARTS = 32  # into which an interval is cut in one round
_NONE = 1e-9  # of a segment's duration: a shorter piece is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Stretches of time, each inside one segment.

    Args:
        segment: that each lies in. # (m,)
        start: [s] # (m,)
        end: [s] # (m,)
    """

    segment: Indices
    start: Array
    end: Array

    def __len__(self) -> int:
        """How many there are."""
        return len(self.segment)

    def take(self, rows: Mask | Indices) -> Intervals:
        """Some of them."""
        return Intervals(segment=self.segment[rows], start=self.start[rows], end=self.end[rows])

    def split(self, parts: Indices) -> Intervals:
        """Each cut into equal parts. # (m,)."""
        row = np.repeat(np.arange(len(self)), parts)
        place = np.arange(len(row)) - np.repeat(np.cumsum(parts) - parts, parts)
        span, many = (self.end - self.start)[row], parts[row]
        start = self.start[row] + span * (place / many)
        last = place + 1 == many
        end = np.where(last, self.end[row], self.start[row] + span * ((place + 1) / many))
        return Intervals(segment=self.segment[row], start=start, end=end)

    def inside(self, fractions: Array) -> Array:
        """Instants at fractions of each. # (m, f) [s]."""
        return np.asarray(self.start[:, None] + (self.end - self.start)[:, None] * fractions)

    def in_order(self) -> Intervals:
        """The same in order of time."""
        return self.take(np.lexsort((self.start, self.segment)))


def whole_segments(plan: Plan, chosen: Indices) -> Intervals:
    """Segments of a plan from end to end. # (m,)."""
    segments = [plan.timeline[i] for i in chosen]
    start = np.array([segment.start for segment in segments], dtype=np.float64)
    end = np.array([segment.end for segment in segments], dtype=np.float64)
    return Intervals(segment=chosen, start=start, end=end)


def smooth_pieces(plan: Plan) -> Intervals:
    """All segments that take time, cut where their laws switch."""
    moving = np.array([k for k, s in enumerate(plan.timeline) if s.duration > 0.0], dtype=np.int64)
    borders = {int(k): np.zeros(0) for k in moving}
    for stretch in plan.trajectory.stretches:
        pieces = stretch.motions.pieces
        index, piece = (
            np.repeat(stretch.index, pieces),
            np.tile(np.arange(pieces), len(stretch.index)),
        )
        s = stretch.motions.law_state(index, piece, np.zeros(len(index))).s
        for segment, row in zip(stretch.segment, s.reshape(-1, pieces), strict=True):
            if int(segment) in borders:
                borders[int(segment)] = row
    whole = whole_segments(plan, moving)
    found = [_cut(whole, row, borders[int(segment)]) for row, segment in enumerate(whole.segment)]
    return _joined(found)


def refined(
    intervals: Intervals,
    error: Callable[[Intervals], Array],
    *,
    tolerance: float,
    order: int,
) -> Intervals:
    """Cut intervals until the error of each is within a tolerance.

    Args:
        intervals: to begin with.
        error: of each interval. # (m,)
        tolerance: in the unit of the error.
        order: the error falls with this power of an interval's length.
    """
    done, todo = [], intervals
    for _ in range(_ROUNDS):
        found = error(todo)
        bad = found > tolerance
        done.append(todo.take(~bad))
        if not bad.any():
            break
        parts = np.ceil((found[bad] / tolerance) ** (1.0 / order)).astype(np.int64)
        todo = todo.take(bad).split(np.clip(parts, 2, _MOST_PARTS))
    else:
        done.append(todo)
    return _joined(done).in_order()


def _cut(whole: Intervals, row: int, places: Array) -> Intervals:
    start, end = whole.start[row], whole.end[row]
    inside = np.unique(places[(places > _NONE) & (places < 1.0 - _NONE)])
    inside = inside[np.diff(inside, prepend=0.0) > _NONE]
    borders = np.concatenate([[start], start + (end - start) * inside, [end]])
    segment = np.full(len(inside) + 1, whole.segment[row])
    return Intervals(segment=segment, start=borders[:-1], end=borders[1:])


def _joined(parts: list[Intervals]) -> Intervals:
    empty = Intervals(segment=np.zeros(0, dtype=np.int64), start=np.zeros(0), end=np.zeros(0))
    parts = [empty, *parts]
    return Intervals(
        segment=np.concatenate([part.segment for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
    )
