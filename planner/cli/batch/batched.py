"""``palpeur batch``: decide, judge, summarise."""

from __future__ import annotations

import json
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from planner.batch.case import Case, CaseKey, FileHashes, Surroundings
from planner.batch.engine import Done, Engine
from planner.batch.ledger import Ledger, Result
from planner.batch.litter import clear_litter
from planner.batch.manifest import read_manifest, write_manifest
from planner.batch.measured import Costs
from planner.batch.passed_over import PassedOver
from planner.batch.pending import Pending, Redo, decide
from planner.batch.run import Run, run_batch
from planner.batch.shown import shown
from planner.batch.sources import gathered
from planner.batch.worker_process import memory_is_watched
from planner.cli.batch.compared import compared_document, print_compared
from planner.cli.batch.dry_run import dry_run
from planner.cli.batch.interrupts import interruptible
from planner.cli.batch.results_folder import check_folder, make_folder
from planner.cli.batch.telling import telling
from planner.cli.batch.totals import print_passed_over, print_totals
from planner.cli.batch.wanted import Wanted
from planner.cli.batch.worker import Order
from planner.cli.exit_codes import ExitCode
from planner.cli.failures import Resumable
from planner.cli.output import FORMAT
from planner.cli.session import Session

if TYPE_CHECKING:
    from reports.batch import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """One run of the command.

    Args:
        wanted: options.
        cases: of this run or share.
        passed_over: files of its folders that are no jobs.
        ledger: of results.
        around: what every key depends on.
        hashes: of files that were read.
        moved: digest of the result by case, where it is another than was decided: a file of the
            job changed meanwhile.
    """

    wanted: Wanted
    cases: tuple[Case, ...]
    passed_over: tuple[PassedOver, ...]
    ledger: Ledger
    around: Surroundings
    hashes: FileHashes = field(default_factory=FileHashes)
    moved: dict[str, str] = field(default_factory=dict)

    def decided(self) -> tuple[Pending, ...]:
        """Every case, and why it has to run."""
        wanted = self.wanted
        redo = Redo(
            time_cap=wanted.caps.seconds,
            memory_cap=float(wanted.caps.memory),
            failed=wanted.retry_failed,
            report=self._report_missing,
        )
        known = read_manifest(self.ledger.folder)
        found = decide(self.cases, self.ledger, self.around, redo, known=known, hashes=self.hashes)
        return tuple(found)

    def result(self, item: Pending) -> Result | None:
        """Of a case, as far as there is one now."""
        digest = self.moved.get(item.case.name, item.key.digest)
        return item.result or self.ledger.read(digest)

    def _report_missing(self, result: Result) -> bool:
        """Whether a report set was asked for that can be made and is not there."""
        status = result.outcome.status
        made = status.final and result.outcome.figures and status.value != "not validated"
        asked = self.wanted.reports == "all" or (self.wanted.reports == "failed" and status.failed)
        return bool(made and asked) and not self.ledger.report(result.digest).is_dir()


def run(wanted: Wanted, session: Session) -> int:
    """Run a batch, or go on with one.

    Raises:
        OptionError: an option without sense, a source that leads to nothing.
        JobError: a fault in a sweep.
        OutputError: the folder holds other things, or cannot be written.
    """
    from planner.cli.batch.surroundings import surroundings
    from reports.batch import previous_rows

    wanted.check()
    folder = Path(wanted.out)
    check_folder(folder, force=session.force)
    previous = previous_rows(Path(wanted.compare)) if wanted.compare else None
    found = gathered(wanted.sources, leave_out=folder.resolve())
    batch = _Batch(
        wanted=wanted,
        cases=_share(found.cases, wanted),
        passed_over=found.passed_over,
        ledger=Ledger(folder=folder.resolve()),
        around=surroundings(allow_outside=wanted.allow_outside),
    )
    pending = batch.decided()
    if wanted.dry_run:
        return dry_run(pending, wanted, batch.passed_over)
    rows: list[Row] = []
    try:
        with interruptible():
            try:
                clear_litter(batch.ledger.folder)
                _judge(batch, pending, session)
            finally:
                clear_litter(batch.ledger.folder)  # of workers that outlived their batch a moment
                rows += _rows(batch, pending)
                if rows and not wanted.share:  # shares run side by side; one run sums them up
                    _summarise(batch, rows, previous)
    except KeyboardInterrupt as stop:
        session.say(f"{len(rows)} of {len(pending)} jobs are done; the same command goes on.")
        raise Resumable from stop
    _print(rows, pending, batch, previous)
    return ExitCode.FAILED if any(row.outcome.status.failed for row in rows) else ExitCode.DONE


def _share(cases: tuple[Case, ...], wanted: Wanted) -> tuple[Case, ...]:
    """The cases of one share, whose places do not depend on the others."""
    number, shares = wanted.shares()
    return tuple(c for c in cases if zlib.crc32(c.name.encode()) % shares == number - 1)


def _judge(batch: _Batch, pending: Sequence[Pending], session: Session) -> None:
    todo = [item for item in pending if item.why]
    if not todo:
        return
    make_folder(batch.ledger.folder)
    if batch.wanted.cluster is None and not memory_is_watched():
        session.say("--memory-cap is not kept: this system does not say what a process holds.")
    costs = Costs(folder=batch.ledger.folder)
    keys = _Keys(known={item.key.digest: item.key for item in todo})
    the_run = Run(ledger=batch.ledger, caps=batch.wanted.caps, key=keys.of)
    with telling(session, len(todo), batch.ledger, costs) as tell:

        def told(done: Done) -> None:
            if done.digest != done.task.digest:
                batch.moved[done.task.case.name] = done.digest
            tell(done)

        run_batch(todo, the_run, _engine(batch), told)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    known: dict[str, CaseKey]

    def of(self, digest: str) -> CaseKey:
        return self.known[digest]


def _engine(batch: _Batch) -> Engine:
    wanted, folder = batch.wanted, batch.ledger.folder
    order = Order(
        ledger=folder,
        surroundings=batch.around,
        allow_outside=wanted.allow_outside,
        reports=wanted.reports,
        memory=wanted.caps.memory,
        parent=0,
    )
    if wanted.cluster is not None:
        from planner.cli.batch.cluster import ClusterEngine

        return ClusterEngine(wanted.cluster, order, wanted.caps)
    from planner.cli.batch.local import local_pool

    return local_pool(order, wanted.caps, min(wanted.processes, len(batch.cases)))


def _summarise(batch: _Batch, rows: Sequence[Row], previous: Sequence[Row] | None) -> None:
    """Write what a reader sees of all results that are there, finished or interrupted."""
    from reports.batch import write_index, write_summary

    folder = batch.ledger.folder
    kept = read_manifest(folder)
    write_manifest(folder, kept | {row.name: row.digest for row in rows})
    write_summary(rows, folder, title=shown(folder.name), previous=previous)
    write_index(batch.ledger)


def _rows(batch: _Batch, pending: Sequence[Pending]) -> list[Row]:
    from reports.batch import Row

    costs = Costs(folder=batch.ledger.folder).read()
    rows: list[Row] = []
    for item in pending:
        result = batch.result(item)
        if result is None:
            continue  # not finished; the same command goes on
        report = batch.ledger.report(result.digest) / "report.html"
        place = report if report.is_file() else batch.ledger.path(result.digest)
        cost = costs.get(result.digest)
        rows.append(
            Row(
                name=item.case.name,
                digest=result.digest,
                why=item.why.words,
                cause=item.why.cause,
                outcome=result.outcome,
                seconds=cost.seconds if cost else float("nan"),
                peak_bytes=cost.peak if cost else 0,
                report=place.relative_to(batch.ledger.folder).as_posix(),
                swept=dict(item.case.swept),
            )
        )
    return rows


def _print(
    rows: Sequence[Row], pending: Sequence[Pending], batch: _Batch, previous: Sequence[Row] | None
) -> None:
    from reports.batch import changes

    wanted = batch.wanted
    ran = sum(bool(item.why) for item in pending)
    found = changes(rows, previous) if previous is not None and not wanted.share else None
    if wanted.as_json:
        totals = Counter(row.outcome.status.value for row in rows)
        reasons = Counter(row.outcome.code for row in rows if row.outcome.status.failed)
        document = {
            "format": FORMAT,
            "jobs": len(pending),
            "ran": ran,
            "by_status": dict(sorted(totals.items())),
            "reasons": dict(sorted(reasons.items())),
            "passed_over": [file.document() for file in batch.passed_over],
            "folder": shown(wanted.out),
        }
        if found is not None:
            document["compared"] = compared_document(found, wanted.compare)
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
        return
    print_totals(rows)
    if found is not None:
        print_compared(found, wanted.compare)
    print()
    print_passed_over(batch.passed_over)
    print(f"{ran} of {len(pending)} jobs ran. {_next(batch)}")


def _next(batch: _Batch) -> str:
    if batch.wanted.share:
        return "When every share has run, the same command without --share writes the summary."
    return shown(str(Path(batch.wanted.out) / "dashboard.html"))
