"""Sequential linear programmes in a trust region, finished by Newton's method on the contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.fits.frame import State
from parts.fits.model import Rows
from parts.fits.zone.goal import Goal, Scale, Touching
from parts.fits.zone.linear import Descent, descend
from parts.fits.zone.newton import balance, bend, kuhn_step
from parts.fits.zone.ties import all_touching

_ENDED = 1e-9  # of the trust radius: gains below it are the programme's rounding
_POLISHING = 10
_ROUNDING = 64.0 * np.finfo(float).eps
_ESCAPES = (1.0, 0.1, 1e-2, 1e-3)  # of the reach, along a direction of negative curvature
_SHARES = (1.0, 0.4, 0.1)  # of a Newton step, which does not see the other points
_LEAST_MULTIPLIER = -1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ended:
    """Where the iteration has ended.

    Args:
        state: of the model.
        peak: the largest σ d there.
        touching: contacts and multipliers.
        iterations: programmes and Newton steps.
        ended: no programme promises a smaller peak.
        curvature: least second derivative where the contacts leave the feature free.
    """

    state: State
    peak: float
    touching: Touching
    iterations: int
    ended: bool
    curvature: float


def minimise(goal: Goal, start: State, scale: Scale, *, limit: int = 80) -> Ended:
    """Make the largest σ d as small as it gets near the start; it never grows.

    Each programme names the contacts; where they are fewer than the unknowns, a Newton step on
    their Kuhn-Tucker equations is tried beside the programme's own.
    Source: the idea of a programme that names the contacts and a Newton step on them is Fletcher's
    and Sainz de la Maza's (1989).
    """
    state, radius = start, scale.reach
    rows = goal.rows(state)
    peak, solved = goal.peak(rows.residuals), 0
    touching: Touching | None = None
    while True:
        solved += 1
        descent = descend(goal, Rows(rows.residuals, scale.W.T @ rows.jacobian), radius, touching)
        touching = descent.touching
        onward: State | None
        if descent.gain <= max(_ENDED * radius, _ROUNDING):
            onward = _escape(goal, state, touching, scale, peak)
            if onward is None or solved >= limit:
                return _polished(goal, state, touching, scale, solved)
            radius = 0.1 * scale.reach
            value = goal.peak(goal.distances(onward))
        else:
            onward, value = _better(goal, state, descent, scale)
            ratio = (peak - value) / descent.gain
            radius = _radius(radius, ratio, float(np.abs(descent.step).max()))
        if value < peak:
            state, peak, rows = onward, value, goal.rows(onward)
        if solved >= limit or radius < _ROUNDING or goal.lost(peak):
            return _polished(goal, state, touching, scale, solved)


def _radius(radius: float, ratio: float, length: float) -> float:
    if ratio < 0.25:
        return 0.25 * min(radius, length)
    return 3.0 * radius if ratio > 0.75 and length > 0.9 * radius else radius


def _better(goal: Goal, state: State, descent: Descent, scale: Scale) -> tuple[State, float]:
    """The programme's step or Newton's, whichever ends lower."""
    steps = [descent.step]
    if len(descent.touching.points) <= goal.count:
        newton = kuhn_step(goal, state, descent.touching, scale.W).step
        if np.abs(newton).max() <= 10.0 * scale.reach:
            steps += [share * newton for share in _SHARES]
    trials = [goal.moved(state, scale.W @ step) for step in steps]
    values = [goal.peak(goal.distances(trial)) for trial in trials]
    best = int(np.argmin(values))
    return trials[best], values[best]


def _escape(
    goal: Goal, state: State, touching: Touching, scale: Scale, peak: float
) -> State | None:
    """From a saddle: a step along a direction in which the peak bends down."""
    if len(touching.points) > goal.count:
        return None
    bent = bend(goal, state, touching, scale.W)
    if bent.curvature >= 0.0:
        return None
    for size in _ESCAPES:
        for sign in (1.0, -1.0):
            trial = goal.moved(state, scale.W @ (sign * size * scale.reach * bent.direction))
            if goal.peak(goal.distances(trial)) < peak - 1e-6 * size**2 * scale.reach:
                return trial
    return None


def _polished(goal: Goal, state: State, touching: Touching, scale: Scale, solved: int) -> Ended:
    """Newton's steps while each is less than half the one before; kept if no point objects."""
    first, before = goal.peak(goal.distances(state)), np.inf
    now, held = state, touching
    for _ in range(_POLISHING):
        kuhn = kuhn_step(goal, now, held, scale.W)
        length = float(np.abs(kuhn.step).max())
        if length >= 0.5 * before or length > scale.reach:
            break
        before, solved = length, solved + 1
        now = goal.moved(now, scale.W @ kuhn.step)
        held = held._replace(multipliers=kuhn.multipliers)
    held = held._replace(multipliers=balance(goal, now, held, scale.W))
    peak = goal.peak(goal.distances(now))
    sound = bool(held.multipliers.min() >= _LEAST_MULTIPLIER)
    agreed = sound and not goal.lost(first) and peak <= first + max(1e-12 * scale.reach, _ROUNDING)
    if not agreed:
        now, held, peak = state, touching, first
    clipped = np.maximum(held.multipliers, 0.0)
    held = held._replace(multipliers=clipped / clipped.sum())
    curvature = bend(goal, now, held, scale.W).curvature
    tied = all_touching(goal, now, scale.W) if agreed and curvature <= 0.0 else None
    if tied is not None:
        held, curvature = tied, bend(goal, now, tied, scale.W).curvature
    return Ended(
        state=now,
        peak=peak,
        touching=held,
        iterations=solved,
        ended=agreed,
        curvature=curvature,
    )
