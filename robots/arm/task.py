"""The five-row task of a probe: position of the ball and direction of the stylus.

Rows 0-2 are the ball's velocity in base axes; rows 3-4 are the angular velocity about the tool's
own x and y axes, the two turnings that change the stylus's direction. Turning about the stylus is
left free, which is what makes the task square.

Source: sources.md, decision 5 (the 6 x 5 Jacobian with ω = 0 of [LAMMARI12] §III.5 is not it)
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.model import Model


def task_jacobian(model: Model, q: object) -> Array:
    """J5. # (..., 5) -> (..., 5, 5) [m, rad per rad]."""
    linear = model.jacobian(q)[..., :3, :]
    turning = model.kernel("tool_jacobian")(q)[..., 3:5, :]
    return np.concatenate([linear, turning], axis=-2)


def task_bias(model: Model, q: object, qd: Array) -> Array:
    """Rates of J5 times qd: task acceleration at zero joint acceleration. # (..., 5).

    In the moving tool axes a stylus direction d obeys d̈ = ω̇ x d + ω x (ω x d); its components are
    ω̇_y + ω_x·ω_z along x and -(ω̇_x - ω_y·ω_z) along y, so the rows below vanish for a held stylus.
    """
    bias, rotation = model.bias_acceleration(q, qd), model.forward(q)[..., :3, :3]
    wd = np.einsum("...ji,...j->...i", rotation, bias[..., 3:])
    w = np.einsum("...ij,...j->...i", model.kernel("tool_jacobian")(q)[..., 3:, :], qd)
    x = wd[..., 0] - w[..., 1] * w[..., 2]
    y = wd[..., 1] + w[..., 0] * w[..., 2]
    return np.concatenate([bias[..., :3], x[..., None], y[..., None]], axis=-1)
