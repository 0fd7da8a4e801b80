"""Inverse of a symmetric positive definite matrix by its Schur complements.

Source: [GASTEBOIS17] §2.4.3.2 eqs (33)-(35): A = [[B, Cᵀ], [C, D]], S = D − C B⁻¹ Cᵀ. Blocks are
cut again until they have one or two rows, whose inverses are written out; the symmetric half is
taken over instead of computed. Definiteness is seen on the way: A is definite just when B and S
are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.errors import RobotError

_ASYMMETRY = 1e-9  # of the largest entry


class BlockInverseError(RobotError):
    """A matrix that is not square, finite, symmetric and positive definite."""


def block_inverse(A: ArrayLike) -> Array:
    """Inverse of symmetric positive definite matrices.

    Args:
        A: # (..., n, n)

    Returns:
        A⁻¹, exactly symmetric. # (..., n, n)

    Raises:
        BlockInverseError: not square, not finite, not symmetric or not positive definite.
    """
    matrix = np.asarray(A, dtype=float)
    _require_symmetric(matrix)
    return _inverse(matrix)


def _inverse(A: Array) -> Array:
    n = A.shape[-1]
    if n == 0:
        return A.copy()
    if n == 1:
        _require_positive(A[..., 0, 0])
        return 1.0 / A
    if n == 2:
        return _two_by_two(A)
    cut = 2 * (n // 4) or 1  # whole pairs first
    B, C, D = A[..., :cut, :cut], A[..., cut:, :cut], A[..., cut:, cut:]
    B_inverse = _inverse(B)
    CB = C @ B_inverse
    S_inverse = _inverse(D - CB @ np.swapaxes(C, -1, -2))
    SCB = S_inverse @ CB
    result = np.empty_like(A)
    result[..., :cut, :cut] = _symmetric(B_inverse + np.swapaxes(CB, -1, -2) @ SCB)
    result[..., cut:, :cut] = -SCB
    result[..., :cut, cut:] = -np.swapaxes(SCB, -1, -2)
    result[..., cut:, cut:] = S_inverse
    return result


def _two_by_two(A: Array) -> Array:
    a, b, d = A[..., 0, 0], A[..., 1, 0], A[..., 1, 1]
    determinant = a * d - b * b
    _require_positive(a)
    _require_positive(determinant)
    result = np.empty_like(A)
    result[..., 0, 0], result[..., 1, 1] = d / determinant, a / determinant
    result[..., 0, 1] = result[..., 1, 0] = -b / determinant
    return result


def _symmetric(A: Array) -> Array:
    return np.asarray(0.5 * (A + np.swapaxes(A, -1, -2)))


def _require_positive(pivot: Array) -> None:
    if not (pivot > 0.0).all():
        least = float(np.min(pivot))
        raise BlockInverseError(
            f"The matrix is not positive definite: a pivot of its blocks is {least:.4g}, and must "
            "be above 0. A mass matrix is definite when every joint moves some mass.",
            value=least,
            limit=0.0,
        )


def _require_symmetric(A: Array) -> None:
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise BlockInverseError(f"The matrix has shape {A.shape}; square ones are inverted here.")
    if not np.isfinite(A).all():
        raise BlockInverseError("The matrix has entries that are not finite numbers.")
    limit = _ASYMMETRY * np.abs(A).max(initial=0.0)
    apart = float(np.abs(A - np.swapaxes(A, -1, -2)).max(initial=0.0))
    if apart > limit:
        raise BlockInverseError(
            f"The matrix is not symmetric: entries differ by {apart:.4g} from their mirror image, "
            f"at most {limit:.4g} is rounding. Use numpy.linalg.inv for matrices that are not.",
            value=apart,
            limit=limit,
        )
