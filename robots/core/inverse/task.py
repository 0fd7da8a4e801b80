"""Task and target of the tool: twist rows, pose, and the scale between metres and radians.

A twist is (v; ω): velocity of the tool's origin and angular velocity, base axes. A task keeps some
of its components. Where a direction is asked for, the two kept rows are ω along the tool's own x
and y: they are normal to the tool's z axis, and turn with it without a jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import EllipsisType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices, Mask, freeze_field
from robots.core.errors import InverseError
from robots.core.pose import (
    as_finite,
    as_pose,
    rotation_log,
    rotation_z,
    turn_between,
    unit_direction,
)

if TYPE_CHECKING:
    from robots.core.mechanism import Mechanism
    from robots.core.model import Model


class Task(Enum):
    """Task of the tool: the coordinates that count.

    ``POSITION_AND_AXIS`` is the five-coordinate task of a probe: its point and the direction of its
    z axis; the turn about that axis is free. It never asks for ω = 0 ([LAMMARI12] §III.5 does, with
    a 6×5 Jacobian, and then neither point nor direction is held; sources.md, decision 5). The plane
    tasks are for planar robots: x and y of the base, and the turn about its z.
    """

    POSE = "pose"
    POSITION = "position"
    POSITION_AND_AXIS = "position-and-axis"
    AXIS = "axis"
    PLANE_POSITION = "plane-position"
    PLANE_POSE = "plane-pose"

    @property
    def base_rows(self) -> tuple[int, ...]:
        """Components of the twist that are kept in base axes."""
        return _BASE_ROWS[self]

    @property
    def has_axis(self) -> bool:
        """Whether the direction of the tool's z axis is asked for."""
        return self in (Task.POSITION_AND_AXIS, Task.AXIS)

    @property
    def in_plane(self) -> bool:
        """Whether the task is told in the base's own x and y."""
        return self in (Task.PLANE_POSITION, Task.PLANE_POSE)

    @property
    def size(self) -> int:
        """Number m of task coordinates."""
        return len(self.base_rows) + 2 * self.has_axis

    @property
    def rate_size(self) -> int:
        """Length of a rate in the task's own terms, see ``twist``."""
        return len(self.base_rows) + 3 * self.has_axis

    @property
    def linear(self) -> Mask:
        """Which coordinates are lengths; the others are angles. # (m,)."""
        return np.array([row < 3 for row in self.base_rows] + [False] * (2 * self.has_axis))

    def selection(self, R: Array) -> Array:
        """Matrix S that keeps the task's rows of a twist at tool orientation R. # (..., m, 6)."""
        S = np.zeros((*R.shape[:-2], self.size, 6))
        for i, row in enumerate(self.base_rows):
            S[..., i, row] = 1.0
        if self.has_axis:
            S[..., -2:, 3:] = np.swapaxes(R[..., :2], -1, -2)
        return S

    def jacobian(self, model: Model, q: Array) -> Array:
        """Task Jacobian S·J. # (..., n) -> (..., m, n)."""
        return np.asarray(self.selection(model.forward(q)[..., :3, :3]) @ model.jacobian(q))

    def twist(self, R: Array, rate: Array) -> Array:
        """Twist that a rate in the task's own terms asks for; free components are zero.

        Args:
            R: tool orientation. # (..., 3, 3)
            rate: POSE (v; ω), POSITION v, POSITION_AND_AXIS (v; ȧ) with ȧ the rate of the tool's
                unit z axis in base axes, AXIS ȧ, PLANE_POSITION (vx, vy), PLANE_POSE
                (vx, vy, ωz). A component of ȧ along the axis cannot be had and is left out.
                # (..., rate_size)

        Returns:
            (v; ω). # (..., 6)
        """
        rate = _checked_rate(rate, self)
        rows = self.base_rows
        twist = np.zeros((*np.broadcast_shapes(rate.shape[:-1], R.shape[:-2]), 6))
        twist[..., list(rows)] = rate[..., : len(rows)]
        if self.has_axis:
            twist[..., 3:] = np.cross(R[..., 2], rate[..., len(rows) :])
        return twist

    def rate(self, R: Array, twist: Array) -> Array:
        """Rate in the task's own terms of a given twist. # (..., 6) -> (..., rate_size)."""
        kept = twist[..., list(self.base_rows)]
        if not self.has_axis:
            return np.asarray(kept)
        return np.concatenate([kept, np.cross(twist[..., 3:], R[..., 2])], axis=-1)


_BASE_ROWS: dict[Task, tuple[int, ...]] = {
    Task.POSE: (0, 1, 2, 3, 4, 5),
    Task.POSITION: (0, 1, 2),
    Task.POSITION_AND_AXIS: (0, 1, 2),
    Task.AXIS: (),
    Task.PLANE_POSITION: (0, 1),
    Task.PLANE_POSE: (0, 1, 5),
}
Index = EllipsisType | Indices


def _checked_rate(rate: object, task: Task) -> Array:
    array = np.asarray(rate, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != task.rate_size:
        raise InverseError(
            f"A rate of the task {task.value!r} has {task.rate_size} components; the one given has "
            f"shape {array.shape}.",
            task=task.value,
            expected=task.rate_size,
            found=array.shape,
        )
    if not np.all(np.isfinite(array)):
        raise InverseError(f"A rate of the task {task.value!r} holds a value that is not finite.")
    return array


def task_of(joints: int) -> Task:
    """What so many joints can hold of a pose: all, without the turn about z, or the position."""
    return {5: Task.POSITION_AND_AXIS}.get(joints, Task.POSE if joints > 5 else Task.POSITION)


# ------------------------------------------------------------------------------------------ Target

_BASE_Z = np.array([0.0, 0.0, 1.0])
# Sine below which the axis of a half turn is rounding noise.
_NO_AXIS = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gap:
    """Residual to a target.

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


# ------------------------------------------------------------------------------------ Scale length
# Singular values, damping and step sizes mix lengths and angles. They are taken of the Jacobian in
# units of this length: linear rows divided by it, columns of sliding joints multiplied by it. A
# square, regular system has the same solution whatever the length.

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
