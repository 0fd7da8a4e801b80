"""A stylus whose ball does not lie on its own axis: solved numerically from the closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robots.arm.task import task_jacobian
from robots.core.model import Model

Array = NDArray[np.float64]

_ITERATIONS = 50
_SMALL = 1e-13  # step [rad] below which nothing more is gained
_LARGEST_STEP = 0.5  # [rad] keeps an iterate in its own family
_DAMPING = 1e-9  # relative to the largest singular value; carries the step over singular postures


def solve_bent_stylus(model: Model, seeds: Array, position: Array, axis: Array) -> Array:
    """Newton's method on the five-row task from every family of the straight stylus.

    Families that do not converge keep their last iterate; the caller's residuals tell.

    Args:
        model: the arm with its tool.
        seeds: joint angles for a straight stylus. # (..., 8, 5) [rad]
        position: ball centre. # (..., 3) [m]
        axis: unit stylus direction. # (..., 3)
    """
    q = seeds.copy()
    for _ in range(_ITERATIONS):
        T = model.forward(q)
        R, off = T[..., :3, :3], position[..., None, :] - T[..., :3, 3]
        # Turning that carries z onto the target direction, in the tool's axes.
        local = np.einsum("...ji,...j->...i", R, np.broadcast_to(axis[..., None, :], off.shape))
        turning = _turning(local)
        error = np.concatenate([off, turning], axis=-1)
        step = _damped_step(task_jacobian(model, q), error)
        longest = np.abs(step).max(axis=-1, keepdims=True)
        q = q + step * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, 1e-300))
        if float(longest.max()) < _SMALL:
            break
    return q


def _turning(local: Array) -> Array:
    """Rotation vector (x, y) that takes the tool's z axis to a direction in tool axes."""
    sine = np.hypot(local[..., 0], local[..., 1])
    angle = np.arctan2(sine, local[..., 2])
    ratio = angle / np.where(sine > 0.0, sine, 1.0)
    ratio = np.where(sine > 0.0, ratio, 1.0)
    return np.stack([-local[..., 1] * ratio, local[..., 0] * ratio], axis=-1)


def _damped_step(J: Array, error: Array) -> Array:
    scale = np.linalg.norm(J, axis=(-2, -1))[..., None, None]
    normal = np.swapaxes(J, -1, -2) @ J + (_DAMPING * scale) ** 2 * np.eye(5)
    right = np.einsum("...ji,...j->...i", J, error)
    return np.asarray(np.linalg.solve(normal, right[..., None])[..., 0])
