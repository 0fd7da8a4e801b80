"""How the tool's Jacobian changes with each joint, from the Jacobian alone.

A joint nearer to the base carries the axis and the tool point of every joint after it along; one
that is further out only moves the tool point. So ∂J/∂q needs nothing but the columns of J.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.inverse.task import Task
from robots.core.model import Model


def jacobian_derivative(J: Array) -> Array:
    """Derivative of the geometric Jacobian at the tool, base axes.

    With columns (v; ω) in the order of the tree: ∂ω_j/∂q_k = ω_k × ω_j for k < j, else 0, and
    ∂v_j/∂q_k = ω_min(j,k) × v_max(j,k).

    Args:
        J: # (..., 6, n)

    Returns:
        ∂J_ij/∂q_k. # (..., 6, n, n), k last
    """
    n = J.shape[-1]
    v, w = np.swapaxes(J[..., :3, :], -1, -2), np.swapaxes(J[..., 3:, :], -1, -2)
    turned_v = np.cross(
        w[..., None, :, :], v[..., :, None, :]
    )  # ω_k × v_j at [j, k] (..., n, n, 3)
    turned_w = np.cross(w[..., None, :, :], w[..., :, None, :])
    nearer = np.tri(n, dtype=np.bool_)[:, :, None]  # [j, k] with k ≤ j
    linear = np.where(nearer, turned_v, np.swapaxes(turned_v, -3, -2))
    angular = np.where(nearer, turned_w, 0.0)
    return np.moveaxis(np.concatenate([linear, angular], axis=-1), -1, -3)


def task_jacobian_derivative(model: Model, task: Task, q: Array) -> Array:
    """Derivative of the task Jacobian. # (..., n) -> (..., m, n, n), k last.

    The rows of a direction turn with the tool: ∂(x·ω_j)/∂q_k = x·(∂ω_j/∂q_k - ω_k × ω_j).
    """
    J = model.jacobian(q)
    slopes = jacobian_derivative(J)
    if task.has_axis:
        w = np.swapaxes(J[..., 3:, :], -1, -2)
        carried = np.cross(w[..., None, :, :], w[..., :, None, :])
        slopes = slopes.copy()
        slopes[..., 3:, :, :] -= np.moveaxis(carried, -1, -3)
    S = task.selection(model.forward(q)[..., :3, :3])
    return np.asarray(np.einsum("...ri,...ijk->...rjk", S, slopes))
