"""What a batch is asked for on the command line."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from planner.batch.worker_process import Caps
from planner.cli.batch.scheduler import address_of
from planner.errors import OptionError
from robots.core.caps import Cap

REPORTS = ("none", "failed", "all")
_MEGABYTE = 1_000_000
_LEAST_MEMORY = 500.0  # [MB]; the libraries alone take as much


def processors() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of ``palpeur batch``, as they were typed.

    Args:
        sources: of the jobs.
        out: folder of the results.
        workers: processes; 0 for one per processor.
        cluster: address of a scheduler; None for this machine.
        share: "I/N"; empty for all.
        dry_run: only list.
        retry_failed: run again what a cap ended.
        time_cap: [s]
        memory_cap: [MB]
        reports: "none", "failed" or "all".
        compare: folder of another batch; empty for none.
        write_jobs: folder that takes the jobs of sweeps; empty for none.
        as_json: whether totals are printed as JSON.
        allow_outside: whether jobs may name files outside their folder.
    """

    sources: tuple[str, ...]
    out: str
    workers: int
    cluster: str | None
    share: str
    dry_run: bool
    retry_failed: bool
    time_cap: float
    memory_cap: float
    reports: str
    compare: str
    write_jobs: str
    as_json: bool
    allow_outside: bool

    def check(self) -> None:
        """Refuse options with unusable values.

        Raises:
            OptionError: the first of them.
        """
        paths = {"--out": self.out, "--compare": self.compare, "--write-jobs": self.write_jobs}
        for option, path in paths.items():
            if "\0" in path:
                raise OptionError(f"{option} is {path!r}, which is no path: it holds a NUL.")
        if self.write_jobs and not self.dry_run:
            raise OptionError(
                "--write-jobs only writes the jobs of sweeps, and judges none; give --dry-run too."
            )
        most = Cap.BATCH_WORKERS
        if not 0 <= self.workers <= most.limit:
            advice = f"; {most.advice}" if self.workers > 0 else ""
            raise OptionError(
                f"--workers is {self.workers}; give 1 to {most.limit}, or 0 for one per processor"
                f"{advice}."
            )
        if not (math.isfinite(self.time_cap) and self.time_cap > 0.0):
            raise OptionError(f"--time-cap is {self.time_cap:g}; give seconds above 0.")
        if not (math.isfinite(self.memory_cap) and self.memory_cap >= _LEAST_MEMORY):
            raise OptionError(
                f"--memory-cap is {self.memory_cap:g}; give at least {_LEAST_MEMORY:g} MB, which "
                "the libraries alone take."
            )
        if self.reports not in REPORTS:
            raise OptionError(f"--reports is {self.reports!r}; there are {', '.join(REPORTS)}.")
        self.shares()
        if self.cluster is not None:
            address_of(self.cluster)

    @property
    def caps(self) -> Caps:
        """Where one case is ended."""
        return Caps(seconds=self.time_cap, memory=int(self.memory_cap * _MEGABYTE))

    @property
    def processes(self) -> int:
        """Workers on this machine."""
        return self.workers or processors()

    def shares(self) -> tuple[int, int]:
        """Which share of how many, from 1.

        Raises:
            OptionError: this is no share.
        """
        if not self.share:
            return 1, 1
        head, _, tail = self.share.partition("/")
        if head.isdecimal() and tail.isdecimal() and 1 <= int(head) <= int(tail):
            return int(head), int(tail)
        raise OptionError(f"--share is {self.share!r}; give it as 3/20, from 1/20 to 20/20.")
