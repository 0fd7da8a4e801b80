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
    clearances: Sequence[SegmentClearance | None] = (),
) -> tuple[PlannedPoint, ...]:
    """Every point of the job, in the job's order.

    Args:
        job: for the names of the joints and the approach.
        placed: the points.
        found: the candidates.
        choice: which of them serve the points.
        clearances: of the probing lines in visiting order, None where a line states none; empty
            where they were not checked.
    """
    names = [joint.name for joint in job.mechanism.movable]
    points = [_unreached(name, job.mechanism.dof) for name in placed.names]
    rows, limit = choice.chosen, choice.margins.limit
    units = joint_units(job.mechanism)
    contacts = found.lines.joints(rows, _contact_parameters(job, placed)[choice.visits])
    for visit, (k, row) in enumerate(zip(choice.visits.tolist(), rows.tolist(), strict=True)):
        joint = int(np.argmin(limit[visit] / units))
        points[k] = PlannedPoint(
            name=placed.names[k],
            reachable=True,
            branch=found.lines.branch(row),
            q_clearance=found.lines.q_starts[row],
            q_contact=contacts[visit],
            joint_margin=float(limit[visit, joint]),
            margin_joint=names[joint],
            singularity_margin=float(choice.margins.singularity[visit]),
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
    )


def _contact_parameters(job: Job, placed: PlacedPoints) -> Array:
    """Where contact lies on each line from clearance point to search end. # (k,)."""
    lengths = placed.distances + job.approach.overtravel
    return np.divide(placed.distances, lengths, out=np.ones(len(placed)), where=lengths > 0.0)
