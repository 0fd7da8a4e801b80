"""``palpeur uncertainty``: how well each point of a job will be measured."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import bold, print_table
from planner.cli.progress_bar import progress_of
from planner.cli.session import Session

if TYPE_CHECKING:
    from planner.uncertainty import PointUncertainty
    from reports.evaluation.subject import UncertaintySubject

_MOST = 40  # rows that a terminal shows
_NOTHING = 1e-9  # [um] rounding of a source that does not act along the normal
_SOURCES = 12


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
    from planner.uncertainty import uncertainty_of
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
        print_table(head, [_row(point) for point in shown.points[:_MOST]])
        if len(shown.points) > _MOST:
            print(f"… and {len(shown.points) - _MOST} more points; --json or --out tells all")
        print()
        print_table(("source", "sigma um", "share %"), list(_budget(shown)))
    for finding in shown.findings:
        print(visible(str(finding)))


def _row(point: PointUncertainty) -> tuple[str, ...]:
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
