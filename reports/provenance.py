"""Provenance of a report set: inputs with their hashes, versions, the command.

A file keeps the path that the job gives it, so the job can be read where it is stored. What has no
such path, because it lies outside the job's folder or has a name that not every system can hold,
stands in ``inputs/outside`` under its hash, and the provenance says which name it goes with.
"""

from __future__ import annotations

import hashlib
import platform
import posixpath
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from planner.errors import OutputError
from planner.result_files import REPORT_SET, ListedFile, file_rows
from robots.core.file_reading import TipLink

if TYPE_CHECKING:
    from planner.job.elements import JobInput
    from planner.job.job import Job
    from planner.plan import Plan

RECORD_FORMAT = 1

# What can change a number or a byte of a report set.
_PACKAGES = (
    *("palpeur", "numpy", "scipy", "trimesh", "pyarrow", "matplotlib", "numba", "llvmlite"),
    *("viser", "typst", "ompl"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Inputs, versions and command of a report set; no time, place or user.

    Args:
        command: without the folder that it writes to.
        job: name of the job file.
        sha256: of the job file's bytes.
        inputs: every other file or library entry it was read with.
        versions: of Palpeur, Python and the packages that numbers and bytes depend on.
        machine: kind of processor; compiled sums may differ in the last bit between kinds.
        tip: link that is the tool frame of a robot from a URDF file.
    """

    command: str
    job: str
    sha256: str
    inputs: tuple[JobInput, ...]
    versions: tuple[tuple[str, str], ...]
    machine: str
    tip: TipLink | None = None


def provenance(plan: Plan, command: str = "palpeur plan", job: str = "job.toml") -> Provenance:
    """The provenance of a plan on this machine.

    Args:
        plan: what is reported.
        command: that made it.
        job: name of the job file.
    """
    return Provenance(
        command=command,
        job=job,
        sha256=plan.job.sha256,
        inputs=plan.job.inputs,
        versions=installed_versions(),
        machine=platform.machine(),
        tip=plan.job.mechanism.tip,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOptions:
    """Options that change the content of a report set.

    Args:
        figures: whether they are drawn.
        pages: whether page, paper, workbook, replay and the programmes to exchange are made.
        exports: programmes that were chosen, sorted.
        partial: whether programmes may leave out points that cannot be measured.
        csv: whether the trajectory is written as CSV, too.
        withheld: why programmes must not be written although the plan's own motion is proven, as
            of one pose of a presentation that fails elsewhere; empty for no such reason.
    """

    figures: bool = True
    pages: bool = True
    exports: tuple[str, ...] = ()
    partial: bool = False
    csv: bool = False
    withheld: str = ""


def provenance_document(
    made: Provenance,
    inputs: StoredInputs,
    files: tuple[ListedFile, ...],
    options: SetOptions | None = None,
) -> dict[str, object]:
    """``provenance.json`` (format 1), which ``palpeur verify`` reads.

    Args:
        made: command, versions, machine.
        inputs: as they were copied.
        files: of the set.
        options: that it was made with; the usual ones when None.
    """
    chosen = SetOptions() if options is None else options
    return {
        "format": RECORD_FORMAT,
        "set": REPORT_SET,
        "command": made.command,
        "machine": made.machine,
        "versions": dict(made.versions),
        "options": {
            "figures": chosen.figures,
            "pages": chosen.pages,
            "exports": list(chosen.exports),
            "partial": chosen.partial,
            "csv": chosen.csv,
        },
        "job": {
            "name": inputs.title,
            "file": inputs.job.name,
            "sha256": inputs.job.sha256,
            "stored": inputs.job.stored,
        },
        "inputs": [_input(item) for item in inputs.others],
        "files": file_rows(files),
    }


def _input(item: StoredInput) -> dict[str, object]:
    return {"name": item.name, "sha256": item.sha256, "stored": item.stored}


@cache
def installed_versions() -> tuple[tuple[str, str], ...]:
    """Versions of Python and of the packages that numbers and bytes depend on.

    A process runs what it has loaded; to read the metadata again takes 11 ms of each report set.
    """
    found = [("python", platform.python_version())]
    for name in _PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)


INPUTS = "inputs"
OUTSIDE = "outside"
HASH_SIGNS = 8  # of the hash, before the name of a file that is stored outside

_BLOCK = 1 << 20
_LONGEST = 200  # bytes of a name; systems allow 255
_BESIDE_HASH = _LONGEST - 65  # bytes of a name behind a whole hash
_LONGEST_PATH = 700  # bytes of all names together; systems allow about 1000
_DEEPEST = 16
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInput:
    """One input and where the set keeps it.

    Args:
        name: as the job file says it; of the job file itself, its own.
        sha256: of its bytes, in hexadecimal.
        stored: path within the set; None for a library entry, or a job that was not read from text.
    """

    name: str
    sha256: str
    stored: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInputs:
    """Everything that a plan was made from.

    Args:
        title: what the job is called.
        job: its file.
        others: every other input, in the job's order.
    """

    title: str
    job: StoredInput
    others: tuple[StoredInput, ...]


def write_inputs(job: Job, folder: Path, name: str = "job.toml") -> StoredInputs:
    """Copy the job file and every file that it names into ``inputs``.

    Args:
        job: that was planned.
        folder: of the report set; it exists.
        name: of the job file.

    Raises:
        OutputError: a file that has changed since the job was read, or that cannot be read.
    """
    places = _InputPaths()
    stored = None
    if job.text:
        text = job.text.encode("utf-8")
        if hashlib.sha256(text).hexdigest() != job.sha256:
            raise OutputError(
                f"The text of the job {job.name!r} is not the one that was hashed; read the job "
                "again.",
                job=job.name,
            )
        stored = f"{INPUTS}/{places.of_job(name, job.sha256)}"
        path = folder / stored
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return StoredInputs(
        title=job.name,
        job=StoredInput(name=name, sha256=job.sha256, stored=stored),
        others=tuple(_stored(item, folder, places) for item in job.inputs),
    )


def is_portable(path: str) -> bool:
    """Return whether a relative path can be a file on every system, exactly as it is written."""
    parts = path.split("/")
    return (
        len(parts) <= _DEEPEST
        and len(path.encode("utf-8", "replace")) <= _LONGEST_PATH
        and all(part == safe_name(part) for part in parts)
    )


def safe_name(name: str, longest: int = _LONGEST) -> str:
    """A name that every system can hold, as like the given one as possible; never empty.

    Args:
        name: any text.
        longest: bytes.
    """
    text = unicodedata.normalize("NFC", name)
    text = "".join("_" if unicodedata.category(sign)[0] == "C" else sign for sign in text)
    text = _FORBIDDEN.sub("_", text).strip(" .")
    if _DEVICES.match(text):
        text = f"_{text}"
    return _shortened(text, longest) or "_"


def _shortened(text: str, longest: int) -> str:
    """The beginning and the ending."""
    if len(text.encode("utf-8")) <= longest:
        return text
    ending = PurePosixPath(text).suffix
    ending = ending if len(ending.encode("utf-8")) <= 16 else ""
    room = longest - len(ending.encode("utf-8"))
    return text.encode("utf-8")[:room].decode("utf-8", "ignore").rstrip(" .") + ending


def _stored(item: JobInput, folder: Path, places: _InputPaths) -> StoredInput:
    if item.path is None and item.content is None:
        return StoredInput(name=item.name, sha256=item.sha256, stored=None)
    base = PurePosixPath(item.name).name if item.path is None else item.path.name
    stored = f"{INPUTS}/{places.of_input(item, base)}"
    target = folder / stored
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        if item.content is not None:
            target.write_bytes(item.content)
        elif item.path is not None:
            _copy(item, item.path, target)
    return StoredInput(name=item.name, sha256=item.sha256, stored=stored)


def _copy(item: JobInput, source: Path, target: Path) -> None:
    """Copy block by block; the bytes must be those that the job was read with."""
    digest = hashlib.sha256()
    try:
        with target.open("xb") as file:
            for block in blocks(source):
                digest.update(block)
                file.write(block)
    except OSError as error:
        raise OutputError(
            f"{item.name!r} of the job cannot be copied into the report set: {error.strerror}.",
            input=item.name,
        ) from error
    if digest.hexdigest() != item.sha256:
        raise OutputError(
            f"{item.name!r} has changed since the job was read; plan the job again.",
            input=item.name,
            expected=item.sha256,
            found=digest.hexdigest(),
        )


def blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, a block at a time."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


class _InputPaths:
    """Paths within ``inputs``, each for one content; equal but for case counts as equal."""

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}

    def of_job(self, name: str, sha256: str) -> str:
        """Of the job file."""
        chosen = safe_name(name)
        self._taken[chosen.casefold()] = sha256
        return chosen

    def of_input(self, item: JobInput, base: str) -> str:
        """Of a file; ``base`` is its own name, which the job's may only link to."""
        own = posixpath.normpath(item.name)
        first = own.split("/")[0]
        usual = not own.startswith("/") and first not in ("..", ".", OUTSIDE)
        usual = usual and PurePosixPath(own).name == base and is_portable(own)
        if usual and self._free(own, item.sha256):
            return own
        for signs in (HASH_SIGNS, len(item.sha256)):
            other = f"{OUTSIDE}/{item.sha256[:signs]}-{safe_name(base, _BESIDE_HASH)}"
            if self._free(other, item.sha256):
                return other
        raise OutputError(f"{item.name!r} finds no place in the report set.", input=item.name)

    def _free(self, path: str, sha256: str) -> bool:
        """Take a path, unless another content has it, or it is a folder of another, or in one."""
        key = path.casefold()
        if key in self._taken:
            return self._taken[key] == sha256
        if any(key.startswith(f"{one}/") or one.startswith(f"{key}/") for one in self._taken):
            return False
        self._taken[key] = sha256
        return True
