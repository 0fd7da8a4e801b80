"""run_batch(sources, out): many jobs, one result each; the same call goes on where it stopped."""

from __future__ import annotations

import contextlib
import filecmp
import json
import math
import os
import secrets
import shutil
import signal
import threading
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from planner.batch.case import (
    Case,
    CaseKey,
    Environment,
    FileHashes,
    is_within,
    names_in,
    raw_of,
    shown,
)
from planner.batch.cluster import address_of
from planner.batch.engine import Done, Engine
from planner.batch.ledger import Claims, Ledger, Result
from planner.batch.measured import CaseCosts
from planner.batch.pool import Caps
from planner.batch.run import Pending, RedoRule, Run, decide, run_pending
from planner.batch.sources import PassedOver, gathered
from planner.batch.surroundings import surroundings
from planner.batch.worker import WorkerRequest, local_pool
from planner.errors import OptionError, OutputError
from planner.processes import LINKLESS, abandoned
from planner.result_files import whole_file
from reports.batch.changes import BatchChanges, changes
from reports.batch.files import previous_rows, write_index, write_summary
from reports.batch.rows import JobRow
from robots.core.caps import Cap, read_capped
from robots.core.views import Shown

if TYPE_CHECKING:
    from pandas import DataFrame

REPORTS = ("none", "failed", "all")
_MEGABYTE = 1_000_000
_LEAST_MEMORY = 500.0  # [MB]; the libraries alone take as much
_MARK = "results"  # what tells the folder of a batch from any other
_OWN = frozenset(
    {
        *("results", "claims", "reports", "measured", "batch.json", "index.parquet", "workers.log"),
        *("summary.csv", "summary.parquet", "summary.json", "junit.xml", "dashboard.html"),
    }
)
# Requests to end that are answered like Ctrl-C: those of schedulers, and of a terminal that is
# closed, which Windows has no signal for.
_NAMED = 8  # reasons that a short text names
_REQUESTS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
NAME = "batch.json"
FORMAT = 1
_PLACES = (".*.partial", "results/??/.*.partial", "claims/.*.partial", "reports/.*.partial")
Content = str | Path  # the text of a job, or a file that is copied


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Options of a batch.

    Args:
        workers: processes on this machine; 0 for one per processor.
        cluster: address of a dask scheduler; None for workers on this machine.
        share: "I/N" for the I-th of N shares of the cases; empty for all.
        retry_failed: run again what a cap ended.
        time_cap: of one job. [s]
        memory_cap: of one job. [MB]
        reports: whose report sets are written: "none", "failed" or "all".
        compare: folder of another batch to compare with; None for none.
        allow_outside: whether jobs may name files outside their folder.
    """

    workers: int = 0
    cluster: str | None = None
    share: str = ""
    retry_failed: bool = False
    time_cap: float = 600.0
    memory_cap: float = 4000.0
    reports: str = "none"
    compare: Path | None = None
    allow_outside: bool = False

    def check(self) -> None:
        """Refuse options with unusable values.

        Raises:
            OptionError: the first of them.
        """
        most = Cap.BATCH_WORKERS
        if not 0 <= self.workers <= most.limit:
            advice = f"; {most.advice}" if self.workers > 0 else ""
            raise OptionError(
                f"--workers is {self.workers}; give 1 to {most.limit}, or 0 for one per processor"
                f"{advice}."
            )
        if not (math.isfinite(self.time_cap) and self.time_cap > 0.0):
            raise OptionError(f"--time-cap is {self.time_cap:g}; give seconds above 0.")
        if not (math.isfinite(self.memory_cap) and self.memory_cap >= _LEAST_MEMORY):
            raise OptionError(
                f"--memory-cap is {self.memory_cap:g}; give at least {_LEAST_MEMORY:g} MB, which "
                "the libraries alone take."
            )
        if self.reports not in REPORTS:
            raise OptionError(f"--reports is {self.reports!r}; there are {', '.join(REPORTS)}.")
        self.shares()
        if self.cluster is not None:
            address_of(self.cluster)

    @property
    def caps(self) -> Caps:
        """Limits of time and memory of one case."""
        return Caps(seconds=self.time_cap, memory=int(self.memory_cap * _MEGABYTE))

    def shares(self) -> tuple[int, int]:
        """Return which share of how many, from 1.

        Raises:
            OptionError: this is no share.
        """
        if not self.share:
            return 1, 1
        head, _, tail = self.share.partition("/")
        if head.isdecimal() and tail.isdecimal() and 1 <= int(head) <= int(tail):
            return int(head), int(tail)
        raise OptionError(f"--share is {self.share!r}; give it as 3/20, from 1/20 to 20/20.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BatchResult(Shown):
    """Result of a batch.

    Args:
        folder: of the results.
        rows: one for each job.
        jobs: of the batch, or of its share.
        ran: jobs that ran this time; the results of the others were there.
        passed_over: TOML files of its folders that are no jobs.
        changes: since the batch that it was compared with; None where it was not.
    """

    folder: Path
    rows: tuple[JobRow, ...]
    jobs: int
    ran: int
    passed_over: tuple[PassedOver, ...]
    changes: BatchChanges | None = None

    @property
    def feasible(self) -> bool:
        """Whether every job is."""
        return not any(row.outcome.status.failed for row in self.rows)

    def to_frame(self) -> DataFrame:
        """One row per job: the columns of summary.csv."""
        import pandas as pd

        return pd.read_parquet(self.folder / "summary.parquet")

    def _tables(self) -> Iterator[str]:
        yield self.to_frame().to_html(index=False, max_rows=20, na_rep="")

    def _lines(self) -> Iterator[str]:
        counts = ", ".join(f"{count} {status}" for status, count in self.by_status.items())
        yield f"Batch in {self.folder}: {self.jobs} jobs, {self.ran} ran now"
        yield f"  {counts or 'no result'}"
        for code, count in list(self.reasons.items())[:_NAMED]:
            yield f"  {count} failed by {code}"

    @property
    def by_status(self) -> Mapping[str, int]:
        """Number of jobs by status."""
        return dict(sorted(Counter(row.outcome.status.value for row in self.rows).items()))

    @property
    def reasons(self) -> Mapping[str, int]:
        """Number of jobs by the code of what makes them fail."""
        failed = (row.outcome.code for row in self.rows if row.outcome.status.failed)
        return dict(sorted(Counter(failed).items()))


class BatchInterrupted(KeyboardInterrupt):
    """A batch was interrupted; what was finished is kept, and the same call goes on.

    Args:
        done: jobs that have a result.
        jobs: of the batch.
    """

    def __init__(self, done: int, jobs: int) -> None:
        super().__init__(done, jobs)
        self.done, self.jobs = done, jobs


class BatchProgress(Protocol):
    """Told before the first job and after every job; it may raise ``KeyboardInterrupt``."""

    def __call__(self, done: int, failed: int, total: int, /) -> None:
        """Take note of jobs that are finished, that failed, and that run in all."""


def silent(done: int, failed: int, total: int) -> None:
    """Ignore progress."""
    del done, failed, total


def run_batch(
    sources: str | Path | Sequence[str | Path],
    out: Path | str,
    options: BatchOptions | None = None,
    progress: BatchProgress = silent,
) -> BatchResult:
    """Plan and prove many jobs, each by itself, in processes of their own or on a cluster.

    Results that are in the folder already are kept where nothing they depend on has changed.

    Args:
        sources: job files, folders of them, patterns, sweeps (TOML with [sweep]); one or several.
        out: folder of the results: new, empty, or of the same batch before.
        options: how it runs.
        progress: told of every result.

    Raises:
        OptionError: an option without sense, a source that leads to nothing.
        JobError: a fault in a sweep.
        OutputError: the folder holds other things, or cannot be written.
        BatchInterrupted: by Ctrl-C or a request to end; results and summary are written.
    """
    options = options or BatchOptions()
    options.check()
    several = [sources] if isinstance(sources, str | Path) else sources
    return Batch.of([str(one) for one in several], Path(out), options).run(progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The cases of a batch and what is known of them.

    Args:
        options: how it runs.
        cases: of this run or share.
        passed_over: files of its folders that are no jobs.
        ledger: of results.
        around: what every key depends on.
        previous: results of the batch that it is compared with.
        hashes: of files that were read.
        moved: digest of the result by case, where it is another than was decided: a file of the
            job changed meanwhile.
    """

    options: BatchOptions
    cases: tuple[Case, ...]
    passed_over: tuple[PassedOver, ...]
    ledger: Ledger
    around: Environment
    previous: Sequence[JobRow] | None = None
    hashes: FileHashes = field(default_factory=FileHashes)
    moved: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, sources: Sequence[str], out: Path, options: BatchOptions, *, force: bool = False
    ) -> Batch:
        """Gather the cases of some sources; see ``run_batch``."""
        check_folder(out, force=force)
        previous = previous_rows(options.compare) if options.compare else None
        found = gathered(tuple(sources), leave_out=out.resolve())
        number, shares = options.shares()
        return cls(
            options=options,
            # the place of a case in the shares does not depend on the other cases
            cases=tuple(
                c for c in found.cases if zlib.crc32(c.name.encode()) % shares == number - 1
            ),
            passed_over=found.passed_over,
            ledger=Ledger(folder=out.resolve()),
            around=surroundings(allow_outside=options.allow_outside),
            previous=previous,
        )

    def pending(self) -> tuple[Pending, ...]:
        """Decide of every case whether it has to run, and why."""
        options = self.options
        redo = RedoRule(
            time_cap=options.caps.seconds,
            memory_cap=float(options.caps.memory),
            failed=options.retry_failed,
            report=self._report_missing,
        )
        known = read_manifest(self.ledger.folder)
        found = decide(self.cases, self.ledger, self.around, redo, known=known, hashes=self.hashes)
        return tuple(found)

    def run(self, progress: BatchProgress = silent) -> BatchResult:
        """Run what has to run, and write the summary; see ``run_batch``."""
        pending = self.pending()
        rows: list[JobRow] = []
        try:
            with _interruptible():
                try:
                    clear_litter(self.ledger.folder)
                    self._run([item for item in pending if item.why], progress)
                finally:
                    # of workers that outlived their batch a moment
                    clear_litter(self.ledger.folder)
                    rows += self._rows(pending)
                    if rows and not self.options.share:  # shares run side by side; one sums them up
                        self._summarise(rows)
        except KeyboardInterrupt as stop:
            raise BatchInterrupted(len(rows), len(pending)) from stop
        compared = self.previous is not None and not self.options.share
        return BatchResult(
            folder=self.ledger.folder,
            rows=tuple(rows),
            jobs=len(pending),
            ran=sum(bool(item.why) for item in pending),
            passed_over=self.passed_over,
            changes=changes(rows, self.previous or ()) if compared else None,
        )

    def _run(self, todo: Sequence[Pending], progress: BatchProgress) -> None:
        if not todo:
            return
        make_folder(self.ledger.folder)
        costs = CaseCosts(folder=self.ledger.folder)
        keys: dict[str, CaseKey] = {item.key.digest: item.key for item in todo}
        finished = failed = 0

        def told(done: Done) -> None:
            nonlocal finished, failed
            if done.digest != done.task.digest:
                self.moved[done.task.case.name] = done.digest
            if done.seconds > 0.0:  # else another batch has done it, and measured
                costs.note(done)
            result = self.ledger.read(done.digest)
            finished += 1
            failed += result is None or result.outcome.status.failed
            progress(finished, failed, len(todo))

        progress(0, 0, len(todo))
        the_run = Run(ledger=self.ledger, caps=self.options.caps, key=keys.__getitem__)
        run_pending(todo, the_run, self._engine(), told)

    def _engine(self) -> Engine:
        options = self.options
        order = WorkerRequest(
            ledger=self.ledger.folder,
            surroundings=self.around,
            allow_outside=options.allow_outside,
            reports=options.reports,
            memory=options.caps.memory,
            parent=0,
        )
        if options.cluster is not None:
            from planner.batch.cluster import ClusterEngine

            return ClusterEngine(options.cluster, order, options.caps)
        return local_pool(
            order, options.caps, min(options.workers or _processors(), len(self.cases))
        )

    def _rows(self, pending: Sequence[Pending]) -> list[JobRow]:
        costs = CaseCosts(folder=self.ledger.folder).read()
        rows: list[JobRow] = []
        for item in pending:
            digest = self.moved.get(item.case.name, item.key.digest)
            result = item.result or self.ledger.read(digest)
            if result is None:
                continue  # not finished; the same call goes on
            report = self.ledger.report(result.digest) / "report.html"
            place = report if report.is_file() else self.ledger.path(result.digest)
            cost = costs.get(result.digest)
            rows.append(
                JobRow(
                    name=item.case.name,
                    digest=result.digest,
                    why=item.why.words,
                    cause=item.why.cause,
                    outcome=result.outcome,
                    seconds=cost.seconds if cost else float("nan"),
                    peak_bytes=cost.peak if cost else 0,
                    report=place.relative_to(self.ledger.folder).as_posix(),
                    swept=dict(item.case.swept),
                )
            )
        return rows

    def _summarise(self, rows: Sequence[JobRow]) -> None:
        """Write the summary of all results that are there, finished or interrupted."""
        folder = self.ledger.folder
        kept = read_manifest(folder)
        write_manifest(folder, kept | {row.name: row.digest for row in rows})
        write_summary(rows, folder, title=shown(folder.name), previous=self.previous)
        write_index(self.ledger)

    def _report_missing(self, result: Result) -> bool:
        """Return whether a report set was asked for that can be made and is not there."""
        status, reports = result.outcome.status, self.options.reports
        made = status.final and result.outcome.figures and status.value != "not validated"
        asked = reports == "all" or (reports == "failed" and status.failed)
        return bool(made and asked) and not self.ledger.report(result.digest).is_dir()


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Refuse a folder that holds other things than a batch, or that cannot be read.

    Raises:
        OutputError: it is such a one.
    """
    try:
        folder.resolve()
        if not folder.exists():
            return
        if not folder.is_dir():
            raise OutputError(f"{folder} is a file, not a folder; give another place with --out.")
        names = sorted(path.name for path in folder.iterdir())
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"{folder}: {reason}; give another folder with --out.") from error
    foreign = [name for name in names if name not in _OWN and not name.startswith(".")]
    if foreign and _MARK not in names and not force:
        raise OutputError(
            f"{folder}: this folder holds {foreign[0]}, which is not of a batch; give a new or "
            "empty one with --out, or --force to put the results beside it."
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a batch.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{folder}: the folder cannot be made: {reason}; give another one with --out."
        ) from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """Turn requests to end into ``KeyboardInterrupt``; those that are ignored stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears of signals
        return
    before = {number: signal.getsignal(number) for number in _REQUESTS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _processors() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def write_manifest(folder: Path, digests: Mapping[str, str]) -> None:
    """Write the digest of every case's result by the case's name, in order.

    Raises:
        OutputError: the folder cannot be written.
    """
    document = {"format": FORMAT, "cases": dict(sorted(digests.items()))}
    path = folder / NAME
    refusal = "cannot be written: {reason}; the results are kept, run the same command again"
    with whole_file(path, refusal) as fresh, fresh.open("w", encoding="utf-8", newline="") as file:
        json.dump(document, file, indent=0, ensure_ascii=True)
        file.write("\n")


def read_manifest(folder: Path) -> dict[str, str]:
    """Digests of the run before by case name; empty where there was none, or it is torn."""
    try:
        document = json.loads(read_capped(folder / NAME, Cap.SUMMARY_BYTES))
        cases = document["cases"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    if not isinstance(cases, dict):
        return {}
    return {str(name): str(digest) for name, digest in cases.items()}


def clear_litter(folder: Path) -> None:
    """Remove what was half-written, and claims, by processes that are gone.

    Nothing depends on it: nobody reads them.

    Args:
        folder: of a batch; what cannot be removed stays.
    """
    Claims(folder=folder).clear()
    for path in abandoned([path for place in _PLACES for path in folder.glob(place)]):
        with contextlib.suppress(OSError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def write_jobs(cases: Sequence[Case], folder: Path, *, allow_outside: bool) -> int:
    """Write every case of a sweep as a job file: ``rand.toml#007`` as ``rand-007.toml``.

    Files that a job names from its folder are copied to the same place beside it, so that the
    copy is judged as the case is. A file of the same content that is there already stays; all is
    looked at before anything is written, and nothing that is there is written over.

    Args:
        cases: of a batch; those that are files of their own are passed over.
        folder: where they go, by the names of their sweeps; made where it is missing.
        allow_outside: whether jobs may name files outside their folder.

    Returns:
        How many jobs are there now.

    Raises:
        OptionError: two cases, or the files they name, want one place; a job names a file by a
            path that leads elsewhere from another folder.
        OutputError: another file stands there, or the folder cannot be written.
    """
    varied = [case for case in cases if case.text]
    wanted: dict[Path, Content] = {}
    for case in varied:
        for path, content in _files(case, folder, allow_outside=allow_outside):
            if not _same(wanted.setdefault(path, content), content):
                raise OptionError(
                    f"{case.name}: {shown(str(path))} would have to hold two things; write the "
                    "jobs of one sweep after the other, each into a folder of its own."
                )
    try:
        fresh = {path: content for path, content in wanted.items() if not _is_there(path, content)}
        for path, content in fresh.items():
            _write(path, content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{shown(str(folder))}: the jobs cannot be written: {reason}; give another folder with "
            "--write-jobs."
        ) from error
    return len(varied)


def _files(case: Case, folder: Path, *, allow_outside: bool) -> Iterator[tuple[Path, Content]]:
    """The files that make a job of a case, and what is in them."""
    sweep, _, number = case.name.rpartition("#")
    name = PurePosixPath(sweep.lstrip("/"))
    place = folder / name.parent
    yield place / f"{name.name.removesuffix('.toml')}-{number}.toml", case.text
    root = case.job.parent.resolve()
    for text in names_in(raw_of(case)):
        path, pure = case.job.parent / text, PurePath(text)
        outside = _is_file(path) and not is_within(path, root)
        if not _is_file(path) or (outside and (pure.is_absolute() or not allow_outside)):
            continue  # none; or it leads there from anywhere; or the job may not read it
        if pure.is_absolute() or ".." in pure.parts:
            raise OptionError(
                f"{case.name}: it names {shown(text)}, which leads elsewhere from another folder; "
                "name the file in the base job by its path from there, without '..'."
            )
        yield place / text, path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def _same(one: Content, other: Content) -> bool:
    if isinstance(one, Path) and isinstance(other, Path):
        return one == other or filecmp.cmp(one, other, shallow=False)
    return one == other


def _is_there(path: Path, content: Content) -> bool:
    """Return whether a place holds what it should already.

    Raises:
        OutputError: it holds something else.
    """
    if not os.path.lexists(path):
        return False
    regular = path.is_file() and not path.is_symlink()
    if isinstance(content, Path):
        equal = regular and filecmp.cmp(path, content, shallow=False)
    else:
        equal = regular and path.read_bytes() == content.encode()
    if not equal:
        raise OutputError(
            f"{shown(str(path))}: there is something else already, which is not written over; give "
            "a new or empty folder with --write-jobs."
        )
    return True


def _write(path: Path, content: Content) -> None:
    """Whole or not at all, and never over what came there meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with fresh.open("xb") as file:
            if isinstance(content, Path):
                with content.open("rb") as given:
                    shutil.copyfileobj(given, file)
            else:
                file.write(content.encode())
            file.flush()
            os.fsync(file.fileno())
        _name(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _name(fresh: Path, path: Path) -> None:
    try:
        os.link(fresh, path)  # unlike a renaming, it fails where something is
    except OSError as error:
        if error.errno not in LINKLESS or os.path.lexists(path):
            raise
        fresh.rename(path)  # a file system without links
