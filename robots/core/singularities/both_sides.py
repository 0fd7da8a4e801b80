"""Whether the tool can leave a posture to both sides along a direction, by trying."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.inverse.newton import Search
from robots.core.inverse.scaling import column_scale, row_scale, scale_length
from robots.core.inverse.settings import Settings
from robots.core.inverse.target import Target
from robots.core.inverse.task import Task
from robots.core.joint_samples import unit_samples
from robots.core.model import Model
from robots.core.orientation.axis_angle import rotation_exp

_WAY = 1e-3  # [rad, or scale lengths]
_ARRIVED = 0.02  # of the way: at a boundary, all of it is missing
_STARTS = 24
_SPREAD = 0.4  # [rad, or scale lengths] around the posture


def reaches_both_sides(model: Model, task: Task, q: Array, direction: Array) -> bool:
    """Whether postures around q bring the tool a little way to both sides.

    Limits are not looked at.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: posture to leave. # (n,) [rad or m]
        direction: in task coordinates, without units. # (m,)
    """
    length = scale_length(model.mechanism)
    T = model.forward(q)
    twist = (direction / row_scale(task, length)) @ task.selection(T[:3, :3])
    goals = np.stack([_shifted(T, side * _WAY * twist) for side in (1.0, -1.0)])
    spread = 2.0 * unit_samples(_STARTS, model.dof, skip=1) - 1.0
    begun = q + _SPREAD * spread * column_scale(model.mechanism, length)
    free = np.full(model.dof, np.inf)
    search = Search(
        model=model,
        targets=Target(task=task, T=np.repeat(goals, _STARTS, axis=0)),
        settings=Settings(
            position_tolerance=_ARRIVED * _WAY * length, angle_tolerance=_ARRIVED * _WAY
        ),
        q=np.concatenate([begun, begun]),
        low=-free,
        high=free,
    )
    search.run()
    return bool(np.all(np.any(search.converged.reshape(2, _STARTS), axis=1)))


def _shifted(T: Array, twist: Array) -> Array:
    moved = np.array(T)
    moved[:3, 3] += twist[:3]
    moved[:3, :3] = rotation_exp(twist[3:]) @ T[:3, :3]
    return moved
