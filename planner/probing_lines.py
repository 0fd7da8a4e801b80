"""Probing lines: the ball runs straight to the surface and back, the stylus held.

The path q(λ) follows from the inverse geometry of one family; its derivatives are exact, so the
least time of a law is a maximum to be found, not a sum of steps (sources.md, decision 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.extremes import Highest, highest
from planner.law_table import LawState, LawTable
from planner.motions import along_path
from robots.arm.inverse import ArmInverse
from robots.core.joint_limits import JointLimits
from robots.core.motion_law import motion_law
from robots.core.path import PathState

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
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

    def take(self, chosen: Indices) -> Lines:
        """Some of the lines, in the order given."""
        return Lines(
            inverse=self.inverse,
            starts=self.starts[chosen],
            ends=self.ends[chosen],
            axes=self.axes[chosen],
            families=self.families[chosen],
            q_starts=self.q_starts[chosen],
        )

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ, without a jump of whole turns from the line's start. # (m, 5) [rad]."""
        axes = self.axes[index]
        ball = self.starts[index] + lam[:, None] * (self.ends[index] - self.starts[index])
        center = ball - self.inverse.family.stylus_length * axes
        raw = self.inverse.branches(center, axes)[:, :-1].reshape(-1, 8, 5)
        q = raw[np.arange(len(raw)), self.families[index]] - self.inverse.family.offsets
        near = self.q_starts[index]
        return np.asarray(near + np.remainder(q - near + np.pi, 2.0 * np.pi) - np.pi)

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and derivatives by λ. # (m, 5) each."""
        q = self.joints(index, lam)
        dq, ddq = self.inverse.line_rates(q, self.ends[index] - self.starts[index])
        return PathState(q=q, dq=dq, ddq=ddq)


class LineMotions:
    """Lines run through by one law, forth or back.

    Args:
        lines: geometry.
        law_name: of the motion law.
        backward: whether the motion retracts, from the end to the start.
    """

    def __init__(self, lines: Lines, law_name: str, *, backward: bool = False) -> None:
        self.lines = lines
        self.backward = backward
        self.law = motion_law(law_name)
        self._table = LawTable([self.law])

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self.lines)

    @property
    def pieces(self) -> int:
        """Pieces of the law."""
        return self._table.pieces

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of the law. # (m,) each."""
        return self._table.state(np.zeros_like(index), piece, x)

    def law_at(self, index: Indices, s: Array) -> LawState:
        """Progress at s; at a switch the side after it. # (m,) each."""
        return self._table.at(np.zeros_like(index), s)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, 5) each."""
        lam = 1.0 - law.r if self.backward else law.r
        path = self.lines.path(index, lam)
        if self.backward:
            path = PathState(q=path.q, dq=-path.dq, ddq=path.ddq)
        return along_path(path, law)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineTimes:
    """Least durations of lines and what binds them."""

    duration: Array  # (k,) [s]
    bindings: tuple[str, ...]


def least_line_times(motions: LineMotions, limits: JointLimits) -> LineTimes:
    """Least duration of every line under speed and acceleration limits, exactly.

    T is the largest over joints and s of |q'|/KV and √(|q''|/KA). A retract takes as long as its
    line, because every law is symmetric in time. A linear law jumps in speed at its ends; as in the
    source, accelerations of the law itself are then not counted.

    Source: sources.md, decision 4
    """
    n = limits.max_speed.size

    def ratios(index: Indices, piece: Indices, x: Array) -> Array:
        path = motions.states(index, motions.law_state(index, piece, x))
        by_speed = np.abs(path.dq) / limits.max_speed
        by_acceleration = np.sqrt(np.abs(path.ddq) / limits.max_acceleration)
        return np.concatenate([by_speed, by_acceleration], axis=1)

    found: Highest = highest(ratios, motions.count, motions.pieces)
    which = np.argmax(found.value, axis=1) if motions.count else np.zeros(0, dtype=np.int64)
    return LineTimes(
        duration=np.max(found.value, axis=1, initial=0.0),
        bindings=tuple(_binding(limits.names, int(k), n) for k in which),
    )


def _binding(names: Sequence[str], column: int, n: int) -> str:
    return f"{names[column % n]} {'velocity' if column < n else 'acceleration'}"
