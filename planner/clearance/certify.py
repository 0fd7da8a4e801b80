"""Clearance of motions, proven between samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from planner.clearance.advance import Advance, Course, IntervalCheck, IntervalVerdict
from planner.clearance.checker import Checker
from planner.clearance.goals import Tolerance, floors, yes_or_no
from planner.clearance.paths import Paths
from planner.progress import Progress, silent
from robots.core.arrays import Array, Indices, Mask

_SAMPLES = 17  # places where a motion that fails is looked at first, then around the worst
_ZOOMS = 3
_FINEST = 5e-6  # [m] grazing of motions that are followed to the end of the doubt
_FAR = 1e6  # [m] a floor that nothing reaches


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
        # Where a path does not exist (NaN) nothing is kept.
        whole = np.isfinite(q).all(axis=1) & np.isfinite(spread).all(axis=1)
        judged = IntervalVerdict(
            lower=np.full(index.size, -np.inf), here=np.full(index.size, -np.inf)
        )
        wanted = np.clip(floor[whole], -_FAR, _FAR)
        found = checker.bounds(q[whole], spread[whole], wanted, touching=touching)
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
