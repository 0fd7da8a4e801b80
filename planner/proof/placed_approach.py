"""How points are approached, against what the job's tables say, taken through the pose anew."""

from __future__ import annotations

import numpy as np

from planner.job import Job
from planner.plan import Plan
from planner.proof.check import Check, check
from robots.core.arrays import Array

_EXACT = 1e-9  # [m]; of a direction [1]


def placed_approach(plan: Plan) -> Check:
    """Clearance points, search ends and stylus axes."""
    job, placed = plan.job, plan.placed
    wanted = [_wanted(job, k) for k in range(len(placed))]
    distances = np.array([distance for distance, _, _ in wanted])[:, None]
    directions, axes = (np.array([each[i] for each in wanted]) for i in (1, 2))
    off = [
        placed.clearances - placed.contacts - distances * directions,
        placed.search_ends - placed.contacts + job.approach.overtravel * directions,
        placed.axes - axes,
    ]
    return check("placed approach", np.concatenate(off), _EXACT, "m", _WHAT)


def _wanted(job: Job, k: int) -> tuple[float, Array, Array]:
    """Distance, direction and stylus axis of a point in the base frame, from the job's tables."""
    given = {key: getattr(job.approach, key) for key in ("distance", "direction", "axis")}
    for own in job.approach.features:
        if own.name == job.points.features[k]:
            given |= {key: v for key in given if (v := getattr(own, key)) is not None}
    R = job.part.T_base_part[:3, :3] if job.frame == "part" else np.eye(3)
    normal = R @ job.points.normals[k]
    along, against = (_vector(given[key]) for key in ("direction", "axis"))
    direction = normal if along is None else along
    axis = -normal if against is None else R @ against
    return given["distance"], direction, axis


def _vector(value: object) -> Array | None:
    """A direction of the job as a unit vector; None for the normal's."""
    if value is None or isinstance(value, str):
        return None
    vector = np.asarray(value, dtype=np.float64)
    return np.asarray(vector / np.sqrt(np.sum(vector * vector)))


_WHAT = (
    "clearance point and search end of every point seen from its contact, and its stylus axis, "
    "against distance, direction and axis that the job gives for it or its feature, or its normal, "
    "turned by the pose of the part"
)
