"""Moore-Penrose and damped inverses and null-space projectors for batches of matrices.

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
    """Result of one step of the recursion."""

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


# -------------------------------------------------------------------------- Damping and null space


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DampedInverse:
    """Damped least-squares inverse of J.

    Args:
        inverse: J* = Jᵀ(JJᵀ + k²I)⁻¹. # (..., n, m)
        damping: the k that was used, in the unit of J. # (...)
        smallest_singular_value: of J, among min(m, n). # (...)
    """

    inverse: Array
    damping: Array
    smallest_singular_value: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "inverse", "damping", "smallest_singular_value", dtype=np.float64)


def damped_inverse(J: ArrayLike, damping: ArrayLike) -> DampedInverse:
    """Damped least-squares inverse J* = Jᵀ(JJᵀ + k²I)⁻¹, by singular values.

    J* v minimises |J q̇ - v|² + k²|q̇|². As k → 0 it tends to J⁺. *At* k = 0 the expression
    exists only where J has full row rank (and is then J⁺); elsewhere JJᵀ has no inverse and k = 0
    is refused.

    Args:
        J: # (..., m, n)
        damping: k, zero or more, in the unit of J. # broadcastable to (...)

    Raises:
        InverseError: not a finite matrix; k negative or not finite; k = 0 without full row rank.

    Source: [COURSE-JAC] modèle cinématique inverse, cas singulier. The course says that
        k = 0 gives J⁺, without the condition on the rank.
    """
    matrix = checked_matrix(J)
    k = np.broadcast_to(np.asarray(damping, dtype=np.float64), matrix.shape[:-2])
    _check_damping(k)
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    _check_undamped(k, s, matrix.shape)
    return _from_singular_values(U, s, Vt, k)


def adaptive_damped_inverse(J: ArrayLike, *, threshold: float, maximum: float) -> DampedInverse:
    """Damped inverse whose damping starts where the smallest singular value passes a threshold.

    k² = maximum² · (1 - (σ_min/threshold)²) below the threshold and 0 above: exact away from
    singularities, continuous at the threshold. With ``maximum ≥ threshold``, no joint speed per
    task speed exceeds 1/threshold anywhere.

    Args:
        J: # (..., m, n), m ≤ n
        threshold: singular value below which damping starts, above zero. [unit of J]
        maximum: damping at the singularity itself, above zero. [unit of J]

    Raises:
        InverseError: not a finite matrix; more rows than columns; a parameter not above zero.

    Source: [COURSE-JAC] modèle cinématique inverse, cas singulier; the choice of k is our own.
    """
    matrix = checked_matrix(J)
    _check_wide(matrix)
    for name, value in (("threshold", threshold), ("maximum", maximum)):
        if not (np.isfinite(value) and value > 0.0):
            raise InverseError(
                f"Damping {name} is {value!r}; it must be finite and above zero, in the unit of J.",
                parameter=name,
                value=value,
            )
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    nearness = np.minimum(s[..., -1] / threshold, 1.0)
    k = maximum * np.sqrt((1.0 - nearness) * (1.0 + nearness))
    return _from_singular_values(U, s, Vt, k)


def null_projector(J: ArrayLike, *, tolerance: float = DEFAULT_TOLERANCE) -> Array:
    """Orthogonal projector on the kernel of J: I - J⁺J. # (..., n, n).

    Args:
        J: # (..., m, n)
        tolerance: of the rank, see ``pseudo_inverse``.

    Raises:
        InverseError: not a finite matrix, or a tolerance out of its range.

    Source: [COURSE-JAC] modèle cinématique inverse, cas redondant
    """
    matrix = checked_matrix(J)
    projector = np.eye(matrix.shape[-1]) - pseudo_inverse(matrix, tolerance).inverse @ matrix
    return np.asarray(0.5 * (projector + np.swapaxes(projector, -1, -2)))


def project(
    J: ArrayLike,
    primary: ArrayLike,
    secondary: ArrayLike,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
) -> Array:
    """Joint speeds that do the primary task and, as far as it allows, the secondary wish.

    q̇ = J⁺v + (I - J⁺J) q̇₀, computed as q̇₀ + J⁺(v - J q̇₀).

    Args:
        J: # (..., m, n)
        primary: task velocity v. # (..., m)
        secondary: joint speeds q̇₀ wished for, such as a gain times an objective's gradient.
            # (..., n) [rad/s or m/s]
        tolerance: of the rank, see ``pseudo_inverse``.

    Returns:
        Joint speeds. # (..., n) [rad/s or m/s]

    Raises:
        InverseError: not a finite matrix, vectors of the wrong length, a tolerance out of range.

    Source: [COURSE-JAC] modèle cinématique inverse, cas redondant
    """
    matrix = checked_matrix(J)
    v = _checked_vector(primary, matrix.shape[-2], "primary", "rows")
    wish = _checked_vector(secondary, matrix.shape[-1], "secondary", "columns")
    missing = v[..., None] - matrix @ wish[..., None]
    return np.asarray(wish + (pseudo_inverse(matrix, tolerance).inverse @ missing)[..., 0])


def _from_singular_values(U: Array, s: Array, Vt: Array, k: Array) -> DampedInverse:
    # σ/(σ² + k²) through the larger of both keeps tiny numbers from vanishing when squared.
    size = np.hypot(s, k[..., None])
    gain = np.where(size > 0.0, s / np.where(size > 0.0, size, 1.0) ** 2, 0.0)
    inverse = np.swapaxes(Vt, -1, -2) @ (gain[..., None] * np.swapaxes(U, -1, -2))
    return DampedInverse(inverse=inverse, damping=k, smallest_singular_value=s[..., -1])


def _check_damping(k: Array) -> None:
    if not np.all(np.isfinite(k) & (k >= 0.0)):
        raise InverseError(
            f"Damping k is {np.min(k)!r} at its smallest; it must be finite, zero or more, in the "
            "unit of J.",
            value=float(np.min(k)),
        )


def _check_undamped(k: Array, s: Array, shape: tuple[int, ...]) -> None:
    """Refuse k = 0 where JJᵀ has no inverse."""
    m, n = shape[-2:]
    deficient = (s[..., -1] <= DEFAULT_TOLERANCE * s[..., 0]) | (m > n)
    wrong = np.argwhere(deficient & (k == 0.0))
    if len(wrong):
        index = tuple(int(i) for i in wrong[0])
        raise InverseError(
            f"Damping k is 0 but J of sample {index} has not full row rank (smallest singular "
            f"value {s[index][-1]:.3g}, largest {s[index][0]:.3g}, {m} rows, {n} columns): give "
            "k > 0, or use the pseudo-inverse.",
            index=index,
        )


def _check_wide(matrix: Array) -> None:
    m, n = matrix.shape[-2:]
    if m > n:
        raise InverseError(
            f"J has {m} rows and {n} columns: it is never of full row rank. Use the Jacobian of a "
            f"task with at most {n} coordinates.",
            rows=m,
            columns=n,
        )


def _checked_vector(value: ArrayLike, length: int, what: str, axis: str) -> Array:
    vector = np.asarray(value, dtype=np.float64)
    if vector.ndim == 0 or vector.shape[-1] != length:
        raise InverseError(
            f"The {what} velocity has shape {vector.shape}; J has {length} {axis}, so its last "
            f"axis must be {length}.",
            shape=vector.shape,
            expected=length,
        )
    if not np.all(np.isfinite(vector)):
        raise InverseError(f"The {what} velocity holds a value that is not finite.")
    return vector
