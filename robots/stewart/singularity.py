"""How near a pose is to a singularity: of the platform (type 2) and of a leg (type 1).

With J the map from the platform's velocity to the legs' speeds:

* type 1: a leg can no longer be told where to go: its universal joint, or its Cardan end, is
  stretched along its own fork. (Its length never vanishes within a stroke.)
* type 2: det J = 0; the platform can move although all drives stand, and no force holds it.

J mixes lengths and angles. Here moments are taken about the centroid of the platform's joints and
divided by a characteristic length, their mean square distance from it, so that the result depends
neither on the platform frame nor on the unit of length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.stewart.inverse import checked_poses, leg_vectors
from robots.stewart.platform import LegEnd, Platform


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Conditioning:
    """Numbers of the scaled Jacobian, which has no unit.

    Args:
        determinant: zero at a type 2 singularity, of another sign beyond it. # (...)
        smallest: smallest singular value, zero there as well. # (...)
        largest: largest singular value. # (...)
    """

    determinant: Array
    smallest: Array
    largest: Array

    @property
    def condition(self) -> Array:
        """Condition number: 1 at best, infinite at a type 2 singularity. # (...)."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.largest / self.smallest)

    @property
    def signed_smallest(self) -> Array:
        """The smallest singular value with the determinant's sign: continuous. # (...)."""
        return np.asarray(self.smallest * np.sign(self.determinant))


def characteristic_length(platform: Platform) -> float:
    """Root of the mean square distance of the platform's joints from their centroid. [m]."""
    points = platform.platform_points
    return float(np.sqrt(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=-1))))


def scaled_jacobian(platform: Platform, T: ArrayLike) -> Array:
    """Rows (u, b × u / c) of every leg: its direction and its moment about the joints' centroid.

    Args:
        platform: its geometry.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        # (..., 6, 6), no unit
    """
    poses = checked_poses(platform, T)
    across = leg_vectors(platform, poses)
    u = across / np.linalg.norm(across, axis=-1, keepdims=True)
    points = platform.platform_points
    arms = (points - points.mean(axis=0)) @ np.swapaxes(poses[..., :3, :3], -1, -2)
    moments = np.cross(arms, u) / characteristic_length(platform)
    return np.concatenate([u, moments], axis=-1)


def conditioning(platform: Platform, T: ArrayLike) -> Conditioning:
    """Type 2: how well leg forces hold the platform at each pose. Args: T. # (..., 4, 4)."""
    J = scaled_jacobian(platform, T)
    sizes = np.asarray(np.linalg.svd(J, compute_uv=False), dtype=np.float64)
    return Conditioning(
        determinant=np.asarray(np.linalg.det(J)),
        smallest=np.asarray(sizes[..., -1]),
        largest=np.asarray(sizes[..., 0]),
    )


def joint_sines(platform: Platform, T: ArrayLike) -> Array:
    """Type 1: sine of the angle between a leg and the fork that would lock one of its joints.

    At the base that is the universal joint's first axis; at a Cardan end its axis on the platform,
    where it counts when it is nearer. # (..., 4, 4) -> (..., 6)
    """
    poses = checked_poses(platform, T)
    across = leg_vectors(platform, poses)
    u = across / np.linalg.norm(across, axis=-1, keepdims=True)
    first = np.array([leg.first_axis for leg in platform.legs])
    sines = np.linalg.norm(np.cross(u, first), axis=-1)
    forks = _end_forks(platform)
    at_end = np.linalg.norm(np.cross(u, forks @ np.swapaxes(poses[..., :3, :3], -1, -2)), axis=-1)
    cardan = np.array([leg.end is LegEnd.CARDAN for leg in platform.legs])
    return np.asarray(np.where(cardan, np.minimum(sines, at_end), sines))


def _end_forks(platform: Platform) -> Array:
    """Axis of every Cardan end on the platform; zero for balls. Platform frame. # (6, 3)."""
    from robots.stewart.leg_axes import leg_axes

    return np.array(
        [
            leg_axes(platform, k).plate[:, 0] if leg.end is LegEnd.CARDAN else np.zeros(3)
            for k, leg in enumerate(platform.legs)
        ]
    )
