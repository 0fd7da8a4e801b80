"""The search for the least minimum: several starts on a sample of the points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.fits.errors import FitError
from parts.fits.frame import State
from parts.fits.least_squares import Minimum, minimise
from parts.fits.model import Model
from robots.core.arrays import Array

_SAMPLE = 400
_SEED = 20260  # of the sample: the same points give the same answer
_SAME = 1e-3  # of the points' size, and radians
_LARGER = 1e-9  # what a sum of squares may be above another and count as equal
_LIKELY = 9.0  # of the variance
_ROUNDING = 1e-26  # mean square of residuals that are rounding only, in the points' size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Search:
    """What the starts have come to.

    Args:
        best: the least minimum, on the sample.
        starts: tried.
        agreeing: that ended there.
        rival: mean square of the next one, infinite without.
        sample: points that were used.
    """

    best: Minimum
    starts: int
    agreeing: int
    rival: float
    sample: int


def search(model: Model, points: Array, hint: State | None, weights: Array | None) -> Search:
    """Minimise from each start and keep the least; a hint stands for all starts.

    Args:
        model: feature.
        points: centred, of size 1. # (3, k)
        hint: where the caller knows the feature to be.
        weights: of the squares. # (k,)

    Raises:
        FitError: no start ends in a sound feature.
    """
    sample, weights = _sample(points, weights)
    starts = model.starts(sample) if hint is None else [hint]
    found: list[Minimum] = []
    for start in starts:
        end = minimise(model, sample, start, weights=weights, limit=60)
        state = model.settled(end.state)
        if np.isfinite(end.cost) and model.sound(sample, state):
            found.append(replace(end, state=state))
    if not found:
        raise FitError(
            f"No {model.word} fits these points: from {len(starts)} starts the fit went to sizes "
            "that are none, or to points on both sides of an apex. Check that they lie on a "
            f"{model.word}, leave out those at its tip, or give a hint.",
            value=len(starts),
        )
    found.sort(key=lambda end: end.cost)
    same = [_same(found[0].state, other.state, model) for other in found]
    others = [end.cost for end, equal in zip(found, same, strict=True) if end.ended and not equal]
    return Search(
        best=found[0],
        starts=len(starts),
        agreeing=sum(same),
        rival=min(others, default=np.inf) / sample.shape[1],
        sample=sample.shape[1],
    )


def _sample(points: Array, weights: Array | None) -> tuple[Array, Array | None]:
    count = points.shape[1]
    if count <= _SAMPLE:
        return points, weights
    rows = np.sort(np.random.default_rng(_SEED).choice(count, _SAMPLE, replace=False))
    return np.ascontiguousarray(points[:, rows]), None if weights is None else weights[rows]


def _same(a: State, b: State, model: Model) -> bool:
    """Whether two settled states are the same feature."""
    turned = 3 in model.freedoms or 4 in model.freedoms
    apart = [*(a.origin - b.origin), *(a.sizes - b.sizes)]
    if turned:
        apart += [*np.cross(a.axis, b.axis)]
    size = max(1.0, float(np.abs(a.sizes).max(initial=0.0)))
    return float(np.abs(apart).max()) <= _SAME * size


def require_one(model: Model, found: Search) -> None:
    """Refuse points that two different features fit, as far as their residuals can say.

    The sums of squares of both minima are compared in units of the variance that the better one
    leaves: below 9 (three standard deviations of one quantity) noise alone may have ordered them.

    Raises:
        FitError: the rival is as likely as the best.
    """
    count = len(found.best.rows.residuals)
    mean = found.best.cost / found.sample
    spare = count - model.count
    excess = (found.rival - mean) * found.sample
    doubt = excess <= _LIKELY * found.best.cost / spare if spare > 0 else False
    if doubt or found.rival <= mean * (1.0 + _LARGER) + _ROUNDING:
        raise FitError(
            f"Two different features fit the {found.sample} points as a {model.word} so equally "
            "well that their noise may have ordered them; measure more points, farther round it "
            "and along it, or give a hint near the one that is meant.",
            value=found.sample,
            limit=model.fewest + 1,
            unit="1",
        )
