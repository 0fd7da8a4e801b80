"""Joint speeds of a closed chain: the task as well as it can be, the closure kept, no limit passed.

The thesis' damped pseudo-inverse, weighted by tasks and joints, is the least of

    Σ (q̇ − q̇0)²/w + Σ (J·q̇ − v)²/λ²

Here it is sought among the speeds within bounds, and with the closure as rows of so great a weight
that the feet hold: a joint at its limit is relieved by the others, smoothly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array

_CLOSURE = 1e-6  # [m/s] speed of a foot that weighs as much as 1 rad/s of a joint
_ENOUGH = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpeedTask:
    """What is asked of n joints.

    Args:
        closure: speeds that must be zero, per joint speed. # (c, n)
        jacobian: of the task. # (m, n)
        wanted: speed of the task. # (m,)
        damping: λ of the task.
        rest: joint speeds that are wanted where the task does not care. # (n,)
        mobility: weight w of each joint. # (n,)
        lower: bounds of the joint speeds. # (n,)
        upper: # (n,)
    """

    closure: Array
    jacobian: Array
    wanted: Array
    damping: float
    rest: Array
    mobility: Array
    lower: Array
    upper: Array


def closed_speeds(task: SpeedTask) -> Array:
    """The joint speeds. # (n,)."""
    from scipy.optimize import lsq_linear

    ease = 1.0 / np.sqrt(task.mobility)
    rows = np.concatenate([task.closure / _CLOSURE, task.jacobian / task.damping, np.diag(ease)])
    sides = np.concatenate(
        [np.zeros(len(task.closure)), task.wanted / task.damping, ease * task.rest]
    )
    speeds = np.linalg.lstsq(rows, sides, rcond=None)[0]
    if (speeds < task.lower).any() or (speeds > task.upper).any():
        apart = np.maximum(task.upper, task.lower + _ENOUGH)
        speeds = lsq_linear(rows, sides, (task.lower, apart), method="bvls", tol=_ENOUGH).x
    return np.asarray(speeds)
