"""evaluate_job(job, measured): measured points compared, with the uncertainties the job gives."""

from __future__ import annotations

from dataclasses import dataclass

from parts.evaluation import MeasuredPoints
from planner.evaluation.evaluate import evaluate
from planner.evaluation.evaluation import Evaluation
from planner.job import Job
from planner.progress import Progress, silent
from planner.uncertainty.job_uncertainty import JobUncertainty, uncertainty_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobEvaluation:
    """An evaluation, and what was known of its points before they were measured.

    Args:
        job: with its tolerances.
        evaluation: of the measured points.
        uncertainty: of the job's points; None where the job has no [uncertainty].
    """

    job: Job
    evaluation: Evaluation
    uncertainty: JobUncertainty | None

    @property
    def passed(self) -> bool:
        """Whether every characteristic conforms, and none is undecided."""
        return self.evaluation.conforms and not self.evaluation.undecided


def evaluate_job(job: Job, measured: MeasuredPoints, progress: Progress = silent) -> JobEvaluation:
    """Compare measured points with the job's, with uncertainties where the job gives them.

    Characteristics have an uncertainty only where the plan reaches every point of the job.

    Args:
        job: with its ``[evaluation]``, ``[[tolerance]]`` and ``[uncertainty]``.
        measured: in the part or the base frame, on the surface or centres of the ball.
        progress: told how far the work is.

    Raises:
        JobError: points of another job, in a wrong unit, or in a frame that is not settled; an
            alignment that they do not hold; an [uncertainty] that says nothing.
        RobotError: the robot cannot do such a job.
    """
    known = None if job.uncertainty is None else uncertainty_of(job, progress)
    errors = None
    if known is not None and set(known.measuring.names) == set(job.points.names):
        errors = known.errors(job.points.names)
    return JobEvaluation(
        job=job, evaluation=evaluate(job, measured, errors=errors), uncertainty=known
    )
