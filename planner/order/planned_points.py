"""The points of a plan: which are reached, how, and with what margins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.job import Job
from planner.order.chooser import Choice
from planner.plan import PlacedPoints, PlannedPoint, SegmentClearance
from planner.reach.candidates import Candidates
from planner.reach.margins import joint_units
from robots.core.arrays import Array


def planned_points(
    job: Job,
    placed: PlacedPoints,
    found: Candidates,
    choice: Choice,
    overruns: Array,
    clearances: Sequence[SegmentClearance | None] = (),
) -> tuple[PlannedPoint, ...]:
    """Every point of the job, in the job's order.

    Args:
        job: for the names of the joints and the approach.
        placed: the points.
        found: the candidates.
        choice: which of them serve the points.
        overruns: of the ball after a trigger, in visiting order. # (k,) [m]
        clearances: of the probing lines in visiting order, None where a line states none; empty
            where they were not checked.
    """
    names = [joint.name for joint in job.mechanism.movable]
    points = [_unreached(name, job.mechanism.dof) for name in placed.names]
    rows, limit = choice.chosen, choice.margins.limit
    units = joint_units(job.mechanism)
    contacts, *others = _cycle_joints(placed, found, choice)
    for visit, (k, row) in enumerate(zip(choice.visits.tolist(), rows.tolist(), strict=True)):
        joint = int(np.argmin(limit[visit] / units))
        points[k] = PlannedPoint(
            name=placed.names[k],
            reachable=True,
            branch=found.lines.branch(row),
            inverse_branch=found.lines.inverse_branch(row),
            q_clearance=found.lines.q_starts[row],
            q_contact=contacts[visit],
            joint_margin=float(limit[visit, joint]),
            margin_joint=names[joint],
            singularity_margin=float(choice.margins.singularity[visit]),
            q_search_start=others[0][visit],
            q_search_end=others[1][visit],
            q_back_off=others[2][visit],
            touch_speed=float(placed.touch_speeds[k]),
            overrun=float(overruns[visit]),
            min_clearance=None if (stated := _of(clearances, visit)) is None else stated.certified,
        )
    return tuple(points)


def _of(clearances: Sequence[SegmentClearance | None], visit: int) -> SegmentClearance | None:
    return clearances[visit] if clearances else None


def _unreached(name: str, dof: int) -> PlannedPoint:
    unknown = np.full(dof, np.nan)
    return PlannedPoint(
        name=name,
        reachable=False,
        branch="",
        q_clearance=unknown,
        q_contact=unknown,
        joint_margin=np.nan,
        margin_joint="",
        singularity_margin=np.nan,
        q_search_start=unknown,
        q_search_end=unknown,
        q_back_off=unknown,
        touch_speed=np.nan,
        overrun=np.nan,
    )


def _cycle_joints(placed: PlacedPoints, found: Candidates, choice: Choice) -> list[Array]:
    """Joints at contact, start and end of the search and after the back-off. # (k, n) each."""
    visits, rows = choice.visits, choice.chosen
    lengths = placed.lengths
    outside = (np.zeros(len(placed)), placed.search_before, -placed.search_after, placed.back_off)
    places = [
        np.divide(placed.distances - d, lengths, out=np.ones(len(placed)), where=lengths > 0.0)
        for d in outside
    ]
    return [found.lines.joints(rows, np.clip(at, 0.0, 1.0)[visits]) for at in places]
