"""The forward geometry as eight quadratic equations in eight unknowns (Study's parameters).

A pose is a pair of quaternions x = (q, g), up to a common factor: R·v = q v q̄ / |q|² and the
translation is p = g q̄ / |q|². Multiplying p + R·b − a by q gives g + q b − a q, so a leg of length
L from a to b is the quadratic form

    f(x) = |g + q b − a q|² − L² |q|² = xᵀ Q x,    Q = [[DᵀD − L²·1, Dᵀ], [D, 1]],  D·q = q b − a q.

Six legs, the Study quadric q·g = 0 and one normalisation make the square system. Over the complex
numbers |·|² stands for the sum of squares, without conjugation. A generic platform has 40
solutions with |q|² ≠ 0 (Wampler 1996; Husty 1996), and Dietmaier's (1998) has all 40 real.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robots.core.arrays import Array
from robots.core.orientation import rotation_log

Numbers = NDArray[Any]  # float64 or complex128: the continuation works over the complex numbers

UNKNOWNS = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegGeometry:
    """What the polynomials depend on; complex on the way from one platform to another.

    Args:
        base: points A, centred. # (6, 3) [scale]
        platform: points B, centred. # (6, 3) [scale]
        squares: L², of the legs. # (6,) [scale²]
    """

    base: Numbers
    platform: Numbers
    squares: Numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScaledGeometry:
    """A real platform in its own unit of length, both frames moved to the middle of the points.

    Args:
        legs: centred and scaled.
        base_centre: in the base frame. # (3,) [m]
        platform_centre: in the platform frame. # (3,) [m]
        scale: unit of length. [m]
    """

    legs: LegGeometry
    base_centre: Array
    platform_centre: Array
    scale: float


def scaled_geometry(base: Array, platform: Array, lengths: Array) -> ScaledGeometry:
    """Centre and scale a platform, so that q and g are of the same size.

    Args:
        base: points A. # (6, 3) [m]
        platform: points B. # (6, 3) [m]
        lengths: of the legs; one unit of length serves a whole batch. # (..., 6) [m]
    """
    base_centre, platform_centre = base.mean(axis=0), platform.mean(axis=0)
    A, B = base - base_centre, platform - platform_centre
    mean_squares = [np.mean(np.sum(A * A, -1)), np.mean(np.sum(B * B, -1)), np.mean(lengths**2)]
    scale = float(np.sqrt(np.mean(mean_squares)))
    legs = LegGeometry(base=A / scale, platform=B / scale, squares=(lengths / scale) ** 2)
    return ScaledGeometry(
        legs=legs, base_centre=base_centre, platform_centre=platform_centre, scale=scale
    )


def leg_matrices(base: Numbers, platform: Numbers) -> Numbers:
    """D of every leg: D·q = q b − a q. # (..., 4, 4)."""
    return _product_by(platform, side=-1.0) - _product_by(base, side=1.0)


def _product_by(v: Numbers, *, side: float) -> Numbers:
    """Matrix of q ↦ v q (side 1) or q ↦ q v (side −1) for the pure quaternion v. # (..., 4, 4)."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    M = np.zeros((*v.shape[:-1], 4, 4), dtype=v.dtype)
    M[..., 0, 1:], M[..., 1:, 0] = -v, v
    M[..., 1, 2], M[..., 1, 3], M[..., 2, 3] = -side * z, side * y, -side * x
    M[..., 2, 1], M[..., 3, 1], M[..., 3, 2] = side * z, -side * y, side * x
    return M


def study_quadric() -> Array:
    """Q of q·g. # (8, 8)."""
    Q = np.zeros((UNKNOWNS, UNKNOWNS))
    Q[:4, 4:] = Q[4:, :4] = 0.5 * np.eye(4)
    return Q


def quadratic_forms(legs: LegGeometry) -> Numbers:
    """Q of the six legs and, last, of the Study quadric; ``squares`` may be a batch.

    # (..., 7, 8, 8).
    """
    D = leg_matrices(legs.base, legs.platform)
    Dt = np.swapaxes(D, -1, -2)
    Q = np.zeros((*legs.squares.shape[:-1], 7, UNKNOWNS, UNKNOWNS), dtype=D.dtype)
    Q[..., :6, :4, :4] = Dt @ D - legs.squares[..., None, None] * np.eye(4)
    Q[..., :6, :4, 4:], Q[..., :6, 4:, :4], Q[..., :6, 4:, 4:] = Dt, D, np.eye(4)
    Q[..., 6, :, :] = study_quadric()
    return Q


def parameters_of_pose(T: Array, scaled: ScaledGeometry) -> Array:
    """Study parameters with |q| = 1 of poses T_base_platform. # (..., 8)."""
    R = T[..., :3, :3]
    p = T[..., :3, 3] + R @ scaled.platform_centre - scaled.base_centre
    turn = rotation_log(R)
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    q = np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=-1)
    g = (_product_by(p / scaled.scale, side=1.0) @ q[..., None])[..., 0]
    return np.concatenate([q, g], axis=-1)


def pose_of_parameters(x: Array, scaled: ScaledGeometry) -> Array:
    """Poses T_base_platform of real Study parameters. # (..., 4, 4)."""
    q, g = x[..., :4], x[..., 4:]
    norm = np.sum(q * q, axis=-1)[..., None]
    w, v = q[..., :1], q[..., 1:]
    T = np.zeros((*x.shape[:-1], 4, 4))
    cross = _product_by(v, side=1.0)[..., 1:, 1:]
    eye = np.eye(3)
    T[..., :3, :3] = eye + 2.0 * (w[..., None] * cross + cross @ cross) / norm[..., None]
    p = (w * g[..., 1:] - g[..., :1] * v - np.cross(g[..., 1:], v)) / norm * scaled.scale
    T[..., :3, 3] = p + scaled.base_centre - T[..., :3, :3] @ scaled.platform_centre
    T[..., 3, 3] = 1.0
    return T
