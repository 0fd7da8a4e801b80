"""What the legs' repeatability does to the platform's pose and to the points that are measured.

Small errors of length dl = J V move the platform by V = J⁻¹ dl, so independent errors of standard
deviation sigma give the pose the covariance sigma² (Jᵀ J)⁻¹.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Platform, leg_vectors

_SINGULAR = 1e-12  # ratio of singular values below which a pose has no covariance


def pose_covariance(platform: Platform, T: ArrayLike, sigma: float) -> Array:
    """Covariance of the pose of a platform from errors of its legs' lengths.

    Args:
        platform: its geometry.
        T: T_hexapod_platform. # (4, 4)
        sigma: standard deviation of each leg's length, independent. [m]

    Returns:
        Of the platform frame's origin, then of the small rotation about it; axes of the hexapod's
        base. # (6, 6) [m², m rad, rad²]

    Raises:
        PlatformError: a singular pose.
    """
    pose = np.asarray(T, dtype=np.float64)
    across = leg_vectors(platform, pose)
    unit = across / np.linalg.norm(across, axis=-1, keepdims=True)
    arms = platform.platform_points @ pose[:3, :3].T
    size = float(np.max(np.linalg.norm(arms, axis=1)))
    scale = np.array([1.0, 1.0, 1.0, size, size, size])
    jacobian = np.concatenate([unit, np.cross(arms, unit) / size], axis=1)
    values = np.linalg.svd(jacobian, compute_uv=False)
    if values[-1] <= _SINGULAR * values[0]:
        raise PlatformError(
            f"Platform {platform.name!r}: the pose is singular, so the legs do not hold it and its "
            "uncertainty has no bound; choose another pose.",
            smallest=float(values[-1]),
        )
    inverse = np.linalg.inv(jacobian) / scale[:, None]
    return np.asarray(sigma**2 * (inverse @ inverse.T))


def point_sigma(covariance: Array, origin: Array, points: Array, normals: Array) -> Array:
    """Standard deviation of points along their normals, from the pose of what carries them.

    Args:
        covariance: as ``pose_covariance`` gives it. # (6, 6)
        origin: of the platform frame. Hexapod frame. # (3,) [m]
        points: Hexapod frame. # (k, 3) [m]
        normals: likewise. # (k, 3) unit

    Returns:
        # (k,) [m]
    """
    along = np.concatenate([normals, np.cross(points - origin, normals)], axis=1)
    variance = np.einsum("ki,ij,kj->k", along, covariance, along)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
