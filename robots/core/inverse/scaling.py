"""One length that makes metres and radians comparable, where a sum of squares needs it.

Singular values, damping and step sizes mix lengths and angles. They are taken of the Jacobian in
units of this length: linear rows divided by it, columns of sliding joints multiplied by it. A
square, regular system has the same solution whatever the length.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.inverse.task import Task
from robots.core.mechanism import Mechanism

# Largest rounding of an entry of a Jacobian without units, with a thousandfold margin.
ROUNDING = 1e-13


def scale_length(mechanism: Mechanism) -> float:
    """Length of the chain from the base to the tool, offsets laid end to end; 1 m if zero. [m]."""
    length = float(np.linalg.norm(mechanism.tool[:3, 3]))
    index = mechanism.tool_joint
    while index >= 0:
        joint = mechanism.joints[index]
        length += float(np.linalg.norm(joint.placement[:3, 3]))
        if joint.movable and not joint.kind.angular:
            reach = np.abs([joint.q_min, joint.q_max])
            length += float(np.max(reach[np.isfinite(reach)], initial=0.0))
        index = joint.parent
    return length if length > 0.0 else 1.0


def row_scale(task: Task, length: float) -> Array:
    """Factor of each task row. # (m,) [1/m or 1]."""
    return np.where(task.linear, 1.0 / length, 1.0)


def column_scale(mechanism: Mechanism, length: float) -> Array:
    """Size of each joint variable's unit step. # (n,) [rad or m]."""
    return np.array([1.0 if joint.kind.angular else length for joint in mechanism.movable])


def without_rounding(J: Array, task: Task, mechanism: Mechanism, length: float) -> Array:
    """The task Jacobian with entries that can only be rounding set to zero. # (..., m, n).

    A joint whose axis passes through the tool moves it by 1e-17 instead of 0; a pseudo-inverse that
    judges each column by its own size would believe it, and ask for 1e17 rad/s.
    """
    return np.where(np.abs(scaled(J, task, mechanism, length)) <= ROUNDING, 0.0, J)


def scaled(J: Array, task: Task, mechanism: Mechanism, length: float) -> Array:
    """The task Jacobian without units. # (..., m, n)."""
    return np.asarray(row_scale(task, length)[:, None] * J * column_scale(mechanism, length))
