"""What a probing line is to the planner: a path of the joints, whatever the robot."""

from __future__ import annotations

from typing import Protocol

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
