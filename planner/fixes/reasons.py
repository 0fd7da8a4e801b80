"""Why a point fails: every branch with everything that it breaks, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.findings import Finding
from planner.findings.reasons import approach_findings, point_findings
from planner.findings.surface_findings import surface_findings
from planner.fixes.bench import PointCheck
from planner.fixes.branches import Branches, BranchReason
from planner.fixes.kinds import row_of
from planner.job import Job
from planner.plan_types import PlacedPoints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointReasons:
    """One point with all its branches.

    Args:
        placed: where it is. # one row
        branches: those that hold first, then those that break least.
        about: findings that concern the point whatever the branch: out of reach, approach through
            the material.
        complete: whether all branches are known.
    """

    placed: PlacedPoints
    branches: tuple[BranchReason, ...]
    about: tuple[Finding, ...]
    complete: bool

    @property
    def name(self) -> str:
        """Of the point."""
        return self.placed.names[0]

    @property
    def served(self) -> bool:
        """Whether some branch runs the line; travel is not looked at."""
        return not self.about and any(branch.holds for branch in self.branches)


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
    found = bench.reach.candidates(one)
    about = [f for f in surface_findings(job) if f.subject.point == point and f.code == "P121"]
    about += approach_findings(one)
    if found.point.size == 0:
        nothing = np.zeros(1, dtype=np.int64)
        about += point_findings(bench.reach, one, found, nothing, job.checks.joint_margin)
    branches = Branches(bench, one, found).all()
    order = sorted(range(len(branches)), key=lambda k: _badness(branches[k]))
    return PointReasons(
        placed=one,
        branches=tuple(branches[k] for k in order),
        about=tuple(about),
        complete=bench.reach.complete,
    )


def _badness(branch: BranchReason) -> tuple[int, bool, float]:
    """Failures, whether a limit is passed, by how much; of those that hold, the widest margin."""
    if branch.holds:
        return 0, False, -branch.joint_margin
    limits = sum(f.amount for f in branch.failures if f.code == "P102")
    return len(branch.failures), limits > 0.0, limits
