"""All that a reader is told of an evaluation, or of an uncertainty, without a form."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parts.evaluation.tolerance import system_text
from planner.errors import JobError
from planner.evaluation.evaluation import Evaluation
from planner.findings import Finding, Severity
from planner.job import Job
from reports.content.report import heading_line
from reports.content.table import Fact, Table, Value, ValueStatus, columns, fixed, number, text
from reports.evaluation import tables
from reports.evaluation.subject import (
    EvaluationSubject,
    InputFile,
    ResultSource,
    UncertaintySubject,
)
from reports.provenance import installed_versions
from robots.core.caps import Cap, read_capped, reason_of

METHODS = {
    "none": "none: the part stands as the job says",
    "points": "best fit of point pairs",
    "normals": "best fit of the deviations along the normals",
    "surface": "best fit of the distances to the geometry",
    "datums": "datum system, primary first (ISO 5459)",
    "rps": "reference points, each in its directions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationContent:
    """The content; the names that ``reports.content.Report`` has too mean the same.

    Args:
        title: name of the job; untrusted.
        kind: of the report, a few words.
        verdict: one sentence.
        status: what it means.
        facts: the summary.
        findings: the worst first.
        tables: in reading order, provenance last.
        sha256: of the job file.
        file: JSON document that holds everything.
        unchecked: none; a plan has them.
        heading: part, drawing and so on in a line, as the job says them; untrusted.
        errata: none.
    """

    title: str
    kind: str
    verdict: str
    status: ValueStatus
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    sha256: str
    file: str
    heading: str = ""
    unchecked: tuple[Fact, ...] = ()
    errata: tuple[str, ...] = ()


def evaluation_content(shown: EvaluationSubject) -> EvaluationContent:
    """Content of an evaluation."""
    doubts = shown.uncertainty
    more = _uncertainty_tables(doubts) if doubts is not None and doubts.points else ()
    return EvaluationContent(
        title=shown.job.name,
        kind="evaluation of measured points",
        verdict=verdict(shown.evaluation),
        status=status(shown.evaluation),
        facts=facts(shown),
        findings=(*shown.evaluation.findings, *(() if doubts is None else doubts.findings)),
        tables=(
            tables.characteristics_table(shown),
            tables.coordinates_table(shown.evaluation),
            tables.features_table(shown.evaluation),
            tables.deviations_table(shown),
            *more,
            provenance_table(shown.source),
        ),
        sha256=shown.source.job.sha256,
        file="evaluation.json",
        heading=heading_line(shown.job.report),
    )


def uncertainty_content(shown: UncertaintySubject) -> EvaluationContent:
    """Content of the uncertainty of a job."""
    return EvaluationContent(
        title=shown.job.name,
        kind="measuring uncertainty",
        verdict=uncertainty_verdict(shown),
        status=uncertainty_status(shown),
        facts=uncertainty_facts(shown),
        findings=shown.findings,
        tables=(*_uncertainty_tables(shown), provenance_table(shown.source)),
        sha256=shown.source.job.sha256,
        file="uncertainty.json",
        heading=heading_line(shown.job.report),
    )


def _uncertainty_tables(shown: UncertaintySubject) -> tuple[Table, ...]:
    return (
        tables.points_table(shown),
        tables.budget_table(shown),
        tables.branches_table(shown),
        tables.settings_table(shown.measuring.settings),
    )


def verdict(evaluation: Evaluation) -> str:
    """What becomes of the tolerances, in one sentence."""
    asked = [item for item in evaluation.characteristics if item.tolerance is not None]
    failed, undecided = len(evaluation.failed), len(evaluation.undecided)
    errors = _errors(evaluation.findings)
    if failed:
        told = f"Out of tolerance: {failed} of {_count(len(asked), 'characteristic')}"
        return told + (f"; {undecided} more undecided." if undecided else ".")
    if undecided:
        what = f"{undecided} of {_count(len(asked), 'characteristic')}"
        return f"Undecided: {what}, nearer to the limit than the uncertainty allows to say."
    if errors:
        return f"Not accepted: {_count(errors, 'error')}; the findings say which."
    if not asked:
        return "Evaluated; the job specifies no tolerance, so there is nothing to pass or fail."
    return f"Within tolerance: {_all(len(asked))}{_missing(evaluation)}{_misplaced(evaluation)}."


def _missing(evaluation: Evaluation) -> str:
    count = len(evaluation.unmeasured)
    return f", without {_count(count, 'point')} that {_are(count)} not measured" if count else ""


def _misplaced(evaluation: Evaluation) -> str:
    """Points that cannot have been touched where the measured file has them."""
    count = len(evaluation.misplaced)
    if not count:
        return ""
    own = "its place" if count == 1 else "their places"
    return f"; {_count(count, 'point')} {'was' if count == 1 else 'were'} touched away from {own}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def status(evaluation: Evaluation) -> ValueStatus:
    """What the verdict means."""
    if evaluation.failed or _errors(evaluation.findings):
        return ValueStatus.BAD
    asked = any(item.tolerance is not None for item in evaluation.characteristics)
    if evaluation.undecided or (asked and (evaluation.unmeasured or evaluation.misplaced)):
        return ValueStatus.DOUBTFUL
    return ValueStatus.GOOD if asked else ValueStatus.PLAIN


def facts(shown: EvaluationSubject) -> tuple[Fact, ...]:
    """The summary of an evaluation."""
    found, points = shown.evaluation, shown.evaluation.points
    worst = float(points.profile[points.worst])
    alignment = found.alignment
    system, method = system_text(shown.job.evaluation.datums), METHODS[alignment.method]
    method += f": {', '.join(alignment.datums)}" if alignment.datums else ""
    moved = f"moves by {1e3 * alignment.shift:.4g} mm, {np.degrees(alignment.turn):.4g} deg"
    asked = [item for item in found.characteristics if item.tolerance is not None]
    return (
        _fact("points", text(len(points)), "", _leftover(shown)),
        _fact("features", text(len(found.features))),
        _fact("tolerances", text(len(asked)), "", _verdicts(found)),
        _fact("largest deviation", fixed(1e3 * worst, 4), "mm", f"at {points.names[points.worst]}"),
        _fact("rms deviation", fixed(1e3 * points.rms, 4), "mm", "along the normals"),
        _fact("alignment", text(system or alignment.method), "", f"{method}; {moved}"),
        _fact("probe ball", text(_ball(found)), "", found.compensation),
        _fact("uncertainty", text(_known(shown)), "", _doubt(shown)),
    )


def uncertainty_verdict(shown: UncertaintySubject) -> str:
    """The largest uncertainty, in one sentence."""
    if not shown.points:
        return "No point of the job is reached, so there is no uncertainty to report."
    worst = shown.points[shown.worst]
    missing = len(shown.job.points.names) - len(shown.points)
    left = f" {_count(missing, 'point')} not reached." if missing else ""
    sigma = f"{1e6 * worst.sigma_normal:.3g} µm"
    return f"Standard deviation along the normal: at most {sigma}, at {worst.name}.{left}"


def uncertainty_status(shown: UncertaintySubject) -> ValueStatus:
    """Bad where a point has none."""
    missing = len(shown.points) < len(shown.job.points.names)
    return ValueStatus.BAD if missing or _errors(shown.findings) else ValueStatus.PLAIN


def uncertainty_facts(shown: UncertaintySubject) -> tuple[Fact, ...]:
    """The summary of an uncertainty."""
    if not shown.points:
        return (_fact("points", text(0), "", "none is reached"),)
    sigmas = np.array([point.sigma_normal for point in shown.points])
    worst, best = shown.points[shown.worst], shown.points[int(np.argmin(sigmas))]
    low, high = worst.interval
    half = fixed(1e6 * (high - low) / 2.0, 2)
    told = f"{100.0 * worst.coverage:g} % of {worst.name}, half its length"
    largest = worst.budget.largest
    share = f"{100.0 * worst.budget.shares.get(largest, 0.0):.0f} % at {worst.name}"
    return (
        _fact("points", text(len(shown.points)), "", f"of {len(shown.job.points.names)}"),
        _fact("largest sigma", number(1e6 * worst.sigma_normal, 4), "µm", f"at {worst.name}"),
        _fact("smallest sigma", number(1e6 * best.sigma_normal, 4), "µm", f"at {best.name}"),
        _fact("root mean square", number(1e6 * float(np.sqrt(np.mean(sigmas**2))), 4), "µm"),
        _fact("largest interval", half, "µm", told),
        _fact("largest source", text(largest or "–"), "", share),
        _fact("method", text(worst.method), "", _draws(worst.samples)),
    )


def _fact(label: str, value: Value, unit: str = "", detail: str = "") -> Fact:
    return Fact(label=label, value=value, unit=unit, detail=detail)


def _errors(findings: tuple[Finding, ...]) -> int:
    return sum(finding.severity is Severity.ERROR for finding in findings)


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _all(count: int) -> str:
    return "the one characteristic" if count == 1 else f"all {count} characteristics"


def _verdicts(found: Evaluation) -> str:
    return f"{len(found.failed)} out, {len(found.undecided)} undecided"


def _leftover(shown: EvaluationSubject) -> str:
    left = len(shown.evaluation.measured) - len(shown.evaluation.points)
    of = f"of {len(shown.job.points)} measured"
    return f"{of}; {_count(left, 'point')} beside them not in the job" if left > 0 else of


def _ball(found: Evaluation) -> str:
    measured = found.measured
    as_read = measured.compensated and not measured.along_nominal
    return "on the surface" if as_read else "compensated"


def _known(shown: EvaluationSubject) -> str:
    if shown.coverage is not None:
        return f"U at {100.0 * shown.coverage:g} %"
    return "not evaluated"


def _doubt(shown: EvaluationSubject) -> str:
    if shown.coverage is None:
        return "tolerances are judged by the limits alone"
    return "only what is surely within the tolerance passes (ISO 14253-1)"


def _draws(samples: int) -> str:
    return f"{samples:,} draws per point" if samples else "by derivatives"


def provenance_table(source: ResultSource) -> Table:
    """The table that every report ends with; nothing of when, where or by whom."""
    rows = [
        ("command", source.command),
        (f"job file {source.job.name}", f"SHA-256 {source.job.sha256}"),
        *((f"input {one.name}", f"SHA-256 {one.sha256}") for one in source.others),
        *installed_versions(),
    ]
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=tuple((text(what), text(value)) for what, value in rows),
    )


def source_of(
    job: Job, path: str, words: Sequence[str], others: Sequence[str] = ()
) -> ResultSource:
    """Describe the source of a report: without folders, with hashes.

    Args:
        job: as it was read.
        path: of its file.
        words: of the command that makes the same again.
        others: paths of other files that were read.

    Raises:
        JobError: one of them cannot be read.
    """
    read = (InputFile(name=one.name, sha256=one.sha256) for one in job.inputs)
    return ResultSource(
        command=shlex.join(words),
        job=InputFile(name=Path(path).name, sha256=job.sha256),
        others=(*map(_file, others), *read),
    )


def _file(path: str) -> InputFile:
    try:
        content = read_capped(path, Cap.TABLE_BYTES)
    except OSError as error:
        raise JobError(f"{path}: the file cannot be read: {reason_of(error)}.") from error
    return InputFile(name=Path(path).name, sha256=hashlib.sha256(content).hexdigest())
