"""``palpeur batch --dry-run``: what would run, why, and with which values of its sweep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.batch.case import Case, shown, swept_text
from planner.batch.job_files import write_jobs as write_files
from planner.batch.run import Pending
from planner.batch.sources import PassedOver
from planner.batch.sweep import faults_of_first_cases
from planner.cli.batch.totals import print_passed_over
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, print_json, print_table

_LONGEST = 60  # characters of a value


def dry_run(
    pending: Sequence[Pending],
    passed_over: Sequence[PassedOver],
    *,
    write_jobs: str,
    allow_outside: bool,
    as_json: bool,
) -> int:
    """List what would run; write the jobs of sweeps where that was asked for.

    Args:
        pending: every case of the batch, and why it has to run.
        passed_over: files of its folders that are no jobs.
        write_jobs: folder that takes the jobs of sweeps; empty for none.
        allow_outside: whether jobs may name files outside their folder.
        as_json: whether a JSON document is printed.

    Raises:
        OptionError, OutputError: the jobs cannot be written.
    """
    cases = [item.case for item in pending]
    faults = list(faults_of_first_cases(cases))
    written: dict[str, object] = {}
    if write_jobs:
        written["written"] = write_files(cases, Path(write_jobs), allow_outside=allow_outside)
    if as_json:
        told = [_document(item) for item in pending]
        others = [file.document() for file in passed_over]
        document = {"format": FORMAT, "cases": told, "faults": faults, "passed_over": others}
        print_json(document | written)
        return ExitCode.DONE
    _print(pending, faults)
    print_passed_over(passed_over)
    if written:
        print(f"{written['written']} jobs of sweeps are in {shown(write_jobs)}.")
    return ExitCode.DONE


def _print(pending: Sequence[Pending], faults: Sequence[str]) -> None:
    from reports.visible_text import visible

    todo = [item for item in pending if item.why]
    lines = [(item.case.name, item.why.words, _varied(item.case)) for item in todo]
    told = [tuple(visible(_one_line(cell)) for cell in line) for line in lines]
    if any(item.case.swept for item in todo):
        print_table(("job", "why", "varied"), told)
    else:
        print_table(("job", "why"), [line[:2] for line in told])
    print(f"{len(todo)} of {len(pending)} jobs would run.")
    for fault in faults:
        print(f"Would be refused: {visible(fault)}")


def _document(item: Pending) -> dict[str, object]:
    case = item.case
    return {
        "name": case.name,
        "digest": item.key.digest,
        "why": item.why.words,
        "swept": dict(case.swept),
    }


def _varied(case: Case) -> str:
    return ", ".join(f"{key} = {_brief(swept_text(value))}" for key, value in case.swept)


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _one_line(text: str) -> str:
    return text.replace("\n", "⏎").replace("\t", " ")
