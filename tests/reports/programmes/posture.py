"""Joints for a place of the ball, as a controller solves them: Newton steps from joints nearby."""

from __future__ import annotations

import numpy as np


def posture(model, near, place, like=None):
    """Joints near others with the ball at a place, oriented like a pose or else like them."""
    q = np.array(near, dtype=float)
    goal = (model.forward(q[None])[0] if like is None else like).copy()
    goal[:3, 3] = place
    for _ in range(30):
        gap = task_gap(model.forward(q[None])[0], goal, len(q))
        if np.abs(gap).max() < 1e-14:
            break
        q = q + np.linalg.pinv(task_rows(model, q), rcond=1e-9) @ gap
    return q


def task_gap(T, goal, n):
    """Shift and turn that are missing. # (6,)."""
    R = goal[:3, :3] @ T[:3, :3].T
    turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if n < 6:
        z = T[:3, 2]
        turn = turn - (turn @ z) * z
    return np.concatenate([goal[:3, 3] - T[:3, 3], turn])


def task_rows(model, q):
    """Jacobian of the same. # (6, n)."""
    J = np.array(model.jacobian(q[None])[0])
    if len(q) < 6:
        z = model.forward(q[None])[0][:3, 2]
        J[3:] -= np.outer(z, z @ J[3:])
    return J
