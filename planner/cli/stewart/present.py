"""``palpeur stewart present``: from a job with a presenter to poses, plans and report sets."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.job.planned_job import print_rejection
from planner.cli.session import Session, progress_of
from planner.result_files import check_set, result_set

if TYPE_CHECKING:
    from planner.proof import Proof

DOCUMENT = "presentation.json"
KIND = "presentation"


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentRequest:
    """What the command line says.

    Args:
        job: path of the job file.
        out: folder of the results, or nothing for none.
        figures: whether they are drawn.
        allow_outside: whether files that the job names may lie outside its folder.
    """

    job: str
    out: str
    figures: bool
    allow_outside: bool


def run_present(asked: PresentRequest, *, as_json: bool, session: Session) -> int:
    """Search, plan, validate, print, write.

    Raises:
        JobError: the job cannot be read, or has no presenter.
        RobotError: the robot cannot do such a job.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.job import read_job
    from planner.presenting.present import present
    from planner.proof import prove
    from reports.plan_document import document_text
    from reports.presentation import presentation_document, presentation_lines

    folder = Path(asked.out) if asked.out else None
    if folder is not None:
        check_set(folder, KIND, force=session.force)  # before the work, not after it
    job = read_job(asked.job, allow_outside=asked.allow_outside)
    with progress_of(session) as progress:
        found = present(job, progress)
    proofs = [prove(pose.plan) for pose in found.poses]
    text = document_text(presentation_document(found))
    sys.stdout.write(text if as_json else "\n".join(presentation_lines(found)) + "\n")
    failed = [k for k, proof in enumerate(proofs, start=1) if not proof.passed]
    if failed:
        print_rejection(proofs[failed[0] - 1], f"the plan of pose {failed[0]}")
        return ExitCode.NOT_VALIDATED
    if folder is not None:
        _write(folder, text, proofs, asked, session, feasible=found.feasible)
        session.say(f"Presentation written to {folder}")
    return ExitCode.DONE if found.feasible else ExitCode.FAILED


def _write(
    folder: Path,
    text: str,
    proofs: list[Proof],
    asked: PresentRequest,
    session: Session,
    *,
    feasible: bool,
) -> None:
    """The document and one report set per pose, all of them or nothing.

    The programmes of single poses do what the presentation promises only where all of it is
    feasible.
    """
    from planner.cli.job.planned_job import ReportRequest, Source, write_set

    options = ReportRequest(figures=asked.figures).options()
    if not feasible:
        reason = "the presentation is not feasible, and this is one of its poses"
        options = replace(options, withheld=reason)
    source = Source(job=asked.job, verb="stewart present")
    with result_set(folder, KIND, force=session.force) as fresh:
        (fresh / DOCUMENT).write_text(text, encoding="utf-8", newline="")
        for number, proof in enumerate(proofs, start=1):
            write_set(proof, fresh / f"pose-{number}", options, session, source)
