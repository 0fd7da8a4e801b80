"""Rotation matrices: exact quadrant trigonometry, elementary rotations, checks, unit directions.

The frame conventions that all of these follow are stated in ``robots/core/pose.py``.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.errors import PoseError
from robots.core.rounding import apart_digits

# Largest entry of |RᵀR − I| that a rotation may have; matrices printed with 10 digits still pass.
ORTHONORMALITY_LIMIT = 1e-9

# A vector shorter than this has no direction worth the name, whatever its unit.
SHORTEST_DIRECTION = 1e-12

_QUARTER_TURN = np.pi / 2
_SNAP_ULP = 4.0  # rounding of "degrees to radians", with margin
# Beyond this many quarter turns four units in the last place are no longer a tiny angle.
_MAX_QUARTERS = 2.0**20
_COS_OF_QUARTER = np.array([1.0, 0.0, -1.0, 0.0])
_SIN_OF_QUARTER = np.array([0.0, 1.0, 0.0, -1.0])


def as_finite(value: ArrayLike, tail: tuple[int, ...], what: str) -> Array:
    """Convert to an array of floats whose last axes are ``tail``.

    Raises:
        PoseError: other trailing axes, or an entry that is not finite.
    """
    array = np.asarray(value, dtype=np.float64)
    if array.shape[array.ndim - len(tail) :] != tail or array.ndim < len(tail):
        raise PoseError(
            f"{what} has shape {array.shape}; its last axes must be {tail}.",
            found=array.shape,
            expected=tail,
        )
    if not np.all(np.isfinite(array)):
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise PoseError(
            f"{what} holds {array[index]} at index {index}; every entry must be finite.",
            index=index,
            value=float(array[index]),
        )
    return array


@overload
def exact_cos_sin(angle: float) -> tuple[float, float]: ...
@overload
def exact_cos_sin(angle: Array) -> tuple[Array, Array]: ...
def exact_cos_sin(angle: float | Array) -> tuple[float, float] | tuple[Array, Array]:
    """Cosine and sine that are exactly 0 or ±1 at multiples of a quarter turn.

    Structure constants of robots are such angles; cos(π/2) = 6e-17 in place of 0 would keep dead
    terms alive in every recorded equation. An angle within 4 units in the last place of a multiple
    of π/2 is taken as that multiple.

    Args:
        angle: one angle or any batch of them. [rad]

    Raises:
        PoseError: an angle that is not finite.
    """
    angles = as_finite(angle, (), "An angle")
    quarters = np.rint(angles / _QUARTER_TURN)
    off = np.abs(angles - quarters * _QUARTER_TURN)
    snap = (off <= _SNAP_ULP * np.spacing(np.abs(angles))) & (np.abs(quarters) < _MAX_QUARTERS)
    index = np.where(snap, quarters, 0.0).astype(np.int64) % 4
    cos = np.where(snap, _COS_OF_QUARTER[index], np.cos(angles))
    sin = np.where(snap, _SIN_OF_QUARTER[index], np.sin(angles))
    return (float(cos), float(sin)) if angles.ndim == 0 else (cos, sin)


@overload
def exact_cos_sin_deg(angle_deg: float) -> tuple[float, float]: ...
@overload
def exact_cos_sin_deg(angle_deg: Array) -> tuple[Array, Array]: ...
def exact_cos_sin_deg(angle_deg: float | Array) -> tuple[float, float] | tuple[Array, Array]:
    """``exact_cos_sin`` of an angle in degrees, reduced to its quadrant without rounding.

    Args:
        angle_deg: one angle or any batch of them. [deg]

    Raises:
        PoseError: an angle that is not finite.
    """
    angles = as_finite(angle_deg, (), "An angle")
    within_turn = np.fmod(angles, 360.0)
    quarters = np.rint(within_turn / 90.0)
    rest = within_turn - 90.0 * quarters
    rest = np.where(np.abs(rest) <= _SNAP_ULP * np.spacing(np.abs(within_turn)), 0.0, rest)
    c, s = np.cos(np.deg2rad(rest)), np.sin(np.deg2rad(rest))
    index = quarters.astype(np.int64) % 4
    cq, sq = _COS_OF_QUARTER[index], _SIN_OF_QUARTER[index]
    cos, sin = cq * c - sq * s + 0.0, sq * c + cq * s + 0.0  # + 0.0 turns -0.0 into 0.0
    return (float(cos), float(sin)) if angles.ndim == 0 else (cos, sin)


def rotation_x(angle: ArrayLike) -> Array:
    """Rotation about x. Args: angle, any batch shape. [rad] # (..., 3, 3)."""
    return _elementary(angle, 0)


def rotation_y(angle: ArrayLike) -> Array:
    """Rotation about y. Args: angle, any batch shape. [rad] # (..., 3, 3)."""
    return _elementary(angle, 1)


def rotation_z(angle: ArrayLike) -> Array:
    """Rotation about z. Args: angle, any batch shape. [rad] # (..., 3, 3)."""
    return _elementary(angle, 2)


def _elementary(angle: ArrayLike, axis: int) -> Array:
    c, s = exact_cos_sin(np.asarray(angle, dtype=np.float64))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*np.shape(c), 3, 3))
    R[..., axis, axis] = 1.0
    R[..., j, j] = R[..., k, k] = c
    R[..., j, k] = np.subtract(0.0, s)  # not -s: no negative zeros in printed matrices
    R[..., k, j] = s
    return R


def skew(vector: ArrayLike) -> Array:
    """Matrix S of the cross product: S @ w = v × w.

    Args:
        vector: any batch of 3-vectors. # (..., 3)
    """
    v = as_finite(vector, (3,), "A vector")
    S = np.zeros((*v.shape, 3))
    S[..., 2, 1], S[..., 0, 2], S[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return S - np.swapaxes(S, -1, -2)


def unit_direction(vector: ArrayLike, what: str = "A direction") -> Array:
    """Scale vectors to length one.

    Args:
        vector: any batch of 3-vectors. # (..., 3)
        what: subject of the error sentence.

    Raises:
        PoseError: a vector that is not finite, or too short to have a direction.
    """
    v = as_finite(vector, (3,), what)
    largest = np.max(np.abs(v), axis=-1, keepdims=True)
    if np.any(largest < SHORTEST_DIRECTION):
        index = tuple(int(i) for i in np.argwhere(largest[..., 0] < SHORTEST_DIRECTION)[0])
        raise PoseError(
            f"{what} is {v[index].tolist()}: its length is below {SHORTEST_DIRECTION:g}, so it "
            "points nowhere; give a vector of non-zero length.",
            index=index,
            value=v[index].tolist(),
            limit=SHORTEST_DIRECTION,
        )
    scaled = v / largest  # keeps the squares inside the floating-point range
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def orthonormality_deviation(R: ArrayLike) -> Array:
    """Largest entry of |RᵀR − I|, per matrix. # (...)."""
    M = as_finite(R, (3, 3), "A rotation")
    return np.asarray(np.abs(np.swapaxes(M, -1, -2) @ M - np.eye(3)).max(axis=(-1, -2)))


def nearest_rotation(matrix: ArrayLike) -> Array:
    """Rotation closest to a matrix in the sense of least squares of the entries.

    Args:
        matrix: nearly a rotation, any batch. # (..., 3, 3)

    Raises:
        PoseError: a matrix so far from a rotation that no single one is nearest.
    """
    M = as_finite(matrix, (3, 3), "A matrix")
    U, sigma, Vt = np.linalg.svd(M)
    hand = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    # The minimiser is unique exactly when this sum is above zero.
    if np.any(sigma[..., 1] + hand * sigma[..., 2] <= 1e-12 * sigma[..., 0]):
        raise PoseError(
            f"No single rotation is nearest to a matrix with singular values {sigma.tolist()}; "
            "give three axes that are not in one plane or line.",
            singular_values=sigma.tolist(),
        )
    U[..., :, 2] *= hand[..., None]
    return np.asarray(U @ Vt)


def as_rotation(
    R: ArrayLike, what: str = "A rotation", *, limit: float = ORTHONORMALITY_LIMIT
) -> Array:
    """Check that matrices are rotations: orthonormal and right-handed.

    Args:
        R: any batch of matrices. # (..., 3, 3)
        what: subject of the error sentence.
        limit: largest entry of |RᵀR − I| that is accepted.

    Raises:
        PoseError: with the deviation and the limit; ``facts["nearest"]`` holds the nearest
            rotation, when there is one.
    """
    M = as_finite(R, (3, 3), what)
    if not M.size:
        return M
    deviation = float(np.max(orthonormality_deviation(M)))
    if deviation > limit:
        found, allowed = apart_digits(deviation, limit, 3)
        raise PoseError(
            f"{what} is not orthonormal: an entry of RᵀR − I is {found}, the limit is "
            f"{allowed}; nearest_rotation() gives the closest rotation if the axes were rounded.",
            deviation=deviation,
            limit=limit,
            nearest=_nearest_or_nothing(M),
        )
    if np.any(np.linalg.det(M) < 0.0):
        raise PoseError(
            f"{what} is left-handed: its determinant is -1, a rotation's is +1; "
            "reverse one axis or exchange two.",
            determinant=-1.0,
        )
    return M


def _nearest_or_nothing(M: Array) -> list[object]:
    try:
        return list(nearest_rotation(M).tolist())
    except PoseError:
        return []
