"""Moore-Penrose inverse by Greville's recursion: one column at a time, for a batch of matrices.

It tells, on the way, which columns (joints) add nothing to those before them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Counts, Mask, freeze_fields
from robots.core.errors import InverseError

# A column counts as dependent when the sine of its angle to the span of the previous ones is below
# this. Rounding leaves about 1e-15; a joint at 1e-10 of a singularity would need 1e10 rad/s.
DEFAULT_TOLERANCE = 1e-10
# What rounding can leave of a sum that cancels, per unit of the terms that were added.
_ROUNDING = 64.0 * np.finfo(np.float64).eps
# The trace is a whole number up to rounding; this far from the count it no longer confirms it.
_TRACE_SLACK = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PseudoInverse:
    """Pseudo-inverse of J with its rank.

    Args:
        inverse: J⁺. # (..., n, m)
        rank: trace of J⁺J, rounded (eq. III.13). # (...)
        trace: the trace itself. # (...)
        rank_confirmed: whether the trace equals the number of independent columns; where it does
            not, J is too ill-conditioned for double precision. # (...)
        dependent_columns: columns that add nothing to those on their left. # (..., n)
        tolerance: the relative tolerance that was used.
    """

    inverse: Array
    rank: Counts
    trace: Array
    rank_confirmed: Mask
    dependent_columns: Mask
    tolerance: float

    def __post_init__(self) -> None:
        freeze_fields(self, "inverse", "rank", "trace", "rank_confirmed", "dependent_columns")


def checked_matrix(J: ArrayLike, what: str = "J") -> Array:
    """Matrix (..., m, n) as floats.

    Raises:
        InverseError: fewer than two axes, an empty one, or an entry that is not finite.
    """
    matrix = np.asarray(J, dtype=np.float64)
    if matrix.ndim < 2 or 0 in matrix.shape[-2:]:
        raise InverseError(
            f"{what} has shape {matrix.shape}; it must be (..., rows, columns), neither empty.",
            shape=matrix.shape,
        )
    wrong = np.argwhere(~np.isfinite(matrix))
    if wrong.size:
        index = tuple(int(i) for i in wrong[0])
        raise InverseError(
            f"{what}{list(index)} is {matrix[index]}; every entry must be finite.", index=index
        )
    return matrix


def pseudo_inverse(J: ArrayLike, tolerance: float = DEFAULT_TOLERANCE) -> PseudoInverse:
    """Moore-Penrose inverse of every matrix of a batch, by Greville's recursion.

    A column is dependent when what is left of it, after removing its projection on the columns on
    its left, is below ``tolerance`` times its own norm (so that the unit of a joint does not
    matter), or below what rounding leaves of that subtraction. What is left is then taken as zero.

    Args:
        J: # (..., m, n)
        tolerance: relative to each column's norm, from 0 to below 1.

    Raises:
        InverseError: not a finite matrix, or a tolerance out of its range.

    Source: [LAMMARI12] §III.3.1-III.3.2 eq. (III.13). Corrected: J⁺ is n×m (printed m×n); for
        c = 0, bᵀ = dᵀ[J]⁺/(1 + dᵀd) (printed without the transpose); the test c = 0 has a
        tolerance.
    """
    matrix = checked_matrix(J)
    _check_tolerance(tolerance)
    m, n = matrix.shape[-2:]
    batch = matrix.shape[:-2]
    inverse = np.zeros((*batch, 0, m))
    dependent = np.zeros((*batch, n), dtype=np.bool_)
    for k in range(n):
        step = _column_step(matrix[..., :k], inverse, matrix[..., k], tolerance)
        upper = inverse - step.d[..., :, None] * step.b[..., None, :]
        inverse = np.concatenate([upper, step.b[..., None, :]], axis=-2)
        dependent[..., k] = step.dependent
    return _with_rank(matrix, inverse, dependent, tolerance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Step:
    """What one step of the recursion finds."""

    d: Array  # (..., k)
    b: Array  # (..., m)
    dependent: Mask  # (...)


def _column_step(left: Array, inverse: Array, column: Array, tolerance: float) -> _Step:
    """Add one column to the pseudo-inverse of those on its left."""
    d = _apply(inverse, column)
    c = column - _apply(left, d)
    # A second pass removes what the first left by rounding, so that c is normal to the span.
    correction = _apply(inverse, c)
    d, c = d + correction, c - _apply(left, correction)
    rounding = _ROUNDING * np.sum(np.abs(d) * np.linalg.norm(left, axis=-2), axis=-1)
    limit = np.maximum(tolerance * np.linalg.norm(column, axis=-1), rounding)
    size = np.linalg.norm(c, axis=-1)
    dependent = np.asarray(size <= limit)
    length = np.where(dependent, 1.0, size)[..., None]
    outside = c / length / length  # squaring the length could lose a very small or large one
    inside = _apply(np.swapaxes(inverse, -1, -2), d) / (1.0 + np.sum(d * d, axis=-1))[..., None]
    return _Step(d=d, b=np.where(dependent[..., None], inside, outside), dependent=dependent)


def _apply(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])


def _with_rank(matrix: Array, inverse: Array, dependent: Mask, tolerance: float) -> PseudoInverse:
    trace = np.einsum("...ji,...ij->...", inverse, matrix)
    count = np.sum(~dependent, axis=-1)
    return PseudoInverse(
        inverse=inverse,
        rank=np.rint(trace).astype(np.int64),
        trace=trace,
        rank_confirmed=np.abs(trace - count) <= _TRACE_SLACK,
        dependent_columns=dependent,
        tolerance=tolerance,
    )


def _check_tolerance(tolerance: float) -> None:
    if not 0.0 <= tolerance < 1.0:
        raise InverseError(
            f"The rank tolerance is {tolerance!r}; it is a sine, from 0 to below 1 "
            f"(default {DEFAULT_TOLERANCE:g}).",
            value=tolerance,
        )
