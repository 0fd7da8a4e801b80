"""What is asked of the tool: which rows of its twist count, and how its rates are told.

A twist is (v; ω): velocity of the tool's origin and angular velocity, base axes. A task keeps some
of its components. Where a direction is asked for, the two kept rows are ω along the tool's own x
and y: they are normal to the tool's z axis, and turn with it without a jump.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.errors import InverseError
from robots.core.model import Model


class Task(Enum):
    """What is asked of the tool.

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
