"""``palpeur batch``: call, print."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planner.batch.batch import Batch, BatchInterrupted, BatchOptions, BatchProgress, BatchResult
from planner.batch.batch import write_jobs as write_files
from planner.batch.case import Case, shown, swept_text
from planner.batch.pool import memory_is_watched
from planner.batch.run import Pending
from planner.batch.sources import PassedOver, told
from planner.cli.exit_codes import ExitCode
from planner.cli.failures import Resumable
from planner.cli.output import FORMAT, print_json, print_table
from planner.cli.session import Session
from planner.errors import OptionError
from reports.console import rich_console

if TYPE_CHECKING:
    from reports.batch.changes import BatchChanges
    from reports.batch.rows import JobRow

_LONGEST = 60  # characters of a value
_LINES = 20  # on the console; the page has more
_NAMED = 3  # jobs of each reason, as many as the dashboard names
_TOTALS_LONGEST = 40  # characters of a name; its end tells more than its beginning
_EVERY = 30.0  # [s] between two lines where no terminal is watched


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """Request of ``palpeur batch``.

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
    from planner.batch.sweep import faults_of_first_cases

    cases = [item.case for item in pending]
    faults = list(faults_of_first_cases(cases))
    written: dict[str, object] = {}
    if write_jobs:
        written["written"] = write_files(cases, Path(write_jobs), allow_outside=allow_outside)
    if as_json:
        told = [_dry_run_document(item) for item in pending]
        others = [file.document() for file in passed_over]
        document = {"format": FORMAT, "cases": told, "faults": faults, "passed_over": others}
        print_json(document | written)
        return ExitCode.DONE
    _dry_run_print(pending, faults)
    print_passed_over(passed_over)
    if written:
        print(f"{written['written']} jobs of sweeps are in {shown(write_jobs)}.")
    return ExitCode.DONE


def _dry_run_print(pending: Sequence[Pending], faults: Sequence[str]) -> None:
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


def _dry_run_document(item: Pending) -> dict[str, object]:
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


def print_compared(found: BatchChanges, folder: str) -> None:
    """Print how many jobs became what, then what became worse.

    Args:
        found: changes of the jobs, with untrusted texts.
        folder: of the other batch, as it was typed.
    """
    from reports.batch.changes import VERDICTS
    from reports.visible_text import visible

    counts = ", ".join(f"{found.count(word)} {word}" for word in VERDICTS)
    print(f"\nCompared with {visible(shown(folder))}: {counts}.")
    worse = found.of("worse")
    if not worse:
        return
    lines = [(one.name, one.what, one.before, one.now) for one in worse[:_LINES]]
    told = [tuple(visible(shown(cell)) for cell in line) for line in lines]
    print_table(("became worse", "what", "from", "to"), told)
    if len(worse) > _LINES:
        print(f"and {len(worse) - _LINES} more, in dashboard.html.")


def compared_document(found: BatchChanges, folder: str) -> dict[str, object]:
    """The same with every line, for programs.

    Args:
        found: changes of the jobs.
        folder: of the other batch, as it was typed.
    """
    from reports.batch.changes import VERDICTS

    return {
        "with": shown(folder),
        **{word: found.count(word) for word in VERDICTS},
        "new_failed": found.new_failed,
        "became_worse": [
            {
                "name": shown(one.name),
                "what": one.what,
                "from": shown(one.before),
                "to": shown(one.now),
            }
            for one in found.of("worse")
        ],
    }


def print_totals(rows: Sequence[JobRow]) -> None:
    """Print jobs by status, then by reason with the first jobs of each."""
    from reports.batch.dashboard import unchecked_counts
    from reports.batch.reasons import reason_words

    totals = Counter(row.outcome.status.value for row in rows)
    print_table(("status", "jobs"), [(name, str(n)) for name, n in sorted(totals.items())])
    unchecked = unchecked_counts(rows)
    if unchecked:
        told = ", ".join(f"{name} ({n} job{'' if n == 1 else 's'})" for name, n in unchecked)
        print(f"not checked: {told}")
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row.outcome.status.failed:
            groups.setdefault(reason_words(row.outcome), []).append(row.name)
    if groups:
        ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
        print()
        print_table(
            ("reason", "jobs", "such as"),
            [(reason, str(len(names)), _first(names)) for reason, names in ordered],
        )


def print_passed_over(files: Sequence[PassedOver]) -> None:
    """Print one line where files of folders are no jobs."""
    if files:
        print(_totals_one_line(told(files)))


def _first(names: Sequence[str]) -> str:
    shown = [_totals_brief(name) for name in names[:_NAMED]]
    return ", ".join([*shown, "…"] if len(names) > _NAMED else shown)


def _totals_brief(name: str) -> str:
    return _totals_one_line(name if len(name) <= _TOTALS_LONGEST else f"…{name[-_TOTALS_LONGEST:]}")


def _totals_one_line(text: str) -> str:
    from reports.visible_text import visible

    return visible(text.replace("\n", "⏎").replace("\t", " "))


@contextmanager
def telling(session: Session) -> Iterator[BatchProgress]:
    """Show on stderr how far a batch is."""
    show = _bar() if sys.stderr.isatty() and not session.quiet else _lines(session)
    with show as tell:
        yield tell


@contextmanager
def _bar() -> Iterator[BatchProgress]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("jobs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]} failed"),
    )
    with Progress(*columns, console=rich_console(sys.stderr), transient=True) as bars:
        bar = bars.add_task("jobs", total=None, rate="", failed=0)
        began = time.monotonic()

        def tell(done: int, failed: int, total: int, /) -> None:
            rate = f"{done / max(time.monotonic() - began, 1e-9):.1f}/s" if done else ""
            bars.update(bar, completed=done, total=total, rate=rate, failed=failed)

        yield tell


@contextmanager
def _lines(session: Session) -> Iterator[BatchProgress]:
    began = last = time.monotonic()

    def tell(done: int, failed: int, total: int, /) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _EVERY or not done:
            return
        last = now
        rate = done / (now - began)
        left = (total - done) / rate
        session.say(
            f"{done} of {total} jobs, {failed} failed, {rate:.1f} per second, about {left:.0f} s "
            "left"
        )

    yield tell
