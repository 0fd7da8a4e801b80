"""Which way of finding postures a job's robot has."""

from __future__ import annotations

from planner.job import Job
from planner.reach.closed_form import ArmReach, GantryReach, slides_only
from planner.reach.reach import Reach
from planner.reach.serial import SerialReach
from robots.arm.errors import ArmFamilyError
from robots.arm.inverse import ArmInverse


def reach_of(job: Job, *, rough: bool = False) -> Reach:
    """Closed form for a measuring arm or three sliding axes, else a numerical search.

    Args:
        job: of the robot.
        rough: whether a numerical search is to take less time and may miss a branch.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
    """
    if slides_only(job.mechanism):
        gantry = GantryReach(job.mechanism)
        if gantry.spatial:
            return gantry
    try:
        inverse = ArmInverse(job.mechanism, engine="compiled")
    except ArmFamilyError:
        return SerialReach(job.mechanism, seed=job.travel.seed, rough=rough)
    return ArmReach(inverse)
