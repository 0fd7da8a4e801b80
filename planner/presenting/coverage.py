"""Which points the robot can serve, many poses of the platform at once.

Joint limits, singularities and the ends of a line against obstacles are looked at; a plan of the
poses that are chosen has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.clearance.checker import Checker
from planner.errors import JobError
from planner.job import Job
from planner.job.elements import Presenter
from planner.job.solids import Cell, SolidKind
from planner.part_pose.judge import worst_margin
from planner.part_pose.moved import moved_points
from planner.part_pose.room import PartClearance
from planner.part_pose.ways import AdmissibleLines, possible_ways
from planner.reach.arm_reach import ArmReach
from planner.reach.margins import joint_units
from planner.reach.placement import place
from planner.reach.reach import Reach
from planner.reach.robot import reach_of
from robots.core.arrays import Array, Mask
from robots.core.pose import inverse_pose

_ROWS = 4096  # points judged at a time
_NUMERICAL = 0.05  # part of the poses that are tried where the inverse is a numerical search


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCoverage:
    """What poses of the platform serve.

    Args:
        margins: best worst margin of every point by its ways, the angle to the nearest joint limit
            or singularity; 0 where the point is not served. # (p, k) [rad]
        served: # (p, k)
    """

    margins: Array
    served: Mask


def presenter_of(job: Job) -> Presenter:
    """The presenter of a job.

    Raises:
        JobError: it has none.
    """
    if job.presenter is None:
        raise JobError(
            f"The job {job.name!r} has no [presenter]; add the table with platform and pose, or "
            "use `palpeur plan`.",
            key="presenter",
        )
    return job.presenter


class Coverage:
    """Judges poses of one job's platform.

    Args:
        job: with a presenter.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.presenter = job, presenter_of(job)
        self.reach: Reach = reach_of(job)
        self.placed = place(job)
        self._room = PartClearance(job)
        self._units = joint_units(job.mechanism)
        self._back = inverse_pose(job.part.T_base_part)
        still = tuple(s for s in job.cell.solids if s.kind is not SolidKind.PART)
        watched = bool(still) and bool(job.mechanism.capsules)
        self._obstacles = Checker(self.reach.model, Cell(solids=still)) if watched else None

    @property
    def effort(self) -> float:
        """How much a search may ask of it: 1 for a closed form, little for a numerical search."""
        return 1.0 if isinstance(self.reach, ArmReach) else _NUMERICAL

    def __call__(self, poses: Array) -> PointCoverage:
        """Judge poses T_hexapod_platform. # (p, 4, 4)."""
        size = max(1, _ROWS // len(self.placed))
        parts = [self._block(poses[k : k + size]) for k in range(0, len(poses), size)]
        margins = np.concatenate([np.zeros((0, len(self.placed))), *parts])
        return PointCoverage(margins=margins, served=margins > 0.0)

    def _block(self, poses: Array) -> Array:
        parts = self.presenter.T_base_part(poses)
        placed = moved_points(self.placed, self.job, parts @ self._back)
        found = self._clear(possible_ways(self.reach, placed, self.job.checks.joint_margin))
        best = np.zeros(len(placed))
        if found.point.size:
            joint = np.min(found.margins.limit / self._units, axis=1)
            worth = worst_margin(joint, found.margins.singularity)
            np.maximum.at(best, found.point, worth)
        return np.where(self._room.free(parts)[:, None], best.reshape(len(poses), -1), 0.0)

    def _clear(self, found: AdmissibleLines) -> AdmissibleLines:
        """Ways that keep clear of obstacles at both ends of the line."""
        if self._obstacles is None or not found.point.size:
            return found
        ends = found.lines.joints(np.arange(found.point.size), np.ones(found.point.size))
        required, check = self.job.checks.clearance, self._obstacles.collides
        clear = ~(check(found.lines.q_starts, required) | check(ends, required))
        return found.take(np.nonzero(clear)[0])
