"""Rotations as an axis and an angle: exponential, logarithm, the smallest turn between directions.

The axis is recovered from the unit quaternion's outer product, whose best column stays well
conditioned at every angle; the usual division by sin α fails at 0 and at π.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.orientation.rotation import (
    as_finite,
    as_rotation,
    exact_cos_sin,
    skew,
    unit_direction,
)

# Below this |w| the sense of a half turn is rounding noise, and a rule decides it.
_HALF_TURN = 1e-15
# Below this sine the cross product of two unit vectors is rounding noise.
_PARALLEL = 2e-12  # twice the shortest direction: the largest entry of the cross product is longer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AxisAngle:
    """A turn by ``angle`` about ``axis``.

    Args:
        axis: unit vectors; z where the angle is zero. # (..., 3)
        angle: between 0 and π. # (...) [rad]
    """

    axis: Array
    angle: Array

    @property
    def vector(self) -> Array:
        """Rotation vector: axis times angle. # (..., 3) [rad]."""
        return self.axis * self.angle[..., None]

    @property
    def rotation(self) -> Array:
        """The turn as a matrix. # (..., 3, 3)."""
        return rotation_about(self.axis, self.angle)


def rotation_about(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by an angle about an axis; ``rot(U, α)`` of the sources.

    Args:
        axis: directions of any length above zero; batch axes broadcast with the angle's. # (..., 3)
        angle: any sign and size. # (...) [rad]

    Raises:
        PoseError: an axis without direction, a value that is not finite.

    Source: [LAMMARI12] §V.4 eq. (V.11)
    """
    U = unit_direction(axis, "A rotation axis")
    c, s = exact_cos_sin(np.asarray(angle, dtype=np.float64))
    cos, sin = np.asarray(c)[..., None, None], np.asarray(s)[..., None, None]
    outer = U[..., :, None] * U[..., None, :]
    # (1 − cos)·UUᵀ, not UUᵀ − cos·UUᵀ: a small turn keeps all its digits.
    return np.asarray(cos * np.eye(3) + sin * skew(U) + (1.0 - cos) * outer)


def rotation_exp(vector: ArrayLike) -> Array:
    """Rotation of a rotation vector (axis times angle); smooth at zero.

    Args:
        vector: any batch. # (..., 3) [rad]
    """
    w = as_finite(vector, (3,), "A rotation vector")
    turns = np.linalg.norm(w, axis=-1)[..., None, None] / np.pi
    W = skew(w)
    # sin(α)/α and (1 − cos α)/α² through sinc, which has no hole at zero.
    return np.asarray(np.eye(3) + np.sinc(turns) * W + 0.5 * np.sinc(turns / 2) ** 2 * (W @ W))


def rotation_log(R: ArrayLike) -> Array:
    """Rotation vector of a rotation, of length 0 to π. # (..., 3) [rad].

    Raises:
        PoseError: not a rotation.
    """
    return axis_angle(R).vector


def axis_angle(R: ArrayLike) -> AxisAngle:
    """Axis and angle of rotations, exact at zero and at a half turn.

    (V.13) divides by sin α, which is zero at α = 0 and α = π. Here the axis comes from the
    antisymmetric part of R for small turns and from its symmetric part for large ones. Where the
    angle is zero the axis is z; at a half turn, where ±U turn alike, the largest component of U is
    positive.

    Args:
        R: any batch. # (..., 3, 3)

    Raises:
        PoseError: not a rotation.

    Source: [LAMMARI12] §V.4 eq. (V.13), made robust
    """
    quaternion = _quaternion(as_rotation(R))
    w, v = quaternion[..., 0], quaternion[..., 1:]
    largest = np.take_along_axis(v, np.argmax(np.abs(v), axis=-1)[..., None], axis=-1)[..., 0]
    sign = np.where(np.abs(w) > _HALF_TURN, np.sign(w), np.where(largest < 0.0, -1.0, 1.0))
    v = v * sign[..., None]
    length = np.linalg.norm(v, axis=-1)
    still = length == 0.0
    axis = np.where(still[..., None], [0.0, 0.0, 1.0], v / np.where(still, 1.0, length)[..., None])
    angle = np.minimum(2.0 * np.arctan2(length, np.abs(w)), np.pi)
    return AxisAngle(axis=axis, angle=np.asarray(angle))


def _quaternion(R: Array) -> Array:
    """Unit quaternions (w, x, y, z), from the column of 4·q·qᵀ with the largest diagonal entry."""
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    trace = diagonal.sum(axis=-1)
    K = np.zeros((*R.shape[:-2], 4, 4))
    K[..., 1:, 1:] = R + np.swapaxes(R, -1, -2)
    K[..., 0, 0] = 1.0 + trace
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[..., i + 1, i + 1] = 1.0 + 2.0 * diagonal[..., i] - trace
        K[..., 0, i + 1] = K[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    column = np.take_along_axis(K, best[..., None, None], axis=-1)[..., 0]
    return np.asarray(column / np.linalg.norm(column, axis=-1, keepdims=True))


def turn_between(start: ArrayLike, end: ArrayLike) -> AxisAngle:
    """Smallest turn that brings one direction onto another; it has no spin about the direction.

    For a probe only the axis counts: this is the turn that a five-axis arm makes. Opposite
    directions have no smallest turn; the axis is then ``start × e`` with e the base axis most
    nearly normal to ``start``.

    Args:
        start: directions before, any length above zero. # (..., 3)
        end: directions after, in the same frame. # (..., 3)

    Raises:
        PoseError: a vector without direction.
    """
    a, b = np.broadcast_arrays(unit_direction(start), unit_direction(end))
    cross = np.cross(a, b)
    sine = np.linalg.norm(cross, axis=-1)
    parallel = (sine < _PARALLEL)[..., None]
    seed = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    axis = unit_direction(np.where(parallel, np.cross(a, seed), cross))
    # Near a half turn the cross product is small and not quite normal to a: make it so.
    axis = unit_direction(axis - np.sum(axis * a, axis=-1, keepdims=True) * a)
    return AxisAngle(axis=axis, angle=np.asarray(np.arctan2(sine, np.sum(a * b, axis=-1))))
