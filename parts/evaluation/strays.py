"""Points that do not belong to their feature, told from noise even where points are few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parts.evaluation.linearised import LINEAR_KINDS
from parts.evaluation.put_back import put_back
from parts.fits import Fit, FitError, Outlier, fit, outliers
from parts.fits.dispatch import model_of

Array = NDArray[np.float64]

_FALSE = 0.05  # chance that a clean set has any point listed
_FAINT = 1e-12  # of the points' extent: scatter below it is rounding
_CAUTION = 10.0  # times what first order may miss


def strays(kind: str, points: Array) -> tuple[Outlier, ...]:
    """Points that a robust fit leaves far away and that noise does not explain.

    A robust scatter of a few points is itself so uncertain that one clean set of nine in three
    would be listed. So the candidates are tested by the generalised extreme studentised deviate:
    leaving out the worst i, the i-th must lie farther from the fit of the others than Student's t
    allows the farthest of so many; the largest such i counts.

    A fit is made only where first order, from the last fit that was made, does not surely say that
    the i-th belongs to the others.

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
    order = [stray.index for stray in candidates]
    count = len(order)
    while count:
        tested = _tested(kind, points, order[:count])
        if tested.out:
            return candidates[:count]
        count = count - 1 if tested.others is None else _next(tested.others, points, order[:count])
    return ()


class _Tested(NamedTuple):
    """Whether the last of those that are left out does not belong to the others."""

    out: bool
    others: Fit | None  # their fit, where it says something


def _tested(kind: str, points: Array, left_out: list[int]) -> _Tested:
    others = np.delete(points, left_out, axis=0)
    try:
        found = fit(kind, others)
    except FitError:
        return _Tested(False, None)
    if found.dof < 1:
        return _Tested(False, None)
    last = points[left_out[-1]][None]
    sigma = max(found.estimated_sigma, _least_sigma(points))
    away = abs(float(found.shape.distance(last)[0]))
    spread = sigma * np.sqrt(1.0 + _leverage(found, others, last))
    return _Tested(bool(away > _limit(len(others) + 1, found.dof) * spread), found)


def _next(found: Fit, points: Array, left_out: list[int]) -> int:
    """How many to leave out next: fewer by those whose test surely fails.

    Args:
        found: fit of the others.
        points: # (k, 3) [m]
        left_out: the worst first; the test of the last has failed.
    """
    others = np.delete(points, left_out, axis=0)
    least = _least_sigma(points)
    count = len(left_out) - 1
    for now in put_back(found, others, points[left_out[::-1]]):
        spread = max(now.sigma, least) * np.sqrt(1.0 + now.leverage)
        limit = _limit(len(points) - count + 1, now.dof)
        # what is missed counts in the distance, and in the scatter that the limit multiplies
        if now.away + _CAUTION * (1.0 + limit) * now.unsure > limit * spread:
            break
        count -= 1
    return count


def _limit(tests: int, dof: int) -> float:
    """The farthest of so many in standard deviations: Student's quantile."""
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    return float(stdtrit(dof, 1.0 - 0.5 * _FALSE / tests))


def _least_sigma(points: Array) -> float:
    return _FAINT * float(np.linalg.norm(np.ptp(points, axis=0)))


def _leverage(found: Fit, others: Array, point: Array) -> float:
    """Variance of the fit itself at a point, in σ²."""
    if found.kind not in LINEAR_KINDS:
        return 0.0
    model = model_of(found.kind)
    state = model.state_of(found.shape)
    J = model.rows(others.T, state).jacobian
    j = model.rows(point.T, state).jacobian[:, 0]
    return float(j @ np.linalg.solve(J @ J.T, j))
