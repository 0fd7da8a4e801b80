"""The recipe: a job and its measured points → deviations, features, verdicts and findings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import PartError
from parts.evaluation import (
    Comparison,
    ComparisonTask,
    MatchedPoints,
    MeasuredPoints,
    add_uncertainties,
    align,
    compare,
    compensate_ball,
    deviations_of,
    match_points,
    nominal_feature,
    rows_of_features,
)
from parts.fits import FitError, fit
from parts.points import ProbePoints
from planner.errors import JobError
from planner.evaluation.evaluation import Evaluation, EvaluationAlignment
from planner.evaluation.evaluation_findings import findings_of
from planner.evaluation.task import (
    check_units,
    comparison_task,
    in_part_frame,
    nearest_in_features,
    nominal_points,
)
from planner.job import Job
from planner.job.evaluation import CompensationNormal
from robots.core.arrays import Array, Mask

COVERAGE = 0.95
_ROUNDS = 3  # the normals turn with the alignment: each round leaves the square of the turn
_LEAST = {"points": 3, "normals": 6, "surface": 6}  # points that hold a part, by alignment


def evaluate(job: Job, measured: MeasuredPoints, *, errors: ArrayLike | None = None) -> Evaluation:
    """Compare measured points with the job's.

    Args:
        job: with its ``[evaluation]`` and ``[[tolerance]]``.
        measured: in the part or the base frame, on the surface or centres of the ball.
        errors: draws of the measured points' errors, measured less true, as
            ``planner.uncertainty.monte_carlo`` yields them, chunks put together: every point of the
            job, in its order, in base axes with the part where the job gives it, to where
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
    if pairs.by_place:
        pairs = nearest_in_features(pairs, nominal, measured, some.xyz)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredSurface:
    """Measured points on the surface.

    Args:
        xyz: in the part frame, not aligned. # (n, 3) [m]
        sentence: what was done about the ball.
    """

    xyz: Array
    sentence: str


def on_surface(
    task: ComparisonTask, measured: MeasuredPoints, along: CompensationNormal
) -> MeasuredSurface:
    """Points of the surface from what was measured.

    Args:
        task: nominal points and alignment, in the order of ``measured``.
        measured: in the part frame.
        along: "nominal": the nominal normals, turned with the alignment; "fitted": those of each
            feature that is fitted to the centres, where there is one.
    """
    radius = measured.probe_radius
    if measured.compensated or radius == 0.0:
        return MeasuredSurface(xyz=measured.xyz, sentence=_as_they_are(measured))
    settled = np.zeros(len(measured), dtype=bool) if measured.settled is None else measured.settled
    normals = task.points.normals
    if along == "fitted":
        if settled.any():  # fits hold the centres, so all points are brought to where those are
            normals = _turned(task, measured.xyz, radius, settled)
        centres = np.where(settled[:, None], measured.xyz + radius * normals, measured.xyz)
        normals = _fitted(task, centres)
    else:
        normals = _turned(task, measured.xyz, radius, settled)
    which = "of the fitted features" if along == "fitted" else "of the nominal points"
    some = f"{np.count_nonzero(~settled)} of the" if settled.any() else "The"
    rest = "; the others lie on it already" if settled.any() else ""
    return MeasuredSurface(
        xyz=_shifted(measured.xyz, normals, radius, settled),
        sentence=f"{some} measured points are centres of a ball of {2e3 * radius:.6g} mm; they "
        f"were moved to the surface by its radius, against the outgoing normals {which}{rest}.",
    )


def _shifted(xyz: Array, normals: Array, radius: float, settled: Mask) -> Array:
    """Centres moved to the surface; points that are settled stay. # (n, 3) [m]."""
    return np.where(settled[:, None], xyz, compensate_ball(xyz, normals, radius))


def _as_they_are(measured: MeasuredPoints) -> str:
    if not measured.compensated:
        return "The probe is a point: its touches lie on the surface."
    ball = f" for the ball of {2e3 * measured.probe_radius:.6g} mm" if measured.probe_radius else ""
    return f"The measured points lie on the surface; nothing was compensated{ball} here."


def _turned(task: ComparisonTask, xyz: Array, radius: float, settled: Mask) -> Array:
    """The nominal normals where the part really stands. # (n, 3)."""
    normals = task.points.normals
    if task.alignment.method == "none":
        return normals
    turned = normals
    for _ in range(_ROUNDS):
        found = align(task.alignment, _shifted(xyz, turned, radius, settled))
        if found is None:
            break
        turned = normals @ found.T_base_part[:3, :3].T
    return np.asarray(turned / np.linalg.norm(turned, axis=1)[:, None])


def _fitted(task: ComparisonTask, centres: Array) -> Array:
    """Normals of the features that hold the centres: they are parallel to the surface. # (n, 3)."""
    points = task.points
    normals = np.array(points.normals)
    for rows in rows_of_features(points.features).values():
        kind = nominal_feature(points.positions[rows], points.normals[rows]).kind
        if kind in ("freeform", "line3d"):
            continue
        try:
            found = fit(kind, centres[rows], outward=points.normals[rows])
        except FitError:
            continue
        normals[rows] = found.shape.normal(centres[rows])
    return normals


def check_measured(job: Job, measured: MeasuredPoints, origin: str) -> None:
    """Refuse measured points that cannot be evaluated, by the name of their file.

    Args:
        job: with its ``[evaluation]``.
        measured: what was read.
        origin: name of the file.

    Raises:
        JobError: points of another job, in a wrong unit, in a frame that is not settled, or fewer
            than the alignment needs.
    """
    try:
        _check(job, measured)
    except (PartError, JobError) as error:
        facts = {**error.facts, "file": origin}
        raise JobError(f"{origin}: {error.message}", **facts) from error


def _check(job: Job, measured: MeasuredPoints) -> None:
    nominal = nominal_points(job)
    pairs = match_points(nominal.names, nominal.features, measured)
    some = in_part_frame(job, measured, pairs.measured)
    check_units(nominal.positions[pairs.nominal], some.xyz)
    method = job.evaluation.alignment
    found, least = len(some.xyz), _LEAST.get(method, 0)
    if found < least:
        raise JobError(
            f'{found} of the job\'s {len(nominal)} points are measured; alignment = "{method}" '
            f"([evaluation], or --align {method}) needs at least {least}, {least - found} more. "
            'Measure them, or align by "none".',
            found=found,
            limit=least,
            key="evaluation.alignment",
        )
