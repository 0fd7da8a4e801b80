"""How far off its place a part may be fixtured: limits estimated and proven, clearance planned."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.part_pose.held_lines import FixturingErrorKind, HeldLines
from planner.part_pose.proof import prove
from planner.part_pose.replanned import replanned
from planner.part_pose.tolerance import LARGEST, FirstFailure, closer, estimate
from planner.plan_types import Plan
from planner.progress import Progress, silent
from robots.arm.errors import ArmFamilyError
from robots.arm.inverse import ArmInverse

_CORRECTIONS = 12  # of an estimate that a proof shows to be too large
_MOST = 400  # points of a job that is planned anew with errors
_PLANS = 60  # that this usually takes
_INSIDE = 0.995  # of an estimate by limits, where plans are made: at the estimate one limit breaks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MisFixturing:
    """Tolerance of a plan to one kind of error of the part.

    Args:
        kind: translation or rotation.
        size: the largest error that every direction tried tolerates. [m or rad]
        proven: up to this no error breaks a joint limit, the reach or a singularity margin of the
            plan's branches: proven for every direction. None where no proof is made: a robot that
            is no measuring arm, or whose ball lies beside the stylus axis. [m or rad]
        directions: how many were tried by limits; 0 where there is no closed form.
        plans: how many were made with errors, for the clearance and whatever else a plan checks.
        first: what fails first; None where nothing does.
    """

    kind: FixturingErrorKind
    size: float
    proven: float | None
    directions: int
    plans: int
    first: FirstFailure | None


def mis_fixturing(
    plan: Plan, kind: FixturingErrorKind, progress: Progress = silent
) -> MisFixturing:
    """The tolerance of a plan to errors of one kind.

    Args:
        plan: with the part in its place; points that it does not serve are left out.
        kind: of the errors.
        progress: told how far the work is.
    """
    if not any(point.reachable for point in plan.planned_points):
        return MisFixturing(kind=kind, size=0.0, proven=None, directions=0, plans=0, first=None)
    closed = _closed_form(plan)
    found = _by_limits(plan, kind) if closed else _unknown(kind)
    if closed and (not plan.job.mechanism.capsules or len(plan.planned_points) > _MOST):
        return found
    return _with_clearance(plan, found, progress)


def _closed_form(plan: Plan) -> bool:
    try:
        return ArmInverse(plan.job.mechanism, engine="compiled").family.closed_form
    except ArmFamilyError:
        return False


def _unknown(kind: FixturingErrorKind) -> MisFixturing:
    return MisFixturing(
        kind=kind, size=LARGEST[kind], proven=None, directions=0, plans=0, first=None
    )


def _by_limits(plan: Plan, kind: FixturingErrorKind) -> MisFixturing:
    held = HeldLines(plan, kind)
    found = estimate(held)
    proof = prove(held, found.size)
    for _ in range(_CORRECTIONS):
        wrong = proof.counterexample
        if wrong is None:
            break
        found = closer(held, found, wrong.line, wrong.error)
        proof = prove(held, found.size)
    return MisFixturing(
        kind=kind,
        size=found.size,
        proven=proof.size,
        directions=found.directions,
        plans=0,
        first=found.first,
    )


def _with_clearance(plan: Plan, found: MisFixturing, progress: Progress) -> MisFixturing:
    """The same, or less where a plan with the part off its place loses something before."""
    stage = f"plans with {found.kind.value} errors"
    largest = found.size * (1.0 if found.first is None else _INSIDE)
    again = replanned(
        plan, found.kind, largest, lambda made: progress(stage, made, max(made, _PLANS))
    )
    if again.first is None:
        return replace(found, plans=again.plans)
    proven = None if found.proven is None else float(np.minimum(found.proven, again.size))
    return replace(found, size=again.size, proven=proven, plans=again.plans, first=again.first)
