"""Batches that judge in this process, for tests that are not about processes."""

from __future__ import annotations

import time
from functools import cache

from planner.batch import batch, surroundings, worker
from planner.batch.engine import Done, Ending
from planner.batch.ledger import Ledger


class Here:
    """An engine that judges in this process, as a worker does: no process to start, no caps."""

    free = 1

    def __init__(self, order: worker.WorkerRequest) -> None:
        self._worker = worker._Worker(order=order, ledger=Ledger(folder=order.ledger))
        self._tasks: list = []

    def give(self, tasks):
        self._tasks += tasks

    def wait(self, seconds):
        del seconds
        done, self._tasks = [self._done(task) for task in self._tasks], []
        return done

    def close(self):
        """Nothing has been started."""

    def _done(self, task):
        began = time.monotonic()
        said = self._worker.do(task.document())
        return Done(
            task=task,
            digest=said["digest"],
            ending=Ending(said["ending"]),
            detail=said["detail"],
            seconds=time.monotonic() - began,
            peak=said["peak"],
        )


_hashed = cache(surroundings._code)


def hash_code_once(patch):
    """Palpeur's files do not change during the tests; reading all takes as long as a small job."""
    patch.setattr(surroundings, "_code", _hashed)


def judge_here(patch):
    """Let batches judge in this process until the patch is undone."""
    hash_code_once(patch)
    patch.setattr(batch, "local_pool", lambda order, *_: Here(order))
