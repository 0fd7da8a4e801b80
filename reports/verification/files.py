"""The files of a report set beside their hashes, and its job laid out to be read again."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, cast

from planner.errors import PlannerError
from planner.job import Job, JobInput, read_job
from planner.job.folder import meshes_base
from planner.progress import Progress
from planner.result_files import RECORD, ListedFile
from reports.provenance import (
    HASH_SIGNS,
    INPUTS,
    OUTSIDE,
    StoredInput,
    blocks,
    is_portable,
    safe_name,
)
from reports.verification.record import Record
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.errors import PalpeurError
from robots.core.robot_file.source_text import toml_document


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
    """Files in the folder.

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
    """Return whether a name leads to a file within the folder without following any link."""
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


# ------------------------------------------------------------------------------------------- Stage
# Files that the set keeps under the job's own paths stand there. Others got a path of their own;
# the copy of the job file names that one, and the job that was read is given its own words back.
# Meshes are named by a robot's file, relative to itself or to the job's folder of meshes: they go
# where that goes.

_KEYS = ("model", "meshes", "geometry", "file")  # of the job file, that name files and a folder
_NAMED = re.compile(rf"""(\b(?:{"|".join(_KEYS)})[ \t]*=[ \t]*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""")


class NotRecomputedError(PlannerError):
    """The plan cannot be made again from what the set holds; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A job that can be read.

    Args:
        job: its file.
        text: of the job file as it was first read.
        names: the job's own words for files, by the path that the copy names instead.
    """

    job: Path
    text: str
    names: Mapping[str, str]


def stage(folder: Path, record: Record, room: Path) -> Stage:
    """Lay out the job in an empty folder.

    Args:
        folder: of the report set.
        record: what it claims.
        room: empty, private.

    Raises:
        NotRecomputedError: an input that is not there, or a job file that cannot be laid out.
    """
    text = _job_text(folder, record)
    moved = {
        item.name: f"{OUTSIDE}/{number}/{_base(item.stored)}"
        for number, item in enumerate(record.inputs.others)
        if item.stored is not None and _own_path(item) is None
    }
    path = room / safe_name(record.inputs.job.name)
    if moved:
        moved |= _moved_meshes(record, text, moved)
    try:
        for item in record.inputs.others:
            if item.stored is not None:
                _copy(folder, item, room / (moved.get(item.name) or cast("str", _own_path(item))))
        path.write_bytes((_renamed(text, moved) if moved else text).encode("utf-8"))
    except OSError as error:
        raise NotRecomputedError(f"its inputs cannot be laid out: {error.strerror}") from error
    return Stage(job=path, text=text, names={there: own for own, there in moved.items()})


def read_staged(staged: Stage, record: Record) -> Job:
    """The job as it was planned: nothing outside the stage is read.

    Raises:
        NotRecomputedError: it cannot be read, or was made from other inputs than it claims.
    """
    try:
        read = read_job(staged.job)
    except PalpeurError as error:
        told = error.message.replace(str(staged.job.parent.resolve()), INPUTS)
        raise NotRecomputedError(f"its job cannot be read: {told}") from error
    names = staged.names
    own = {item.name: item for item in record.inputs.others}
    job = replace(
        read,
        sha256=record.inputs.job.sha256,
        text=staged.text,
        robot_model=names.get(read.robot_model, read.robot_model),
        part=replace(read.part, geometry=names.get(read.part.geometry, read.part.geometry)),
        inputs=tuple(replace(item, name=names.get(item.name, item.name)) for item in read.inputs),
    )
    for item in job.inputs:
        _check(item, own)
    if [item.name for item in job.inputs] != [item.name for item in record.inputs.others]:
        raise NotRecomputedError("its inputs are not those that the job names")
    return job


def _check(item: JobInput, own: Mapping[str, StoredInput]) -> None:
    if item.name not in own:
        raise NotRecomputedError(f"its inputs are not those that the job names: {item.name!r}")
    claimed = own[item.name].sha256
    if item.sha256 != claimed:
        where = "this version's library has" if item.path is None else "the set has"
        raise NotRecomputedError(
            f"{where} another {item.name!r} (SHA-256 {item.sha256[:12]}… instead of "
            f"{claimed[:12]}…)"
        )


def _job_text(folder: Path, record: Record) -> str:
    stored = record.inputs.job.stored
    if stored is None:
        raise NotRecomputedError("it holds no job file")
    if not is_plain(folder, stored):
        raise NotRecomputedError(f"{stored} is missing")
    path = folder / stored
    try:
        return read_capped(path, Cap.JOB_BYTES).decode("utf-8")
    except OSError as error:
        raise NotRecomputedError(f"{stored} cannot be read: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise NotRecomputedError(f"{stored} is not UTF-8") from None


def _own_path(item: StoredInput) -> str | None:
    """The path that the job gives a file, where the set keeps it there."""
    stored = (item.stored or "").split("/", 1)
    if stored[0] != INPUTS or len(stored) < 2 or item.name.startswith("/"):
        return None
    parts: list[str] = []
    for part in item.name.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return stored[1] if "/".join(parts) == stored[1] else None


def _base(stored: str) -> str:
    """The file's own name, without the hash in front."""
    name = PurePosixPath(stored).name
    found = re.match(rf"[0-9a-f]{{{HASH_SIGNS}}}(?:[0-9a-f]{{{64 - HASH_SIGNS}}})?-(.+)", name)
    return found[1] if found else name


def _copy(folder: Path, item: StoredInput, target: Path) -> None:
    stored = cast("str", item.stored)
    if not is_plain(folder, stored):
        raise NotRecomputedError(f"{stored} is missing")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / stored, target, follow_symlinks=False)


def _moved_meshes(record: Record, text: str, moved: Mapping[str, str]) -> dict[str, str]:
    """Where the folder of meshes and all that lies in it goes, if anything in it is moved."""
    robot = _tables(text).get("robot") or {}
    model, meshes = (str(robot.get(key) or "") for key in ("model", "meshes"))
    if meshes:
        own, there = meshes_base(meshes), f"{OUTSIDE}/meshes"
        if not any(name.startswith(own) for name in moved):
            return {}
    elif model in moved and posixpath.dirname(model):
        own, there = meshes_base(posixpath.dirname(model)), posixpath.dirname(moved[model])
    else:
        return {}
    found = {
        item.name: posixpath.join(there, item.name.removeprefix(own))
        for item in record.inputs.others
        if item.name.startswith(own) and is_portable(item.name.removeprefix(own))
    }
    return found | ({meshes: there} if meshes else {})


def _tables(text: str) -> dict[str, Any]:
    try:
        return toml_document(text.removeprefix("\ufeff"), parse_float=str)
    except (ValueError, RecursionError) as error:
        raise NotRecomputedError(f"its job file is not TOML: {error}") from None


def _renamed(text: str, moved: Mapping[str, str]) -> str:
    """The job file with other names for some files, and nothing else in it changed."""
    before = _tables(text)
    changed = _NAMED.sub(lambda found: _exchanged(found, moved), text)
    after = _tables(changed)
    if _expected(before, moved) != after:
        raise NotRecomputedError(
            "its job names files outside its folder in a way that cannot be followed: "
            + ", ".join(map(repr, sorted(moved)))
        )
    return changed


def _exchanged(found: re.Match[str], moved: Mapping[str, str]) -> str:
    """One assignment, with the other name if its text is one of those that have one."""
    try:
        value = tomllib.loads(f"x = {found[2]}")["x"]
    except ValueError:
        return found[0]
    return found[1] + json.dumps(moved[value], ensure_ascii=False) if value in moved else found[0]


def _expected(value: object, moved: Mapping[str, str], key: str = "") -> object:
    if isinstance(value, dict):
        return {name: _expected(item, moved, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_expected(item, moved) for item in value]
    return moved.get(value, value) if key in _KEYS and isinstance(value, str) else value
