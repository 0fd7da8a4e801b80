"""Orientations as three angles: Euler ZXZ, and ZYX which is roll-pitch-yaw; both ways, and rates.

Angles stand in the order of the product of rotations: (ψ, θ, φ) for ZXZ, (α, β, γ) for ZYX, so
yaw α comes first and roll γ last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.errors import PoseError
from robots.core.orientation.rotation import (
    as_finite,
    as_rotation,
    rotation_x,
    rotation_y,
    rotation_z,
)
from robots.core.rounding import apart_digits

# Below this sin θ (ZXZ) or cos β (ZYX) the first and last axes are one line, up to rounding of R.
SINGULAR_LIMIT = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrientationAngles:
    """The two sets of angles that give one orientation.

    Args:
        angles: the usual solution: θ in [0, π] for ZXZ, β in [-π/2, π/2] for ZYX. # (..., 3) [rad]
        alternative: the other solution; the first angle differs by a half turn. # (..., 3) [rad]
        singular: where first and last angle turn about one line and only their sum or difference
            is defined. # (...)
        convention: what fixes the free angle there.
    """

    angles: Array
    alternative: Array
    singular: Mask
    convention: str


def rotation_zxz(angles: ArrayLike) -> Array:
    """Rz(ψ)·Rx(θ)·Rz(φ). Args: angles (ψ, θ, φ). # (..., 3) [rad].

    The source's text lets φ turn about Z0; its own product, and this one, turn φ about the moving
    z axis.

    Source: [LAMMARI12] §II.4.1 eq. (II.11), erratum
    """
    a = as_finite(angles, (3,), "A set of ZXZ angles")
    return rotation_z(a[..., 0]) @ rotation_x(a[..., 1]) @ rotation_z(a[..., 2])


def rotation_zyx(angles: ArrayLike) -> Array:
    """Rz(α)·Ry(β)·Rx(γ), roll-pitch-yaw. Args: angles (α, β, γ). # (..., 3) [rad].

    Source: [LAMMARI12] §II.4.2 eq. (II.15)
    """
    a = as_finite(angles, (3,), "A set of ZYX angles")
    return rotation_z(a[..., 0]) @ rotation_y(a[..., 1]) @ rotation_x(a[..., 2])


def angles_zxz(R: ArrayLike) -> OrientationAngles:
    """Euler ZXZ angles of rotations, both solutions; φ = 0 where sin θ = 0.

    Args:
        R: any batch. # (..., 3, 3)

    Raises:
        PoseError: not a rotation.

    Source: [LAMMARI12] §II.4.1 eqs. (II.13)-(II.14); ``angles`` is its ψ′, which has θ in [0, π]
    """
    M = as_rotation(R)
    s, n, a = M[..., 0], M[..., 1], M[..., 2]
    singular = np.hypot(a[..., 0], a[..., 1]) < SINGULAR_LIMIT
    psi = np.where(
        singular, np.arctan2(s[..., 1], s[..., 0]), np.arctan2(a[..., 0], 0.0 - a[..., 1])
    )
    c, si = np.cos(psi), np.sin(psi)
    theta = np.arctan2(a[..., 0] * si - a[..., 1] * c, a[..., 2])
    phi = np.arctan2(-n[..., 0] * c - n[..., 1] * si, s[..., 0] * c + s[..., 1] * si)
    angles = np.stack([psi, np.abs(theta), np.where(singular, 0.0, phi)], axis=-1)
    return OrientationAngles(
        angles=angles,
        alternative=_wrapped(angles * [1.0, -1.0, 1.0] + [np.pi, 0.0, np.pi]),
        singular=np.asarray(singular),
        convention="φ = 0 where sin θ = 0",
    )


def angles_zyx(R: ArrayLike) -> OrientationAngles:
    """Roll-pitch-yaw angles (α, β, γ) of rotations, both solutions; γ = 0 where cos β = 0.

    Args:
        R: any batch. # (..., 3, 3)

    Raises:
        PoseError: not a rotation.

    Source: [LAMMARI12] §II.4.2 eqs. (II.16)-(II.17)
    """
    M = as_rotation(R)
    s, n, a = M[..., 0], M[..., 1], M[..., 2]
    singular = np.hypot(s[..., 0], s[..., 1]) < SINGULAR_LIMIT
    alpha = np.where(
        singular, np.arctan2(0.0 - n[..., 0], n[..., 1]), np.arctan2(s[..., 1], s[..., 0])
    )
    c, si = np.cos(alpha), np.sin(alpha)
    beta = np.arctan2(-s[..., 2], s[..., 0] * c + s[..., 1] * si)
    gamma = np.arctan2(a[..., 0] * si - a[..., 1] * c, n[..., 1] * c - n[..., 0] * si)
    angles = np.stack([alpha, beta, np.where(singular, 0.0, gamma)], axis=-1)
    return OrientationAngles(
        angles=angles,
        alternative=_wrapped(angles * [1.0, -1.0, 1.0] + np.pi),
        singular=np.asarray(singular),
        convention="γ = 0 where cos β = 0",
    )


def rate_matrix_zxz(angles: ArrayLike) -> Array:
    """E with ω = E·(ψ̇, θ̇, φ̇), ω in the fixed frame; det E = -sin θ. # (..., 3, 3).

    Source: [COURSE-JAC] analytic Jacobian; [LAMMARI12] §II.4.1
    """
    a = as_finite(angles, (3,), "A set of ZXZ angles")
    node = rotation_z(a[..., 0])
    last = node @ rotation_x(a[..., 1])
    return _columns(node[..., 0], last[..., 2])


def rate_matrix_zyx(angles: ArrayLike) -> Array:
    """E with ω = E·(α̇, β̇, γ̇), ω in the fixed frame; det E = -cos β. # (..., 3, 3).

    Source: [COURSE-JAC] analytic Jacobian; [LAMMARI12] §II.4.2
    """
    a = as_finite(angles, (3,), "A set of ZYX angles")
    node = rotation_z(a[..., 0])
    last = node @ rotation_y(a[..., 1])
    return _columns(node[..., 1], last[..., 0])


def inverse_rate_matrix(E: ArrayLike) -> Array:
    """Inverse of a rate matrix: angle rates = E⁻¹·ω.

    Args:
        E: from ``rate_matrix_zxz`` or ``rate_matrix_zyx``, any batch. # (..., 3, 3)

    Raises:
        PoseError: the angle set is singular there: sin θ = 0 (ZXZ) or cos β = 0 (ZYX).
    """
    M = as_finite(E, (3, 3), "A rate matrix")
    smallest = float(np.min(np.abs(np.linalg.det(M)), initial=np.inf))
    if smallest < SINGULAR_LIMIT:
        found, limit = apart_digits(smallest, SINGULAR_LIMIT, 3)
        raise PoseError(
            f"The angle set is singular: |det E| = {found}, the limit is {limit}. Its first and "
            "last axes are one line (sin θ = 0 for ZXZ, "
            "cos β = 0 for ZYX), so no angle rates give every ω; use the geometric Jacobian or "
            "the other angle set.",
            determinant=smallest,
            limit=SINGULAR_LIMIT,
        )
    return np.asarray(np.linalg.inv(M), dtype=np.float64)


def _columns(second: Array, third: Array) -> Array:
    first = np.broadcast_to([0.0, 0.0, 1.0], second.shape)
    return np.stack([first, second, third], axis=-1)


def _wrapped(angles: Array) -> Array:
    """Angles brought into (-π, π]."""
    wrapped = angles - 2.0 * np.pi * np.ceil((angles - np.pi) / (2.0 * np.pi))
    return np.asarray(wrapped)
