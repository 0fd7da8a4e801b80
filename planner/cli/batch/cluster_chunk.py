"""What runs inside a dask worker: a watched worker process of ours for each of its threads."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

from planner.batch.case import Case
from planner.batch.engine import Done, Ending, Task
from planner.batch.pool import Pool
from planner.batch.worker_process import Caps
from planner.cli.batch.worker import order_of
from planner.errors import PlannerError, WorkerError

_LOOK = 0.5  # [s] between two looks whether the batch was given up


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """The pool of one thread, kept from chunk to chunk.

    Args:
        mark: order and caps that it was made for.
        pool: of one worker.
        busy: held while a chunk is judged; its holder alone touches the pool.
        stop: set when the batch is given up.
    """

    mark: tuple[str, str]
    pool: Pool
    busy: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)


def run_chunk(order: str, caps: str, tasks: str) -> str:
    """Judge a chunk of tasks in a process of our own beside the dask worker.

    Args:
        order: text of an ``Order``.
        caps: text of ``Caps``.
        tasks: list of task documents.

    Returns:
        List of the ends, in the order of the tasks.

    Raises:
        WorkerError: the batch was given up meanwhile.
    """
    kept = _kept(order, caps)
    todo = [_task(said) for said in json.loads(tasks)]
    with kept.busy:
        try:
            return json.dumps([_document(_end(task, kept)) for task in todo])
        except PlannerError as error:
            if kept.stop.is_set():
                raise
            return json.dumps([_document(_not_done(task, error)) for task in todo])
        finally:
            if kept.stop.is_set():
                kept.pool.close()


def end_pools() -> None:
    """End the workers of ours beside a dask worker, which calls this."""
    kept = _all_kept()
    for mine in list(kept.values()):
        _give_up(mine)
    kept.clear()


def _give_up(kept: _Kept) -> None:
    kept.stop.set()
    if kept.busy.acquire(blocking=False):  # else whoever holds it sees that it has to stop
        try:
            kept.pool.close()
        finally:
            kept.busy.release()


def _end(task: Task, kept: _Kept) -> Done:
    kept.pool.give([task])
    while not kept.stop.is_set():
        for done in kept.pool.wait(_LOOK):
            return done
    raise WorkerError("The batch was given up.")


def _kept(order: str, caps: str) -> _Kept:
    """The watched worker of this thread of a dask worker."""
    from planner.cli.batch.local import local_pool

    everything, thread, mark = _all_kept(), threading.get_ident(), (order, caps)
    mine = everything.get(thread)
    if mine is not None and mine.mark != mark:  # of a batch whose command was killed
        _give_up(mine)
        mine = None
    if mine is None or mine.stop.is_set():
        pool = local_pool(order_of(order), Caps(**json.loads(caps)), workers=1)
        mine = everything[thread] = _Kept(mark=mark, pool=pool)
    return mine


def _all_kept() -> dict[int, _Kept]:
    """By thread; held by the dask worker, so that they end with it."""
    from distributed import get_worker

    kept: dict[int, _Kept] = vars(get_worker()).setdefault("palpeur_pools", {})
    return kept


def _task(said: dict[str, str]) -> Task:
    case = Case(name=said["name"], job=Path(said["job"]), text=said["text"])
    return Task(case=case, digest=said["digest"])


def _not_done(task: Task, error: PlannerError) -> Done:
    return Done(task=task, digest=task.digest, ending=Ending.UNWRITABLE, detail=error.message)


def _document(done: Done) -> dict[str, object]:
    return {
        "digest": done.digest,
        "ending": done.ending.value,
        "detail": done.detail,
        "seconds": done.seconds,
        "peak": done.peak,
    }
