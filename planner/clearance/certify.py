"""Clearance of motions, proven between samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from planner.clearance.checker import Checker
from planner.clearance.paths import Paths
from planner.progress import Progress, silent
from robots.core.arrays import Array, Indices, Mask

_SAMPLES = 17  # places where a motion that fails is looked at first, then around the worst
_ZOOMS = 3
_FINEST = 5e-6  # [m] grazing of motions that are followed to the end of the doubt
_FAR = 1e6  # [m] a floor that nothing reaches
Floor = Callable[[Array], Array]  # floors of motions from the least clearance seen, (m,) -> (m,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clearance:
    """The least clearance of every motion.

    Args:
        certified: proven: nothing ever comes nearer; inf where nothing is checked. Of a motion that
            comes nearer than required, what is known of it, maybe -inf. # (k,) [m]
        seen: the least clearance found, an upper bound of the true one; within the tolerance of
            ``certified`` where that is at least the clearance required. Below zero an estimate of
            the deepest penetration. # (k,) [m]
        pair: the one that comes nearest, index into the checker's pairs; -1 for none. # (k,)
        lam: where on the motion. # (k,)
        place: point of the moving capsule's axis there, base frame; NaN for none. # (k, 3) [m]
        judged: intervals that were judged: what the proof has cost. # (k,)
    """

    certified: Array
    seen: Array
    pair: Indices
    lam: Array
    place: Array
    judged: Indices

    def keeps(self, required: float) -> Mask:
        """Motions proven to keep a clearance. # (k,)."""
        return np.asarray(self.certified >= required)


def certify(
    checker: Checker,
    paths: Paths,
    *,
    required: float,
    tolerance: Tolerance | None = None,
    touching: bool = True,
    grazing: bool = False,
    progress: Progress = silent,
) -> Clearance:
    """Least clearance of motions, to a tolerance; those that fail are only followed to their worst.

    Args:
        checker: of the robot in its cell.
        paths: the motions.
        required: clearance that they must keep. [m]
        tolerance: of the clearances that are certified.
        touching: whether the stylus must keep away from the part too.
        grazing: whether motions that graze what is required are followed to the end of the doubt,
            as it is worth for those of a plan; otherwise they are kept where ``keeps`` says so.
        progress: told how many motions are settled.
    """
    tolerance = tolerance or Tolerance()
    if checker.empty or paths.count == 0:
        return _nothing(paths.count)
    search = Advance(_judge(checker, paths, touching), floors(required, tolerance), ends=True)
    course = search.run(paths.count, progress)

    def clearances(index: Indices, lam: Array) -> Array:
        return checker.nearest(paths.joints(index, lam), touching=touching).value

    certified = course.certified.copy()
    # A motion that grazes what is required leaves less than the doubt of a tolerance: whether it is
    # kept can be said all the same.
    doubtful = np.nonzero((certified < required) & (course.seen >= required))[0]
    if doubtful.size:
        rule = replace(tolerance, grazing=_FINEST) if grazing else tolerance
        kept = _kept(checker, paths, doubtful, required, rule, touching)
        certified[doubtful] = np.where(kept >= required, kept, certified[doubtful])
    failed = np.nonzero(course.seen < required)[0]
    lam = course.lam.copy()
    lam[failed] = deepest(clearances, failed, lam[failed])
    found = checker.nearest(paths.joints(np.arange(paths.count), lam), touching=touching)
    place = np.where(found.pair[:, None] >= 0, found.place, np.nan)
    return Clearance(
        certified=np.minimum(certified, found.value),
        seen=found.value,
        pair=found.pair,
        lam=lam,
        place=place,
        judged=course.judged,
    )


def keeps(
    checker: Checker,
    paths: Paths,
    required: float,
    *,
    tolerance: Tolerance | None = None,
    touching: bool = True,
) -> Mask:
    """Whether motions are proven to keep a clearance; each is given up at its first failure.

    Args:
        checker: of the robot in its cell.
        paths: the motions.
        required: clearance that they must keep. [m]
        tolerance: how near to it the doubt ends; such motions count as not kept.
        touching: whether the stylus must keep away from the part too.

    Returns:
        # (k,)
    """
    if checker.empty or paths.count == 0:
        return np.ones(paths.count, dtype=bool)
    every = np.arange(paths.count)
    kept = _kept(checker, paths, every, required, tolerance or Tolerance(), touching)
    return np.asarray(kept >= required)


def _kept(
    checker: Checker,
    paths: Paths,
    rows: Indices,
    required: float,
    tolerance: Tolerance,
    touching: bool,
) -> Array:
    """What some motions are proven to keep; each is given up at its first failure. # (r,) [m].

    What a motion keeps at its ends is given: one that ends nearer than the tolerance is followed
    more finely, or whatever leaves a clearance point so near would count as not kept.
    """
    judge = _judge(checker, paths, touching)

    def course(some: Indices, grazing: float) -> Course:
        def own(index: Indices, low: Array, high: Array, floor: Array) -> IntervalVerdict:
            return judge(some[index], low, high, floor)

        least = yes_or_no(required, replace(tolerance, grazing=grazing))
        return Advance(own, least, ends=False).run(some.size)

    first = course(rows, tolerance.grazing)
    certified = first.certified
    close = np.nonzero((certified < required) & (first.seen >= required))[0]
    if close.size and tolerance.grazing > _FINEST:
        ends = [
            checker.nearest(paths.joints(rows[close], np.full(close.size, lam)), touching=touching)
            for lam in (0.0, 1.0)
        ]
        gap = np.minimum(ends[0].value, ends[1].value) - required
        near = close[(gap >= 0.0) & (gap < tolerance.grazing)]
        certified[near] = np.maximum(certified[near], course(rows[near], _FINEST).certified)
    return certified


def deepest(
    clearances: Callable[[Indices, Array], Array],
    rows: Indices,
    lam: Array,
    samples: int = _SAMPLES,
) -> Array:
    """Where motions come nearest, by looking closer and closer; for reports, proves nothing.

    Args:
        clearances: at places of motions. # (m,) (m,) -> (m,) [m]
        rows: motions. # (r,)
        lam: a place to beat on each. # (r,)
        samples: looked at in each round.

    Returns:
        λ. # (r,)
    """
    if rows.size == 0:
        return lam
    best, least, width = lam, clearances(rows, lam), 0.5
    center, each = np.full(rows.size, 0.5), np.arange(rows.size)
    for _ in range(_ZOOMS):
        places = np.clip(center[:, None] + np.linspace(-width, width, samples), 0.0, 1.0)
        values = clearances(np.repeat(rows, samples), places.ravel()).reshape(places.shape)
        values = np.nan_to_num(values, nan=np.inf)
        worst = values.argmin(axis=1)
        best = np.where(values[each, worst] < least, places[each, worst], best)
        least = np.minimum(least, values[each, worst])
        center, width = best, width * 2.0 / (samples - 1)
    return np.asarray(best)


def _judge(checker: Checker, paths: Paths, touching: bool) -> IntervalCheck:
    def judge(index: Indices, low: Array, high: Array, floor: Array) -> IntervalVerdict:
        q, spread = paths.joints(index, 0.5 * (low + high)), paths.spread(index, low, high)
        along = paths.along(index, low, high)
        # Where a path does not exist (NaN) nothing is kept.
        whole = np.isfinite(q).all(axis=1) & np.isfinite(spread).all(axis=1)
        whole &= np.isfinite(along).all(axis=1)
        if whole.all():
            wanted = np.clip(floor, -_FAR, _FAR)
            found = checker.bounds(q, spread, wanted, along=along, touching=touching)
            return IntervalVerdict(lower=found.lower, here=found.here)
        judged = IntervalVerdict(
            lower=np.full(index.size, -np.inf), here=np.full(index.size, -np.inf)
        )
        wanted = np.clip(floor[whole], -_FAR, _FAR)
        found = checker.bounds(
            q[whole], spread[whole], wanted, along=along[whole], touching=touching
        )
        judged.lower[whole], judged.here[whole] = found.lower, found.here
        return judged

    return judge


def _nothing(count: int) -> Clearance:
    """Of motions that nothing can stand in the way of."""
    return Clearance(
        certified=np.full(count, np.inf),
        seen=np.full(count, np.inf),
        pair=np.full(count, -1, dtype=np.int64),
        lam=np.zeros(count),
        place=np.full((count, 3), np.nan),
        judged=np.zeros(count, dtype=np.int64),
    )


# ----------------------------------------------------------------------------------------- Advance
# An interval of λ is judged at its middle: how far things are there (``here``), and what they keep
# for certain in the whole interval (``lower``). Things move at most in proportion to the distance
# from the middle, so the part around it that keeps any floor is known at once: the distance in hand
# decides the step, as in conservative advancement. What is left on either side is judged again.

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
            left = int(np.count_nonzero(np.bincount(front.index)))
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
        if looked.any():
            _see(course, i[looked], here[looked], 0.5 * (front.low + front.high)[looked])
            floor = self._floor(course.seen[i])
        kept = np.maximum(lower, front.kept)
        # Sides that were cut where the floor is just kept come back a rounding below it.
        kept = np.where((kept < floor) & (kept >= floor - _ROUNDING), floor, kept)
        closed = (kept >= floor) | (front.high - front.low <= _NARROW)
        np.minimum.at(course.certified, i[closed], kept[closed])
        if closed.all():
            return front.take(slice(0, 0))
        judged = IntervalVerdict(lower=lower[~closed], here=here[~closed])
        return _rest(course, front.take(~closed), judged, floor[~closed])

    def _dropped(self, course: Course, front: _Front) -> _Front:
        """Leave out what belongs to motions that are given up."""
        given_up = self._floor(course.seen[front.index]) == -np.inf
        if not given_up.any():
            return front
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a certified clearance may stay below the least one that was seen.

    Args:
        absolute: [m]
        relative: of the clearance, added.
        grazing: a motion that comes nearer than this to the clearance required, on its good side,
            is not followed to the end of the doubt: it counts as not kept. [m]
    """

    absolute: float = 0.5e-3
    relative: float = 0.02
    grazing: float = 0.05e-3

    def of(self, seen: Array) -> Array:
        """Tolerance where a clearance was seen. # (...) [m]."""
        return np.asarray(self.absolute + self.relative * np.maximum(seen, 0.0))


def floors(required: float, tolerance: Tolerance) -> Floor:
    """Floors that end with clearances certified to a tolerance, or with a failure."""

    def floor(seen: Array) -> Array:
        near = seen - tolerance.of(np.where(np.isfinite(seen), seen, 0.0))
        near = np.where(seen >= required + tolerance.grazing, np.maximum(near, required), near)
        return np.where(seen < required, -np.inf, near)

    return floor


def yes_or_no(required: float, tolerance: Tolerance) -> Floor:
    """Floors that only ask whether a clearance is kept."""
    least = required + tolerance.grazing

    def floor(seen: Array) -> Array:
        return np.where(seen < least, -np.inf, required)

    return floor
