"""The way between a home posture and a plan's motion: straight, or around what is in the way."""

from __future__ import annotations

from planner.clearance.checker import Checker
from planner.detours.find import find_detours
from planner.detours.motions import TravelSpace
from planner.job import Job
from planner.reach.margins import required_margins
from robots.core.arrays import Array
from robots.core.model import Model


def proven_way(job: Job, model: Model, start: Array, end: Array) -> Array | None:
    """Find corners of straight joint moves that are proven to keep the job's clearance.

    Args:
        job: with its cell, clearance, margins and how it travels.
        model: of its robot.
        start: posture, which is not in the answer. # (n,) [rad or m]
        end: posture, the last of the answer. # (n,)

    Returns:
        # (p, n) [rad or m]; None where no way was found.
    """
    mechanism = model.mechanism
    margin = required_margins(mechanism, job.checks.joint_margin)
    space = TravelSpace(
        model=model,
        cell=job.cell,
        checker=Checker(model, job.cell),
        limits=job.joint_limits(),
        lower=mechanism.q_min + margin,
        upper=mechanism.q_max - margin,
        required=job.checks.clearance,
    )
    if not (space.inside(start) and space.inside(end)):
        return None
    starts, ends = start[None], end[None]
    if bool(space.legs_keep(starts, ends)[0]):
        return ends
    found = find_detours(space, starts, ends, job.travel)
    if not found.routes:
        return None
    route = found.routes[0]
    return route[1:] if bool(space.legs_keep(route[:-1], route[1:]).all()) else None
