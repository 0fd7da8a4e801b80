"""A run of a batch: hand out what is pending, take in what is done, lose nothing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from planner.batch.case import Case, CaseKey, Environment, FileHashes, key_of
from planner.batch.engine import CaseTask, Done, Ending, Engine
from planner.batch.ledger import STALE_AFTER, Claims, Ledger, Result
from planner.batch.outcome import CaseStatus, Outcome
from planner.batch.pool import Caps
from planner.errors import OutputError

_WAIT = 0.5  # [s] between two looks at what another batch works on
_TOUCH = STALE_AFTER / 6.0  # [s] between two touches of a claim
_MEGABYTE = 1_000_000


def _over_time(done: Done, caps: Caps) -> Outcome:
    del done
    return Outcome(
        status=CaseStatus.TIME_CAP,
        code="time-cap",
        message=f"took more than {caps.seconds:g} s; allow more with --time-cap.",
        cap=caps.seconds,
    )


def _over_memory(done: Done, caps: Caps) -> Outcome:
    del done
    return Outcome(
        status=CaseStatus.MEMORY_CAP,
        code="memory-cap",
        message=f"took more than {caps.memory / _MEGABYTE:g} MB of memory; allow more with "
        "--memory-cap.",
        cap=float(caps.memory),
    )


def _crashed(done: Done, caps: Caps) -> Outcome:
    del caps
    return Outcome(
        status=CaseStatus.CRASHED,
        code="crash",
        message=f"the worker failed: {done.detail}. This is a bug in Palpeur, not a fault of the "
        "job; workers.log has more.",
    )


_OUTCOMES: Mapping[Ending, Callable[[Done, Caps], Outcome]] = {
    Ending.TIME_CAP: _over_time,
    Ending.MEMORY_CAP: _over_memory,
    Ending.CRASHED: _crashed,
    Ending.LOST: _crashed,
}


class ResultListener(Protocol):
    """Hears of every result as it comes."""

    def __call__(self, done: Done, /) -> None:
        """Take note; it may raise ``KeyboardInterrupt``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Destination of the results, and the limits of a case.

    Args:
        ledger: of the results.
        caps: of one case.
        key: key of a case by its digest, for results that no worker can write.
    """

    ledger: Ledger
    caps: Caps
    key: Callable[[str], CaseKey]


def run_pending(pending: Iterable[Pending], run: Run, engine: Engine, told: ResultListener) -> None:
    """Judge every pending case; when this returns each one has its result.

    Args:
        pending: cases that have to run; others are passed over.
        run: where results go.
        engine: that judges; it is closed in any case.
        told: hears of every result.

    Raises:
        OutputError: the ledger cannot be written; what was finished before is kept.
        KeyboardInterrupt: likewise.
    """
    todo = [item for item in pending if item.why]
    desk = _Desk(
        run=run,
        told=told,
        queue=deque(CaseTask(case=item.case, digest=item.key.digest) for item in todo),
        stale={item.key.digest: item.stale.outcome for item in todo if item.stale is not None},
        claims=Claims(folder=run.ledger.folder),
    )
    touched = time.monotonic()
    try:
        while desk.queue or desk.held:
            desk.hand_out(engine)
            for done in engine.wait(_WAIT):
                desk.take_in(done)
            if time.monotonic() - touched > _TOUCH:
                touched = time.monotonic()
                desk.say_going_on()
    finally:
        try:
            engine.close()
        finally:
            desk.give_up()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """Pending and running tasks.

    Args:
        run: where results go.
        told: hears of every result.
        queue: tasks that nobody works on yet.
        stale: outcomes that were there when it was decided to do them again, by digest.
        claims: of this process.
        held: digests that the engine works on.
        finished: digests that came to an end in this run.
    """

    run: Run
    told: ResultListener
    queue: deque[CaseTask]
    stale: Mapping[str, Outcome]
    claims: Claims
    held: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)

    def hand_out(self, engine: Engine) -> None:
        """Give tasks to the engine; those that others work on go to the end of the queue."""
        given: list[CaseTask] = []
        free = engine.free
        for _ in range(len(self.queue)):
            if len(given) >= free:
                break
            task = self.queue.popleft()
            if task.digest in self.held:
                self.queue.append(task)
            elif self._done_elsewhere(task.digest):
                self.told(_elsewhere(task))
            elif not _claimed(self.claims, task.digest):
                self.queue.append(task)
            elif self._done_elsewhere(task.digest):  # between the look and the claim
                self.claims.drop(task.digest)
                self.told(_elsewhere(task))
            else:
                self.held.add(task.digest)
                given.append(task)
        if given:
            engine.give(given)

    def take_in(self, done: Done) -> None:
        """Make a result of what a worker could not write one for."""
        if done.ending is Ending.UNWRITABLE:
            raise OutputError(done.detail)
        if done.ending is not Ending.WRITTEN:
            outcome = _OUTCOMES[done.ending](done, self.run.caps)
            self.run.ledger.write(self.run.key(done.digest), outcome)
        self.held.discard(done.task.digest)
        self.finished.add(done.task.digest)
        self.claims.drop(done.task.digest)
        self.told(done)

    def say_going_on(self) -> None:
        """Keep the claims of this process from looking abandoned."""
        for digest in self.held:
            self.claims.touch(digest)

    def give_up(self) -> None:
        """Leave to others what was not finished."""
        for digest in self.held:
            self.claims.drop(digest)

    def _done_elsewhere(self, digest: str) -> bool:
        """Return whether it came to a result since it was decided that it has to run."""
        if digest in self.finished:
            return True
        result = self.run.ledger.read(digest)
        return result is not None and result.outcome != self.stale.get(digest)


def _elsewhere(task: CaseTask) -> Done:
    return Done(task=task, digest=task.digest, ending=Ending.WRITTEN, detail="elsewhere")


def _claimed(claims: Claims, digest: str) -> bool:
    try:
        return claims.take(digest)
    except OSError as error:
        raise OutputError(
            f"{claims.folder}: the folder cannot be written: {error.strerror}. What was finished "
            "before is kept; make room or give another folder with --out, and run the same command "
            "again.",
            errno=error.errno,
        ) from error


@dataclass(frozen=True, slots=True)
class Why:
    """Why a case has to run; false where it has not.

    Args:
        cause: such as "input changed"; that of the first of several.
        words: the whole of it, such as "input changed: plate.stl".
    """

    cause: str = ""
    words: str = ""

    def __bool__(self) -> bool:
        """Return whether there is a cause."""
        return bool(self.cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A case and whether it has to run.

    Args:
        case: the job.
        key: what its result depends on now.
        why: it has to run; nothing where its result is there.
        result: that is there; None where the case has to run.
        stale: result that is there and not taken.
    """

    case: Case
    key: CaseKey
    why: Why
    result: Result | None = None
    stale: Result | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RedoRule:
    """Which existing results are computed again.

    Args:
        time_cap: of this run; results that a smaller one ended are redone. [s]
        memory_cap: likewise. [bytes]
        failed: redo every result that a cap or a crash ended.
        report: whether the result of a key needs a report set that is missing.
    """

    time_cap: float
    memory_cap: float
    failed: bool = False
    report: Callable[[Result], bool] = lambda _: False


def decide(
    cases: Sequence[Case],
    ledger: Ledger,
    surroundings: Environment,
    redo: RedoRule,
    *,
    known: Mapping[str, str],
    hashes: FileHashes,
) -> Iterator[Pending]:
    """For every case: whether it has to run, and why.

    Args:
        cases: of the batch.
        ledger: results that are there.
        surroundings: of this run.
        redo: which of them are not taken.
        known: digest of the key that each case had in the run before, by name.
        hashes: of files that were read already.
    """
    for case in cases:
        key = key_of(case, surroundings, hashes)
        result = ledger.read(key.digest)
        if result is None:
            why = _why_missing(case, key, ledger, known)
        else:
            why = _why_again(case, result, redo, hashes)
        taken, stale = (None, result) if why else (result, None)
        yield Pending(case=case, key=key, why=why, result=taken, stale=stale)


def _why_missing(case: Case, key: CaseKey, ledger: Ledger, known: Mapping[str, str]) -> Why:
    if ledger.path(key.digest).exists():
        return _because("result corrupted")
    before = known.get(case.name)
    if before is None:
        return _because("new")
    old = ledger.read(before)
    if old is None:
        return _because("not finished before")
    return _difference(old.key, key.document()) or _because("new")


def _why_again(case: Case, result: Result, redo: RedoRule, hashes: FileHashes) -> Why:
    outcome = result.outcome
    for name, digest in outcome.inputs.items():
        if hashes.of(case.job.parent / name) != digest:
            return _because("input changed", name)
    status = outcome.status
    if status is CaseStatus.CRASHED:
        return _because("failed before", "its worker died")
    if not status.final:
        cap = redo.time_cap if status is CaseStatus.TIME_CAP else redo.memory_cap
        if redo.failed or cap > outcome.cap:
            return _because("failed before", outcome.message)
    return _because("report missing") if redo.report(result) else Why()


def _difference(old: Mapping[str, object], new: Mapping[str, object]) -> Why:
    """The parts of two keys that differ."""
    found = [
        *_changed(old, new, "inputs", "input"),
        *_changed(old, new, "parameters", "parameter", values=True),
        *_changed(old, new, "environment", "version", values=True),
    ]
    if old.get("code") != new.get("code"):
        found.append(_because("code changed"))
    cause = found[0].cause if found else ""
    return Why(cause, "; ".join(one.words for one in found))


def _because(cause: str, detail: str = "") -> Why:
    return Why(cause, f"{cause}: {detail}" if detail else cause)


def _changed(
    old: Mapping[str, object],
    new: Mapping[str, object],
    part: str,
    called: str,
    *,
    values: bool = False,
) -> Iterator[Why]:
    before, after = _part(old, part), _part(new, part)
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        if values:
            was, now = before.get(name, "none"), after.get(name, "none")
            yield _because(f"{called} changed", f"{name} {was} → {now}")
        else:
            word = (
                "changed"
                if name in before and name in after
                else ("added" if name in after else "removed")
            )
            yield _because(f"{called} {word}", name)


def _part(key: Mapping[str, object], part: str) -> Mapping[str, object]:
    found = key.get(part)
    return found if isinstance(found, dict) else {}
