"""The folder that holds results by key: complete means the file is there.

Layout::

    results/ab/ab12….json    one result, its digest on the last line
    claims/ab12…             who works on a key, while he does
    reports/ab12…/           report sets, where they were asked for

A result is written under another name, brought to the disk and renamed, so a reader sees all of it
or nothing, on network folders too. A file whose digest does not fit counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planner.batch.case import CaseKey
from planner.batch.outcome import FORMAT, Outcome, outcome_of
from planner.processes import LINKLESS, PARTIAL, boot, half_written, host, own_start, started
from planner.result_files import to_disk, whole_file
from robots.core.caps import Cap, read_capped

_SUFFIX = ".json"
_REFUSAL = (
    "the result cannot be written: {reason}. What was finished before is kept; make room or give "
    "another folder with --out, and run the same command again"
)
# No link is followed; on Windows no line end is changed.
_EXACT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A result that was read.

    Args:
        digest: of its key.
        key: the parts of its key, as ``CaseKey.document`` gives them.
        outcome: what came out.
    """

    digest: str
    key: dict[str, object]
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Results in a folder.

    Args:
        folder: made when the first result is written.
    """

    folder: Path

    def path(self, digest: str) -> Path:
        """Where the result of a key lies."""
        return self.folder / "results" / digest[:2] / f"{digest}{_SUFFIX}"

    def report(self, digest: str) -> Path:
        """Where the report set of a key lies."""
        return self.folder / "reports" / digest

    def write(self, key: CaseKey, outcome: Outcome) -> None:
        """Write a result whole, whatever is there already.

        Raises:
            OutputError: the folder cannot be written; nothing half-written stays under the name.
        """
        path = self.path(key.digest)
        with whole_file(path, _REFUSAL) as fresh:
            new_folder = _make(path.parent)
            _write_to_disk(fresh, result_text(key, outcome))
            if new_folder:
                to_disk(path.parent.parent)

    def read(self, digest: str) -> Result | None:
        """The result of a key; None where there is none that is whole."""
        try:
            raw = read_capped(self.path(digest), Cap.RESULT_BYTES)
        except OSError:
            return None
        return result_of(raw, digest)

    def digests(self) -> Iterator[str]:
        """Keys that have a file, whole or not, in order."""
        for path in sorted((self.folder / "results").glob(f"??/*{_SUFFIX}")):
            if not path.name.startswith("."):
                yield path.stem


def result_text(key: CaseKey, outcome: Outcome) -> bytes:
    """A result file: the document on one line, its digest on the second."""
    document = {"format": FORMAT, "key": key.document(), "outcome": outcome.document()}
    line = json.dumps(document, sort_keys=True, ensure_ascii=True, allow_nan=False).encode()
    return line + b"\nsha256:" + hashlib.sha256(line).hexdigest().encode() + b"\n"


def result_of(raw: bytes, digest: str) -> Result | None:
    """A result file read back; None where it is not what was written for this key."""
    line, found, rest = raw.partition(b"\nsha256:")
    if not found or rest != hashlib.sha256(line).hexdigest().encode() + b"\n":
        return None
    try:
        document = json.loads(line)
        key = document["key"]
        text = json.dumps(key, sort_keys=True, ensure_ascii=True)
        if document["format"] != FORMAT or hashlib.sha256(text.encode()).hexdigest() != digest:
            return None
        return Result(digest=digest, key=key, outcome=outcome_of(document["outcome"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _make(folder: Path) -> bool:
    """Make a folder; whether it was not there before."""
    if folder.is_dir():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    return True


def _write_to_disk(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _EXACT, 0o600)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


# ------------------------------------------------------------------------------------------- Claim
# A claim is a file that only one process can create. It is a courtesy, not a lock on the truth:
# where it fails two processes find the same bytes, and the second rename changes nothing. A claim
# of a process that is gone is taken over: on the same host when its process id is free or its boot
# is another, on other hosts when the claim has not been touched for a while by the folder's own
# clock.

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
        """Return whether this process now works on the key.

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
