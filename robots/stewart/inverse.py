"""Inverse geometry: the legs' vectors and lengths at a pose of the platform.

Source: [STAICU09] §2 eq. (10): the closure r(A) + leg + R·r(B) of every leg ends at the platform.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.orientation import ORTHONORMALITY_LIMIT
from robots.core.pose import as_pose
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Platform


def leg_vectors(platform: Platform, T: ArrayLike) -> Array:
    """From A to B of every leg, base frame.

    Args:
        platform: its geometry.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        B - A. # (..., 6, 3) [m]

    Raises:
        PlatformError: another shape, or a number that is not finite.
        PoseError: a matrix that is no rigid transform.
    """
    poses = checked_poses(platform, T)
    arms = platform.platform_points @ np.swapaxes(poses[..., :3, :3], -1, -2)
    return np.asarray(arms + poses[..., None, :3, 3] - platform.base_points)


def lengths(platform: Platform, T: ArrayLike) -> Array:
    """Length of every leg, A to B, at a pose. # (..., 4, 4) -> (..., 6) [m].

    Raises:
        PlatformError: another shape, or a number that is not finite.
    """
    return np.asarray(np.linalg.norm(leg_vectors(platform, T), axis=-1))


def checked_poses(platform: Platform, T: ArrayLike) -> Array:
    """T as an array, refused when it cannot be poses. # (..., 4, 4)."""
    poses = np.asarray(T, dtype=np.float64)
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise PlatformError(
            f"Platform {platform.name!r}: T_base_platform has shape {poses.shape}; its last two "
            "dimensions must be 4 and 4.",
            found=poses.shape,
        )
    if not np.all(np.isfinite(poses)):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(poses))[0])
        raise PlatformError(
            f"Platform {platform.name!r}: T_base_platform holds {poses[index]} at index {index}; "
            "every entry must be finite.",
            index=index,
        )
    if not _rigid(poses):
        as_pose(poses, f"Platform {platform.name!r}: T_base_platform")
    return poses


def _rigid(poses: Array) -> bool:
    """Whether all are rigid transforms; the core then says of one that is not what is wrong."""
    R = poses[..., :3, :3]
    deviation = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    volume = np.einsum("...i,...i->...", np.cross(R[..., 0], R[..., 1]), R[..., 2])
    last = bool(np.all(poses[..., 3, :] == (0.0, 0.0, 0.0, 1.0)))
    return last and deviation <= ORTHONORMALITY_LIMIT and bool(np.all(volume > 0.0))
