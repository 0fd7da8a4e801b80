"""What a reader should know of an evaluation: findings E101 to E115."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parts.evaluation import (
    Characteristic,
    Comparison,
    Conformance,
    FeatureResult,
    MatchedPoints,
    MeasuredPoints,
    PointDeviations,
    ball_sign,
)
from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Feature, Point, Points, Requirement, Subject
from planner.findings.point_findings import doubt_findings, read_findings, untaken_findings
from planner.job import Job
from robots.core.rounding import apart

_DEEP = 1e-3  # [m]: no touch without overtravel comes so far below the nominal surface
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


def _inside(job: Job, deviations: PointDeviations, radius: float) -> Iterator[Finding]:
    limit = max(2.0 * radius, _search_after(job), _DEEP)
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


def _verdicts(characteristics: tuple[Characteristic, ...]) -> Iterator[Finding]:
    for item in characteristics:
        if item.verdict not in (Conformance.FAIL, Conformance.UNDECIDED) or item.tolerance is None:
            continue
        failed = item.verdict is Conformance.FAIL
        worst = f" {item.worst} decides it." if item.worst else ""
        yield _finding(
            "E103" if failed else "E104",
            Severity.ERROR if failed else Severity.WARNING,
            Requirement(item.name, item.feature),
            _values(item, item.tolerance) + worst,
            "Look at that point, the alignment and the ball first; then rework the part."
            if failed
            else "Measure more points or with less uncertainty.",
            (
                Quantity("measured", 1e3 * item.measured, "mm"),
                Quantity("tolerance", 1e3 * item.tolerance, "mm"),
            ),
        )


def _values(item: Characteristic, limit: float) -> str:
    sized = item.nominal != 0.0
    size = abs(item.deviation) if sized else item.measured
    found, allowed = apart(1e3 * size, 1e3 * limit, 4)
    value = f"{found} mm"
    if sized:
        sign = "-" if item.deviation < 0.0 else "+"
        value = f"{1e3 * item.measured:.4f} mm, {sign}{found} mm from {1e3 * item.nominal:.4f} mm,"
    sentence = f"It is {value} with a tolerance of {'±' if sized else ''}{allowed} mm"
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
