"""The uncertainty of a job's points, as both commands need it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from planner.cli.session import Session
from planner.errors import JobError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.findings import Finding
    from planner.job import Job
    from planner.uncertainty import Measuring, PointUncertainty
    from reports.evaluation.shown import ShownUncertainty, Source


_DRAWS = 10_000  # for a job that asks for none
_NUMBERS = 3_000_000  # that are drawn at most: they are all held at once
_FEWEST = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Doubts:
    """What is known of the points before they are measured.

    Args:
        measuring: the points that are reached; on a presenter pose by pose.
        points: their uncertainties.
        findings: of the plan and of its branches.
    """

    measuring: Measuring
    points: tuple[PointUncertainty, ...]
    findings: tuple[Finding, ...]

    def shown(self, job: Job, source: Source) -> ShownUncertainty:
        """With draws of the worst point, as the reports take it."""
        from reports.evaluation.shown import ShownUncertainty

        shown = ShownUncertainty(
            job=job,
            measuring=self.measuring,
            points=self.points,
            draws=None,
            findings=self.findings,
            source=source,
        )
        settings = self.measuring.settings
        if not self.points or not (settings.samples or settings.digits):
            return shown
        from planner.uncertainty import monte_carlo

        runs = monte_carlo(self.measuring)  # up to the worst point: its draws are those above
        return replace(shown, draws=next(islice(runs, shown.worst, None)))

    def errors(self, count: int, names: tuple[str, ...]) -> Array:
        """Draws of all points together, as ``planner.evaluation.evaluate`` takes them.

        Args:
            count: of draws; zero for as many as fit.
            names: of all points of the job, all of which are reached.

        Returns:
            Base axes, the part where the job gives it. # (draws, points, 3) [m]
        """
        from planner.uncertainty import draws

        most = max(_FEWEST, _NUMBERS // max(3 * len(self.measuring), 1))
        drawn = np.concatenate(list(draws(self.measuring, count=min(count or _DRAWS, most))))
        place = {name: k for k, name in enumerate(self.measuring.names)}
        return self.measuring.turned_home(drawn)[:, [place[name] for name in names]]


def doubts_of(job: Job, session: Session) -> Doubts:
    """Plan a job, or present it, and tell the uncertainty of its points.

    Raises:
        JobError: it has no [uncertainty], or one that says nothing.
        RobotError: the robot cannot do such a job.
    """
    from planner.cli.progress_bar import progress_of
    from planner.uncertainty import (
        branch_findings,
        measuring_of,
        measuring_of_presentation,
        point_uncertainties,
    )
    from planner.uncertainty.measuring import settings_of

    settings = settings_of(job)  # before the work, not after it
    if settings.exact and job.presenter is None:
        raise JobError(
            "[uncertainty] names nothing that is wrong, so every point would be exact; give the "
            "standard deviations that are known, such as encoder_deg, length_mm or probe_mm.",
            key="uncertainty",
        )
    with progress_of(session) as progress:
        if job.presenter is not None:
            from planner.presenting.present import present

            presented = present(job, progress)
            measuring, found = measuring_of_presentation(presented), point_uncertainties(presented)
            findings = presented.findings
        else:
            from planner.planning import plan

            planned = plan(job, progress)
            measuring, found = measuring_of(planned), point_uncertainties(planned)
            findings = planned.findings
    findings = (*findings, *branch_findings(found))
    return Doubts(measuring=measuring, points=found, findings=findings)
