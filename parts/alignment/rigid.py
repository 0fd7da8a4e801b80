"""Rigid motions of points: the little of it that aligning a part needs.

``T_base_part`` maps part coordinates into the base frame. The full set of conventions is stated in
``robots.core.pose``; ``parts`` knows no robot, so it has its own few lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array

_ROUNDING = 1e-16  # cos(π/2) in doubles is 6e-17: a right angle is meant
_SMALL_ANGLE = 1e-8  # [rad] below it, sin a / a is 1 in doubles


def rotation_zyx(angles: ArrayLike) -> Array:
    """Rz(φ)·Ry(γ)·Rx(α): three turns about fixed axes in the order x, y, z; roll-pitch-yaw.

    Args:
        angles: (φ, γ, α) about z, y, x. # (3,) [rad]

    Source: [LAMMARI12] §VI.6
    """
    (cz, cy, cx), (sz, sy, sx) = _clean(np.cos(angles)), _clean(np.sin(angles))
    Rz = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    Ry = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    return np.asarray(Rz @ Ry @ Rx)


def rotation_of(vector: Array) -> Array:
    """Rotation by |vector| about vector (Rodrigues). # (3,) [rad] -> (3, 3)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < _SMALL_ANGLE:
        return np.asarray(np.eye(3) + K + 0.5 * K @ K)
    half = np.sin(0.5 * angle) / angle
    return np.asarray(np.eye(3) + np.sin(angle) / angle * K + 2.0 * half**2 * K @ K)


def pose_of(R: Array, t: Array) -> Array:
    """Homogeneous transform of a rotation and a translation. # (4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, t
    return T


def inverse(T: Array) -> Array:
    """T_part_base of T_base_part, by transposition. # (4, 4)."""
    R = T[:3, :3]
    return pose_of(R.T, -R.T @ T[:3, 3])


def moved(T: Array, points: Array) -> Array:
    """Points of the moved frame in the fixed one. # (..., 3) [m]."""
    return np.asarray(points @ T[:3, :3].T + T[:3, 3])


def turned(T: Array, directions: Array) -> Array:
    """Directions of the moved frame in the fixed one. # (..., 3)."""
    return np.asarray(directions @ T[:3, :3].T)


def orthonormal(R: Array) -> Array:
    """The rotation nearest to a product of many: rounding must not build up. # (3, 3)."""
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)


def _clean(values: Array) -> Array:
    return np.where(np.abs(values) <= _ROUNDING, 0.0, values)
