"""``[approach]`` with its features → settings, in SI; features that the points do not have are told."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parts.points import ProbePoints
from planner.job.job_text import JobText
from planner.job.settings import Approach, FeatureApproach, Normal
from planner.job.value_types import NORMAL
from robots.core.file_units import metres, radians

if TYPE_CHECKING:
    from planner.job.schema import ApproachTable, FeatureApproachTable

Array = NDArray[np.float64]

_MOST_NAMED = 5


def approach_of(table: ApproachTable, points: ProbePoints, source: JobText) -> Approach:
    """``[approach]``.

    Raises:
        JobError: a feature that no point has, that stands twice, or whose table changes nothing.
    """
    direction, axis = _direction(table.direction), _direction(table.axis)
    return Approach(
        distance=metres(table.distance_mm),
        direction=None if isinstance(direction, str) else direction,
        axis=None if isinstance(axis, str) else axis,
        law=table.law,
        dwell=float(table.dwell_s),
        overtravel=metres(table.overtravel_mm),
        tilt=radians(table.tilt_deg),
        features=_features(table, points, source),
    )


def _features(
    table: ApproachTable, points: ProbePoints, source: JobText
) -> tuple[FeatureApproach, ...]:
    found: list[FeatureApproach] = []
    for place, own in enumerate(table.feature):
        path = ("approach", "feature", place)
        if own.name not in points.features:
            raise source.error((*path, "name"), f"is {own.name!r}, {_unknown(own.name, points)}")
        if any(own.name == other.name for other in found):
            raise source.error((*path, "name"), f"is {own.name!r} again; keep one table for it.")
        if not _changes(own, table):
            raise source.error(
                path,
                f"gives feature {own.name!r} nothing that [approach] does not; give distance_mm, "
                "direction or axis, different from there, or remove the table.",
            )
        found.append(
            FeatureApproach(
                name=own.name,
                distance=None if own.distance_mm is None else metres(own.distance_mm),
                direction=None if own.direction is None else _direction(own.direction),
                axis=None if own.axis is None else _direction(own.axis),
            )
        )
    return tuple(found)


def _changes(own: FeatureApproachTable, table: ApproachTable) -> bool:
    """Whether a feature is touched differently at all."""
    keys = ("distance_mm", "direction", "axis")
    return any(getattr(own, key) not in (None, getattr(table, key)) for key in keys)


def _direction(value: str | tuple[object, ...]) -> Array | Normal:
    return NORMAL if isinstance(value, str) else np.array([float(str(v)) for v in value])


def _unknown(name: str, points: ProbePoints) -> str:
    known = tuple(feature for feature in dict.fromkeys(points.features) if feature)
    if not known:
        return "but the points have no features; give each its feature, or remove the table."
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    if close:
        return f"which no point has; did you mean {' or '.join(map(repr, close))}?"
    some = ", ".join(map(repr, known[:_MOST_NAMED]))
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"which no point has; the points have {some}{more}."
