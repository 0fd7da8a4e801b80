"""Claims: who works on a key, so that two batches on one folder share the work.

A claim is a file that only one process can create. It is a courtesy, not a lock on the truth: where
it fails two processes find the same bytes, and the second rename changes nothing. A claim of a
process that is gone is taken over: on the same host when its process id is free or its boot is
another, on other hosts when the claim has not been touched for a while by the folder's own clock.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from planner.processes import LINKLESS, PARTIAL, boot, half_written, host, own_start, started
from robots.core.caps import Cap, read_capped

STALE_AFTER = 60.0  # [s] without a touch, for claims of other hosts
_CLOCK = ".clock."
_PID = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Claims of one process on the keys of a ledger.

    Args:
        folder: of the ledger.
    """

    folder: Path

    def take(self, digest: str) -> bool:
        """Whether this process now works on the key.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self._path(digest)
        if _create(path):
            return True
        if not self._abandoned(path):
            return False
        path.unlink(missing_ok=True)
        return _create(path)

    def touch(self, digest: str) -> None:
        """Say that the work goes on; that it cannot be said is no reason to stop."""
        with contextlib.suppress(OSError):
            os.utime(self._path(digest))

    def drop(self, digest: str) -> None:
        """The work is done, or given up; a claim that cannot be removed is found abandoned."""
        with contextlib.suppress(OSError):
            self._path(digest).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove claims of processes that are gone, whatever they were about."""
        with contextlib.suppress(OSError):
            for path in (self.folder / "claims").iterdir():
                if path.suffix == PARTIAL:
                    continue  # litter is told by its name
                if path.name.startswith(_CLOCK) or self._abandoned(path):
                    path.unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self.folder / "claims" / digest

    def _abandoned(self, path: Path) -> bool:
        try:
            owner = read_capped(path, Cap.RESULT_BYTES).decode("utf-8", errors="replace").split()
            age = abs(self._now() - path.stat().st_mtime)  # a clock may have been put back
        except OSError:
            return True  # gone, or of nobody
        if len(owner) != 4 or not _PID.fullmatch(owner[2]):
            return age > STALE_AFTER  # being written, or torn
        its_host, its_boot, pid, its_start = owner
        if its_host == host():
            return its_boot != boot() or its_start != started(int(pid))
        return age > STALE_AFTER

    def _now(self) -> float:
        """The folder's own clock: a file server's may differ from ours, and ours may jump."""
        probe = self.folder / "claims" / f"{_CLOCK}{host()}.{os.getpid()}"
        probe.touch()
        try:
            return probe.stat().st_mtime
        finally:
            probe.unlink(missing_ok=True)


def _create(path: Path) -> bool:
    """Make a claim that is there whole or not at all, and never where one is.

    A torn one would keep others waiting: nobody knows whose it is.
    """
    if path.exists():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = half_written(path)
    try:
        _write(fresh, os.O_TRUNC)
        os.link(fresh, path)  # unlike a renaming, it fails where something is
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in LINKLESS:
            raise
        return _create_in_place(path)
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
    return True


def _create_in_place(path: Path) -> bool:
    """The same on a file system without links; only a kill leaves a torn claim."""
    try:
        _write(path, os.O_EXCL)
    except FileExistsError:
        return False
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return True


def _write(path: Path, flag: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | flag, 0o600)
    try:
        os.write(handle, f"{host()} {boot()} {os.getpid()} {own_start()}\n".encode())
    finally:
        os.close(handle)
