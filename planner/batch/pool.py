"""Workers on this machine."""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from planner.batch.engine import CaseTask, Done, Ending
from planner.batch.worker_process import Caps, WorkerProcess

TRIES = 3  # of a task whose worker is killed from outside
_WATCH = 0.02  # [s] between two looks at a worker's memory
_GRACE = 10.0  # [s] to finish a result that is being written


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOptions:
    """What a pool is made of.

    Args:
        command: that starts a worker.
        workers: how many.
        caps: of one task.
        log: file that takes what workers say on stderr.
    """

    command: Sequence[str]
    workers: int
    caps: Caps
    log: Path


class WorkerPool:
    """An engine of worker processes on this machine (see ``planner.batch.engine.Engine``)."""

    def __init__(self, options: PoolOptions) -> None:
        self._said: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._workers = [
            WorkerProcess(
                command=options.command, caps=options.caps, log=options.log, heard=self._said
            )
            for _ in range(options.workers)
        ]
        self._tries: dict[str, int] = {}

    @property
    def free(self) -> int:
        """Workers without a task."""
        return sum(worker.task is None for worker in self._workers)

    def give(self, tasks: Sequence[CaseTask]) -> None:
        """Hand a task to each free worker."""
        idle = [worker for worker in self._workers if worker.task is None]
        for worker, task in zip(idle, tasks, strict=False):
            self._hand(worker, task)

    def wait(self, seconds: float) -> Sequence[Done]:
        """Tasks that ended, the caps watched meanwhile."""
        until = time.monotonic() + seconds
        while True:
            done = [end for worker in self._workers if (end := self._heard(worker)) is not None]
            left = until - time.monotonic()
            if done or left <= 0:
                return done
            self._sleep(min(left, _WATCH))

    def close(self) -> None:
        """End every worker, all of them within the same grace."""
        for worker in self._workers:
            worker.ask_to_end()
        until = time.monotonic() + _GRACE
        for worker in self._workers:
            worker.end(grace=max(0.0, until - time.monotonic()))

    def _hand(self, worker: WorkerProcess, task: CaseTask) -> None:
        if not worker.alive:
            worker.end()
            worker.start()
        worker.give(task)

    def _heard(self, worker: WorkerProcess) -> Done | None:
        """The end of a worker's task; a task whose worker was killed is handed out again."""
        done = worker.listen()
        if done is None or done.ending is not Ending.LOST:
            return done
        tried = self._tries.get(done.digest, 1)
        if tried < TRIES:
            self._tries[done.digest] = tried + 1
            self._hand(worker, done.task)
            return None
        return replace(done, ending=Ending.CRASHED, detail=f"it was killed {TRIES} times")

    def _sleep(self, seconds: float) -> None:
        """Wait until a worker says something, at most so long."""
        try:
            self._said.get(timeout=seconds)
        except queue.Empty:
            return
        while not self._said.empty():
            self._said.get()
