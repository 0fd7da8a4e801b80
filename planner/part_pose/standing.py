"""A planned pose of the part, and which of several is to be preferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.findings import Severity
from planner.part_pose.judge import worst_margin
from planner.part_pose.written_pose import WrittenPose
from planner.plan_types import Plan, PlannedPoint
from planner.reach.margins import joint_units
from robots.core.mechanism import Mechanism

SHARES = {"margin": 0.98, "time": 0.5, "energy": 0.5}
_ROUNDING = 1e-9  # relative difference that is none


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedPose:
    """The part in a pose, with the plan that it gives.

    Args:
        pose: T_base_part.
        plan: the plan of the job with the part there.
    """

    pose: WrittenPose
    plan: Plan

    @property
    def served(self) -> tuple[PlannedPoint, ...]:
        """Points that are reached and of which no finding is an error."""
        bad = {f.subject.point for f in self.plan.finding_list if f.severity is Severity.ERROR}
        return tuple(p for p in self.plan.planned_points if p.reachable and p.name not in bad)

    @property
    def rank(self) -> tuple[int, bool]:
        """Points served, then whether the plan is feasible as a whole."""
        return len(self.served), self.plan.feasible

    @property
    def tightest(self) -> PlannedPoint | None:
        """The served point with the smallest joint margin; None where no point is served."""
        return min(self.served, key=self._comparable, default=None)

    @property
    def joint_margin(self) -> float:
        """Smallest joint margin of the served points, comparable; inf for none. [rad]."""
        return min(map(self._comparable, self.served), default=np.inf)

    @property
    def singularity_margin(self) -> float:
        """Least distance of the served points from a singularity; inf where there are none."""
        return min((point.singularity_margin for point in self.served), default=np.inf)

    @property
    def clearance(self) -> float | None:
        """Least certified clearance of the served points; None where none was checked. [m]."""
        known = [p.min_clearance for p in self.served if p.min_clearance is not None]
        return min(known, default=None)

    @property
    def margin(self) -> float:
        """Worst margin: the angle to the nearest joint limit or singularity. [rad]."""
        joint, singular = np.array(self.joint_margin), np.array(self.singularity_margin)
        return float(worst_margin(joint, singular))

    def cost(self, goal: str) -> float:
        """What is to be small when margins are settled: time [s], or energy [J]."""
        totals = self.plan.totals
        return totals.energy if goal == "energy" else totals.duration

    def _comparable(self, point: PlannedPoint) -> float:
        return point.joint_margin / _unit(self.plan.job.mechanism, point.margin_joint)


def preferred(given: PlannedPose, others: Sequence[PlannedPose], goal: str) -> PlannedPose:
    """The pose to propose.

    Poses that are worse than the given one in the points served, in the smallest joint margin or in
    the time (energy) are dropped, unless all are. Of the rest the most points count first; then a
    pose must keep its share of the largest worst margin among them (0.98, or 0.5 where the goal is
    time or energy); then the least time (energy) decides, and the earlier one among equals.

    Args:
        given: the job's own pose.
        others: the poses that are allowed, by falling preference.
        goal: "margin", "time" or "energy".
    """
    kept = [s for s in others if not _worse(s, given, goal)] or list(others)
    most = max(standing.rank for standing in kept)
    kept = [standing for standing in kept if standing.rank == most]
    floor = SHARES[goal] * max(standing.margin for standing in kept)
    kept = [s for s in kept if s.margin >= floor * (1.0 - 1e-6)]
    least = min(standing.cost(goal) for standing in kept)
    return next(s for s in kept if s.cost(goal) <= least * (1.0 + _ROUNDING))


def _worse(standing: PlannedPose, given: PlannedPose, goal: str) -> bool:
    """Whether a pose loses something that the given one has; more points outweigh the rest."""
    if standing.rank != given.rank:
        return standing.rank < given.rank
    slower = standing.cost(goal) > given.cost(goal) * (1.0 + _ROUNDING)
    return slower or standing.joint_margin < given.joint_margin - _ROUNDING


def _unit(mechanism: Mechanism, joint: str) -> float:
    names = [movable.name for movable in mechanism.movable]
    return float(joint_units(mechanism)[names.index(joint)])
