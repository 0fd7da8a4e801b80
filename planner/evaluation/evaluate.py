"""The recipe: a job and its measured points → deviations, features, verdicts and findings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.evaluation import (
    Comparison,
    ComparisonTask,
    MatchedPoints,
    MeasuredPoints,
    add_uncertainties,
    compare,
    deviations_of,
    match_points,
)
from parts.points import ProbePoints
from planner.errors import JobError
from planner.evaluation.evaluation import Evaluation, EvaluationAlignment
from planner.evaluation.evaluation_findings import findings_of
from planner.evaluation.task import check_units, comparison_task, in_part_frame, nominal_points
from planner.evaluation.touching import on_surface
from planner.job import Job
from robots.core.arrays import Array

COVERAGE = 0.95


def evaluate(job: Job, measured: MeasuredPoints, *, errors: ArrayLike | None = None) -> Evaluation:
    """Compare measured points with the job's.

    Args:
        job: with its ``[evaluation]`` and ``[[tolerance]]``.
        measured: in the part or the base frame, on the surface or centres of the ball.
        errors: draws of the measured points' errors, measured less true, as
            ``planner.uncertainty.draws`` yields them, chunks put together: every point of the job,
            in its order, in base axes with the part where the job gives it, to where
            ``Measuring.turned_home`` brings those of a presenter. Every characteristic then knows
            its uncertainty. What they have across a point's normal is not seen by its touch.
            # (draws, points, 3) [m]

    Raises:
        JobError: points of another job, in a wrong unit, or in a frame that is not settled; an
            alignment that they do not hold; draws of another shape.
    """
    try:
        return _evaluated(job, measured, errors)
    except PartError as error:
        raise JobError(error.message, **error.facts) from error


def _evaluated(job: Job, measured: MeasuredPoints, errors: ArrayLike | None) -> Evaluation:
    nominal = nominal_points(job)
    pairs = match_points(nominal.names, nominal.features, measured)
    some = in_part_frame(job, measured, pairs.measured)
    task = comparison_task(job, nominal, pairs)
    check_units(task.points.positions, some.xyz)
    surface = on_surface(task, some, job.evaluation.compensation)
    comparison = compare(task, surface.xyz)
    if errors is not None:
        comparison = _with_errors(job, nominal, (comparison, pairs), errors)
    features = comparison.features()
    return Evaluation(
        job_name=job.name,
        measured=measured,
        points=comparison.deviations,
        features=features,
        characteristics=comparison.characteristics,
        alignment=_alignment(job, task, comparison, surface.xyz),
        compensation=surface.sentence,
        findings=findings_of(job, some, pairs, comparison, features),
    )


def _with_errors(
    job: Job, nominal: ProbePoints, found: tuple[Comparison, MatchedPoints], errors: ArrayLike
) -> Comparison:
    comparison, pairs = found
    rows = np.asarray(errors, dtype=np.float64)
    if rows.ndim != 3 or rows.shape[1:] != (len(job.points), 3):
        raise JobError(
            f"The draws of the points' errors have shape {rows.shape}; expected (draws, "
            f"{len(job.points)}, 3): every point of the job, in its order.",
            found=rows.shape,
            expected=(len(job.points), 3),
        )
    normals = nominal.normals[pairs.nominal]
    # A point is touched on its probing line wherever the part is: only what acts along it is seen.
    along = np.einsum("mki,ki->mk", rows[:, pairs.nominal] @ job.part.T_base_part[:3, :3], normals)
    in_part = along[:, :, None] * normals
    coverage = COVERAGE if job.uncertainty is None else job.uncertainty.coverage
    return add_uncertainties(comparison, in_part, coverage=coverage)


def _alignment(
    job: Job, task: ComparisonTask, comparison: Comparison, xyz: Array
) -> EvaluationAlignment:
    before = deviations_of(task, xyz).along
    return EvaluationAlignment(
        method=job.evaluation.alignment,
        T_part_measured=comparison.T_part_measured,
        rms_before=float(np.sqrt(np.mean(before**2))),
        rms_after=float(np.sqrt(np.mean(comparison.deviations.along**2))),
        datums=job.evaluation.datums,
        fit=comparison.alignment,
    )
