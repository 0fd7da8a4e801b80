"""The recipe: a job and its measured points → deviations, features, verdicts and findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError, PartError
from parts.evaluation.association import nominal_feature
from parts.evaluation.comparison import (
    Comparison,
    ComparisonTask,
    align,
    compare,
    deviations_of,
    rows_of_features,
)
from parts.evaluation.measured_points import (
    MatchedPoints,
    MeasuredPoints,
    ball_centres,
    ball_sign,
    compensate_ball,
    match_points,
)
from parts.evaluation.results import Characteristic, FeatureResult, PointDeviations
from parts.evaluation.tolerance import Conformance
from parts.evaluation.uncertainty import add_uncertainties
from parts.fits.fitting import FIT_KINDS, fit
from parts.points import ProbePoints
from planner.errors import JobError
from planner.evaluation.evaluation import Evaluation, EvaluationAlignment
from planner.evaluation.task import (
    check_units,
    comparison_task,
    in_part_frame,
    nearest_in_features,
    nominal_points,
)
from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Feature, Point, Points, Requirement, Subject
from planner.findings.point_findings import doubt_findings, read_findings, untaken_findings
from planner.job import Job
from planner.job.evaluation import CompensationNormal
from robots.core.arrays import Array, Mask
from robots.core.rounding import apart

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
        datums=tuple(" + ".join(one.features) for one in job.evaluation.aligning_datums),
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
        measured: in the part frame. Points that were compensated along the nominal normals become
            centres of the ball first: a part that stands turned was not touched where they lie.
        along: "nominal": the nominal normals, turned with the alignment; "fitted": those of each
            feature that is fitted to the centres, where there is one.
    """
    radius = measured.probe_radius
    again = measured.along_nominal and radius > 0.0
    if again:
        centres = ball_centres(measured.xyz, task.points.normals, radius)
        measured = measured.moved_to(centres, compensated=False, along_nominal=False)
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
    if again and along == "nominal" and task.alignment.method != "none":
        which += ", turned with the alignment"
    some = f"{np.count_nonzero(~settled)} of the" if settled.any() else "The"
    rest = "; the others lie on it already" if settled.any() else ""
    ball = f"a ball of {2e3 * radius:.6g} mm"
    were = (
        f"The measured points were compensated along the nominal normals for {ball}; its centres"
        if again
        else f"{some} measured points are centres of {ball}; they"
    )
    return MeasuredSurface(
        xyz=_shifted(measured.xyz, normals, radius, settled),
        sentence=f"{were} were moved to the surface by its radius, against the outgoing normals "
        f"{which}{rest}.",
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
        if kind == "line3d" or kind not in FIT_KINDS:
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


_DEEP = 1e-3  # [m]: no touch without overtravel comes so far below the nominal surface
_BESIDE = 3e-3  # [m] of its line: no part that is aligned, and no arm, is so far off
_SWAPPED = 0.5  # of the distance to its own place: nearer than that to another one's
_UM = 1e6
_MEASURED = "measured points"


def findings_of(
    job: Job,
    measured: MeasuredPoints,
    matched: MatchedPoints,
    comparison: Comparison,
    features: tuple[FeatureResult, ...],
) -> tuple[Finding, ...]:
    """All findings, errors first.

    Args:
        job: that was measured.
        measured: its points that were used, in the part frame.
        matched: which points these are.
        comparison: what came out.
        features: the same, by feature.
    """
    found = [
        *_unmatched(matched),
        *_postures(measured),
        *untaken_findings("E113", measured.untaken),
        *doubt_findings("E115", _MEASURED, measured.doubts),
        *read_findings("E114", _MEASURED, measured.notes),
        *_ball(comparison.deviations, measured.probe_radius),
        *_inside(job, comparison.deviations, measured.probe_radius),
        *_swapped(comparison.deviations),
        *_astray(job, comparison.deviations, measured.probe_radius),
        *_verdicts(comparison.characteristics),
        *_refused(comparison),
        *_features(features),
    ]
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def _unmatched(matched: MatchedPoints) -> Iterator[Finding]:
    for name in matched.missing:
        yield _finding(
            "E101",
            Severity.WARNING,
            Point(name),
            "The point was not measured.",
            "Measure it as well.",
        )
    for name in matched.extra:
        yield _finding(
            "E102",
            Severity.WARNING,
            Point(name),
            "The point was measured, but the job does not have it; it is not used.",
            "Add it to the job, or give it the name of the point that it is.",
        )
    if matched.by_place:
        yield _finding(
            "E111",
            Severity.NOTE,
            Points(_MEASURED),
            "The file names features, not points: they were matched by their order in each.",
        )


def _postures(measured: MeasuredPoints) -> Iterator[Finding]:
    for name, told in measured.beyond.items():
        if name in measured.names:
            yield _finding(
                "E112",
                Severity.WARNING,
                Point(name),
                f"{told[0].upper()}{told[1:]}.",
                "Check the columns and their units.",
            )


def _ball(deviations: PointDeviations, radius: float) -> Iterator[Finding]:
    sign = ball_sign(deviations.along, radius)
    if sign is not None:
        yield _finding(
            "E107",
            Severity.ERROR,
            Points(_MEASURED),
            f"The median deviation is {1e3 * sign.median:+.4f} mm, {sign.radii:+d} times the "
            f"radius of the ball ({1e3 * radius:.6g} mm), {sign.sentence}.",
            "Correct compensated of the measured points, the ball's diameter, or the normals.",
            (Quantity("median deviation", 1e3 * sign.median, "mm"),),
        )


def _search_after(job: Job) -> float:
    """The deepest search of any feature. [m]."""
    return max(job.touch.of(feature).search_after for feature in job.points.features)


def _depth(job: Job, radius: float) -> float:
    """How far below the nominal surface a touch may come. [m]."""
    return max(2.0 * radius, _search_after(job), _DEEP)


def _inside(job: Job, deviations: PointDeviations, radius: float) -> Iterator[Finding]:
    limit = _depth(job, radius)
    profile = deviations.profile
    for row in np.flatnonzero(profile < -limit).tolist():
        deep, deepest = apart(-1e3 * float(profile[row]), 1e3 * limit, 3)
        yield _finding(
            "E106",
            Severity.WARNING,
            Point(deviations.names[row]),
            f"The point lies {deep} mm inside the material; a touch comes at most {deepest} mm "
            "below the nominal surface.",
            "Check pose and frame of the part, names and unit; or align to the points.",
            (Quantity("depth", -1e3 * float(profile[row]), "mm"),),
        )


def _swapped(deviations: PointDeviations) -> Iterator[Finding]:
    from scipy.spatial import cKDTree

    own = np.linalg.norm(deviations.measured - deviations.nominal, axis=1)
    far = np.flatnonzero(own > _DEEP)
    if not len(far):
        return
    nearest, rows = np.full(len(own), np.inf), np.arange(len(own))
    nearest[far], rows[far] = cKDTree(deviations.nominal).query(deviations.measured[far])
    other = (rows != np.arange(len(own))) & (nearest < _SWAPPED * own)
    for row in np.flatnonzero(other).tolist():
        yield _finding(
            "E110",
            Severity.WARNING,
            Point(deviations.names[row]),
            f"The point was touched {1e3 * own[row]:.3f} mm from its place, but "
            f"{1e3 * nearest[row]:.3f} mm from that of {deviations.names[rows[row]]}.",
            "Check the names and the order of the measured points.",
            (Quantity("distance", 1e3 * float(own[row]), "mm"),),
        )


def _astray(job: Job, deviations: PointDeviations, radius: float) -> Iterator[Finding]:
    """Points where the ball that goes for them does not come: beside its line, or beyond it."""
    limit = max(_depth(job, radius), _BESIDE)
    farthest = max(job.approach.of(feature).distance for feature in job.points.features)
    beside = deviations.offsets
    rows = np.flatnonzero((beside > limit) | (deviations.along > farthest)).tolist()
    for row in rows:
        yield _finding(
            "E116",
            Severity.WARNING,
            Point(deviations.names[row]),
            f"The point was touched {1e3 * beside[row]:.3f} mm beside its normal and "
            f"{1e3 * deviations.along[row]:+.3f} mm along it; expected at most "
            f"{1e3 * limit:.3f} mm beside it and {1e3 * farthest:.3f} mm before the surface, where "
            "the touch starts.",
            "Check axes, signs, names and frame of the measured points; or align to the points.",
            (Quantity("offset", 1e3 * float(beside[row]), "mm"),),
        )


def _verdicts(characteristics: tuple[Characteristic, ...]) -> Iterator[Finding]:
    for item in characteristics:
        if item.verdict not in (Conformance.FAIL, Conformance.UNDECIDED) or item.limit is None:
            continue
        failed = item.verdict is Conformance.FAIL
        worst = f" {item.worst} decides it." if item.worst else ""
        yield _finding(
            "E103" if failed else "E104",
            Severity.ERROR if failed else Severity.WARNING,
            Requirement(item.name, item.feature),
            _values(item, item.limit) + worst,
            "Look at that point, the alignment and the ball first; then rework the part."
            if failed
            else "Measure more points or with less uncertainty.",
            (
                Quantity("measured", 1e3 * item.measured, "mm"),
                Quantity("tolerance", 1e3 * item.limit, "mm"),
            ),
        )


def _values(item: Characteristic, limit: float) -> str:
    sized = item.nominal != 0.0
    size = abs(item.deviation - item.middle) if sized else item.measured
    found, allowed = apart(1e3 * size, 1e3 * limit, 4)
    value = f"{found} mm"
    if sized:
        sign = "-" if item.deviation < item.middle else "+"
        middle = f"{1e3 * (item.nominal + item.middle):.4f} mm"
        value = f"{1e3 * item.measured:.4f} mm, {sign}{found} mm from {middle},"
    sentence = f"It is {value} with a tolerance of {'±' if sized else ''}{allowed} mm"
    if item.material:
        sentence += (
            f" ({1e3 * (item.tolerance or 0.0):.4f} mm and a bonus of {1e3 * item.bonus:.4f} mm by "
            f"the mating size of {1e3 * item.size:.4f} mm)"
        )
    if item.datum_shift:
        sentence += f", after a datum shift that is worth {1e3 * item.datum_shift:.4f} mm"
    if item.uncertainty is None:
        return sentence + "."
    doubt = item.uncertainty
    return sentence + (
        f" and an uncertainty of {1e3 * doubt.expanded:.4f} mm ({100 * doubt.coverage:g} %)."
    )


def _refused(comparison: Comparison) -> Iterator[Finding]:
    for refusal in comparison.refusals:
        spec = refusal.tolerance
        yield _finding(
            "E109",
            Severity.ERROR,
            Requirement(f"{spec.feature} {spec.kind}", spec.feature),
            refusal.reason,
            "Correct the [[tolerance]], or measure the feature with enough points.",
        )


def _features(features: tuple[FeatureResult, ...]) -> Iterator[Finding]:
    for feature in features:
        if feature.refusal:
            yield _finding("E108", Severity.WARNING, Feature(feature.name), feature.refusal)
        elif feature.fit is not None and not feature.fit.has_redundancy:
            yield _finding(
                "E120",
                Severity.NOTE,
                Feature(feature.name),
                f"{len(feature.fit.residuals)} points hold the feature without one to spare: they "
                "fit it whatever its form is, which is not evaluated.",
                "Measure more points.",
            )
        for stray in feature.outliers:
            name = feature.deviations.names[stray.index]
            left = "it was left out" if name in feature.dropped else "it is still in the fit"
            yield _finding(
                "E105",
                Severity.WARNING,
                Point(name, of=feature.name),
                f"The point lies {_UM * stray.size:.1f} µm from the feature {feature.name!r} that "
                f"the others agree on, {stray.ratio:.1f} times their scatter; {left}.",
                'Clean and measure it again; or set outliers = "drop" in [evaluation].',
                (Quantity("distance", 1e3 * float(stray.size), "mm"),),
            )


def _finding(
    code: str,
    severity: Severity,
    subject: Subject,
    message: str,
    hint: str = "",
    quantities: tuple[Quantity, ...] = (),
) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        subject=subject,
        message=message,
        hint=hint,
        quantities=quantities,
    )
