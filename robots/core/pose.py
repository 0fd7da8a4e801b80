"""Homogeneous transforms, and every frame convention of the product, stated once.

* ``T_base_probe`` maps probe coordinates into the base frame: p_base = T_base_probe · p_probe. Its
  columns are the probe's axes and origin seen from the base; T_a_c = T_a_b · T_b_c.
* A rotation matrix R = [s n a] has the moved frame's axes as columns (the sources' s, n, a).
* Angles are in radians and right-handed; lengths are in metres.
* ``rotation_zyx_deg = [a, b, c]`` in a file means Rz(a)·Ry(b)·Rx(c). That is roll-pitch-yaw,
  [LAMMARI12] (II.15): yaw α = a, pitch β = b, roll γ = c; each about an axis of the fixed frame
  when read from right to left.
* Euler ZXZ is Rz(ψ)·Rx(θ)·Rz(φ), [LAMMARI12] (II.11), each about a moving axis. (The source's
  text lets φ turn about the fixed Z0; its equation, rightly, does not.)
* Angular velocity ω is that of the moved frame, in coordinates of the fixed one: Ṙ = skew(ω)·R.
  Six-vectors hold the linear part first, then the angular part.
* Every function takes any leading batch axes and broadcasts them.

This module is the door to ``rotation``, ``axis_angle`` and ``orientation_angles``.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.errors import PoseError
from robots.core.orientation import (
    ORTHONORMALITY_LIMIT,
    AxisAngle,
    OrientationAngles,
    angles_zxz,
    angles_zyx,
    as_finite,
    as_rotation,
    axis_angle,
    exact_cos_sin,
    exact_cos_sin_deg,
    inverse_rate_matrix,
    nearest_rotation,
    rate_matrix_zxz,
    rate_matrix_zyx,
    rotation_about,
    rotation_exp,
    rotation_log,
    rotation_x,
    rotation_y,
    rotation_z,
    rotation_zxz,
    rotation_zyx,
    skew,
    turn_between,
    unit_direction,
)

__all__ = [
    "AxisAngle",
    "OrientationAngles",
    "angles_zxz",
    "angles_zyx",
    "as_pose",
    "as_rotation",
    "axis_angle",
    "compose",
    "exact_cos_sin",
    "exact_cos_sin_deg",
    "inverse_pose",
    "inverse_rate_matrix",
    "make_pose",
    "nearest_rotation",
    "rate_matrix_zxz",
    "rate_matrix_zyx",
    "rotation_about",
    "rotation_exp",
    "rotation_log",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotation_zxz",
    "rotation_zyx",
    "skew",
    "transform_directions",
    "transform_points",
    "turn_between",
    "unit_direction",
]


_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


def make_pose(
    rotation: ArrayLike | None = None, translation: ArrayLike | None = None, what: str = "A pose"
) -> Array:
    """Pose from a rotation and a translation; what is left out is the identity.

    Args:
        rotation: the moved frame's axes as columns. # (..., 3, 3)
        translation: the moved frame's origin. # (..., 3) [m]
        what: subject of the error sentence.

    Raises:
        PoseError: not a rotation, or a value that is not finite.
    """
    R = as_rotation(np.eye(3) if rotation is None else rotation, f"{what}'s rotation")
    p = as_finite(np.zeros(3) if translation is None else translation, (3,), f"{what}'s origin")
    T = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def as_pose(T: ArrayLike, what: str = "A pose", *, limit: float = ORTHONORMALITY_LIMIT) -> Array:
    """Check that matrices are rigid transforms.

    Args:
        T: any batch. # (..., 4, 4)
        what: subject of the error sentence.
        limit: largest entry of |RᵀR − I| that is accepted.

    Raises:
        PoseError: wrong shape, not finite, last row other than (0, 0, 0, 1), or a rotation part
            that is not one; then with the deviation, the limit and the nearest rotation.
    """
    M = as_finite(T, (4, 4), what)
    if np.any(M[..., 3, :] != _LAST_ROW):
        rows = M[..., 3, :].reshape(-1, 4)
        row = rows[np.any(rows != _LAST_ROW, axis=-1)][0].tolist()
        raise PoseError(
            f"{what} has last row {row}; a rigid transform's is (0, 0, 0, 1). "
            "Is the matrix transposed?",
            row=row,
        )
    as_rotation(M[..., :3, :3], f"{what}'s rotation", limit=limit)
    return M


def inverse_pose(T: ArrayLike) -> Array:
    """T_b_a from T_a_b, by transposition: exact for what ``as_pose`` accepts. # (..., 4, 4).

    Raises:
        PoseError: not a rigid transform.
    """
    M = as_pose(T)
    Rt = np.swapaxes(M[..., :3, :3], -1, -2)
    inverse = np.zeros_like(M)
    inverse[..., :3, :3], inverse[..., 3, 3] = Rt, 1.0
    inverse[..., :3, 3] = 0.0 - (Rt @ M[..., :3, 3, None])[..., 0]
    return inverse


def compose(*poses: ArrayLike) -> Array:
    """Product of a chain of poses, T_a_b · T_b_c · …; the identity when it is empty.

    Raises:
        PoseError: one of them is not a rigid transform; the message says which.
    """
    checked = (as_pose(T, f"Pose {place}") for place, T in enumerate(poses, start=1))
    return reduce(np.matmul, checked, np.eye(4))


def transform_points(T: ArrayLike, points: ArrayLike) -> Array:
    """Points of the moved frame in the fixed one: R·p + t. Args: points. # (..., 3) [m].

    Raises:
        PoseError: not a rigid transform, or points that are not finite.
    """
    M = as_pose(T)
    return transform_directions(M, as_finite(points, (3,), "A point")) + M[..., :3, 3]


def transform_directions(T: ArrayLike, directions: ArrayLike) -> Array:
    """Directions (normals, velocities) of the moved frame in the fixed one: R·d. # (..., 3).

    Raises:
        PoseError: not a rigid transform, or directions that are not finite.
    """
    M = as_pose(T)
    d = as_finite(directions, (3,), "A direction")
    return np.asarray((M[..., :3, :3] @ d[..., None])[..., 0])
