"""``palpeur batch``: call, print."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from planner.batch.batch import Batch, BatchInterrupted, BatchOptions, BatchResult
from planner.batch.case import shown
from planner.batch.pool import memory_is_watched
from planner.cli.batch.compared import compared_document, print_compared
from planner.cli.batch.dry_run import dry_run
from planner.cli.batch.telling import telling
from planner.cli.batch.totals import print_passed_over, print_totals
from planner.cli.exit_codes import ExitCode
from planner.cli.failures import Resumable
from planner.cli.output import FORMAT
from planner.cli.session import Session
from planner.errors import OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """What ``palpeur batch`` was asked.

    Args:
        sources: of the jobs.
        out: folder of the results.
        options: how the batch runs.
        compare: folder of another batch, as it was typed; empty for none.
        dry_run: only list.
        write_jobs: folder that takes the jobs of sweeps; empty for none.
        as_json: whether totals are printed as JSON.
    """

    sources: tuple[str, ...]
    out: str
    options: BatchOptions
    compare: str = ""
    dry_run: bool = False
    write_jobs: str = ""
    as_json: bool = False

    def check(self) -> None:
        """Refuse options with unusable values.

        Raises:
            OptionError: the first of them.
        """
        paths = {"--out": self.out, "--compare": self.compare, "--write-jobs": self.write_jobs}
        for option, path in paths.items():
            if "\0" in path:
                raise OptionError(f"{option} is {path!r}, which is no path: it holds a NUL.")
        if self.write_jobs and not self.dry_run:
            raise OptionError(
                "--write-jobs only writes the jobs of sweeps, and judges none; give --dry-run too."
            )
        self.options.check()


def run(request: BatchRequest, session: Session) -> int:
    """Run a batch, or go on with one.

    Raises:
        OptionError: an option without sense, a source that leads to nothing.
        JobError: a fault in a sweep.
        OutputError: the folder holds other things, or cannot be written.
    """
    request.check()
    batch = Batch.of(request.sources, Path(request.out), request.options, force=session.force)
    if request.dry_run:
        return dry_run(
            batch.pending(),
            batch.passed_over,
            write_jobs=request.write_jobs,
            allow_outside=request.options.allow_outside,
            as_json=request.as_json,
        )
    if request.options.cluster is None and not memory_is_watched():
        session.say("--memory-cap is not kept: this system does not say what a process holds.")
    try:
        with telling(session) as tell:
            found = batch.run(tell)
    except BatchInterrupted as stop:
        session.say(f"{stop.done} of {stop.jobs} jobs are done; the same command goes on.")
        raise Resumable from stop
    if request.as_json:
        sys.stdout.write(json.dumps(_document(found, request), indent=2) + "\n")
    else:
        _print(found, request)
    return ExitCode.DONE if found.feasible else ExitCode.FAILED


def _document(found: BatchResult, request: BatchRequest) -> dict[str, object]:
    document = {
        "format": FORMAT,
        "jobs": found.jobs,
        "ran": found.ran,
        "by_status": dict(found.by_status),
        "reasons": dict(found.reasons),
        "passed_over": [file.document() for file in found.passed_over],
        "folder": shown(request.out),
    }
    if found.changes is not None:
        document["compared"] = compared_document(found.changes, request.compare)
    return document


def _print(found: BatchResult, request: BatchRequest) -> None:
    print_totals(found.rows)
    if found.changes is not None:
        print_compared(found.changes, request.compare)
    print()
    print_passed_over(found.passed_over)
    after = "When every share has run, the same command without --share writes the summary."
    page = shown(str(Path(request.out) / "dashboard.html"))
    told = after if request.options.share else page
    print(f"{found.ran} of {found.jobs} jobs ran. {told}")
