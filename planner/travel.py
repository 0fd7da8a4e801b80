"""Travel between clearance points: synchronised joint motions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.law_table import LawState, LawTable
from robots.core.joint_limits import JointLimits
from robots.core.least_time import LeastTime, least_time
from robots.core.path import PathState

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class TravelMotions:
    """Joint motions from one configuration to the next.

    Args:
        starts: # (k, n) [rad]
        ends: # (k, n) [rad]
        law_name: of the motion law.
        limits: speed and acceleration limits.
    """

    def __init__(self, starts: Array, ends: Array, law_name: str, limits: JointLimits) -> None:
        self.starts = starts
        self.displacements = ends - starts
        self.times: tuple[LeastTime, ...] = tuple(
            least_time(law_name, D, limits) for D in self.displacements
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

    def law_at(self, index: Indices, s: Array) -> LawState:
        """Progress at s; at a switch the side after it. # (m,) each."""
        return self._table.at(index, s)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""
        D = self.displacements[index]
        return PathState(
            q=self.starts[index] + D * law.r[:, None],
            dq=D * law.dr[:, None],
            ddq=D * law.ddr[:, None],
        )


def travel_times(starts: Array, ends: Array, limits: JointLimits) -> Array:
    """Least synchronised trapezoid times between configurations, for choosing among many.

    Args:
        starts: # (..., n) [rad]
        ends: broadcast against starts. # (..., n) [rad]
        limits: of the joints.

    Returns:
        # (...) [s]

    Source: [LAMMARI12] §V.3.3 eq. (V.8) with |D|
    """
    D = np.abs(ends - starts)
    by_speed = np.max(D / limits.max_speed, axis=-1)
    by_acceleration = np.max(D / limits.max_acceleration, axis=-1)
    plateau = np.sqrt(by_acceleration) < by_speed
    safe = np.where(plateau, by_speed, 1.0)
    with_plateau = by_speed + by_acceleration / safe
    return np.asarray(np.where(plateau, with_plateau, 2.0 * np.sqrt(by_acceleration)))
