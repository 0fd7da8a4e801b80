"""How one point is approached, and the job with that changed where it says so.

What a job says of the point's feature stands in the table of that feature; all else in
``[approach]``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from planner.job import Approach, Job


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changed:
    """A changed job.

    Args:
        job: with the change.
        place: table of the job file where the changed key stands.
        whom: points that the key concerns, for a reader.
    """

    job: Job
    place: str
    whom: str


def approach_of(job: Job, row: int) -> Approach:
    """How the point in a row of the job is approached."""
    return job.approach.of(job.points.features[row])


def with_approach(job: Job, row: int, key: str, value: Any) -> Changed:
    """The job with another value of what it says of a point's approach.

    Args:
        job: to be changed.
        row: of the point.
        key: "distance", "direction" or "axis".
        value: as in ``FeatureApproach``; "normal" for a direction or an axis that is the normal's.
    """
    feature, approach = job.points.features[row], job.approach
    own = [one for one in approach.features if one.name == feature]
    if own and getattr(own[0], key) is not None:
        changed = replace(own[0], **{key: value})
        features = tuple(changed if one is own[0] else one for one in approach.features)
        return Changed(
            job=replace(job, approach=replace(approach, features=features)),
            place=f"[[approach.feature]] {feature}",
            whom=f"the points of {feature}",
        )
    usual: dict[str, Any] = {key: None if isinstance(value, str) else value}
    return Changed(
        job=replace(job, approach=replace(approach, **usual)),
        place="[approach]",
        whom="all points",
    )
