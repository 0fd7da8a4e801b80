"""Progress of a batch on stderr: a bar with rate and estimate, or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from planner.batch.batch import BatchProgress
from planner.cli.session import Session
from reports.console import console_on

_EVERY = 30.0  # [s] between two lines where no terminal is watched


@contextmanager
def telling(session: Session) -> Iterator[BatchProgress]:
    """Show on stderr how far a batch is."""
    show = _bar() if sys.stderr.isatty() and not session.quiet else _lines(session)
    with show as tell:
        yield tell


@contextmanager
def _bar() -> Iterator[BatchProgress]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

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
        bar = bars.add_task("jobs", total=None, rate="", failed=0)
        began = time.monotonic()

        def tell(done: int, failed: int, total: int, /) -> None:
            rate = f"{done / max(time.monotonic() - began, 1e-9):.1f}/s" if done else ""
            bars.update(bar, completed=done, total=total, rate=rate, failed=failed)

        yield tell


@contextmanager
def _lines(session: Session) -> Iterator[BatchProgress]:
    began = last = time.monotonic()

    def tell(done: int, failed: int, total: int, /) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _EVERY or not done:
            return
        last = now
        rate = done / (now - began)
        left = (total - done) / rate
        session.say(
            f"{done} of {total} jobs, {failed} failed, {rate:.1f} per second, about {left:.0f} s "
            "left"
        )

    yield tell
