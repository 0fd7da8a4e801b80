"""The stages of long work on a terminal: one line each, with what is done and what is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from planner.cli.session import Session
from planner.progress import Progress, silent
from reports.console import console_on


@contextmanager
def progress_of(session: Session) -> Iterator[Progress]:
    """Progress on stderr where somebody watches a terminal; silence anywhere else.

    A bar shows counted units of its own stage, never a guess over stages to come.
    """
    if session.quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bars,
    )

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    stages: dict[str, TaskID] = {}
    with Bars(*columns, console=console_on(sys.stderr), transient=True) as bars:

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total)
            bars.update(stages[stage], completed=done, total=total)

        yield tell
