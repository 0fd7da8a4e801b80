"""What a ball and its probe axis ask of any serial robot, posture by posture.

The task is the ball's position and the direction of the probe axis: five rows. A robot of more
joints has motion to spare. On a probing line that freedom is taken away by a rule that makes the
path unique: the turn about the probe axis is held, and of every joint beyond six one is locked (see
``free_joints``). What is left is a square system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.reach.free_joints import free_joints
from planner.reach.serial_loops import (
    TASK,
    bench_of,
    conditions,
    damped_steps,
    square_solutions,
)
from robots.core.arrays import Array, Mask
from robots.core.inverse.task import column_scale, scale_length
from robots.core.joint_samples import joint_ranges
from robots.core.kernels.loop import Loop
from robots.core.mechanism import Mechanism
from robots.core.model import Model

_DAMPED = Loop(damped_steps, "f8[2] f8[2] f8[2] f8[2]")
_SQUARE = Loop(square_solutions, "f8[2] f8[2] i8[1] f8[2] f8[2]")
_CONDITIONS = Loop(conditions, "f8[2] i8[1] f8[2] f8[1]")

_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posed:
    """Postures with where they bring the tool.

    Args:
        q: # (m, n) [rad or m]
        rows: T_base_tool and the Jacobian at the tool in base axes, both row by row.
            # (m, 16 + 6n)
    """

    q: Array
    rows: Array

    @property
    def rotations(self) -> Array:
        """Orientation of the tool. # (m, 3, 3)."""
        return self.rows[:, :16].reshape(-1, 4, 4)[:, :3, :3]

    @property
    def balls(self) -> Array:
        """Ball centres. # (m, 3) [m]."""
        return self.rows[:, 3:12:4]

    @property
    def jacobians(self) -> Array:
        """At the tool, base axes. # (m, 6, n)."""
        return self.rows[:, 16:].reshape(len(self.q), 6, self.q.shape[1])


class SerialTask:
    """Position and axis for one robot.

    Args:
        mechanism: any serial robot of five joints or more.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.model = Model(mechanism, "compiled")
        self.length = scale_length(mechanism)
        self.units = column_scale(mechanism, self.length)
        self.free = free_joints(self.model, self.units, self.length)

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return self.model.mechanism

    @property
    def holds_roll(self) -> bool:
        """Whether the turn about the probe axis is held on a line; five joints cannot."""
        return self.free.size > TASK

    @property
    def spare(self) -> int:
        """Motions that the task leaves free."""
        return self.model.dof - TASK

    @cached_property
    def _middle(self) -> Array:
        low, high = joint_ranges(self.mechanism, self.length)
        return np.asarray((low + high) / 2.0)

    @cached_property
    def angular(self) -> Mask:
        """Which joints turn. # (n,)."""
        return np.array([joint.kind.angular for joint in self.mechanism.movable])

    def posed(self, q: Array) -> Posed:
        """Tool poses and Jacobians of postures. # (m, n)."""
        m, n = q.shape
        poses, jacobians = self.model.forward(q), self.model.jacobian(q)
        rows = np.concatenate([poses.reshape(m, 16), jacobians.reshape(m, 6 * n)], axis=1)
        return Posed(q=q, rows=rows)

    def gap(self, at: Posed, balls: Array, axes: Array) -> Array:
        """Twist still to make: the smallest turn onto the axis, none about it. # (m, 6) [m, rad].

        Args:
            at: postures.
            balls: where the ball shall be. # (m, 3) [m]
            axes: where the tool's z axis shall point. # (m, 3)
        """
        z = at.rotations[:, :, 2]
        cross = np.cross(z, axes)
        sine, cosine = np.linalg.norm(cross, axis=1), np.sum(z * axes, axis=1)
        # Straight away from it any axis across will do: the tool's own x.
        opposite = (sine < 1e-9) & (cosine < 0.0)
        cross = np.where(opposite[:, None], at.rotations[:, :, 0], cross)
        sine = np.where(opposite, 1.0, sine)
        size = np.where(opposite, np.pi, np.arctan2(sine, cosine))
        factor = np.where(sine > 0.0, size / np.maximum(sine, _TINY), 1.0)
        return np.concatenate([balls - at.balls, cross * factor[:, None]], axis=1)

    def without_units(self, twists: Array) -> Array:
        """Squared size of twists, lengths measured by the robot's own. # (m,)."""
        linear = np.sum(twists[:, :3] ** 2, axis=1) / self.length**2
        return np.asarray(linear + np.sum(twists[:, 3:] ** 2, axis=1))

    def damped(self, at: Posed, twists: Array, damping: Array) -> Array:
        """Least steps towards twists of ball and axis. # (m, n) [rad or m]."""
        steps = np.empty(at.q.shape)
        _DAMPED(at.rows, np.column_stack([twists, damping]), self._bench(), steps)
        return steps

    def square(self, at: Posed, twists: Array) -> Array:
        """Steps of the free joints that make twists; NaN where singular. # (m, n) [rad or m]."""
        steps = np.zeros(at.q.shape)
        _SQUARE(at.rows, twists, self.free, self._bench(), steps)
        return steps

    def condition(self, at: Posed) -> Array:
        """Signed distance from a singularity, -1 to 1. # (m,)."""
        found = np.empty(len(at.q))
        _CONDITIONS(at.rows, self.free, self._bench(), found)
        return found

    def _bench(self) -> Array:
        return bench_of(self.units, self.length, self.free.size)

    def centred(self, q: Array) -> Array:
        """The same postures by the whole turns nearest to mid-range. # (m, n)."""
        turns = np.round((q - self._middle) / (2.0 * np.pi))
        return np.where(self.angular, q - 2.0 * np.pi * turns, q)

    def limit_margin(self, q: Array) -> Array:
        """Least distance to a limit over the joint's unit, negative beyond. # (m,)."""
        mechanism = self.mechanism
        margin = np.minimum(q - mechanism.q_min, mechanism.q_max - q) / self.units
        return np.asarray(np.min(margin, axis=1))
