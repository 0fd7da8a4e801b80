"""Case: one job of a batch, and what its result depends on."""

from __future__ import annotations

import hashlib
import json
import math
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from planner.errors import JobError
from robots.core.caps import Cap, read_capped
from robots.core.robot_file.source_text import toml_document, toml_value

_BLOCK = 1 << 20
OUTSIDE = "allow-outside"  # the parameter, "true" or "false"
_LONGEST_NAME = 4096  # bytes of a path that systems open
_NAMED = (Cap.GEOMETRY_BYTES, Cap.POINT_BYTES, Cap.ROBOT_BYTES)  # caps of files that a job names
Swept = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One job to be judged.

    Args:
        name: what a reader calls it; unique within a batch.
        job: the job file; of a variant the one it was made from, whose folder holds its files.
        text: of a variant; empty where the file stands for itself.
        swept: of a variant, each key that its sweep varies and the value it has here. The text
            holds them already, so they are no part of the key.
    """

    name: str
    job: Path
    text: str = ""
    swept: tuple[tuple[str, Swept], ...] = ()

    def document(self) -> dict[str, str]:
        """As it is handed to a worker."""
        return {"name": self.name, "job": str(self.job), "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Everything besides the job file that determines a batch result.

    Args:
        parameters: options of the batch that change what is found.
        code: hash of Palpeur's own files.
        environment: versions of what it stands on, and the kind of processor.
    """

    parameters: tuple[tuple[str, str], ...]
    code: str
    environment: tuple[tuple[str, str], ...]

    @property
    def outside(self) -> bool:
        """Whether jobs may name files outside their folder."""
        return dict(self.parameters).get(OUTSIDE) == "true"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKey:
    """Everything a result depends on; equal keys have equal results.

    Args:
        inputs: name and hash of the job file and of every file beside it that it names.
        surroundings: of the batch.
    """

    inputs: tuple[tuple[str, str], ...]
    surroundings: Environment

    def document(self) -> dict[str, object]:
        """The parts of the key, so that a later run can say which of them changed."""
        around = self.surroundings
        return {
            "inputs": dict(self.inputs),
            "parameters": dict(around.parameters),
            "code": around.code,
            "environment": dict(around.environment),
        }

    @property
    def digest(self) -> str:
        """Name of the result, in hexadecimal."""
        text = json.dumps(self.document(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHashes:
    """Hashes of files, each read once as long as its size, times and place on the disk stay."""

    known: dict[tuple[str, int, int, int, int], str] = field(default_factory=dict)

    def of(self, path: Path) -> str:
        """Hash of a file in hexadecimal; empty for what is none."""
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                return ""
            when = (found.st_mtime_ns, found.st_ctime_ns)
            mark = (str(path), found.st_ino, found.st_size, *when)
            if mark not in self.known:
                self.known[mark] = _hash_of(path)
            return self.known[mark]
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, ValueError) as error:
            return f"unreadable: {getattr(error, 'errno', None)}"


def key_of(case: Case, surroundings: Environment, hashes: FileHashes) -> CaseKey:
    """What the result of a case depends on, from the bytes on the disk.

    A file that is missing or cannot be read counts as such: its result says so, and the key
    changes when the file appears. A file that the job may not read is not looked at.
    """
    raw = raw_of(case)
    root = None if surroundings.outside else case.job.parent.resolve()
    job = shown(case.job.name)
    inputs = {job: hashlib.sha256(raw).hexdigest()}
    for name in names_in(raw):
        path = case.job.parent / name
        digest = hashes.of(path) if root is None or is_within(path, root) else ""
        if digest:  # a job that names itself must not hide its own text
            inputs[f"./{name}" if name == job else name] = digest
    return CaseKey(inputs=tuple(sorted(inputs.items())), surroundings=surroundings)


@lru_cache(maxsize=4)  # a worker looks at a job before it and after it
def names_in(raw: bytes) -> tuple[str, ...]:
    """Texts of a job that may be paths, sorted; none of what is no TOML."""
    try:
        texts = set(_texts(toml_document(raw.decode("utf-8-sig"), parse_float=float)))
    except (ValueError, RecursionError):
        return ()
    return tuple(sorted(t for t in texts if 0 < len(t) <= _LONGEST_NAME and "\0" not in t))


def raw_of(case: Case) -> bytes:
    """The bytes of a case's job, wherever they stand."""
    if case.text:
        return case.text.encode()
    try:
        return read_capped(case.job, Cap.JOB_BYTES)
    except OSError as error:
        return f"unreadable: {error.errno}".encode()


def is_within(path: Path, root: Path) -> bool:
    """Whether this is a file of a folder; few strings of a job are files, so links come last."""
    try:
        return path.is_file() and path.resolve().is_relative_to(root)
    except (OSError, ValueError, RuntimeError):
        return False


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _hash_of(path: Path) -> str:
    """Hash of as much of a file as may be read; a longer one is refused whatever follows."""
    digest = hashlib.sha256()
    left = max(cap.limit for cap in _NAMED) + 1
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()


def swept_value(key: str, value: object) -> Swept:
    """A value of a sweep for a column; a list or a table is told as TOML writes it.

    Args:
        key: that it is given to.
        value: as the sweep file has it.

    Raises:
        JobError: a date or a time, which no job file holds.
    """
    if isinstance(value, date | time):
        raise JobError(
            f"{key} is {value.isoformat()}; a job file holds texts, numbers, lists and tables "
            "only.",
            key=key,
        )
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal) and math.isfinite(near := float(value)):
        return near
    return toml_value(value)


def swept_text(value: Swept) -> str:
    """A value in words; a text stands without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown(text: str) -> str:
    r"""A text that UTF-8, JSON and XML can hold.

    Args:
        text: may hold what Python makes of bytes in the names of files that are no UTF-8; they
            stand as their numbers, ``caf\xe9``.
    """
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character that came from elsewhere
        raw = text.encode("utf-8", "backslashreplace")
    return raw.decode("utf-8", "backslashreplace")
