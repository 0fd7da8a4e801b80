"""Several starts for one goal: the answer, how many agree with it, and its nearest rival."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, NoReturn

import numpy as np

from parts.fits.errors import FitError
from parts.fits.frame import State
from parts.fits.zone.goal import Goal, Scale, scale_of
from parts.fits.zone.minimax import Ended, minimise
from robots.core.arrays import Array, Indices

_SEED = 1101  # of the starts: the same points give the same answer
_SPREADS = (0.5, 2.0)  # of the reach: how far the other starts are away
_SAME = 1e-6  # relative: peaks so near are one optimum
_SAMPLE = 600  # extreme points to each side that a descent looks at
_ROUNDING = 4.0 * np.finfo(float).eps  # of the points' size


class Best(NamedTuple):
    """The lowest optimum that was found."""

    ended: Ended
    scale: Scale
    starts: int
    agreeing: int
    rival: float  # peak, of the unit points


def lowest(goal: Goal, first: State, others: int) -> Best:
    """Descend from the first start, and from others about it, and keep the lowest end.

    The other starts look at the extreme points only; an end that promises more than the first is
    then carried on with all that count.

    Args:
        goal: what is to be made least.
        first: where to begin, as a rule least squares.
        others: starts about it.

    Raises:
        FitError: no start ends in an optimum.
    """
    first = goal.centred(first)
    scale = scale_of(goal, first)
    best = _by_extremes(goal, first, scale)
    best = best if _sound(goal, best.state) else _without(best, goal, first)
    ends = [best.peak] if best.ended else []
    few = goal.only(_extremes(goal, goal.distances(first)))
    for start in _about(goal, best.state, scale, others):
        end = minimise(few, few.centred(start), scale)
        if end.peak < best.peak * (1.0 - _SAME) or not best.ended:
            end = _by_extremes(goal, goal.centred(end.state), scale)
            if end.ended and _sound(goal, end.state) and (end.peak < best.peak or not best.ended):
                best = end
        if end.ended:
            ends.append(end.peak)
    if not best.ended:
        _refuse(goal, best, 1 + others)
    apart = np.array(ends) - best.peak
    same = np.abs(apart) <= _SAME * max(scale.reach, abs(apart).min(initial=0.0))
    rivals = np.array(ends)[~same & (apart > 0.0)]
    return Best(best, scale, 1 + others, max(1, int(same.sum())), float(rivals.min(initial=np.inf)))


def _refuse(goal: Goal, end: Ended, starts: int) -> NoReturn:
    if not goal.sized and goal.sides[0] < 0.0:
        raise FitError(
            f"The points do not close round an inscribed {goal.model.word}: from {starts} starts "
            "it has left them, and grows without end. Measure all round it.",
            value=starts,
        )
    raise FitError(
        f"No optimum of the {goal.model.word} was reached from {starts} starts (the last after "
        f"{end.iterations} steps): the points hold it too loosely. Measure a larger part of it, "
        "or check that they lie on one.",
        value=starts,
    )


def _sound(goal: Goal, state: State) -> bool:
    settled = goal.model.settled(state)
    return not goal.sized or goal.model.sound(goal.points, settled)


def _without(end: Ended, goal: Goal, first: State) -> Ended:
    """An end that is no such feature counts as none: back to the start."""
    return Ended(
        state=first,
        peak=goal.peak(goal.distances(first)),
        touching=end.touching,
        iterations=end.iterations,
        ended=False,
        curvature=end.curvature,
    )


def _by_extremes(goal: Goal, start: State, scale: Scale) -> Ended:
    """Descend with the extreme points, and with those beyond their optimum, until none is.

    An optimum of some points that holds all of them is one of all: the others take no part in Kuhn
    and Tucker's conditions.
    """
    chosen = _extremes(goal, goal.distances(start))
    while len(chosen) < goal.points.shape[1]:
        end = minimise(goal.only(chosen), start, scale)
        if not end.ended:
            break
        d = goal.distances(end.state)
        grown = np.union1d(chosen, _extremes(goal, d))
        if goal.peak(d) <= end.peak + _ROUNDING:
            held = end.touching._replace(points=chosen[end.touching.points])
            return replace(end, peak=goal.peak(d), touching=held)
        if len(grown) == len(chosen):
            break
        chosen, start = grown, goal.centred(end.state)
    return minimise(goal, start, scale)


def _extremes(goal: Goal, distances: Array) -> Indices:
    """The points farthest to each side, or all where they are few. # ascending."""
    if len(distances) <= 2 * _SAMPLE:
        return np.arange(len(distances))
    return np.unique(goal.extremes(distances, _SAMPLE)[0])


def _about(goal: Goal, state: State, scale: Scale, count: int) -> list[State]:
    rng = np.random.default_rng(_SEED)
    steps = rng.uniform(-1.0, 1.0, (count, goal.count)) * scale.reach
    return [
        goal.moved(state, scale.W @ (_SPREADS[i % len(_SPREADS)] * step))
        for i, step in enumerate(steps)
    ]
