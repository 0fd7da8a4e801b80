"""Session of a command: verbosity and messages."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from planner.progress import Progress, silent
from reports.console import rich_console

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of the command; results go to stdout, everything said here to stderr."""

    quiet: bool = False
    force: bool = False  # whether files that are not Palpeur's may be replaced

    def forced(self, force: bool) -> Session:
        """The same run, told whether it may replace files that are not Palpeur's."""
        return replace(self, force=force)

    def say(self, text: str) -> None:
        """A message that a quiet run leaves out."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def tell_of_compiling(self) -> None:
        """Say once, on a terminal, why the first run on a machine takes longer."""
        if not self.quiet and sys.stderr.isatty():
            logger = logging.getLogger("palpeur.kernels")
            logger.handlers = [_Once()]
            logger.setLevel(logging.INFO)
            logger.propagate = False

    def watched(
        self, items: Iterable[Item], purpose: str, total: int | None = None
    ) -> Iterable[Item]:
        """The items, with a progress bar and an estimate where somebody watches a terminal.

        Args:
            items: what is worked on.
            purpose: of the work, in a word.
            total: number of items, where they have no length of their own.
        """
        count = total if total is not None else len(items) if isinstance(items, Sized) else 0
        if self.quiet or not sys.stderr.isatty() or count < 2:
            return items
        from rich.progress import track

        return track(
            items,
            description=purpose,
            total=count,
            console=rich_console(sys.stderr),
            transient=True,
        )


class _Once(logging.Handler):
    """The first record that arrives, as one sentence."""

    told = False

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        del record
        if not self.told:
            self.told = True
            print(
                "Compiling for this processor, once per machine: up to a minute.", file=sys.stderr
            )


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
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    stages: dict[str, TaskID] = {}
    with Bars(*columns, console=rich_console(sys.stderr), transient=True) as bars:

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total)
            bars.update(stages[stage], completed=done, total=total)

        yield tell
