"""The files of a report set beside the hashes that it claims for them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planner.progress import Progress
from planner.result_files import RECORD, ListedFile
from reports.inputs import blocks
from reports.verification.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file that is not the one that was written.

    Args:
        name: path within the set.
        reason: what became of it, such as "is missing".
    """

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderContents:
    """What stands in the folder.

    Args:
        checked: how many files the record lists.
        changed: those that are not what it says.
        unlisted: those that it does not know.
    """

    checked: int
    changed: tuple[ChangedFile, ...]
    unlisted: tuple[str, ...]


def files_found(folder: Path, record: Record, progress: Progress) -> FolderContents:
    """Compare every file with its hash, and look for others.

    Args:
        folder: of the set.
        record: what it claims.
        progress: told after every file.
    """
    changed = []
    for done, listed in enumerate(record.files, start=1):
        reason = _fault(folder, listed)
        if reason:
            changed.append(ChangedFile(name=listed.name, reason=reason))
        progress("files", done, len(record.files))
    known = {listed.name for listed in record.files} | {RECORD}
    return FolderContents(
        checked=len(record.files),
        changed=tuple(changed),
        unlisted=tuple(sorted(set(_names(folder)) - known)),
    )


def is_plain(folder: Path, name: str) -> bool:
    """Whether a name leads to a file within the folder without following any link."""
    path = folder
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            return False
    return path.is_file()


def _fault(folder: Path, listed: ListedFile) -> str:
    path = folder / listed.name
    try:
        if not os.path.lexists(path):
            return "is missing"
        if not is_plain(folder, listed.name):
            return "is a link or no file"
        size = path.stat().st_size
        if size != listed.size:
            return f"has {size} bytes instead of {listed.size}"
        digest = hashlib.sha256()
        for block in blocks(path):
            digest.update(block)
    except (OSError, ValueError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    return "" if digest.hexdigest() == listed.sha256 else "has another SHA-256"


def _names(folder: Path) -> Iterator[str]:
    """Everything in the folder but folders; links are not followed."""
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in (*files, *links):
            path = (Path(place) / name).relative_to(folder).as_posix()
            yield path.encode("utf-8", "backslashreplace").decode("utf-8")
