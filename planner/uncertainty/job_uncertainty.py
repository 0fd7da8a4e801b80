"""uncertainty_of(job): how well each point of a job will be measured, before it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from planner.errors import JobError
from planner.findings import Finding
from planner.job import Job
from planner.planning import plan
from planner.progress import Progress, silent
from planner.uncertainty.branches import branch_findings
from planner.uncertainty.draws import draws
from planner.uncertainty.measuring import (
    Measuring,
    measuring_of,
    measuring_of_presentation,
    settings_of,
)
from planner.uncertainty.monte_carlo import PointDraws, monte_carlo
from planner.uncertainty.points import point_uncertainties
from planner.uncertainty.types import PointUncertainty
from robots.core.arrays import Array

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
