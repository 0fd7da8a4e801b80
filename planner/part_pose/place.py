"""place(job): where the part should stand, how far off it may be fixtured, and what is in reach."""

from __future__ import annotations

from dataclasses import dataclass

from planner.job import Job
from planner.part_pose.best_pose import Placing, best_pose
from planner.part_pose.held_lines import ErrorKind
from planner.part_pose.mis_fixturing import MisFixturing, mis_fixturing
from planner.part_pose.reach_map import ReachMap, reach_maps
from planner.progress import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placement:
    """The place of a part before its robot.

    Args:
        placing: the given and the best pose, each with its plan.
        tolerances: of the best pose, one for each kind of error.
        maps: of the reach around the given and the best pose; None where none was asked for.
    """

    placing: Placing
    tolerances: tuple[MisFixturing, ...]
    maps: tuple[ReachMap, ReachMap] | None

    @property
    def feasible(self) -> bool:
        """Whether every point is measured from the best pose."""
        return self.placing.feasible


def place(job: Job, progress: Progress = silent, *, maps: bool = True) -> Placement:
    """Search for the best pose of a job's part, and compute the tolerance of its plan.

    Args:
        job: with points in the part's frame; its ``place`` says where to look.
        progress: told how far the work is.
        maps: whether the reach is mapped, which takes most of the time.

    Raises:
        JobError: the points are given in the base frame.
        RobotError: the robot cannot do such a job.
    """
    placing = best_pose(job, progress)
    return Placement(
        placing=placing,
        tolerances=tuple(mis_fixturing(placing.best.plan, kind, progress) for kind in ErrorKind),
        maps=reach_maps(placing, progress) if maps else None,
    )
