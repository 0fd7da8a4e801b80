"""How one point is approached, and the job with that changed where it says so.

What a job says of the point's feature stands in the table of that feature; all else in
``[approach]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.job import Approach, Job
from planner.job.settings import FeatureApproach


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


def with_feature(job: Job, row: int, values: Mapping[str, Any]) -> Changed:
    """The job with other values for the feature of a point as a whole.

    Args:
        job: to be changed.
        row: of the point; where it is of no feature, all points are changed that have no table.
        values: of "distance", "direction" or "axis"; as in ``FeatureApproach``.
    """
    feature, approach = job.points.features[row], job.approach
    if not feature:
        usual = replace(approach, **values)
        return Changed(job=replace(job, approach=usual), place="[approach]", whom="all points")
    own = next((one for one in approach.features if one.name == feature), None)
    changed = replace(own or FeatureApproach(name=feature), **values)
    others = tuple(one for one in approach.features if one is not own)
    return Changed(
        job=replace(job, approach=replace(approach, features=(*others, changed))),
        place=f"[[approach.feature]] {feature}",
        whom=f"the points of {feature}",
    )


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
