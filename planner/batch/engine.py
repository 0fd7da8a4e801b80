"""Engines: run the tasks of a batch and report their end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from planner.batch.case import Case


class Ending(Enum):
    """How a task ended."""

    WRITTEN = "written"  # its result is in the ledger
    TIME_CAP = "time cap"
    MEMORY_CAP = "memory cap"
    CRASHED = "crashed"  # the worker died of the task, as often as it was tried
    LOST = "lost"  # the worker is gone for reasons of its own; the task has not been done
    UNWRITABLE = "unwritable"  # the ledger could not be written


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTask:
    """A case that is to be judged.

    Args:
        case: the job.
        digest: of its key as it was decided.
    """

    case: Case
    digest: str

    def document(self) -> dict[str, str]:
        """As it is handed to a worker."""
        return self.case.document() | {"digest": self.digest}


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A task that came to its end.

    Args:
        task: which.
        digest: of the key its result lies under; another than the task's where an input changed
            meanwhile.
        ending: how.
        detail: what the worker said, for a reader.
        seconds: of work.
        peak: most memory the worker held. [bytes]
    """

    task: CaseTask
    digest: str
    ending: Ending
    detail: str = ""
    seconds: float = 0.0
    peak: int = 0


class Engine(Protocol):
    """Runs tasks somewhere."""

    @property
    def free(self) -> int:
        """How many tasks can be given now without waiting behind others."""

    def give(self, tasks: Sequence[CaseTask]) -> None:
        """Take tasks, at most ``free`` of them."""

    def wait(self, seconds: float) -> Sequence[Done]:
        """Tasks that ended; waits for the first one at most so long."""

    def close(self) -> None:
        """End everything: a result that is being written is finished, other work is given up."""
