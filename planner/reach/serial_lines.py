"""Probing lines of any serial robot; see ``serial_path`` for what makes each path unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.reach.branch_choice import positive
from planner.reach.serial_path import Straight, between, corrected, rates
from planner.reach.serial_task import SerialTask
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState


@dataclass(frozen=True, kw_only=True, eq=False)
class SerialLines:
    """Straight lines of the ball, each with the branch that the robot keeps along it.

    Args:
        task: of the robot.
        starts: clearance points. # (k, 3) [m]
        ends: contacts or search ends. # (k, 3) [m]
        axes: probe axes. # (k, 3) unit
        rotations: tool orientation held along each. # (k, 3, 3)
        path_of: which of the paths each line follows. # (k,)
        turns: whole turns added to its joints. # (k, n) [rad]
        knots: joints and their derivatives by λ at equal steps of each path.
            # (paths, KNOTS, 3n) [rad or m]
    """

    task: SerialTask
    starts: Array
    ends: Array
    axes: Array
    rotations: Array
    path_of: Indices
    turns: Array
    knots: Array

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.starts)

    def take(self, chosen: Indices) -> SerialLines:
        """Some of the lines, in the order given."""
        arrays = {name: getattr(self, name)[chosen] for name in _BY_LINE}
        return SerialLines(task=self.task, knots=self.knots, **arrays)

    @property
    def model(self) -> Model:
        """Of the robot."""
        return self.task.model

    @property
    def q_starts(self) -> Array:
        """Joints at the clearance points. # (k, n) [rad or m]."""
        first = self.knots[self.path_of, 0, : self.model.dof]
        return np.asarray(first + self.turns)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ, without a jump of whole turns from the line's start. # (m, n)."""
        return self._found(index, lam) + self.turns[index]

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and exact derivatives by λ. # (m, n) each."""
        q = self._found(index, lam)
        tangents = self.ends[index] - self.starts[index]
        dq, ddq = rates(self.task, self.task.posed(q), tangents)
        return PathState(q=q + self.turns[index], dq=dq, ddq=ddq)

    def singularity_margins(self, q: Array) -> Array:
        """Distance of the square system from singular: rows / (|A|·|A⁻¹|), 0 to 1. # (m,)."""
        return np.abs(self.task.condition(self.task.posed(q)))

    def branch(self, row: int) -> str:
        """Signs of the turning joints at the clearance point, such as "q1+ q2- q3+"."""
        signs = positive(self.q_starts[row]).tolist()
        return " ".join(
            f"{joint.name}{'+' if sign else '-'}"
            for joint, sign in zip(self.task.mechanism.movable, signs, strict=True)
            if joint.kind.angular
        )

    def _found(self, index: Indices, lam: Array) -> Array:
        starts = self.starts[index]
        lines = Straight(
            starts=starts, tangents=self.ends[index] - starts, rotations=self.rotations[index]
        )
        guess = between(self.knots, self.path_of[index], lam)
        found = corrected(self.task, guess, lines, lam)
        # Next to a singularity a place may be lost: no posture, and no margin, is better than some.
        return np.where(found.settled[:, None], found.q, np.nan)


_BY_LINE = ("starts", "ends", "axes", "rotations", "path_of", "turns")


def joined(parts: Sequence[SerialLines]) -> SerialLines:
    """Lines of one robot, one part after another."""
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*_BY_LINE, "knots")
    }
    paths = np.cumsum([0, *(len(part.knots) for part in parts[:-1])])
    lines = [len(part) for part in parts]
    arrays["path_of"] = arrays["path_of"] + np.repeat(paths, lines)
    return SerialLines(task=parts[0].task, **arrays)
