"""explain(job, point): how a point is measured, or why it fails and the smallest fixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.finding import Travel
from planner.findings.point_findings import approach_findings, point_findings, surface_findings
from planner.fixes.bench import PointCheck
from planner.fixes.branches import Branches, BranchReason, feasible_rolls, within_at_no_turn
from planner.fixes.kinds import row_of
from planner.fixes.smallest import Finder, FixSearch
from planner.job import Job
from planner.plan import PlacedPoints, Plan, PlannedPoint
from planner.planning import plan
from planner.progress import Progress, silent
from robots.core.views import Shown

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 2  # findings and fixes that a short text names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointReasons:
    """One point with all its branches.

    Args:
        placed: where it is. # one row
        branches: those that hold first, then those that break least.
        about: findings that concern the point whatever the branch: out of reach, approach through
            the material.
        complete: whether all branches are known.
        turns: whether those about the probe are known of this robot.
        within_at_no_turn: whether at every turn about the probe that is looked at
            (``rolls.SAMPLES``) all branches are beyond a limit less the margin.
    """

    placed: PlacedPoints
    branches: tuple[BranchReason, ...]
    about: tuple[Finding, ...]
    complete: bool
    turns: bool
    within_at_no_turn: bool

    @property
    def name(self) -> str:
        """Of the point."""
        return self.placed.names[0]

    @property
    def served(self) -> bool:
        """Whether some branch runs the line; travel is not looked at."""
        return not self.about and any(branch.holds for branch in self.branches)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(Shown):
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
    search: FixSearch | None

    @property
    def finding_list(self) -> tuple[Finding, ...]:
        """What concerns the point as a whole, and its place in the plan."""
        own = () if self.plan is None else _about(self.plan, self.reasons.name)
        return (*self.reasons.about, *(f for f in own if f not in self.reasons.about))

    @property
    def served(self) -> bool:
        """Whether the point is measured, and the way to it is free."""
        errors = [f for f in self.finding_list if f.severity is Severity.ERROR]
        return self.reasons.served and not errors

    @property
    def planned_branch(self) -> str:
        """The branch that the plan chose; empty where it has none."""
        return "" if self.plan is None else self._planned(self.plan).branch

    @property
    def planned_inverse_branch(self) -> str:
        """The same by the name that the robot's inverse gives it."""
        return "" if self.plan is None else self._planned(self.plan).inverse_branch

    def _planned(self, plan: Plan) -> PlannedPoint:
        return plan.planned_points[self.job.points.index(self.reasons.name)]

    @property
    def branches(self) -> DataFrame:
        """One row per branch: margins, clearance, turns about the probe, and what it breaks.

        ``inverse_branch`` is the name that the robot's inverse gives it. Turns are about the probe;
        of seven joints they are the last joint's, with the tool held. They are missing where they
        are not known exactly; of a branch that may go all the way round they are empty.
        """
        import pandas as pd

        turning = {joint.name: joint.kind.angular for joint in self.job.mechanism.movable}
        rows = []
        for branch in self.reasons.branches:
            turns = turning[branch.margin_joint]
            margin, turn = branch.joint_margin, branch.turn
            rows.append(
                {
                    "branch": branch.branch,
                    "inverse_branch": branch.inverse_branch,
                    "holds": branch.holds,
                    "joint_margin_deg": float(np.degrees(margin)) if turns else np.nan,
                    "joint_margin_mm": np.nan if turns else 1e3 * margin,
                    "margin_joint": branch.margin_joint,
                    "singularity_margin": branch.singularity_margin,
                    "clearance_mm": 1e3 * branch.clearance,
                    "turn_back_deg": np.nan if turn is None else float(np.degrees(turn.back)),
                    "turn_back_to": "" if turn is None else turn.ends[0].joint or "fold",
                    "turn_on_deg": np.nan if turn is None else float(np.degrees(turn.on)),
                    "turn_on_to": "" if turn is None else turn.ends[1].joint or "fold",
                    "breaks": "; ".join(one.sentence for one in branch.failures),
                }
            )
        about = ("turn_back_deg", "turn_back_to", "turn_on_deg", "turn_on_to")
        columns = (
            *("branch", "inverse_branch", "holds"),
            *("joint_margin_deg", "joint_margin_mm", "margin_joint"),
            *("singularity_margin", "clearance_mm", *about, "breaks"),
        )
        unknown = (
            *(("joint_margin_mm",) if all(turning.values()) else ()),
            *(() if self.reasons.turns else about),
        )
        return pd.DataFrame(rows, columns=[name for name in columns if name not in unknown])

    @property
    def findings(self) -> DataFrame:
        """What concerns the point as a whole; columns as in a plan."""
        import pandas as pd

        rows = [finding.document() for finding in self.finding_list]
        return pd.DataFrame(rows, columns=["code", "severity", "where", "message", "hint"])

    @property
    def fixes(self) -> DataFrame:
        """Changes of the job that serve the point, the preferred one first."""
        import pandas as pd

        found = () if self.search is None else self.search.fixes
        keys = ("kind", "amount", "unit", "sentence", "where", "line", "verified", "allowed")
        documents = [fix.document() for fix in found]
        return pd.DataFrame([[one[key] for key in keys] for one in documents], columns=list(keys))

    def _tables(self) -> Iterator[str]:
        yield self.branches.to_html(index=False, na_rep="")
        if self.search is not None and self.search.fixes:
            yield self.fixes.to_html(index=False)

    def _lines(self) -> Iterator[str]:
        verdict = "measurable" if self.served else "NOT MEASURABLE"
        yield f"{self.reasons.name}: {verdict} in {self.job.name[:80]!r}"
        held = sum(branch.holds for branch in self.reasons.branches)
        yield f"  {held} of {len(self.reasons.branches)} branches hold the probing line"
        for finding in self.finding_list[:_SHOWN]:
            yield f"  {finding.code} {finding.severity.value}: {finding.message[:150]}"
        if self.search is not None:
            for number, fix in enumerate(self.search.fixes[:_SHOWN], start=1):
                yield f"  fix {number}: {fix.hint[:150]}"


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
    job.points.index(point)  # before the work, not after it
    bench = PointCheck(job)
    reasons = reasons_of(job, point, bench)
    finder = Finder(job, bench)
    planned = plan(job, progress) if reasons.served else None
    search = None if finder.serves(point) else finder.search(point)
    return Explanation(job=job, reasons=reasons, plan=planned, search=search)


def _about(plan: Plan, name: str) -> tuple[Finding, ...]:
    """Findings of a plan at a point, or on a travel that leads to it."""
    return tuple(
        finding
        for finding in plan.finding_list
        if finding.subject.point == name
        or (isinstance(finding.subject, Travel) and finding.subject.goal == name)
    )


def reasons_of(job: Job, point: str, bench: PointCheck | None = None) -> PointReasons:
    """All branches of a point, with what each one breaks.

    Args:
        job: the job.
        point: name of the point.
        bench: of the job, where there is one.

    Raises:
        PointsError: no point has this name.
    """
    bench = bench or PointCheck(job)
    one = row_of(job, point)
    found = bench.reach.candidates(one, wide=True)
    rolls = feasible_rolls(job)
    about = [f for f in surface_findings(job) if f.subject.point == point and f.code == "P121"]
    about += approach_findings(one)
    if found.point.size == 0:
        nothing = np.zeros(1, dtype=np.int64)
        about += point_findings(bench.reach, one, found, nothing, job.checks.joint_margin)
    judge = Branches(bench, one, found, rolls)
    branches = judge.all()
    order = sorted(range(len(branches)), key=lambda k: _badness(branches[k]))
    return PointReasons(
        placed=one,
        branches=tuple(branches[k] for k in order),
        about=tuple(about),
        complete=bench.reach.complete,
        turns=rolls is not None,
        within_at_no_turn=rolls is not None
        and all(turn is None for turn in judge.turns_about)
        and within_at_no_turn(rolls, one),
    )


def _badness(branch: BranchReason) -> tuple[int, bool, float]:
    """Failures, whether a limit is passed, by how much; of those that hold, the widest margin."""
    if branch.holds:
        return 0, False, -branch.joint_margin
    limits = sum(f.amount for f in branch.failures if f.code == "P102")
    return len(branch.failures), limits > 0.0, limits
