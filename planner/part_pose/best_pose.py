"""The best pose of a job's part: searched roughly, planned exactly, then chosen by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.findings import Severity
from planner.job import Job
from planner.part_pose.moved import check_movable, in_order, moved, visiting_order
from planner.part_pose.pose_space import PoseSpace, WrittenPose
from planner.part_pose.rating import PoseRating, worst_margin
from planner.part_pose.search import PoseSearch, SearchResult, distinct
from planner.plan import Plan, PlannedPoint
from planner.planning import plan
from planner.progress import Progress, silent
from planner.reach.margins import joint_units
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism

_MANY = 400  # points of a job whose plans take long
_BY_TIME, _BY_MARGIN = 6, 2  # finalists of each climb
_MORE = 4  # times as many by time, where the search does not see what plans tell
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placing:
    """What the search found.

    Args:
        job: whose part was placed.
        space: poses that were allowed.
        given: the part where the job has it.
        best: the part where it should be; the given pose itself where none is better.
        tried: number of poses that were judged.
        planned: number of poses that were planned.
    """

    job: Job
    space: PoseSpace
    given: PlannedPose
    best: PlannedPose
    tried: int
    planned: int

    @property
    def feasible(self) -> bool:
        """Whether the best pose serves every point."""
        return self.best.plan.feasible and len(self.best.served) == len(self.job.points)


def best_pose(job: Job, progress: Progress = silent) -> Placing:
    """Place the part of a job.

    Args:
        job: with points in the part's frame; its ``place`` says where to look.
        progress: told how far the work is.

    Raises:
        JobError: the points are given in the base frame.
        RobotError: the robot cannot do such a job.
    """
    check_movable(job)
    space, goal = PoseSpace.of(job), job.place.goal
    given = _given(job)
    order = visiting_order(given.plan)
    search = PoseSearch(PoseRating(job, order), space, job.place.seed, progress)
    found = search.run(SHARES[goal], timed=goal != "energy")
    planned = _planned(in_order(job, order), _finalists(found, space), goal, progress)
    allowed = [given, *planned] if not np.any(space.nearest) else planned
    best = preferred(given, allowed, goal)
    return Placing(
        job=job,
        space=space,
        given=given,
        best=best if best is given else _reordered(job, best),
        tried=len(found.tried.moves),
        planned=1 + len(planned),
    )


def _given(job: Job) -> PlannedPose:
    pose = WrittenPose.of(job.part.T_base_part, mm_digits=9, deg_digits=9)
    return PlannedPose(pose=pose, plan=plan(job))


def _reordered(job: Job, best: PlannedPose) -> PlannedPose:
    """The chosen pose, planned with the order left as open as the job leaves it."""
    if job.travel.order == "as-given":
        return best
    freed = replace(best, plan=plan(moved(job, best.pose.T)))
    return preferred(best, [best, freed], job.place.goal)


def _finalists(found: SearchResult, space: PoseSpace) -> Array:
    """T_base_part of the poses worth a plan: those of the largest margin, then quick ones."""
    tried = found.tried
    wide = distinct(tried, found.bar.by_margin(tried), _BY_MARGIN, space)
    quick = distinct(tried, found.goal.by_time(tried), _MORE * _BY_TIME, space)
    return space.poses(np.concatenate([wide.moves, quick.moves]))


def _planned(job: Job, poses: Array, goal: str, progress: Progress) -> list[PlannedPose]:
    """Plans of the finalists; of the later ones only where they may be needed."""
    planned: list[PlannedPose] = []
    many = len(job.points) > _MANY
    enough = _BY_MARGIN + (1 if many else _BY_TIME)
    most = len(poses) if not many else 2 * enough
    for done, T in enumerate(poses[:most]):
        progress("poses planned", done, len(poses[:most]))
        good = sum(standing.plan.feasible for standing in planned)
        if done >= enough and (good >= enough or not _hidden(planned)) and goal != "energy":
            break
        pose = WrittenPose.of(T)
        planned.append(PlannedPose(pose=pose, plan=plan(moved(job, pose.T))))
    progress("poses planned", len(poses[:most]), len(poses[:most]))
    return planned


def _hidden(planned: list[PlannedPose]) -> bool:
    """Whether some plan fails although all its points are reached: the search did not see why."""
    return any(
        not standing.plan.feasible
        and all(point.reachable for point in standing.plan.planned_points)
        for standing in planned
    )


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
