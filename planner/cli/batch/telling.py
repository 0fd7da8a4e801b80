"""How a batch tells how far it is: a bar with rate and estimate, or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from planner.batch.engine import Done
from planner.batch.ledger import Ledger
from planner.batch.measured import Costs
from planner.batch.run import Told
from planner.cli.session import Session
from reports.console import console_on

_EVERY = 30.0  # [s] between two lines where no terminal is watched


@contextmanager
def telling(session: Session, total: int, ledger: Ledger, costs: Costs) -> Iterator[Told]:
    """Hear of every result: note what it cost, show how far the batch is.

    Args:
        session: quiet or not.
        total: cases that run.
        ledger: of the results.
        costs: of the results.
    """
    show = _bar if sys.stderr.isatty() and not session.quiet else _lines
    failed = 0
    done_of = 0
    with show(session, total) as tell:

        def told(done: Done) -> None:
            nonlocal failed, done_of
            if done.seconds > 0.0:  # else another batch has done it, and measured
                costs.note(done)
            result = ledger.read(done.digest)
            failed += result is None or result.outcome.status.failed
            done_of += 1
            tell(done_of, failed)

        yield told


@contextmanager
def _bar(session: Session, total: int) -> Iterator[Callable[[int, int], None]]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    del session
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
    with Progress(*columns, console=console_on(sys.stderr), transient=True) as bars:
        bar = bars.add_task("jobs", total=total, rate="", failed=0)
        began = time.monotonic()

        def tell(done: int, failed: int) -> None:
            rate = done / max(time.monotonic() - began, 1e-9)
            bars.update(bar, completed=done, rate=f"{rate:.1f}/s", failed=failed)

        yield tell


@contextmanager
def _lines(session: Session, total: int) -> Iterator[Callable[[int, int], None]]:
    began = last = time.monotonic()

    def tell(done: int, failed: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _EVERY:
            return
        last = now
        rate = done / (now - began)
        left = (total - done) / rate
        session.say(
            f"{done} of {total} jobs, {failed} failed, {rate:.1f} per second, about {left:.0f} s "
            "left"
        )

    yield tell
