"""Travel between clearance points: synchronised joint motions."""

from __future__ import annotations

import numpy as np

from planner.motion.motions import LawState, LawTable
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import MinimumTime, PathState, at_rest, minimum_time
from robots.core.motion.motion_law import double_s_phases, motion_law


class TravelMotions:
    """Joint motions from one configuration to the next; joints at rest keep their start.

    Args:
        starts: # (k, n) [rad]
        ends: # (k, n) [rad]
        law_name: of the motion law.
        limits: of speed and acceleration, and of jerk for the double-S law.

    Raises:
        MotionError: the double-S law for a joint without jerk limit.
    """

    def __init__(self, starts: Array, ends: Array, law_name: str, limits: JointLimits) -> None:
        self.starts = starts
        moved = ends - starts
        self.displacements = np.where(at_rest(moved), 0.0, moved)
        self.times: tuple[MinimumTime, ...] = tuple(
            minimum_time(law_name, D, limits) for D in self.displacements
        )
        self._table = LawTable([time.law for time in self.times])

    @property
    def duration(self) -> Array:
        """Least synchronised times. # (k,) [s]."""
        return np.array([time.duration for time in self.times])

    @property
    def bindings(self) -> tuple[str, ...]:
        """Limits that fix each duration; empty where nothing moves."""
        return tuple(", ".join(str(b) for b in time.bindings) for time in self.times)

    @property
    def count(self) -> int:
        """Number of motions."""
        return len(self.starts)

    @property
    def pieces(self) -> int:
        """Pieces of the laws."""
        return self._table.pieces

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of each law. # (m,) each."""
        return self._table.state(index, piece, x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,) each."""
        return self._table.at(index, s, seen)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""
        D = self.displacements[index]
        return PathState(
            q=self.starts[index] + D * law.r[:, None],
            dq=D * law.dr[:, None],
            ddq=D * law.ddr[:, None],
        )


def travel_times(
    starts: Array, ends: Array, limits: JointLimits, law_name: str = "trapezoid"
) -> Array:
    """Least synchronised times between configurations, for choosing among many.

    Args:
        starts: # (..., n) [rad]
        ends: broadcast against starts. # (..., n) [rad]
        limits: of the joints.
        law_name: of the motion law.

    Returns:
        # (...) [s]

    Raises:
        MotionError: the double-S law for a joint without jerk limit.

    Source: [LAMMARI12] §V.3 with |D|
    """
    D = np.abs(ends - starts)
    by_speed = np.max(D / limits.max_speed, axis=-1)
    by_acceleration = np.max(D / limits.max_acceleration, axis=-1)
    if law_name == "double-s":
        by_jerk = np.max(D / limits.require_jerk(), axis=-1)
        return double_s_phases(by_speed, by_acceleration, by_jerk).duration
    if law_name != "trapezoid":
        law = motion_law(law_name)
        by_root = np.sqrt(law.peak_acceleration * by_acceleration)
        return np.asarray(np.maximum(law.peak_rate * by_speed, by_root))
    root = np.sqrt(by_acceleration)
    plateau = root < by_speed
    with_plateau = by_speed + by_acceleration / np.where(plateau, by_speed, 1.0)
    return np.asarray(np.where(plateau, with_plateau, 2.0 * root))
