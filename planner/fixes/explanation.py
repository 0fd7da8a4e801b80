"""explain(job, point): how a point is measured, or why it fails and the smallest fixes."""

from __future__ import annotations

from dataclasses import dataclass

from planner.findings import Finding, Severity
from planner.findings.subjects import Travel
from planner.fixes.bench import Bench
from planner.fixes.reasons import PointReasons, reasons_of
from planner.fixes.smallest import Finder, Search
from planner.job import Job
from planner.plan_types import Plan
from planner.planning import plan
from planner.progress import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explanation:
    """Everything there is to say of one point.

    Args:
        job: of the point.
        reasons: branch by branch.
        plan: of the whole job; None where no line to the point holds, whatever the plan.
        search: for fixes; None where the point can be measured.
    """

    job: Job
    reasons: PointReasons
    plan: Plan | None
    search: Search | None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What concerns the point as a whole, and its place in the plan."""
        own = () if self.plan is None else _about(self.plan, self.reasons.name)
        return (*self.reasons.about, *(f for f in own if f not in self.reasons.about))

    @property
    def served(self) -> bool:
        """Whether the point is measured, and the way to it is free."""
        errors = [f for f in self.findings if f.severity is Severity.ERROR]
        return self.reasons.served and not errors

    @property
    def planned_branch(self) -> str:
        """The branch that the plan chose; empty where it has none."""
        if self.plan is None:
            return ""
        return self.plan.points[self.job.points.index(self.reasons.name)].branch


def explain(job: Job, point: str, progress: Progress = silent) -> Explanation:
    """Explain a point of a job.

    Args:
        job: that has it.
        point: name of the point.
        progress: told how far the work is.

    Raises:
        PointsError: no point has this name.
        RobotError: the robot cannot do such a job.
    """
    bench = Bench(job)
    reasons = reasons_of(job, point, bench)
    finder = Finder(job, bench)
    planned = plan(job, progress) if reasons.served else None
    search = None if finder.serves(point) else finder.search(point)
    return Explanation(job=job, reasons=reasons, plan=planned, search=search)


def _about(plan: Plan, name: str) -> tuple[Finding, ...]:
    """Findings of a plan at a point, or on a travel that leads to it."""
    return tuple(
        finding
        for finding in plan.findings
        if finding.subject.point == name
        or (isinstance(finding.subject, Travel) and finding.subject.goal == name)
    )
