"""What the checks look at: gathered once, then only read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.plan_types import Plan, Samples
from reports.validation.chebyshev import coefficients, derivative
from reports.validation.lagrange_torques import LagrangeTorques
from reports.validation.resolved_motion import ResolvedMotion, resolve
from robots.core.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """A plan with the independent means to judge it.

    Args:
        plan: to be judged.
        model: of the job's robot, made anew.
        torques: by Lagrange.
        motion: resolved into polynomials.
        c_q: coefficients of q. # (P, K, n)
        c_qd: of the derivative of q's polynomial; speeds as positions tell them. # (P, K, n)
        c_qdd: of the derivative of the speeds' polynomial. # (P, K, n)
        samples: as they will be written out.
    """

    plan: Plan
    model: Model
    torques: LagrangeTorques
    motion: ResolvedMotion
    c_q: Array
    c_qd: Array
    c_qdd: Array
    samples: Samples


def gather(plan: Plan, samples: Samples) -> Evidence:
    """Ask the trajectory, and take what only depends on that."""
    model = Model(plan.job.mechanism, "compiled")
    torques = LagrangeTorques(plan.job.mechanism)
    motion = resolve(plan, model, torques)
    per_time = (2.0 / motion.pieces.length)[:, None, None]
    c_q = coefficients(motion.q)
    return Evidence(
        plan=plan,
        model=model,
        torques=torques,
        motion=motion,
        c_q=c_q,
        c_qd=derivative(c_q) * per_time,
        c_qdd=derivative(coefficients(motion.qd)) * per_time,
        samples=samples,
    )
