"""Time and memory of each case, kept apart from the results because they vary from run to run."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from planner.batch.engine import Done
from planner.errors import OutputError
from planner.processes import host
from robots.core.caps import Cap, read_capped


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCost:
    """Of judging one case.

    Args:
        seconds: of work, planning and validation.
        peak: most memory that the worker held. [bytes]
    """

    seconds: float
    peak: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCosts:
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
        path = self.folder / "measured" / f"{host()}-{os.getpid()}.jsonl"
        line = {"digest": done.digest, "seconds": round(done.seconds, 6), "peak": done.peak}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_to_append(path) as file:
                file.write(json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise OutputError(
                f"{path}: cannot be written: {error.strerror}; the results are kept, run the same "
                "command again.",
                path=str(path),
                errno=error.errno,
            ) from error

    def read(self) -> dict[str, CaseCost]:
        """Costs by digest, the last one that was noted; what cannot be read is passed over."""
        found: dict[str, CaseCost] = {}
        for path in _in_order(self.folder / "measured"):
            with contextlib.suppress(OSError):
                found |= _costs(read_capped(path, Cap.SUMMARY_BYTES))
        return found


def _in_order(folder: Path) -> Iterator[Path]:
    """Files that say what was measured, the last one that was written to at the end."""
    files: list[tuple[float, str, Path]] = []
    for path in folder.glob("*.jsonl"):
        with contextlib.suppress(OSError):  # gone meanwhile, or a link to nowhere
            files.append((path.stat().st_mtime, path.name, path))
    yield from (path for *_, path in sorted(files))


def _costs(raw: bytes) -> dict[str, CaseCost]:
    """Costs of one file; torn lines are passed over."""
    found: dict[str, CaseCost] = {}
    for line in raw.decode("utf-8", errors="replace").splitlines():
        try:
            said = json.loads(line)
            cost = CaseCost(seconds=float(said["seconds"]), peak=int(said["peak"]))
            found[str(said["digest"])] = cost
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
    return found


def open_to_append(path: Path) -> BinaryIO:
    """Open a file, made where there is none; a pipe that nobody reads is refused, not waited for.

    Raises:
        OSError: it cannot be written.
    """
    return open(path, "ab", opener=_not_waiting)


def _not_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
