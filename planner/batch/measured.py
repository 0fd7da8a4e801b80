"""What each case cost: time and memory, beside the results because they differ from run to run."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from planner.batch.engine import Done
from planner.errors import OutputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of judging one case.

    Args:
        seconds: of work, planning and validation.
        peak: most memory that the worker held. [bytes]
    """

    seconds: float
    peak: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Costs in the folder of a ledger, one file per process that ran a batch.

    Args:
        folder: of the ledger.
    """

    folder: Path

    def note(self, done: Done) -> None:
        """Add a line; it need not survive a power cut.

        Raises:
            OutputError: the folder cannot be written.
        """
        path = self.folder / "measured" / f"{os.uname().nodename}-{os.getpid()}.jsonl"
        line = {"digest": done.digest, "seconds": round(done.seconds, 6), "peak": done.peak}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise OutputError(
                f"{path}: cannot be written: {error.strerror}; the results are kept, run the same "
                "command again.",
                path=str(path),
                errno=error.errno,
            ) from error

    def read(self) -> dict[str, Cost]:
        """Costs by digest, the last one that was noted; torn lines are passed over."""
        found: dict[str, Cost] = {}
        files = list((self.folder / "measured").glob("*.jsonl"))
        for path in sorted(files, key=lambda file: (file.stat().st_mtime, file.name)):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    said = json.loads(line)
                    cost = Cost(seconds=float(said["seconds"]), peak=int(said["peak"]))
                    found[str(said["digest"])] = cost
                except (ValueError, KeyError, TypeError):
                    continue
        return found
