"""Probing lines of a robot whose stylus has grown along its axis: same joints, ball farther out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.reach.lines import Lines
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LongerLines:
    """Lines of the ball of a longer stylus.

    Args:
        lines: of the tip of the stylus as it was.
        longer: by how much; negative for a shorter one. [m]
    """

    lines: Lines
    longer: float

    @property
    def model(self) -> Model:
        """Of the robot with the stylus as it was."""
        return self.lines.model

    @property
    def starts(self) -> Array:
        """Clearance points. # (k, 3) [m]."""
        return np.asarray(self.lines.starts + self.longer * self.lines.axes)

    @property
    def ends(self) -> Array:
        """Contacts or search ends. # (k, 3) [m]."""
        return np.asarray(self.lines.ends + self.longer * self.lines.axes)

    @property
    def axes(self) -> Array:
        """Stylus directions. # (k, 3)."""
        return self.lines.axes

    @property
    def q_starts(self) -> Array:
        """Joints at the clearance points. # (k, n) [rad]."""
        return self.lines.q_starts

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.lines)

    def take(self, chosen: Indices) -> LongerLines:
        """Some of the lines, in the order given."""
        return LongerLines(lines=self.lines.take(chosen), longer=self.longer)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ. # (m, n) [rad]."""
        return self.lines.joints(index, lam)

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and exact derivatives by λ. # (m, n) each."""
        return self.lines.path(index, lam)

    def singularity_margins(self, q: Array) -> Array:
        """Least distance of postures from a singularity, 0 to 1. # (m,)."""
        return self.lines.singularity_margins(q)

    def branch(self, row: int) -> str:
        """Name of the branch of a line."""
        return self.lines.branch(row)
