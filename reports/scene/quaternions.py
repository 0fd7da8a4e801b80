"""Unit quaternions (w, x, y, z) of scene nodes; their sign follows the angle without a jump."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array


def of_rotation(R: Array) -> Array:
    """The quaternion of a rotation matrix, w not negative. # (3, 3) -> (4,)."""
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(canonical=True), 1)


def about_z(angles: Array) -> Array:
    """Turns about z; neighbours in angle are neighbours in sign. # (k,) [rad] -> (k, 4)."""
    zero = np.zeros_like(angles)
    return np.stack([np.cos(angles / 2.0), zero, zero, np.sin(angles / 2.0)], axis=-1)


def product(a: Array, b: Array) -> Array:
    """First b, then a. # (..., 4) each."""
    w, v = a[..., :1], a[..., 1:]
    u, s = b[..., :1], b[..., 1:]
    scalar = w * u - np.sum(v * s, axis=-1, keepdims=True)
    return np.concatenate([scalar, w * s + u * v + np.cross(v, s)], axis=-1)


def from_z(directions: Array) -> Array:
    """The shortest turn of z to each direction. # (k, 3) unit -> (k, 4)."""
    x, y, z = np.moveaxis(directions, -1, 0)
    found = np.stack([1.0 + z, -y, x, np.zeros_like(z)], axis=-1)
    found[z < -1.0 + 1e-12] = [0.0, 1.0, 0.0, 0.0]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))
