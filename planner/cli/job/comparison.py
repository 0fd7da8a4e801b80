"""``palpeur diff`` and ``palpeur verify``: two plans side by side, and a set beside its inputs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.session import Session, progress_of
from planner.errors import OptionError, OutputError
from planner.result_files import check_file, check_file_place, write_result

_COMMAND = "palpeur diff"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRequest:
    """What to do with a comparison.

    Args:
        rules: such as ``duration>+2%``.
        json: whether it is printed as JSON.
        html: file of the page; empty for none.
        allow_outside: whether files that a job names may lie outside its folder.
    """

    rules: tuple[str, ...] = ()
    json: bool = False
    html: str = ""
    allow_outside: bool = False


def run_diff(a: str, b: str, wanted: DiffRequest, session: Session) -> int:
    """Compare, print, write the page, judge.

    Args:
        a: path of a job file, a report set or a plan.json.
        b: likewise.
        wanted: what to do with the result.
        session: of this run.

    Raises:
        OptionError: a rule that cannot be read, or a file that is no plan.
        JobError: a job that cannot be read.
        RobotError: a robot that cannot do such a job.
        OutputError: the page cannot be written, or would replace another file.
    """
    from reports.comparison import compare, comparison_document, judged, parse_rule
    from reports.comparison.page import comparison_page
    from reports.comparison.text import print_comparison
    from reports.plan_document import document_text

    rules = [parse_rule(text) for text in wanted.rules]  # before the work, not after it
    if wanted.html:
        _check_page(Path(wanted.html), force=session.force)
    mine, other = (_document(Path(side), wanted, session) for side in (a, b))
    found = compare(mine, other, (a, b))
    judgements = [judged(rule, found) for rule in rules]
    if wanted.json:
        sys.stdout.write(document_text(comparison_document(found, judgements)))
    else:
        print_comparison(found, judgements, sys.stdout)
    if wanted.html:
        write_result(
            Path(wanted.html),
            comparison_page(found, judgements),
            _COMMAND,
            comment="<!-- {} -->",
            force=session.force,
            option="--html",
        )
        session.say(f"Page written to {wanted.html}")
    return ExitCode.FAILED if any(one.fired for one in judgements) else ExitCode.DONE


def _document(path: Path, wanted: DiffRequest, session: Session) -> dict[str, object]:
    """A plan's document; a job is planned."""
    from planner.cli.job.planned_job import proven
    from reports.comparison import read_plan
    from reports.plan_document import plan_document

    if path.is_dir() or path.suffix.lower() == ".json":
        return read_plan(path)
    if not path.is_file():
        raise OptionError(
            f"{path} does not exist; give a job file, a report set or a plan.json.", path=str(path)
        )
    session.say(f"Planning {path}")
    return plan_document(proven(path, session, allow_outside=wanted.allow_outside))


def _check_page(path: Path, *, force: bool) -> None:
    """Whether a page may take the place: nothing is there, or an earlier page; and no report set.

    Raises:
        OutputError: something else is.
    """
    check_file_place(path, "--html")
    _refuse_report_set(path)
    check_file(path, _COMMAND, force=force, option="--html")


def _refuse_report_set(path: Path) -> None:
    """A set holds what its record lists: its own page is no earlier one, and a new one is foreign.

    Raises:
        OutputError: the page would be in a report set.
    """
    from planner.result_files import RECORD

    room = path.parent.resolve()
    for folder in (room, *room.parents):
        if (folder / RECORD).is_file():
            raise OutputError(
                f"{path}: the page cannot be written: {folder} is a report set, whose {RECORD} "
                f"lists its files; give a file outside it with --html, such as "
                f"{folder.parent / 'diff.html'}.",
                file=str(path),
            )


def run_verify(folder: str, *, as_json: bool, session: Session) -> int:
    """Verify a report set and print the verdict.

    Args:
        folder: of the set.
        as_json: whether the result is printed as JSON.
        session: of this run.

    Raises:
        OptionError: no report set, or of another format.
    """
    from reports.plan_document import document_text
    from reports.verification import verified_document, verified_lines, verify
    from reports.verification.verified import VerificationVerdict

    with progress_of(session) as progress:
        found = verify(Path(folder), progress)
    lines = "".join(f"{line}\n" for line in verified_lines(found))
    sys.stdout.write(document_text(verified_document(found)) if as_json else lines)
    if found.verdict is VerificationVerdict.GENUINE:
        return ExitCode.DONE
    return ExitCode.BAD_INPUT if found.verdict is VerificationVerdict.UNKNOWN else ExitCode.FAILED
