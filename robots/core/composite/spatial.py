"""Six-dimensional vectors: what a turn, a shift and a rate do to motions, momenta and inertias.

A motion is (linear velocity of the body point at the frame's origin; angular velocity), a momentum
is (linear; angular about the frame's origin): linear rows first, as in every Jacobian here. The
functions only add and multiply, so the arrays may hold numbers or recorded nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]  # float64, or object when the entries are recorded nodes


def skew(v: Values) -> Values:
    """Matrix of the cross product v ×. # (..., 3) -> (..., 3, 3)."""
    matrix = np.zeros((*v.shape, 3), dtype=v.dtype)
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    matrix[..., 0, 1], matrix[..., 0, 2], matrix[..., 1, 2] = -z, y, -x
    matrix[..., 1, 0], matrix[..., 2, 0], matrix[..., 2, 1] = z, -y, x
    return matrix


def momentum_transform(T: Values) -> Values:
    """Momenta of a frame placed at T, as its parent frame sees them. # (..., 4, 4) -> (..., 6, 6).

    An inertia goes along as X·I·Xᵀ.
    """
    R = T[..., :3, :3]
    X = np.zeros((*T.shape[:-2], 6, 6), dtype=T.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = R
    X[..., 3:, :3] = product(skew(T[..., :3, 3]), R)
    return X


def motion_transform(T: Values) -> Values:
    """Motions of a frame placed at T, as its parent frame sees them. # (..., 4, 4) -> (..., 6, 6).

    Its transpose is the inverse of ``momentum_transform``, so that power does not change.
    """
    R = T[..., :3, :3]
    X = np.zeros((*T.shape[:-2], 6, 6), dtype=T.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = R
    X[..., :3, 3:] = product(skew(T[..., :3, 3]), R)
    return X


def momentum_cross(S: Values) -> Values:
    """Rates of fixed-in-body momenta per joint speed, one matrix per column of S.

    # (..., 6, n) -> (..., n, 6, 6)
    """
    V = np.swapaxes(S, -1, -2)
    turn, slide = skew(V[..., 3:]), skew(V[..., :3])
    X = np.zeros((*V.shape, 6), dtype=S.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = turn
    X[..., 3:, :3] = slide
    return X


def motion_cross(S: Values) -> Values:
    """Rates of fixed-in-body motions per joint speed. # (..., 6, n) -> (..., n, 6, 6)."""
    return -np.swapaxes(momentum_cross(S), -1, -2)


def product(a: Values, b: Values) -> Values:
    """Matrix product of the last two axes. # (..., i, j) · (..., j, k)."""
    return np.asarray(np.einsum("...ij,...jk->...ik", a, b))


def congruent(X: Values, I: Values) -> Values:
    """X·I·Xᵀ. # (..., i, j), (..., j, j) -> (..., i, i)."""
    return product(product(X, I), np.swapaxes(X, -1, -2))


def inverse_pose(T: Values) -> Values:
    """Pose of the parent frame in the frame placed at T. # (..., 4, 4).

    Source: [GASTEBOIS17] §6.1 eq. (250), (281)
    """
    found = np.zeros(T.shape, dtype=T.dtype)
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    found[..., :3, :3] = R
    found[..., :3, 3] = -np.einsum("...ij,...j->...i", R, T[..., :3, 3])
    found[..., 3, 3] = 1.0
    return found
