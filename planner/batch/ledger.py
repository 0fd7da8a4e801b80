"""The folder that holds results by key: complete means the file is there.

Layout::

    results/ab/ab12….json    one result, its digest on the last line
    claims/ab12…             who works on a key, while he does
    reports/ab12…/           report sets, where they were asked for

A result is written under another name, brought to the disk and renamed, so a reader sees all of it
or nothing, on network folders too. A file whose digest does not fit counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planner.batch.case import CaseKey
from planner.batch.outcome import FORMAT, Outcome, outcome_of
from planner.disk import to_disk
from planner.result_files import whole_file
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
