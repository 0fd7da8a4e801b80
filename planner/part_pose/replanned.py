"""Tolerance found by planning the job anew with the part off its place, clearance and all.

The order of the visit is kept; branches and detours may change, as they do when the job is planned
with the part's measured place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.subjects import Subject
from planner.job import Job
from planner.part_pose.held_lines import FixturingErrorKind
from planner.part_pose.moved import in_order, moved, visiting_order
from planner.part_pose.tolerance import FirstFailure
from planner.plan_types import Plan
from planner.planning import plan
from robots.core.arrays import Array
from robots.core.pose import make_pose, rotation_exp

_THIRDS = 6
_HALVINGS = 4
_DIAGONALS = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij"), axis=-1).reshape(8, 3)
DIRECTIONS = np.concatenate([np.eye(3), -np.eye(3), _DIAGONALS / np.sqrt(3.0)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replanned:
    """What planning anew found.

    Args:
        size: the largest error tried that every direction tolerates. [m or rad]
        first: what fails at a slightly larger one; None where nothing fails up to the largest.
        plans: how many were made.
    """

    size: float
    first: FirstFailure | None
    plans: int


def replanned(
    good: Plan, kind: FixturingErrorKind, largest: float, tell: Callable[[int], None]
) -> Replanned:
    """The largest error for which the job can be planned without losing a point, by bisection.

    Args:
        good: the plan with the part in its place.
        kind: of the errors.
        largest: error to start from. [m or rad]
        tell: called with the number of plans made so far.
    """
    trials = _Trials(good, kind, tell)
    first, low, high = trials.first_failure(largest), 0.0, largest
    if first is None:
        return Replanned(size=largest, first=None, plans=trials.made)
    for _ in range(_THIRDS):  # failures are found quickly: the direction that failed is tried first
        failure = trials.first_failure(high / 3.0)
        if failure is None:
            low = high / 3.0
            break
        first, high = failure, high / 3.0
    for _ in range(_HALVINGS if low > 0.0 else 0):
        middle = 0.5 * (low + high)
        failure = trials.first_failure(middle)
        low, high = (middle, high) if failure is None else (low, middle)
        first = first if failure is None else failure
    return Replanned(size=low, first=first, plans=trials.made)


def erroneous_pose(job: Job, kind: FixturingErrorKind, error: Array, reference: Array) -> Array:
    """T_base_part with an error of the part. # (4, 4).

    Args:
        job: with the part in its place.
        kind: of the error.
        error: error vector. # (3,) [m or rad]
        reference: what rotations turn about. # (3,) [m]
    """
    if kind is FixturingErrorKind.TRANSLATION:
        shift = make_pose(np.eye(3), error)
    else:
        R = rotation_exp(error)
        shift = make_pose(R, reference - R @ reference)
    return np.asarray(shift @ job.part.T_base_part)


class _Trials:
    """Plans under errors; the direction that failed last is tried first."""

    def __init__(self, good: Plan, kind: FixturingErrorKind, tell: Callable[[int], None]) -> None:
        self.good = good
        self.kind = kind
        self.tell = tell
        self.made = 0
        self._order = list(range(len(DIRECTIONS)))
        self._reference = np.mean(good.placed.contacts[_reached(good)], axis=0)
        self._known = _errors(good)
        self._visited = visiting_order(good)

    def first_failure(self, size: float) -> FirstFailure | None:
        """A direction in which an error of that size makes the plan worse; None for none."""
        for place, k in enumerate(self._order):
            failure = self._failure(size, DIRECTIONS[k])
            if failure is not None:
                self._order.insert(0, self._order.pop(place))
                return failure
        return None

    def _failure(self, size: float, direction: Array) -> FirstFailure | None:
        job = self.good.job
        pose = erroneous_pose(job, self.kind, size * direction, self._reference)
        found = plan(in_order(moved(job, pose), self._visited))
        self.made += 1
        self.tell(self.made)
        fresh = [f for key, f in _errors(found).items() if key not in self._known]
        if not fresh:
            return None
        return FirstFailure(
            size=size,
            direction=direction,
            point=fresh[0].where,
            limit=f"{fresh[0].code} {fresh[0].message}",
            place=np.nan,
        )


def _reached(good: Plan) -> list[int]:
    return [k for k, point in enumerate(good.planned_points) if point.reachable]


def _errors(planned: Plan) -> dict[tuple[str, Subject], Finding]:
    return {(f.code, f.subject): f for f in planned.finding_list if f.severity is Severity.ERROR}
