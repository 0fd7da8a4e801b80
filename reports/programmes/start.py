"""Where a programme starts: at home, if the way from there is proven like the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.clearance.certify import keeps
from planner.clearance.checker import Checker
from planner.clearance.paths import StraightPaths
from reports.programmes.source import Move, ProgrammeSource
from robots.core.arrays import Array
from robots.core.controller import Controller


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Start:
    """The posture that a programme must be started in.

    Args:
        q: joints there. # (n,) [rad or m]
        told: where that is, for people.
    """

    q: Array
    told: str


def start_of(source: ProgrammeSource, controller: Controller | None) -> Start:
    """Home of [controller], if a straight joint move to the first clearance point is proven.

    Otherwise the first clearance point itself: nothing in a programme is unproven.
    """
    first = source.steps.steps[0]
    begin = first.path[-1] if isinstance(first, Move) else first.q_clearance
    if controller is None or controller.home is None:
        return Start(q=begin, told="starts at the first clearance point: drive there by hand")
    job = source.plan.job
    checker = Checker(source.plan.trajectory.model, job.cell)
    way = StraightPaths(controller.home[None], begin[None])
    if bool(np.all(keeps(checker, way, job.checks.clearance))):
        return Start(
            q=controller.home,
            told="starts at home: the joint move to the first clearance point is certified, too",
        )
    return Start(
        q=begin,
        told="NOT from home, from where the straight way does not keep the clearance: starts at "
        "the first clearance point; drive there by hand",
    )
