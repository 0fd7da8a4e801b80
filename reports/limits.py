"""The limits that a plan is held to, as a reader is shown them."""

from __future__ import annotations

from planner.plan import Plan
from robots.core.arrays import Array


def torque_limits(plan: Plan) -> Array:
    """The robot's own, or the job's where they are tighter; infinite: none. # (n,) [N m]."""
    return plan.job.effort_limits
