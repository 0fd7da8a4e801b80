"""Is the whole list of points off by a factor of 1000? Judged by the robot's reach.

A list read in metres instead of millimetres lies far beyond the robot, and fits when it is divided
by 1000. The other way round it shrinks to a crumb at the frame's origin, and fits when multiplied.
The rules are wide on purpose: an unreachable point is a finding of the plan, not a wrong unit.
"""

from __future__ import annotations

import numpy as np

from parts.points import ProbePoints
from planner.errors import JobError
from planner.job.elements import Frame, PlacedPart
from planner.job.unit_label import UnitLabel
from robots.core.arrays import Array
from robots.core.mechanism import JointKind, Mechanism
from robots.core.pose import transform_points

_FACTOR = 1000.0
_FAR = 3.0  # reaches; half of a list this far away is no slip of the part's pose
_FITS = 1.5  # reaches; a list that fits may still have points just out of reach
_NEAR = 0.05  # reaches; nobody measures only within a twentieth of the reach from the base origin
_CRUMB = 0.5  # reaches; size, times 1000, up to which a list may be a part read too small


def check_unit(
    points: ProbePoints, part: PlacedPart, frame: Frame, mechanism: Mechanism, label: UnitLabel
) -> None:
    """Refuse a list of points that is off by a factor of 1000; ``label`` says their unit.

    Raises:
        JobError: the list does not fit the robot, but fits when scaled by 1000.
    """
    reach = reach_of(mechanism)
    if not 0.0 < reach < np.inf:
        return
    T = part.T_base_part if frame == "part" else np.eye(4)
    given = _distances(T, points.positions)
    if np.median(given) > _FAR * reach and _fits(T, points.positions / _FACTOR, reach):
        raise _off(label, points, given, reach, "large")
    if _is_crumb(points, frame, reach) and _fits(T, points.positions * _FACTOR, reach):
        raise _off(label, points, given, reach, "small")


def reach_of(mechanism: Mechanism) -> float:
    """Upper bound of the distance from the base origin to the tool. [m].

    The sum of all offsets from the tool back to the base, and of the longest strokes; inf for a
    slide without limits.
    """
    reach = float(np.linalg.norm(mechanism.tool[:3, 3]))
    index = mechanism.tool_joint
    while index >= 0:
        joint = mechanism.joints[index]
        reach += float(np.linalg.norm(joint.placement[:3, 3]))
        if joint.kind is JointKind.PRISMATIC:
            reach += max(abs(joint.q_min), abs(joint.q_max))
        index = joint.parent
    return reach


def _distances(T: Array, positions: Array) -> Array:
    """Distances from the base origin. # (k,) [m]."""
    return np.asarray(np.linalg.norm(transform_points(T, positions), axis=1))


def _fits(T: Array, positions: Array, reach: float) -> bool:
    farthest = float(_distances(T, positions).max())
    return _NEAR * reach <= farthest <= _FITS * reach


def _is_crumb(points: ProbePoints, frame: Frame, reach: float) -> bool:
    """Whether the list may be a thousandth of its true size.

    In base axes the points must then hug the base origin. In part axes small lists are usual near
    the part's origin, so only a spread that no pattern of touches has counts.
    """
    if float(np.linalg.norm(points.positions, axis=1).max()) > _FITS * reach / _FACTOR:
        return False
    if frame == "base":
        return True
    spread = float(np.linalg.norm(np.ptp(points.positions, axis=0)))
    return 0.0 < spread < _CRUMB * reach / _FACTOR


def _off(label: UnitLabel, points: ProbePoints, given: Array, reach: float, size: str) -> JobError:
    spread = 1e3 * float(np.linalg.norm(np.ptp(points.positions, axis=0)))
    seen = (
        f"they lie {given.min():.4g} to {given.max():.4g} m from the robot's base"
        if size == "large"
        else f"all {len(points)} of them lie within {spread:.3g} mm of each other"
    )
    factor = _FACTOR if size == "small" else 1 / _FACTOR
    doubt = label.doubt(factor)
    fix = f"They are {doubt}." if doubt else "Correct the unit in the header or key."
    return label.error(
        f"the points are off by a factor of 1000: {seen}, and the robot reaches {reach:.4g} m. "
        f"Is the unit right? {fix}",
        key="points",
        reach=reach,
        factor=factor,
    )
