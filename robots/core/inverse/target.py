"""Where the tool should be, and how far it is from there."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices, freeze_field
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.orientation.axis_angle import rotation_log, turn_between
from robots.core.orientation.rotation import as_finite, rotation_z, unit_direction
from robots.core.pose import as_pose

Index = EllipsisType | Indices

_BASE_Z = np.array([0.0, 0.0, 1.0])
# Sine below which the axis of a half turn is rounding noise.
_NO_AXIS = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gap:
    """What is missing to a target.

    Args:
        twist: displacement and rotation vector still to make, base axes. # (..., 6) [m, rad]
        rows: the same in task coordinates. # (..., m) [m or rad]
        position: length of the linear part. # (...) [m]
        angle: size of the angular part. # (...) [rad]
    """

    twist: Array
    rows: Array
    position: Array
    angle: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """A place for the tool, or a batch of them; use the class methods to make one.

    Args:
        task: what of ``T`` counts.
        T: tool pose in the base frame; parts the task does not ask for are of no effect.
            # (..., 4, 4)

    Raises:
        PoseError: not a pose.
    """

    task: Task
    T: Array

    def __post_init__(self) -> None:
        freeze_field(self, "T", as_pose(self.T, "A target"))

    @classmethod
    def pose(cls, T: ArrayLike) -> Target:
        """The whole pose. # (..., 4, 4)."""
        return cls(task=Task.POSE, T=np.asarray(T))

    @classmethod
    def position(cls, point: ArrayLike) -> Target:
        """The tool's origin. # (..., 3) [m]."""
        return cls(task=Task.POSITION, T=_posed(point, _BASE_Z))

    @classmethod
    def position_and_axis(cls, point: ArrayLike, axis: ArrayLike) -> Target:
        """The tool's origin [m] and the direction of its z axis. # (..., 3), (..., 3)."""
        return cls(task=Task.POSITION_AND_AXIS, T=_posed(point, axis))

    @classmethod
    def axis(cls, axis: ArrayLike) -> Target:
        """The direction of the tool's z axis. # (..., 3)."""
        return cls(task=Task.AXIS, T=_posed(np.zeros(3), axis))

    @classmethod
    def plane_position(cls, xy: ArrayLike) -> Target:
        """The tool's x and y. # (..., 2) [m]."""
        xy = as_finite(xy, (2,), "A point in the plane")
        return cls(task=Task.PLANE_POSITION, T=_posed(_lifted(xy), _BASE_Z))

    @classmethod
    def plane_pose(cls, xy: ArrayLike, angle: ArrayLike) -> Target:
        """The tool's x, y [m] and its turn about the base z. # (..., 2), (...) [rad]."""
        xy = as_finite(xy, (2,), "A point in the plane")
        T = _posed(_lifted(xy), _BASE_Z)
        R = rotation_z(as_finite(angle, (), "An angle"))
        T = np.array(np.broadcast_to(T, (*np.broadcast_shapes(T.shape[:-2], R.shape[:-2]), 4, 4)))
        T[..., :3, :3] = R
        return cls(task=Task.PLANE_POSE, T=T)

    @property
    def batch(self) -> tuple[int, ...]:
        """Leading shape: () for one target."""
        return self.T.shape[:-2]

    def gap(self, T_base_tool: Array, at: Index = ...) -> Gap:
        """What is missing from a tool pose to the target.

        The rotation is the smallest one: for a direction, it has no turn about the axis.

        Args:
            T_base_tool: where the tool is; broadcasts with the targets. # (..., 4, 4)
            at: index of the targets meant, of a batch; all by default.
        """
        goal, R = self.T[at], T_base_tool[..., :3, :3]
        linear = goal[..., :3, 3] - T_base_tool[..., :3, 3]
        turn = np.broadcast_to(self._turn(goal[..., :3, :3], R), linear.shape)
        twist = np.concatenate([linear, turn], axis=-1)
        rows = (self.task.selection(R) @ twist[..., None])[..., 0]
        mask = self.task.linear
        return Gap(
            twist=twist,
            rows=rows,
            position=np.linalg.norm(rows[..., mask], axis=-1),
            angle=np.linalg.norm(rows[..., ~mask], axis=-1),
        )

    def _turn(self, goal: Array, R: Array) -> Array:
        if self.task.has_axis:
            return _turn_onto(R[..., 2], goal[..., 2])
        if self.task in (Task.POSE, Task.PLANE_POSE):
            return rotation_log(goal @ np.swapaxes(R, -1, -2))
        return np.zeros(3)


def flattened(target: Target) -> Target:
    """The same targets along a single axis. # (N, 4, 4).

    Raises:
        InverseError: there is none.
    """
    T = target.T.reshape(-1, 4, 4)
    if not len(T):
        raise InverseError("There is no target; give at least one.")
    return Target(task=target.task, T=T)


def _turn_onto(a: Array, b: Array) -> Array:
    """Rotation vector of the smallest turn from a unit vector to another. # (..., 3) [rad].

    Close to a solution the turn is far below the size at which an axis can still be told from its
    rounding, which ``turn_between`` asks for; the vector itself stays exact there.
    """
    a, b = np.broadcast_arrays(a, b)
    cross = np.cross(a, b)
    sine, cosine = np.linalg.norm(cross, axis=-1), np.sum(a * b, axis=-1)
    vector = np.where(sine > 0.0, np.arctan2(sine, cosine) / np.where(sine > 0.0, sine, 1.0), 1.0)
    vector = cross * vector[..., None]
    opposite = (cosine < 0.0) & (sine < _NO_AXIS)
    if np.any(opposite):
        vector[opposite] = np.pi * turn_between(a[opposite], -a[opposite]).axis
    return np.asarray(vector)


def _lifted(xy: Array) -> Array:
    return np.concatenate([xy, np.zeros((*xy.shape[:-1], 1))], axis=-1)


def _posed(point: ArrayLike, axis: ArrayLike) -> Array:
    """A pose at the point whose z axis has the direction given. # (..., 4, 4)."""
    p = as_finite(point, (3,), "A target point")
    R = turn_between(_BASE_Z, unit_direction(axis, "A target direction")).rotation
    T = np.zeros((*np.broadcast_shapes(p.shape[:-1], R.shape[:-2]), 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T
