"""Directions: evenly over the sphere, and around a given one."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # [rad]


def even_directions(count: int) -> Array:
    """Unit vectors spread evenly on a spiral, the six axes first. # (6 + count, 3)."""
    k = np.arange(count)
    z = 1.0 - (2.0 * k + 1.0) / max(count, 1)
    radius, turn = np.sqrt(1.0 - z * z), _GOLDEN * k
    spiral = np.stack([radius * np.cos(turn), radius * np.sin(turn), z], axis=1)
    return np.concatenate([np.eye(3), -np.eye(3), spiral])


def directions_around(middle: Array, angle: float, count: int) -> Array:
    """Unit vectors at an angle from each of some. # (m, 3) -> (m, count, 3).

    Args:
        middle: unit vectors.
        angle: from them. [rad]
        count: how many, evenly around.
    """
    # the axis that is farthest from the direction gives a frame without a hole
    helper = np.eye(3)[np.argmin(np.abs(middle), axis=1)]
    u = np.cross(middle, helper)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(middle, u)
    turn = 2.0 * np.pi * np.arange(count) / count
    across = np.cos(turn)[:, None] * u[:, None] + np.sin(turn)[:, None] * v[:, None]
    return np.asarray(np.cos(angle) * middle[:, None] + np.sin(angle) * across)
