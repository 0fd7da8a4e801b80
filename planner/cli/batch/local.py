"""Workers of a batch on this machine."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from planner.batch.pool import Pool, PoolOptions
from planner.batch.worker_process import Caps
from planner.cli.batch.worker import Order


def local_pool(order: Order, caps: Caps, workers: int) -> Pool:
    """A pool of worker processes.

    Args:
        order: what each is told.
        caps: of one case.
        workers: how many.
    """
    text = replace(order, parent=os.getpid()).text()
    return Pool(
        PoolOptions(
            # -P: nothing of the folder that the command runs in is imported
            command=(sys.executable, "-P", "-m", "planner.cli.batch.worker", text),
            workers=workers,
            caps=caps,
            log=order.ledger / "workers.log",
        )
    )
