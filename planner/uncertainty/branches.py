"""Which branch measures a point best, and where a plan uses another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.findings import Finding, Quantity, Severity
from planner.findings.subjects import Point
from planner.plan_types import Plan
from planner.reach.robot import reach_of
from planner.uncertainty.first_order import normal_sigmas
from planner.uncertainty.measuring import Measuring
from planner.uncertainty.types import BranchSigma, PointUncertainty


def branch_sigmas(plan: Plan, measuring: Measuring) -> dict[str, tuple[BranchSigma, ...]]:
    """Standard deviation along the normal in every branch, by point, the best first.

    Branches that differ by whole turns of a joint only are one; the least of them counts.

    Args:
        plan: whose branches are compared.
        measuring: its points, among others where it is one of a presenter's plans.
    """
    job, placed = plan.job, plan.placed
    index = {name: k for k, name in enumerate(measuring.names)}
    reach = reach_of(job)
    found = reach.candidates(placed)
    rows = np.array([r for r, k in enumerate(found.point) if placed.names[k] in index], np.int64)
    if rows.size == 0:
        return {}
    lengths = placed.distances + job.approach.overtravel
    contact = np.divide(placed.distances, lengths, out=np.ones(len(placed)), where=lengths > 0.0)
    point = np.array([index[placed.names[k]] for k in found.point[rows]])
    there = replace(measuring.take(point), q=found.lines.joints(rows, contact[found.point[rows]]))
    allowed = found.margins.keep(job.checks.joint_margin)[rows]
    planned = {p.name: p.branch for p in plan.planned_points}
    result: dict[str, dict[str, BranchSigma]] = {name: {} for name in placed.names if name in index}
    for row, sigma, keeps, k in zip(rows, normal_sigmas(there), allowed, point, strict=True):
        name, branch = measuring.names[k], found.lines.branch(int(row))
        one = BranchSigma(
            branch=branch,
            sigma_normal=float(sigma),
            planned=branch == planned[name],
            allowed=bool(keeps),
        )
        before = result[name].get(branch)
        if before is None or _key(one) < _key(before):
            result[name][branch] = one
    return {name: tuple(sorted(own.values(), key=_key)) for name, own in result.items()}


def branch_findings(uncertainties: Sequence[PointUncertainty]) -> tuple[Finding, ...]:
    """Notes on points that another allowed branch would measure clearly better."""
    return tuple(note for point in uncertainties for note in _notes(point))


def _notes(point: PointUncertainty) -> tuple[Finding, ...]:
    here, best = point.planned, point.better
    if here is None or best is None:
        return ()
    return (
        Finding(
            code="P150",
            severity=Severity.NOTE,
            subject=Point(point.name),
            message=f"is measured with a standard deviation of {_um(here.sigma_normal)} along its "
            f"normal by {here.branch}; {best.branch} would measure with {_um(best.sigma_normal)}",
            quantities=(
                Quantity("sigma", here.sigma_normal, "m"),
                Quantity("better sigma", best.sigma_normal, "m"),
            ),
            hint="turn or move the part so that the better branch is the natural one, or narrow "
            "the limits of the joint that tells them apart in [robot.limits]",
        ),
    )


def _um(sigma: float) -> str:
    return f"{1e6 * sigma:.3g} µm"


def _key(branch: BranchSigma) -> tuple[bool, float]:
    return not branch.allowed, branch.sigma_normal
