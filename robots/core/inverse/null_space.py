"""The course's three objectives for a mechanism, to be followed with the motion a task leaves free.

A gain times an objective's gradient is the ``wish`` of the first- and second-order models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.equations.functions import numbers
from robots.core.equations.jacobian import geometric_jacobian
from robots.core.equations.transforms import frames
from robots.core.equations.tree import tree_of
from robots.core.errors import InverseError
from robots.core.inverse import objectives
from robots.core.inverse.jacobian_derivative import task_jacobian_derivative
from robots.core.inverse.objectives import Objective
from robots.core.inverse.task import Task
from robots.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPoint:
    """A point of the robot that should keep clear of obstacles.

    Args:
        joint: name of the joint that carries it.
        offset: coordinates in that joint's frame. # (3,) [m]
    """

    joint: str
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


def manipulability(model: Model, task: Task, q: ArrayLike) -> Objective:
    """√det(JJᵀ) of the task Jacobian: away from singularities.

    Raises:
        InverseError: the task has more coordinates than the mechanism has joints.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 1
    """
    posture = np.asarray(q, dtype=np.float64)
    slopes = task_jacobian_derivative(model, task, posture)
    return objectives.manipulability(task.jacobian(model, posture), slopes)


def joint_limit_distance(model: Model, q: ArrayLike) -> Objective:
    """Towards mid-range of every joint that has two limits.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 2
    """
    mechanism = model.mechanism
    return objectives.joint_limit_distance(q, mechanism.q_min, mechanism.q_max)


def obstacle_distance(
    model: Model, q: ArrayLike, points: Sequence[BodyPoint], obstacles: ArrayLike
) -> Objective:
    """Smallest distance between points of the robot and points of obstacles.

    Args:
        model: of the mechanism.
        q: # (..., n) [rad or m]
        points: of the robot, at least one.
        obstacles: base coordinates. # (O, 3) [m]

    Raises:
        MechanismError: no joint of that name.
        InverseError: no point, or obstacles of a wrong shape.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 3
    """
    if not points:
        raise InverseError("There is no point of the robot to keep clear; give at least one.")
    posture = np.asarray(q, dtype=np.float64)
    placed = [_body_point(model, posture, point) for point in points]
    return objectives.obstacle_distance(
        np.stack([column[..., 0] for column in placed], axis=-2),
        np.stack([column[..., 1:] for column in placed], axis=-3),
        np.asarray(obstacles, dtype=np.float64),
    )


def _body_point(model: Model, q: Array, point: BodyPoint) -> Array:
    """Position in the first column, linear Jacobian in the others. # (..., 3, 1 + n)."""
    tree, link = tree_of(model.mechanism), model.mechanism.index(point.joint)
    placed = frames(tree, list(np.moveaxis(q, -1, 0)), numbers())
    position = placed[link].point(point.offset)
    jacobian = geometric_jacobian(tree, placed, link, position)
    columns = [position, *(column[:3] for column in jacobian)]
    batch = q.shape[:-1]
    flat = [np.broadcast_to(x, batch) for column in columns for x in column]
    return np.moveaxis(np.stack(flat, axis=-1).reshape(*batch, len(columns), 3), -1, -2)
