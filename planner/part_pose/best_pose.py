"""The best pose of a job's part: searched roughly, planned exactly, then chosen by rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.job import Job
from planner.part_pose.judge import PoseRating
from planner.part_pose.moved import check_movable, in_order, moved, visiting_order
from planner.part_pose.pose_space import PoseSpace
from planner.part_pose.search import PoseSearch, SearchResult, distinct
from planner.part_pose.standing import SHARES, PlannedPose, preferred
from planner.part_pose.written_pose import WrittenPose
from planner.planning import plan
from planner.progress import Progress, silent
from robots.core.arrays import Array

_MANY = 400  # points of a job whose plans take long
_BY_TIME, _BY_MARGIN = 6, 2  # finalists of each climb
_MORE = 4  # times as many by time, where the search does not see what plans tell


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
