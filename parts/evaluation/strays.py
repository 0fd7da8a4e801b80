"""Points that do not belong to their feature, told from noise even where points are few."""

from __future__ import annotations

import numpy as np

from parts.evaluation.chance import unlikely
from parts.evaluation.linearised import LINEAR_KINDS
from parts.evaluation.put_back import most_telling, put_back
from parts.fits import Fit, FitError, Outlier, SpaceCircle, fit, outliers
from robots.core.arrays import Array

_FALSE = 0.05  # chance that a clean set has any point listed
_FAINT = 1e-12  # of the points' extent: scatter below it is rounding
_CAUTION = 10.0  # times what first order may miss
_FEW = 50  # points of which one alone may hold the feature at a wrong place
_DOUBT = 1.0  # chance as told to first order from which a point of few is tried


def strays(kind: str, points: Array) -> tuple[Outlier, ...]:
    """Points that a robust fit leaves far away and that noise does not explain.

    A robust scatter of a few points is itself so uncertain that one clean set of nine in three
    would be listed. So its candidates are tested as those of a generalised extreme studentised
    deviate: the worst i are left out, and the largest i counts for which the i-th lies too far from
    the fit of the others. That alone is a test for many points: of few, the best choice of two or
    three often leaves others that agree by chance. So all that are left out must be ``unlikely``.
    Of few points the most telling one is a candidate too where the robust fit has none.

    A fit is made only where first order, from the last fit that was made, does not surely say that
    the i-th belongs to the others.

    Args:
        kind: of the fit.
        points: # (k, 3) [m]

    Returns:
        The worst first, beside the fit of the others; none where too few points tell which of them
        is wrong.

    Source: [ROSNER83] Technometrics 25, 165: percentage points of the ESD many-outlier procedure
    """
    try:
        order = [stray.index for stray in outliers(kind, points).found]
    except FitError:
        return ()
    least = _FAINT * float(np.linalg.norm(np.ptp(points, axis=0)))
    found = _accused(kind, points, order, least)
    if found or len(points) > _FEW:
        return found
    return _accused(kind, points, _holding(kind, points, least), least)


def _accused(kind: str, points: Array, order: list[int], least: float) -> tuple[Outlier, ...]:
    """Those of some candidates that do not belong. Args: order: the worst first."""
    while order:
        others = np.delete(points, order, axis=0)
        found = _fitted(kind, others)
        back = 1 if found is None else _belonging(found, others, points[order[::-1]], least)
        if found is not None and not back:
            return _listed(found, points, order, least)
        order = order[:-back]
    return ()


def _holding(kind: str, points: Array, least: float) -> list[int]:
    """A point of few that may hold the feature at a wrong place, where a robust fit follows it."""
    found = _fitted(kind, points)
    if found is None:
        return []
    row, now = most_telling(found, points)
    return [row] if unlikely(now, len(points) - 1, chance=_DOUBT, least=least) else []


def _fitted(kind: str, points: Array) -> Fit | None:
    """The fit; None where it says nothing."""
    try:
        found = fit(kind, points)
    except FitError:
        return None
    return found if found.dof > 0 else None


def _belonging(found: Fit, others: Array, candidates: Array, least: float) -> int:
    """How many of the candidates belong to the others, as far as their fit surely tells.

    Args:
        found: fit of the others.
        others: # (n, 3) [m]
        candidates: in the order in which they go back. # (m, 3) [m]
        least: scatter below it is rounding. [m]
    """
    k = 0
    for now in put_back(found, others, candidates):
        unsure = _CAUTION * now.unsure
        if unlikely(now, len(others) + k, chance=_FALSE, least=least, unsure=unsure):
            break
        k += 1
    return k


def _listed(found: Fit, points: Array, left_out: list[int], least: float) -> tuple[Outlier, ...]:
    """Points beside the fit of the others: distances, and how often these hold their scatter."""
    directions = 1 if found.kind in LINEAR_KINDS else 2  # in which noise moves a point away
    sigma = max(found.estimated_sigma * np.sqrt(directions), least)
    away = np.abs(found.shape.distance(points[left_out]))
    if isinstance(found.shape, SpaceCircle):
        away = np.hypot(away, found.shape.height(points[left_out]))
    return tuple(
        Outlier(index=left_out[k], size=float(away[k]), ratio=float(away[k] / sigma))
        for k in np.argsort(-away, kind="stable").tolist()
    )
