"""Processes of a batch: a dask cluster of real ones, and which of ours still run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

_QUIET = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
_LIMIT = 60.0  # [s] for processes of the cluster to be there
_OURS = b"planner.batch.worker"


def worker_processes(*, of: set[int] | None = None, ledger: Path | None = None) -> list[int]:
    """Ids of worker processes of ours that run.

    Args:
        of: ids of their parents; None for any.
        ledger: folder of the results that they write, which their order names; None for any.
    """
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            command = path.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if fields[0] == "Z" or _OURS not in command:
            continue
        if of is not None and int(fields[1]) not in of:
            continue
        if ledger is None or json.dumps(str(ledger.resolve())).encode() in command:
            found.append(int(path.parent.name))
    return found


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.scheduler = None
        self.workers = []
        self.address = ""

    def start_scheduler(self):
        place = self.folder / "scheduler.json"
        place.unlink(missing_ok=True)
        self.scheduler = self._start(
            *("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--no-show", "--scheduler-file", place),
        )
        self._until(lambda: place.exists() and place.read_text().rstrip().endswith("}"))
        self.address = json.loads(place.read_text())["address"]

    def start_worker(self):
        return self._start(
            *("dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
            *("--host", "127.0.0.1", "--local-directory", self.folder, "--death-timeout", "60"),
        )

    def log(self):
        """What the workers said."""
        return (self.folder / "dask_worker.log").read_text()

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()

    def _start(self, module, *arguments):
        with (self.folder / f"{module}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | _QUIET,
            )
        self.processes.append(process)
        return process

    def _until(self, wanted):
        limit = time.monotonic() + _LIMIT
        while not wanted():
            assert time.monotonic() < limit
            time.sleep(0.01)
