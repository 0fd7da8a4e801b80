"""What a probing line is to the planner: a path of the joints, whatever the robot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from robots.arm.equations import FAMILIES
from robots.arm.inverse import ArmInverse, branch_name
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState


class Lines(Protocol):
    """Straight lines of the ball, each with the branch that the robot keeps along it.

    λ runs from 0 at the clearance point to 1 at the line's end.
    """

    @property
    def model(self) -> Model:
        """Of the robot."""

    @property
    def starts(self) -> Array:
        """Clearance points. # (k, 3) [m]."""

    @property
    def ends(self) -> Array:
        """Contacts or search ends. # (k, 3) [m]."""

    @property
    def axes(self) -> Array:
        """Stylus directions. # (k, 3)."""

    @property
    def q_starts(self) -> Array:
        """Joints at the clearance points. # (k, n) [rad]."""

    def __len__(self) -> int:
        """Number of lines."""

    def take(self, chosen: Indices) -> Lines:
        """Some of the lines, in the order given."""

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ, without a jump of whole turns from the line's start. # (m, n) [rad]."""

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and exact derivatives by λ. # (m, n) each."""

    def singularity_margins(self, q: Array) -> Array:
        """Least distance of postures from a singularity, 0 to 1. # (m,)."""

    def branch(self, row: int) -> str:
        """Name of the branch of a line."""

    def inverse_branch(self, row: int) -> str:
        """Name that the robot's inverse gives the branch; empty where it has none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmLines:
    """Straight lines of the ball, each with the family that the arm keeps along it.

    Args:
        inverse: of the arm.
        starts: clearance points. # (k, 3) [m]
        ends: contacts or search ends. # (k, 3) [m]
        axes: stylus directions. # (k, 3)
        families: index of the inverse family of each line. # (k,)
        q_starts: joints at the clearance points; they settle whole turns. # (k, 5) [rad]
    """

    inverse: ArmInverse
    starts: Array
    ends: Array
    axes: Array
    families: Indices
    q_starts: Array

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.starts)

    def take(self, chosen: Indices) -> ArmLines:
        """Some of the lines, in the order given."""
        return ArmLines(
            inverse=self.inverse,
            starts=self.starts[chosen],
            ends=self.ends[chosen],
            axes=self.axes[chosen],
            families=self.families[chosen],
            q_starts=self.q_starts[chosen],
        )

    @cached_property
    def _table(self) -> Array:
        """What the arm's line kernel needs of each line. # (k, 17)."""
        signs = np.array(FAMILIES)[self.families].reshape(-1, 3)
        tangents = self.ends - self.starts
        return np.concatenate([self.starts, tangents, self.axes, signs, self.q_starts], axis=1)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ, without a jump of whole turns from the line's start. # (m, 5) [rad]."""
        return self.inverse.along_lines(self._table[index], lam)[:, :5]

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and derivatives by λ. # (m, 5) each."""
        all_three = self.inverse.along_lines(self._table[index], lam)
        return PathState(q=all_three[:, :5], dq=all_three[:, 5:10], ddq=all_three[:, 10:])

    @property
    def model(self) -> Model:
        """Of the arm."""
        return self.inverse.model

    def singularity_margins(self, q: Array) -> Array:
        """Least distance of postures from a singularity, 0 to 1. # (m,)."""
        return np.asarray(self.inverse.margins(q).least)

    def branch(self, row: int) -> str:
        """Name of the inverse family of a line."""
        return branch_name(int(self.families[row]))

    def inverse_branch(self, row: int) -> str:
        """The same: families are the arm's own."""
        return self.branch(row)
