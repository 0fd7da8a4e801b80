"""Legs that meet each other, or the plates they stand on.

A leg is a capsule about the segment AB. Two legs that share a joint, or whose joints at one end are
nearer than their radii, always touch there and are not watched, as in the product's other
mechanisms. A plate is the plane through the joints at one end; a leg starts in it, so that not its
distance counts but its angle with the plane: at zero it lies in the plate, below it passes through.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.stewart.inverse import checked_poses, leg_vectors
from robots.stewart.platform import Platform

_FLAT = 1e-6  # thickness of joints over their breadth up to which they lie on a plate


def leg_pairs(platform: Platform) -> tuple[tuple[int, int], ...]:
    """Pairs of legs that must not touch; none for legs without radius."""
    found = []
    for i, j in combinations(range(len(platform.legs)), 2):
        one, other = platform.legs[i], platform.legs[j]
        reach = one.radius + other.radius
        apart = min(
            float(np.linalg.norm(one.base - other.base)),
            float(np.linalg.norm(one.platform - other.platform)),
        )
        if 0.0 < reach < apart:
            found.append((i, j))
    return tuple(found)


def leg_clearances(platform: Platform, T: ArrayLike) -> Array:
    """Distance between the surfaces of every watched pair; negative where they overlap.

    Args:
        platform: its geometry.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        In the order of ``leg_pairs``. # (..., pairs) [m]
    """
    pairs = np.array(leg_pairs(platform), dtype=np.intp).reshape(-1, 2)
    across = leg_vectors(platform, T)
    A = platform.base_points
    i, j = pairs[:, 0], pairs[:, 1]
    gap = segment_distance(A[i], across[..., i, :], A[j], across[..., j, :])
    radii = np.array([leg.radius for leg in platform.legs])
    return np.asarray(gap - radii[i] - radii[j])


def segment_distance(p: Array, d: Array, q: Array, e: Array) -> Array:
    """Distance between the segments p + [0, 1]·d and q + [0, 1]·e, all # (..., 3) [m].

    The nearest points are inside both segments, or one of them is an end: the least of the inner
    solution and the four distances of an end from the other segment.
    """
    r = p - q
    a, b, c = _dot(d, d), _dot(d, e), _dot(e, e)
    f, g = _dot(d, r), _dot(e, r)
    area = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (b * g - c * f) / area, (a * g - b * f) / area
    inside = (area > 1e-14 * a * c) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    s, t = np.where(inside, s, 0.0), np.where(inside, t, 0.0)
    crossing = _size(r + s[..., None] * d - t[..., None] * e)
    ends = [
        _point_distance(q, p, d),
        _point_distance(q + e, p, d),
        _point_distance(p, q, e),
        _point_distance(p + d, q, e),
    ]
    nearest = np.minimum.reduce(np.broadcast_arrays(*ends))
    return np.asarray(np.where(inside, np.minimum(crossing, nearest), nearest))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plate:
    """The plane through the joints at one end.

    Args:
        normal: towards the other end at home, in the frame that carries the joints. # (3,) unit
        at_base: whether it is the base's.
    """

    normal: Array
    at_base: bool


def plates(platform: Platform) -> tuple[Plate, ...]:
    """Base and platform plate, as far as the joints lie in a plane and all legs on its one side."""
    across = leg_vectors(platform, platform.home)
    inward = -across @ platform.home[:3, :3]  # in the platform frame, from B towards A
    found = []
    for points, legs, at_base in (
        (platform.base_points, across, True),
        (platform.platform_points, inward, False),
    ):
        _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
        sides = legs @ axes[2]
        if sizes[2] <= _FLAT * sizes[0] and (np.all(sides > 0.0) or np.all(sides < 0.0)):
            found.append(Plate(normal=axes[2] * np.sign(sides[0]), at_base=at_base))
    return tuple(found)


def plate_angles(platform: Platform, T: ArrayLike, plate: Plate) -> Array:
    """Angle between every leg and a plate; negative for a leg on the wrong side of it.

    # (..., 4, 4) -> (..., 6) [rad]
    """
    poses = checked_poses(platform, T)
    across = leg_vectors(platform, poses)
    normal = plate.normal if plate.at_base else -(poses[..., :3, :3] @ plate.normal)[..., None, :]
    return np.asarray(np.arcsin(np.clip(_dot(across, normal) / _size(across), -1.0, 1.0)))


def _point_distance(x: Array, p: Array, d: Array) -> Array:
    """Distance of points from the segments p + [0, 1]·d."""
    square = _dot(d, d)
    share = _dot(x - p, d) / np.where(square > 0.0, square, 1.0)
    return _size(x - p - np.clip(share, 0.0, 1.0)[..., None] * d)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))


def _size(a: Array) -> Array:
    return np.asarray(np.linalg.norm(a, axis=-1))
