"""Leading a posture along: the ball to a place, the stylus to a direction, branch kept.

Newton steps from the posture itself, in a few stages along the way, work for every robot and stay
on its branch. A robot with joints to spare moves them as little as it can.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.model import Model

_STAGES = 4
_STEPS = 6  # Newton steps in each stage
_DAMPING = 1e-5  # [m] or [rad] per radian: far below the Jacobian of any posture worth leading to
_ARRIVED = 1e-7  # [m] and [rad]: what is left where a posture counts as found
_LARGEST_STEP = 0.3  # [rad or m] of any joint; a longer one has left the branch


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Led:
    """Postures on the way to targets.

    Args:
        q: after each stage; the last one is at the target. # (stages, m, n) [rad]
        arrived: whether every stage was reached. # (m,)
    """

    q: Array
    arrived: Mask

    @property
    def end(self) -> Array:
        """Postures at the targets. # (m, n)."""
        return np.asarray(self.q[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tips:
    """Where the ball is and where the stylus points.

    Args:
        position: ball centres. Base frame. # (m, 3) [m]
        axis: from wrist to ball. # (m, 3)
    """

    position: Array
    axis: Array


def tips_of(model: Model, q: Array) -> Tips:
    """Ball and stylus of postures. # (m, n)."""
    T = model.forward(q)
    return Tips(position=T[..., :3, 3], axis=T[..., :3, 2])


def lead(model: Model, q: Array, target: Tips) -> Led:
    """Lead postures to targets along straight lines of the ball.

    Args:
        model: of the robot.
        q: where to begin. # (m, n) [rad]
        target: where ball and stylus shall be.
    """
    begin = tips_of(model, q)
    found, arrived = [], np.ones(len(q), dtype=bool)
    for stage in range(1, _STAGES + 1):
        share = stage / _STAGES
        axis = begin.axis + share * (target.axis - begin.axis)
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        arrived &= length[:, 0] > 1e-3  # a stylus that turns right round has no way of its own
        goal = Tips(
            position=begin.position + share * (target.position - begin.position),
            axis=axis / np.maximum(length, 1e-3),
        )
        q, near = _newton(model, q, goal)
        arrived &= near
        found.append(q)
    return Led(q=np.stack(found), arrived=arrived)


def _newton(model: Model, q: Array, goal: Tips) -> tuple[Array, Mask]:
    """Damped Newton steps of least joint motion; those that stray are told by what is left."""
    left = _error(model, q, goal)
    for _ in range(_STEPS):
        if np.all(np.abs(left) < 0.01 * _ARRIVED):
            break
        J = _reduced(model.jacobian(q), goal.axis)
        grown = J @ np.swapaxes(J, -1, -2) + _DAMPING**2 * np.eye(6)
        step = np.swapaxes(J, -1, -2) @ np.linalg.solve(grown, left[..., None])
        step = step[..., 0]
        size = np.max(np.abs(step), axis=1, keepdims=True)
        q = q + step * np.minimum(1.0, _LARGEST_STEP / np.maximum(size, _LARGEST_STEP))
        left = _error(model, q, goal)
    return q, np.asarray(np.all(np.abs(left) < _ARRIVED, axis=1))


def _error(model: Model, q: Array, goal: Tips) -> Array:
    """What is left to move and to turn. # (m, 6) [m, rad]."""
    now = tips_of(model, q)
    turn = np.cross(now.axis, goal.axis)
    # Beyond a right angle the cross product shrinks again; such a posture has strayed.
    turn = np.where(np.sum(now.axis * goal.axis, axis=1, keepdims=True) > 0.0, turn, 1.0)
    return np.asarray(np.concatenate([goal.position - now.position, turn], axis=1))


def _reduced(J: Array, axis: Array) -> Array:
    """The Jacobian without turning about the stylus, which is free. # (m, 6, n)."""
    angular = J[:, 3:]
    about = np.einsum("mi,mij->mj", axis, angular)
    rest = angular - axis[:, :, None] * about[:, None, :]
    return np.asarray(np.concatenate([J[:, :3], rest], axis=1))
