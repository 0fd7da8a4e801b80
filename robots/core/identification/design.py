"""The most informative of many candidate measurements: D-optimal, or E-optimal from there.

The best one is added until there are enough, then each is exchanged for a better one while that
helps: a local optimum. Only the rows of the observation matrix are looked at, so that it serves any
robot.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.identification.errors import IdentificationError

# Information that every unknown has beforehand, as of one reading a thousand times too coarse:
# without it the determinant is zero until there are as many equations as unknowns.
PRIOR = 1e-6
MOST_EXCHANGES = 400
TRIED = 20  # candidates with the largest determinant that E-optimal exchanges look at
_GAIN = 1e-9


class Criterion(Enum):
    """What is made large."""

    DETERMINANT = "determinant"  # of the information on parameters: D-optimal
    SMALLEST = "smallest"  # its smallest eigenvalue: E-optimal


def most_informative(
    rows: Array, count: int, *, nuisance: int = 0, criterion: Criterion = Criterion.DETERMINANT
) -> Indices:
    """Places of the chosen measurements, ascending.

    Args:
        rows: derivatives of each measurement's numbers, weighted, columns in comparable units,
            nuisance columns first. # (N, k, unknowns)
        count: how many to choose.
        nuisance: how many columns are unknown but not wanted.
        criterion: D- or E-optimal.

    Raises:
        IdentificationError: a count that is not possible.
    """
    least = -(-rows.shape[2] // rows.shape[1])
    if not least <= count <= len(rows):
        raise IdentificationError(
            f"{count} measurements cannot be chosen of {len(rows)} candidates for "
            f"{rows.shape[2]} unknowns; choose from {least} up to {len(rows)}.",
            count=count,
            least=least,
        )
    rows = rows / np.sqrt(np.mean(np.sum(rows * rows, axis=-1)))
    chosen: list[int] = []
    while len(chosen) < count:
        chosen.append(int(np.argmax(_gains(rows, chosen))))
    chosen = _exchanged(rows, chosen)
    if criterion is Criterion.SMALLEST:
        chosen = _evened(rows, chosen, nuisance)
    return np.array(sorted(chosen), dtype=np.int64)


def information(rows: Array, nuisance: int) -> Array:
    """Information on the wanted unknowns, the others eliminated. Args: rows. # (N, k, unknowns)."""
    M = _matrix(rows)
    A, B, C = M[:nuisance, :nuisance], M[:nuisance, nuisance:], M[nuisance:, nuisance:]
    return np.asarray(C - B.T @ np.linalg.solve(A, B)) if nuisance else C


def _matrix(rows: Array) -> Array:
    flat = rows.reshape(-1, rows.shape[2])
    return np.asarray(flat.T @ flat + PRIOR * np.eye(rows.shape[2]))


def _gains(rows: Array, chosen: list[int]) -> Array:
    """Logarithm of the factor on the determinant by adding each candidate. # (N,)."""
    # det(M + GᵀG) = det M · det(1 + G M⁻¹ Gᵀ), with M = L Lᵀ
    spread = rows @ np.linalg.inv(np.linalg.cholesky(_matrix(rows[chosen]))).T
    gains = np.linalg.slogdet(np.eye(rows.shape[1]) + spread @ np.swapaxes(spread, -1, -2))[1]
    gains[chosen] = -np.inf
    return np.asarray(gains)


def _exchanged(rows: Array, chosen: list[int]) -> list[int]:
    """Each measurement in turn against the best that could take its place."""
    settled, place = 0, 0
    for _ in range(MOST_EXCHANGES):
        if settled == len(chosen) or len(chosen) == len(rows):
            break
        others = [*chosen[:place], *chosen[place + 1 :]]
        gains = _gains(rows, others)
        best = int(np.argmax(gains))
        settled = settled + 1 if gains[best] <= gains[chosen[place]] + _GAIN else 0
        if settled == 0:
            chosen = [*chosen[:place], best, *chosen[place + 1 :]]
        place = (place + 1) % len(chosen)
    return chosen


def _evened(rows: Array, chosen: list[int], nuisance: int) -> list[int]:
    """The same, judged by the smallest eigenvalue among the candidates that tell most."""
    least, settled, place = _smallest(rows[chosen], nuisance), 0, 0
    for _ in range(MOST_EXCHANGES):
        if settled == len(chosen):
            break
        others = [*chosen[:place], *chosen[place + 1 :]]
        tried = np.argsort(_gains(rows, others))[::-1][:TRIED]
        values = [_smallest(rows[[*others, int(k)]], nuisance) for k in tried]
        best = int(np.argmax(values))
        settled = settled + 1 if values[best] <= least * (1.0 + _GAIN) else 0
        if settled == 0:
            least = values[best]
            chosen = [*chosen[:place], int(tried[best]), *chosen[place + 1 :]]
        place = (place + 1) % len(chosen)
    return chosen


def _smallest(rows: Array, nuisance: int) -> float:
    return float(np.linalg.eigvalsh(information(rows, nuisance))[0])
