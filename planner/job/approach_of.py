"""``[approach]`` with its features → settings, in SI; what no point has is told."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from parts.points import ProbePoints
from planner.job.job_text import JobText
from planner.job.settings import Approach, FeatureApproach, Normal
from robots.core.arrays import Array
from robots.core.file_units import metres, radians

if TYPE_CHECKING:
    from planner.job.schema import ApproachTable, FeatureApproachTable


_MOST_NAMED = 5
_SAME = 1e-12  # of unit vectors


def approach_of(table: ApproachTable, points: ProbePoints, source: JobText) -> Approach:
    """``[approach]``.

    Raises:
        JobError: a feature that no point has, that stands twice, or whose table changes nothing.
    """
    direction, axis = _direction(table.direction), _direction(table.axis)
    approach = Approach(
        distance=metres(table.distance_mm),
        direction=None if isinstance(direction, str) else direction,
        axis=None if isinstance(axis, str) else axis,
        law=table.law,
        dwell=float(table.dwell_s),
        overtravel=metres(table.overtravel_mm),
        tilt=radians(table.tilt_deg),
        features=tuple(_feature_approach(own) for own in table.feature),
    )
    _check_features(approach, points, source)
    return approach


def _check_features(approach: Approach, points: ProbePoints, source: JobText) -> None:
    usual = replace(approach, features=())
    for place, own in enumerate(approach.features):
        path, earlier = ("approach", "feature", place), approach.features[:place]
        if own.name not in points.features:
            raise source.error((*path, "name"), f"is {own.name!r}, {_unknown(own.name, points)}")
        if any(own.name == other.name for other in earlier):
            raise source.error((*path, "name"), f"is {own.name!r} again; keep one table for it.")
        if _same(approach.of(own.name), usual):
            raise source.error(
                path,
                f"gives feature {own.name!r} nothing that [approach] does not; give distance_mm, "
                "direction or axis, different from there, or remove the table.",
            )


def _feature_approach(table: FeatureApproachTable) -> FeatureApproach:
    return FeatureApproach(
        name=table.name,
        distance=None if table.distance_mm is None else metres(table.distance_mm),
        direction=None if table.direction is None else _direction(table.direction),
        axis=None if table.axis is None else _direction(table.axis),
    )


def _same(own: Approach, usual: Approach) -> bool:
    """Whether a feature is touched like all points."""
    pairs = ((own.direction, usual.direction), (own.axis, usual.axis))
    return own.distance == usual.distance and all(
        np.allclose(a, b, rtol=0.0, atol=_SAME) if a is not None and b is not None else a is b
        for a, b in pairs
    )


def _direction(value: Normal | tuple[Decimal, ...]) -> Array | Normal:
    return value if isinstance(value, str) else np.array([float(v) for v in value])


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
