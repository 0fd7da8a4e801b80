"""How likely it is that noise alone puts points so far from the feature of the others."""

from __future__ import annotations

import numpy as np

from parts.evaluation.put_back import Innovations, PutBack
from robots.core.arrays import Array, Indices

_SINGLE = 0.75  # of the chance: for one point; of the rest as much for two, and so on
_TINY = 1e-290  # probabilities below it are told by their logarithm alone
_EPS = float(np.finfo(float).eps)


def unlikely(
    left_out: PutBack, others: int, *, chance: float, least: float, unsure: float = 0.0
) -> bool:
    """Whether noise seldom leaves so many points so far away, whichever points they are.

    For the first k that are put back, all k together are tested against the fit of the others, as
    if each set of k had been tried (Bonferroni), for every k. The test of all of them bounds the
    chance that a clean set of any size is accused: each set's share of the scatter has exactly the
    tested distribution for a linear feature and normal noise. The others keep good points from
    hiding behind a bad one.

    In and across the plane of a circle noise may differ, so each direction has a test of its own.
    Of a line in space the two directions may differ and be correlated: Wilks' test.

    Args:
        left_out: the point nearest to the others first.
        others: points that are not tested.
        chance: that a clean set has any point accused.
        least: standard deviation below which scatter is rounding. [m]
        unsure: residuals may be larger, and the others' root mean square less, by that. [m]

    Source: [WILKS63]: outliers are the set that takes most of the determinant of the scatter along.
    """
    from scipy.special import gammaln

    parts = left_out.innovations
    grown = [_grown(part, least, unsure) for part in parts]
    for some in (slice(0, 1), slice(1, None)):  # most sets fail by their first point
        k = np.arange(1, len(grown[0]) + 1)[some]
        sets = gammaln(others + k + 1) - gammaln(k + 1) - gammaln(others + 1)
        limit = np.log(chance * _SINGLE / len(parts)) + (k - 1) * np.log(1.0 - _SINGLE) - sets
        told = [_log_chances(part, g[some], k) for part, g in zip(parts, grown, strict=True)]
        if not np.all(np.any(told <= limit, axis=0)):
            return False
    return True


def _grown(part: Innovations, least: float, unsure: float) -> Array:
    """By how much the first k let the determinant of the others' scatter grow. # (m,)."""
    components, dof = len(part.scatter), part.dof
    values, axes = np.linalg.eigh(part.scatter)
    values = np.maximum(values, 0.0) + dof * least**2
    values = values + 4.0 * _EPS * values[-1]
    root = (axes.T @ part.residuals) / np.sqrt(values)[:, None]  # (c, m)
    if unsure > 0.0:
        lengths, more = np.linalg.norm(root, axis=0), unsure / np.sqrt(values[0])
        spare = 1.0 - np.sqrt(dof) * more
        if spare <= 0.0:
            return np.full(len(lengths), np.inf)
        root = root * (1.0 + more / np.maximum(lengths, more)) / spare
    G = np.cumsum(np.einsum("am,bm->mab", root, root), axis=0)
    grown = 1.0 + np.einsum("maa->m", G)
    if components == 1:
        return np.asarray(grown)
    both = G[:, 0, 0] * G[:, 1, 1]
    more_so = both - G[:, 0, 1] ** 2
    return np.asarray(grown + np.where(more_so > 8.0 * _EPS * both, more_so, 0.0))


def _log_chances(part: Innovations, grown: Array, k: Indices) -> Array:
    """Logarithms of the probabilities that k points let it grow as much or more. # (m,)."""
    components, dof = len(part.scatter), part.dof
    points = np.asarray(k, dtype=np.float64)
    if dof < components:  # too few to tell
        return np.zeros(len(points))
    if components == 1:
        return log_beta(-np.log(grown), 0.5 * dof, points / 2.0)
    return log_beta(-0.5 * np.log(grown), dof - 1.0, points)


def log_beta(log_x: Array, a: float, b: Array) -> Array:
    """Logarithm of the regularised incomplete beta function, from above where it underflows.

    I_x(a, b) = x^a (1-x)^b / (a B(a, b)) Σ x^n (a+b)_n / (a+1)_n, whose terms shrink at least by
    x max(1, (a+b)/(a+1)) each: below the mean, where alone it underflows, a geometric series.

    Args:
        log_x: logarithms of x. # (m,)
        a: above zero.
        b: # (m,)

    Source: DLMF 8.17.8
    """
    from scipy.special import betainc, betaln

    x = np.exp(log_x)
    direct = betainc(a, b, x)
    plain = np.log(np.maximum(direct, _TINY))
    ratio = np.minimum(x * np.maximum((a + b) / (a + 1.0), 1.0), 1.0 - _EPS)
    first = a * log_x + b * np.log1p(-np.minimum(x, 1.0 - _EPS)) - np.log(a) - betaln(a, b)
    chances: Array = np.where(direct > _TINY, plain, np.minimum(first - np.log1p(-ratio), 0.0))
    return chances
