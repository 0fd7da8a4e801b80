"""What an alignment takes out of the errors of the points that it rests on, to first order."""

from __future__ import annotations

import numpy as np

from parts.evaluation.aligning import AlignmentTask
from robots.core.arrays import Array, Indices


def realigned(task: AlignmentTask, points: Array, normals: Array, errors: Array) -> Array:
    """Errors of the points after the alignment has followed them.

    A measurement that is aligned to its own points loses that part of their errors that is a rigid
    motion in the alignment's own sense: what is left are the errors less this motion.

    Args:
        task: the alignment.
        points: aligned, in the part frame. # (n, 3) [m]
        normals: of the surface where the points meet it, unit. # (n, 3)
        errors: # (draws, n, 3) [m]
    """
    if task.method == "none":
        return errors
    centre = points.mean(axis=0)
    arms = points - centre
    twists = (
        _held_by_datums(task, arms, errors)
        if task.method == "datums"
        else _held_by_squares(task, arms, normals, errors)
    )
    moves = twists[:, None, :3] + np.cross(twists[:, None, 3:], arms)
    return np.asarray(errors - moves)


def _held_by_squares(task: AlignmentTask, arms: Array, normals: Array, errors: Array) -> Array:
    """Shifts and turns of least squares. # (draws, 6)."""
    weights = np.ones(len(arms)) if task.weights is None else np.asarray(task.weights)
    roots = np.sqrt(weights)
    if task.method == "points":
        axes = np.broadcast_to(np.eye(3), (len(arms), 3, 3))
        rows = np.concatenate([axes, np.cross(arms[:, None, :], axes)], axis=2)
        A = (roots[:, None, None] * rows).reshape(-1, 6)
        b = (roots[:, None] * errors).reshape(len(errors), -1)
    else:
        A = roots[:, None] * np.hstack([normals, np.cross(arms, normals)])
        b = roots * np.einsum("dki,ki->dk", errors, normals)
    return np.asarray(b @ np.linalg.pinv(A).T)


def _held_by_datums(task: AlignmentTask, arms: Array, errors: Array) -> Array:
    """The primary turns the part twice, the secondary once; middles shift it. # (draws, 6)."""
    features = np.array(task.features)
    rows = [np.flatnonzero(features == name) for name in task.datums]
    n = np.array([task.normals[some].mean(axis=0) for some in rows])
    n /= np.linalg.norm(n, axis=1)[:, None]
    first = _slopes(arms[rows[0]], _along(errors, rows[0], n[0]), n[0])
    omega = np.cross(first, n[0])  # of which (ω × a)·n0 = slope·a for all a across n0
    second = errors[:, rows[1]] - np.cross(omega[:, None, :], arms[rows[1]])
    across = np.cross(n[0], n[1])
    lever = arms[rows[1]] @ across
    lever = lever - lever.mean()
    heights = second @ n[1]
    spin = -(heights @ lever) / float(lever @ lever)
    omega = omega + spin[:, None] * n[0]
    gaps = np.stack(
        [
            ((errors[:, some] - np.cross(omega[:, None, :], arms[some])) @ normal).mean(axis=1)
            for some, normal in zip(rows, n, strict=True)
        ],
        axis=1,
    )
    return np.concatenate([np.linalg.solve(n, gaps.T).T, omega], axis=1)


def _along(errors: Array, rows: Indices, normal: Array) -> Array:
    return np.asarray(errors[:, rows] @ normal)


def _slopes(arms: Array, heights: Array, normal: Array) -> Array:
    """Gradient across the normal of the least-squares plane of heights. # (draws, 3)."""
    flat = arms - np.outer(arms @ normal, normal)
    flat = flat - flat.mean(axis=0)
    return np.asarray(heights @ np.linalg.pinv(flat).T)
