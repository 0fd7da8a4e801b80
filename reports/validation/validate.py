"""validate(plan): everything that matters in a plan, found again by another road."""

from __future__ import annotations

from planner.plan_types import Plan
from planner.sampled_motion import SampledMotion, sampled
from reports.validation.check import Validation, validation
from reports.validation.derivatives import Derivatives
from reports.validation.dynamics import Dynamics
from reports.validation.effort_limits import EffortLimits
from reports.validation.evidence import Judge, gather, passages
from reports.validation.geometry import Geometry
from reports.validation.inverse_models import InverseModels
from reports.validation.jerk_limits import JerkLimits
from reports.validation.limits import Limits
from reports.validation.stated_points import StatedPoints
from reports.validation.timing import Timing


def validate(plan: Plan, motion: SampledMotion | None = None) -> Validation:
    """Judge a plan by means that share no formula with those that made it.

    The motion passes by in parts, so that memory does not grow with its length.

    Args:
        plan: to be judged.
        motion: samples that will be written out; drawn at the job's period when None.

    Source: [LAMMARI12] §VI.7, figures 9-14 and 33-38 (direct models against inverse ones)
    """
    evidence = gather(plan)
    judges: list[Judge] = [
        Timing(evidence),
        Geometry(evidence),
        StatedPoints(evidence),
        Derivatives(evidence),
        InverseModels(evidence),
        Dynamics(evidence),
        Limits(evidence),
        JerkLimits(evidence),
        EffortLimits(evidence),
    ]
    if plan.job.cell.solids or plan.job.mechanism.self_pairs:
        from reports.validation.clearances import Clearances

        judges.append(Clearances(evidence))
    for passage, drawn in passages(evidence, sampled(plan) if motion is None else motion):
        for judge in judges:
            judge.look(passage)
        for samples in drawn:
            for judge in judges:
                judge.see(samples)
    return validation([one for judge in judges for one in judge.checks()])
