"""``provenance.json`` of a report set, read as what it is: a claim by somebody unknown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from planner.errors import OptionError
from planner.result_files import RECORD, REPORT_SET, ListedFile
from reports.provenance import RECORD_FORMAT, SetOptions, StoredInput, StoredInputs
from reports.visible_text import visible
from robots.core.caps import Cap, read_capped, reason_of

_HASH = re.compile(r"[0-9a-f]{64}\Z")
_SHOWN = 60  # characters of what was found
_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Record that a report set holds of itself.

    Args:
        command: that made it.
        machine: kind of processor.
        versions: of what made it, by name.
        options: that it was made with.
        inputs: what it was made from, and where the set keeps it.
        files: that it consists of, beside this record.
    """

    command: str
    machine: str
    versions: Mapping[str, str]
    options: SetOptions
    inputs: StoredInputs
    files: tuple[ListedFile, ...]


def read_record(folder: Path) -> Record:
    """The record of a report set.

    Raises:
        OptionError: no folder, no record in it, or one that cannot be read.
    """
    if not folder.is_dir():
        raise OptionError(
            f"{folder} is no folder; give the folder of a report set, as `palpeur plan` writes it.",
            folder=str(folder),
        )
    document = _Reader(_loaded(folder / RECORD), "")
    kind = document.keys.get("set", REPORT_SET)
    if kind != REPORT_SET:
        raise document.error(
            "set", f"is {_shown(kind)}; only a {REPORT_SET} of `palpeur plan` can be recomputed."
        )
    form = document.value("format")
    if form is not True and form == RECORD_FORMAT:
        return _record(document)
    raise document.error("format", f"is {_shown(form)}; this version reads format {RECORD_FORMAT}.")


def _record(document: _Reader) -> Record:
    versions = document.of("versions", dict)
    for name in versions:
        _Reader(versions, "versions.").of(name, str)
    options, job = document.table("options"), document.table("job")
    exports = options.of("exports", list)
    if not all(isinstance(item, str) for item in exports):
        raise options.error("exports", "must be a list of texts.")
    inputs = StoredInputs(
        title=job.of("name", str),
        job=StoredInput(
            name=job.of("file", str), sha256=job.hashed("sha256"), stored=job.place("stored")
        ),
        others=tuple(
            StoredInput(
                name=row.of("name", str), sha256=row.hashed("sha256"), stored=row.place("stored")
            )
            for row in document.tables("inputs")
        ),
    )
    return Record(
        command=document.of("command", str),
        machine=document.of("machine", str),
        versions=versions,
        options=SetOptions(
            figures=options.of("figures", bool),
            pages=options.of("pages", bool),
            exports=tuple(exports),
            partial="partial" in options.keys and options.of("partial", bool),
            csv="csv" not in options.keys or options.of("csv", bool),  # sets once all had it
        ),
        inputs=inputs,
        files=_files(document),
    )


def _files(document: _Reader) -> tuple[ListedFile, ...]:
    files = []
    for row in document.tables("files"):
        name = row.place("name")
        if name is None or name == RECORD:
            raise row.error("name", f"is {_shown(name)}, which cannot be listed.")
        files.append(ListedFile(name=name, sha256=row.hashed("sha256"), size=row.size("bytes")))
    if len({file.name for file in files}) < len(files):
        raise document.error("files", "lists a file twice.")
    return tuple(files)


def _loaded(path: Path) -> dict[str, object]:
    """The document, of a size that can be read."""
    try:
        if path.is_symlink() or not path.is_file():
            raise OptionError(
                f"{path.parent} has no file {RECORD}, so it is no report set that can be verified; "
                "sets of earlier versions have none.",
                folder=str(path.parent),
            )
        raw = read_capped(path, Cap.RECORD_BYTES)
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {reason_of(error)}.", file=str(path)) from error
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OptionError(f"{path} is not JSON: {error}.", file=str(path)) from None
    if not isinstance(document, dict):
        raise OptionError(f"{path} must hold one JSON object.", file=str(path))
    return document


@dataclass(frozen=True, slots=True)
class _Reader:
    """Keys of an object, each with its kind; errors say where it stands."""

    keys: Mapping[str, object]
    where: str

    def error(self, key: str, sentence: str) -> OptionError:
        place = visible(f"{self.where}{key}")
        return OptionError(f"{RECORD}: {place} {sentence}", file=RECORD, key=key)

    def value(self, key: str) -> object:
        if key not in self.keys:
            raise self.error(key, "is missing.")
        return self.keys[key]

    def of(self, key: str, kind: type[_Kind]) -> _Kind:
        value = self.value(key)
        if type(value) is not kind:
            words = {str: "a text", bool: "true or false", dict: "an object", list: "a list"}
            expected = words.get(kind, "a whole number")
            raise self.error(key, f"is {_shown(value)}; expected {expected}.")
        return value

    def table(self, key: str) -> _Reader:
        return _Reader(self.of(key, dict), f"{self.where}{key}.")

    def tables(self, key: str) -> list[_Reader]:
        rows = self.of(key, list)
        for place, row in enumerate(rows):
            if not isinstance(row, dict):
                raise self.error(f"{key}[{place}]", f"is {_shown(row)}; expected an object.")
        return [_Reader(row, f"{self.where}{key}[{place}].") for place, row in enumerate(rows)]

    def hashed(self, key: str) -> str:
        value = self.of(key, str)
        if not _HASH.match(value):
            raise self.error(key, f"is {_shown(value)}; expected 64 hexadecimal digits.")
        return value

    def size(self, key: str) -> int:
        value = self.of(key, int)
        if value < 0:
            raise self.error(key, f"is {value}; expected a number of bytes.")
        return value

    def place(self, key: str) -> str | None:
        """A path that stays within the set."""
        if self.value(key) is None:
            return None
        value = self.of(key, str)
        parts = value.split("/")
        if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
            raise self.error(key, f"is {_shown(value)}, which leaves the set or is no path.")
        return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
