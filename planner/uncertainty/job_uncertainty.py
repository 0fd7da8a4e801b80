"""uncertainty_of(job): how well each point of a job will be measured, before it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import JobError
from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Point
from planner.job import Job
from planner.plan import Plan
from planner.planning import plan
from planner.progress import Progress, silent
from planner.reach.robot import reach_of
from planner.uncertainty.first_order import FirstOrder, first_order, normal_sigmas
from planner.uncertainty.measuring import (
    Measuring,
    measuring_of,
    measuring_of_presentation,
    settings_of,
)
from planner.uncertainty.monte_carlo import PointDraws, draws, monte_carlo, normal_interval
from planner.uncertainty.types import BranchSigma, PointUncertainty
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.presenting.presentation import Presentation


_DRAWS = 10_000  # for a job that asks for none
_NUMBERS = 3_000_000  # that are drawn at most: they are all held at once
_FEWEST = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobUncertainty:
    """Uncertainty of the points of a job.

    Args:
        job: whose points they are.
        measuring: the points that are reached; on a presenter pose by pose.
        points: their uncertainties.
        findings: of the plan and of its branches.
    """

    job: Job
    measuring: Measuring
    points: tuple[PointUncertainty, ...]
    findings: tuple[Finding, ...]

    @property
    def missing(self) -> int:
        """Number of points of the job that the plan does not reach."""
        return len(self.job.points.names) - len(self.measuring)

    @property
    def worst(self) -> int:
        """Index of the point with the largest standard deviation along its normal."""
        return int(np.argmax([point.sigma_normal for point in self.points]))

    def worst_draws(self) -> PointDraws | None:
        """Draws of the worst point; None where the job asks for none."""
        settings = self.measuring.settings
        if not self.points or not (settings.samples or settings.digits):
            return None
        # up to the worst point, so that its draws are those of a run over all points
        return next(islice(monte_carlo(self.measuring), self.worst, None))

    def errors(self, names: Sequence[str]) -> Array:
        """Draw the errors of all points together, as ``planner.evaluation.evaluate`` takes them.

        Args:
            names: of all points of the job, all of which are reached.

        Returns:
            Base axes, the part where the job gives it. # (draws, points, 3) [m]
        """
        most = max(_FEWEST, _NUMBERS // max(3 * len(self.measuring), 1))
        count = min(self.measuring.settings.samples or _DRAWS, most)
        drawn = np.concatenate(list(draws(self.measuring, count=count)))
        place = {name: k for k, name in enumerate(self.measuring.names)}
        return self.measuring.turned_home(drawn)[:, [place[name] for name in names]]


def uncertainty_of(job: Job, progress: Progress = silent) -> JobUncertainty:
    """Plan a job, or present it, and propagate the uncertainty of its points.

    Args:
        job: with its [uncertainty].
        progress: told how far the work is.

    Raises:
        JobError: it has no [uncertainty], or one that says nothing.
        RobotError: the robot cannot do such a job.
    """
    settings = settings_of(job)  # before the work, not after it
    if settings.exact and job.presenter is None:
        raise JobError(
            "[uncertainty] names nothing that is wrong, so every point would be exact; give the "
            "standard deviations that are known, such as encoder_deg, length_mm or probe_mm.",
            key="uncertainty",
        )
    findings: tuple[Finding, ...]
    if job.presenter is not None:
        from planner.presenting.present import present

        presented = present(job, progress)
        measuring, points = measuring_of_presentation(presented), point_uncertainties(presented)
        findings = presented.findings
    else:
        planned = plan(job, progress)
        measuring, points = measuring_of(planned), point_uncertainties(planned)
        findings = planned.finding_list
    findings = (*findings, *branch_findings(points))
    return JobUncertainty(job=job, measuring=measuring, points=points, findings=findings)


# ------------------------------------------------------------------------------------------- Points


def point_uncertainties(
    measured: Plan | Presentation | Measuring, *, branches: bool = True, threads: int = 1
) -> tuple[PointUncertainty, ...]:
    """Uncertainty of the points that are reached, in the job's order; on a presenter by pose.

    Moments and interval are those of ``samples`` Monte Carlo draws, or of as many as ``digits``
    asks for; with neither those of the first order. The budget is always of the first order.

    Args:
        measured: a plan, a presentation, or points with their postures.
        branches: whether the other branches of plans are looked at too.
        threads: processor cores to use; the result does not depend on it.

    Raises:
        JobError: the job has no [uncertainty].
    """
    measuring, plans = _looked_at(measured)
    linear = first_order(measuring)
    found = [_to_first_order(measuring, linear, k) for k in range(len(measuring))]
    settings = measuring.settings
    if settings.samples or settings.digits:
        runs = monte_carlo(measuring, threads=threads)
        found = [_drawn(point, run) for point, run in zip(found, runs, strict=True)]
    if branches and plans:
        told = [branch_sigmas(plan, measuring) for plan in plans]
        by_name = {name: own for names in told for name, own in names.items()}
        found = [replace(point, branches=by_name.get(point.name, ())) for point in found]
    return tuple(found)


def _looked_at(measured: Plan | Presentation | Measuring) -> tuple[Measuring, tuple[Plan, ...]]:
    """The points, and the plans whose branches can be compared."""
    if isinstance(measured, Measuring):
        return measured, ()
    if isinstance(measured, Plan):
        return measuring_of(measured), (measured,)
    return measuring_of_presentation(measured), tuple(pose.plan for pose in measured.poses)


def _to_first_order(measuring: Measuring, linear: FirstOrder, k: int) -> PointUncertainty:
    sigma = float(linear.sigma_normal[k])
    coverage = measuring.settings.coverage
    return PointUncertainty(
        name=measuring.names[k],
        mean=np.zeros(3),
        covariance=linear.covariances[k],
        sigma_normal=sigma,
        interval=normal_interval(sigma, coverage),
        coverage=coverage,
        method="first order",
        samples=0,
        settled=False,
        sigma_first_order=sigma,
        budget=linear.budgets[k],
    )


def _drawn(point: PointUncertainty, run: PointDraws) -> PointUncertainty:
    return replace(
        point,
        mean=run.mean,
        covariance=run.covariance,
        sigma_normal=run.sigma_normal,
        interval=run.interval,
        method="Monte Carlo",
        samples=run.samples,
        settled=run.settled,
    )


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
    contact = placed.at_contact()
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
