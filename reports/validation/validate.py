"""validate(plan): everything that matters in a plan, found again by another road."""

from __future__ import annotations

import numpy as np

from planner.plan_types import Plan, Samples
from reports.validation.check import Validation, validation
from reports.validation.derivatives import derivative_checks
from reports.validation.dynamics import dynamics_checks
from reports.validation.evidence import gather
from reports.validation.geometry import geometry_checks
from reports.validation.inverse_models import inverse_model_checks
from reports.validation.limits import limit_checks
from reports.validation.timing import timing_checks


def validate(plan: Plan, samples: Samples | None = None) -> Validation:
    """Judge a plan by means that share no formula with those that made it.

    Args:
        plan: to be judged.
        samples: those that will be written out; drawn at the job's period when None.

    Source: [LAMMARI12] §VI.7, figures 9-14 and 33-38 (direct models against inverse ones)
    """
    drawn = _drawn(plan) if samples is None else samples
    evidence = gather(plan, drawn)
    return validation(
        [
            *timing_checks(evidence),
            *geometry_checks(evidence),
            *derivative_checks(evidence),
            *inverse_model_checks(evidence),
            *dynamics_checks(evidence),
            *limit_checks(evidence),
        ]
    )


def _drawn(plan: Plan) -> Samples:
    """Samples at the job's period; none of a plan that does not move."""
    if plan.segments:
        return plan.trajectory.sample(plan.job.sampling_period)
    n = plan.job.mechanism.dof
    none, joints = np.zeros(0), np.zeros((0, n))
    return Samples(
        t=none,
        segment=np.zeros(0, dtype=np.int64),
        q=joints,
        qd=joints,
        qdd=joints,
        tau=joints,
        position=np.zeros((0, 3)),
    )
