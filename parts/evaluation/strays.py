"""Points that do not belong to their feature, told from noise even where points are few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parts.evaluation.linearised import LINEAR_KINDS
from parts.fits import Fit, FitError, Outlier, fit, outliers
from parts.fits.dispatch import model_of

Array = NDArray[np.float64]

_FALSE = 0.05  # chance that a clean set has any point listed
_FAINT = 1e-12  # of the points' extent: scatter below it is rounding


def strays(kind: str, points: Array) -> tuple[Outlier, ...]:
    """Points that a robust fit leaves far away and that noise does not explain.

    A robust scatter of a few points is itself so uncertain that one clean set of nine in three
    would be listed. So the candidates are tested by the generalised extreme studentised deviate:
    leaving out the worst i, the i-th must lie farther from the fit of the others than Student's t
    allows the farthest of so many; the largest such i counts.

    Args:
        kind: of the fit.
        points: # (k, 3) [m]

    Returns:
        The worst first; none where too few points tell which of them is wrong.

    Source: [ROSNER83] Technometrics 25, 165: percentage points of the ESD many-outlier procedure
    """
    try:
        candidates = outliers(kind, points).found
    except FitError:
        return ()
    for count in range(len(candidates), 0, -1):
        if _stands_out(kind, points, [stray.index for stray in candidates[:count]]):
            return candidates[:count]
    return ()


def _stands_out(kind: str, points: Array, left_out: list[int]) -> bool:
    """Whether the last of those that are left out does not belong to the others."""
    from scipy.stats import t

    others = np.delete(points, left_out, axis=0)
    try:
        found = fit(kind, others)
    except FitError:
        return False
    if found.dof < 1:
        return False
    last = points[left_out[-1]][None]
    extent = float(np.linalg.norm(np.ptp(points, axis=0)))
    sigma = max(found.estimated_sigma, _FAINT * extent)
    away = abs(float(found.shape.distance(last)[0]))
    tests = len(others) + 1
    limit = float(t.ppf(1.0 - 0.5 * _FALSE / tests, found.dof))
    return bool(away > limit * sigma * np.sqrt(1.0 + _leverage(found, others, last)))


def _leverage(found: Fit, others: Array, point: Array) -> float:
    """Variance of the fit itself at a point, in σ²."""
    if found.kind not in LINEAR_KINDS:
        return 0.0
    model = model_of(found.kind)
    state = model.state_of(found.shape)
    J = model.rows(others.T, state).jacobian
    j = model.rows(point.T, state).jacobian[:, 0]
    return float(j @ np.linalg.solve(J @ J.T, j))
