"""``palpeur evaluate`` and ``palpeur uncertainty``: read, evaluate, print and write."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import bold, print_table
from planner.cli.session import Session, progress_of
from planner.errors import OptionError

if TYPE_CHECKING:
    from parts.evaluation.results import Characteristic
    from planner.job import Job
    from planner.job.evaluation import AlignmentMethod
    from planner.uncertainty.types import PointUncertainty
    from reports.evaluation.subject import EvaluationSubject, UncertaintySubject

_ALIGNMENTS: dict[str, AlignmentMethod] = {
    "none": "none",
    "points": "points",
    "normals": "normals",
    "surface": "surface",
    "datums": "datums",  # as the job file calls it
    "datum": "datums",
    "rps": "rps",
}
_MOST = 40  # rows that a terminal shows
_NOTHING = 1e-9  # [um] rounding of a source that does not act along the normal
_SOURCES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """Request of ``palpeur evaluate``.

    Args:
        job: path of the job file.
        measured: path of the measured points.
        out: folder of the report set; empty for none.
        align: how to align, in place of the job's way; empty for the job's.
        robot: file of the calibrated robot; empty for the job's.
        format: of the measured file, or "auto" to ask its name and content.
        unit: of a measured file that carries none; empty where it does.
        frame: of its coordinates, "part" or "base"; empty for that of the job's points.
        allow_outside: whether files that the job names may lie outside its folder.
    """

    job: str
    measured: str
    out: str = ""
    align: str = ""
    robot: str = ""
    format: str = "auto"
    unit: str = ""
    frame: str = ""
    allow_outside: bool = False

    @property
    def words(self) -> list[str]:
        """The command that makes the same again, without folders."""
        told = ["palpeur", "evaluate", Path(self.job).name, Path(self.measured).name]
        told += ["--align", self.align] if self.align else []
        told += ["--format", self.format] if self.format != "auto" else []
        told += ["--unit", self.unit] if self.unit else []
        told += ["--frame", self.frame] if self.frame else []
        return told + (["--robot", Path(self.robot).name] if self.robot else [])

    @property
    def files(self) -> list[str]:
        """Paths of the files beside the job."""
        return [self.measured, *([self.robot] if self.robot else [])]


def _frame(name: str) -> Literal["part", "base"] | None:
    if name in ("", "part", "base"):
        return "part" if name == "part" else "base" if name else None
    raise OptionError(f"--frame is {name!r}; choose part or base.", value=name)


def run_evaluate(request: EvaluationRequest, *, as_json: bool, session: Session) -> int:
    """Read, align, fit, judge, print, write.

    Raises:
        JobError, PartError: job or measured points cannot be read, or do not belong together.
        OptionError: an alignment that does not exist, or that the job has not the datums for.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.evaluation.evaluate import check_measured
    from planner.evaluation.job_evaluation import evaluate_job
    from planner.evaluation.reading import read_measured
    from planner.job import read_job
    from planner.result_files import check_set
    from reports.document_text import document_text
    from reports.evaluation.content import source_of
    from reports.evaluation.document import evaluation_document
    from reports.evaluation.evaluation_set import EVALUATION, write_evaluation_set
    from reports.evaluation.subject import shown_evaluation

    if request.out:
        check_set(
            Path(request.out), EVALUATION, force=session.force
        )  # before the work, not after it
    frame = _frame(request.frame)
    job = _aligned(read_job(request.job, allow_outside=request.allow_outside), request.align)
    measured = read_measured(
        request.measured,
        job,
        format=request.format,
        unit=request.unit or None,
        frame=frame,
        robot=request.robot or None,
    )
    check_measured(job, measured, Path(request.measured).name)  # before the work, not after it
    source = source_of(job, request.job, request.words, request.files)
    with progress_of(session) as progress:
        found = evaluate_job(job, measured, progress)
    if found.uncertainty is not None and found.uncertainty.missing:
        session.say(
            f"The plan does not reach {found.uncertainty.missing} of the points, so the "
            "uncertainties of the features are not evaluated; `palpeur plan` says why."
        )
    shown = shown_evaluation(found, source)
    if request.out:
        write_evaluation_set(shown, Path(request.out), force=session.force)
        session.say(f"Report set written to {request.out}")
    if as_json:
        sys.stdout.write(document_text(evaluation_document(shown)))
    else:
        print_evaluation(shown)
    return ExitCode.DONE if found.passed else ExitCode.FAILED


def _aligned(job: Job, align: str) -> Job:
    """The job with another way to align.

    Raises:
        OptionError: there is no such way, or the job does not have what it needs.
    """
    if not align:
        return job
    if align not in _ALIGNMENTS:
        known = ", ".join(name for name in _ALIGNMENTS if name != "datum")
        raise OptionError(f"--align {align}: there is no such alignment; choose from {known}.")
    method = _ALIGNMENTS[align]
    if method == "surface" and job.geometry is None:
        raise OptionError("--align surface: the job has no part.geometry; give it, or use points.")
    if method == "datums" and not job.evaluation.datums:
        raise OptionError(
            f"--align {align}: the job names no datums; add to its [evaluation] "
            'alignment = "datums" and datums = [primary, secondary, tertiary].'
        )
    if method == "rps" and not job.evaluation.targets:
        raise OptionError(
            "--align rps: the job names no reference points; add to its [evaluation] "
            'alignment = "rps", and [[evaluation.target]] tables.'
        )
    return replace(job, evaluation=replace(job.evaluation, alignment=method))


def print_evaluation(shown: EvaluationSubject) -> None:
    """Verdict, characteristics, features and findings as text."""
    from reports.evaluation.content import METHODS, verdict
    from reports.visible_text import visible

    found = shown.evaluation
    print(bold(visible(shown.job.name)))
    print(verdict(found))
    alignment = found.alignment
    before, after = 1e3 * alignment.rms_before, 1e3 * alignment.rms_after
    print(
        f"alignment {METHODS[alignment.method]}; rms {before:.4f} mm before, {after:.4f} mm after"
    )
    print(visible(found.compensation))
    head = ("characteristic", "nominal", "measured", "deviation", "tolerance", "U", "verdict")
    print()
    print_table((*head, "decided by"), [_row(item) for item in found.characteristics])
    print()
    heads = ("feature", "kind", "points", "form LSQ mm", "minimum zone mm", "mean deviation mm")
    print_table(heads, list(_features(shown)))
    for finding in found.findings:
        print(visible(str(finding)))


def _row(item: Characteristic) -> tuple[str, ...]:
    from reports.evaluation.tables import tolerance_text, verdict_text
    from reports.visible_text import visible

    values = (item.nominal, item.measured, item.deviation)
    doubt = item.uncertainty
    return (
        visible(item.name),
        *(f"{round(1e3 * value, 4) + 0.0:.4f}" for value in values),
        tolerance_text(item).replace("–", "-"),
        "-" if doubt is None else f"{1e3 * doubt.expanded:.4f}",
        verdict_text(item).replace("–", "-"),
        visible(item.worst) or "-",
    )


def _features(shown: EvaluationSubject) -> Iterator[tuple[str, ...]]:
    from reports.evaluation.tables import KINDS, form_text
    from reports.visible_text import visible

    for one in shown.evaluation.features:
        yield (
            visible(one.name),
            KINDS.get(one.kind, one.kind),
            str(len(one.deviations)),
            form_text(one.form_error).replace("–", "-"),
            form_text(one.zone_error).replace("–", "-"),
            f"{1e3 * one.mean:.4f}",
        )


def run_uncertainty(
    job: str, out: str, *, as_json: bool, allow_outside: bool, session: Session
) -> int:
    """Plan, propagate, print, write.

    Args:
        job: path of the job file.
        out: folder of the report set, or nothing for none.
        as_json: whether JSON is printed.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        JobError: the job cannot be read, or has no [uncertainty].
        RobotError: the robot cannot do such a job.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.job import read_job
    from planner.result_files import check_set
    from planner.uncertainty.job_uncertainty import uncertainty_of
    from reports.document_text import document_text
    from reports.evaluation.content import source_of
    from reports.evaluation.document import uncertainty_document
    from reports.evaluation.evaluation_set import UNCERTAINTY, write_uncertainty_set
    from reports.evaluation.subject import shown_uncertainty

    if out:
        check_set(Path(out), UNCERTAINTY, force=session.force)  # before the work, not after it
    read = read_job(job, allow_outside=allow_outside)
    source = source_of(read, job, ["palpeur", "uncertainty", Path(job).name])
    with progress_of(session) as progress:
        shown = shown_uncertainty(uncertainty_of(read, progress), source)
    if out:
        write_uncertainty_set(shown, Path(out), force=session.force)
        session.say(f"Report set written to {out}")
    if as_json:
        sys.stdout.write(document_text(uncertainty_document(shown)))
    else:
        print_uncertainty(shown)
    return ExitCode.DONE if len(shown.points) == len(read.points.names) else ExitCode.FAILED


def print_uncertainty(shown: UncertaintySubject) -> None:
    """Points, budget and findings as text."""
    from reports.evaluation.content import uncertainty_verdict
    from reports.visible_text import visible

    print(bold(visible(shown.job.name)))
    print(visible(uncertainty_verdict(shown)))
    if shown.points:
        head = ("point", "sigma um", "interval um", "largest source", "share %", "better branch")
        print_table(head, [_uncertain_job_row(point) for point in shown.points[:_MOST]])
        if len(shown.points) > _MOST:
            print(f"… and {len(shown.points) - _MOST} more points; --json or --out tells all")
        print()
        print_table(("source", "sigma um", "share %"), list(_budget(shown)))
    for finding in shown.findings:
        print(visible(str(finding)))


def _uncertain_job_row(point: PointUncertainty) -> tuple[str, ...]:
    from reports.visible_text import visible

    low, high = point.interval
    return (
        visible(point.name),
        f"{1e6 * point.sigma_normal:.2f}",
        f"{1e6 * low:+.2f} … {1e6 * high:+.2f}",
        point.budget.largest or "-",
        f"{100.0 * point.budget.shares.get(point.budget.largest, 0.0):.1f}",
        "-" if point.better is None else point.better.branch,
    )


def _budget(shown: UncertaintySubject) -> Iterator[tuple[str, str, str]]:
    """The largest sources over all points: root mean square, and share of the variance."""
    from reports.evaluation.tables import budget

    names, variances = budget(shown)
    total = float(variances.sum()) or 1.0
    for k in np.argsort(-variances.sum(axis=1), kind="stable")[:_SOURCES].tolist():
        sigma = 1e6 * float(np.sqrt(variances[k].mean()))
        shown_sigma = f"{sigma:.3g}" if sigma > _NOTHING else "0"
        yield names[k], shown_sigma, f"{100.0 * float(variances[k].sum()) / total:.1f}"
