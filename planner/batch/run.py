"""A run of a batch: hand out what is pending, take in what is done, lose nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from planner.batch.case import CaseKey
from planner.batch.claim import Claims
from planner.batch.engine import Done, Ending, Engine, Task
from planner.batch.ledger import Ledger
from planner.batch.outcome import Outcome, Status
from planner.batch.pending import Pending
from planner.batch.worker_process import Caps
from planner.errors import OutputError

_WAIT = 0.5  # [s] between two looks at what another batch works on
_MEGABYTE = 1_000_000


class Told(Protocol):
    """Hears of every result as it comes."""

    def __call__(self, done: Done, /) -> None:
        """Take note; it may raise ``KeyboardInterrupt``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Where results go and where cases end.

    Args:
        ledger: of the results.
        caps: of one case.
        key: key of a case by its digest, for results that no worker can write.
    """

    ledger: Ledger
    caps: Caps
    key: Callable[[str], CaseKey]


def run_batch(pending: Iterable[Pending], run: Run, engine: Engine, told: Told) -> None:
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
    queue = deque(Task(case=item.case, digest=item.key.digest) for item in pending if item.why)
    claims = Claims(folder=run.ledger.folder)
    held: set[str] = set()
    try:
        while queue or held:
            _hand_out(queue, claims, held, engine, run, told)
            for done in engine.wait(_WAIT):
                _take_in(done, run, told)
                claims.drop(done.task.digest)
                held.discard(done.task.digest)
            for digest in held:
                claims.touch(digest)
    finally:
        engine.close()
        for digest in held:
            claims.drop(digest)


def _hand_out(
    queue: deque[Task], claims: Claims, held: set[str], engine: Engine, run: Run, told: Told
) -> None:
    """Give tasks to the engine; those that another batch works on go to the end of the queue."""
    given: list[Task] = []
    for _ in range(len(queue)):
        if len(given) >= engine.free:
            break
        task = queue.popleft()
        if task.digest in held:
            queue.append(task)
        elif _claimed(claims, task.digest):
            held.add(task.digest)
            given.append(task)
        elif run.ledger.read(task.digest) is not None:
            told(Done(task=task, digest=task.digest, ending=Ending.WRITTEN, detail="elsewhere"))
        else:
            queue.append(task)
    engine.give(given)


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


def _take_in(done: Done, run: Run, told: Told) -> None:
    if done.ending is Ending.UNWRITABLE:
        raise OutputError(done.detail)
    if done.ending is not Ending.WRITTEN:
        run.ledger.write(run.key(done.digest), _OUTCOMES[done.ending](done, run.caps))
    told(done)


def _over_time(done: Done, caps: Caps) -> Outcome:
    del done
    return Outcome(
        status=Status.TIME_CAP,
        code="time-cap",
        message=f"took more than {caps.seconds:g} s; allow more with --time-cap.",
        cap=caps.seconds,
    )


def _over_memory(done: Done, caps: Caps) -> Outcome:
    del done
    return Outcome(
        status=Status.MEMORY_CAP,
        code="memory-cap",
        message=f"took more than {caps.memory / _MEGABYTE:g} MB of memory; allow more with "
        "--memory-cap.",
        cap=float(caps.memory),
    )


def _crashed(done: Done, caps: Caps) -> Outcome:
    del caps
    return Outcome(
        status=Status.CRASHED,
        code="crash",
        message=f"the worker died: {done.detail}. This is a bug in Palpeur, not a fault of the "
        "job.",
    )


_OUTCOMES: Mapping[Ending, Callable[[Done, Caps], Outcome]] = {
    Ending.TIME_CAP: _over_time,
    Ending.MEMORY_CAP: _over_memory,
    Ending.CRASHED: _crashed,
    Ending.LOST: _crashed,
}
