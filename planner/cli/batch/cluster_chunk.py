"""What runs inside a dask worker: a watched worker process of ours for each of its threads."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from planner.batch.case import Case
from planner.batch.engine import Done, Ending, Task
from planner.batch.pool import Pool
from planner.batch.worker_process import Caps
from planner.cli.batch.worker import order_of
from planner.errors import PlannerError

if TYPE_CHECKING:
    from distributed import Worker

_LOOK = 0.5  # [s] between two looks whether the batch was given up
_POOLS = "palpeur_pools"  # attribute of a dask worker, so that what it keeps ends with it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """The pool of one thread, kept from chunk to chunk.

    Args:
        batch: token of the batch that it was made for.
        pool: of one worker.
        busy: held while a chunk is judged; its holder alone touches the pool.
        stop: set when the batch is given up.
    """

    batch: str
    pool: Pool
    busy: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pools:
    """What a dask worker keeps for the batches that it serves.

    Args:
        kept: pools by thread of the dask worker.
        ended: tokens of batches that are over; a chunk of theirs that comes late is refused.
        lock: held while either is read or changed.
    """

    kept: dict[int, _Kept] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


def run_chunk(batch: str, order: str, caps: str, tasks: str) -> str:
    """Judge a chunk of tasks in a process of our own beside the dask worker.

    Args:
        batch: token of the run of the command that sends it.
        order: text of an ``Order``.
        caps: text of ``Caps``.
        tasks: list of task documents.

    Returns:
        List of the ends, in the order of the tasks; cut short when the batch was given up
        meanwhile, and nobody waits for it any more.
    """
    from distributed import get_worker

    kept = _kept(_pools(get_worker()), batch, order, caps)
    if kept is None:
        return "[]"
    todo = [_task(said) for said in json.loads(tasks)]
    with kept.busy:
        try:
            ends = [end for task in todo if (end := _end(task, kept)) is not None]
        except PlannerError as error:
            ends = [_not_done(task, error) for task in todo]
        finally:
            if kept.stop.is_set():
                kept.pool.close()
    return json.dumps([_document(end) for end in ends])


async def end_pools(batch: str, dask_worker: Worker) -> None:
    """End the worker processes that a batch has beside a dask worker, and wait for their end.

    Args:
        batch: token of the batch; pools of other batches stay.
        dask_worker: given by dask, which runs this in the worker's own event loop, where
            ``get_worker`` knows none.
    """
    pools = _pools(dask_worker)
    with pools.lock:
        pools.ended.add(batch)
        mine = [thread for thread, kept in pools.kept.items() if kept.batch == batch]
        ending = [pools.kept.pop(thread) for thread in mine]
    await asyncio.gather(*(asyncio.to_thread(_give_up, kept) for kept in ending))


def _give_up(kept: _Kept) -> None:
    """End a pool; whoever judges a chunk with it stops first."""
    kept.stop.set()
    with kept.busy:
        kept.pool.close()


def _end(task: Task, kept: _Kept) -> Done | None:
    """How a task ended; None when the batch was given up."""
    if not kept.stop.is_set():
        kept.pool.give([task])
    while not kept.stop.is_set():
        for done in kept.pool.wait(_LOOK):
            return done
    return None


def _kept(pools: _Pools, batch: str, order: str, caps: str) -> _Kept | None:
    """The watched worker of this thread of a dask worker; None when the batch is over."""
    from planner.cli.batch.local import local_pool

    thread = threading.get_ident()
    with pools.lock:
        if batch in pools.ended:
            return None
        mine = pools.kept.get(thread)
        if mine is not None and mine.batch == batch:
            return mine
        pool = local_pool(order_of(order), Caps(**json.loads(caps)), workers=1)
        fresh = pools.kept[thread] = _Kept(batch=batch, pool=pool)
    if mine is not None:  # of another batch, or of one whose command was killed
        _give_up(mine)
    return fresh


def _pools(worker: Worker) -> _Pools:
    pools: _Pools = vars(worker).setdefault(_POOLS, _Pools())
    return pools


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
