"""Where a report set comes from: inputs with their hashes, versions, the command."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from planner.job import JobInput
from planner.plan_types import Plan
from reports.inputs import StoredInput, StoredInputs, blocks
from robots.core.file_reading import Tip

RECORD = "provenance.json"
RECORD_FORMAT = 1

# What can change a number or a byte of a report set.
_PACKAGES = (
    *("palpeur", "numpy", "scipy", "trimesh", "pyarrow", "matplotlib", "numba", "llvmlite"),
    *("viser", "typst", "ompl"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What a report set was made from and with; nothing of when, where or by whom.

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
    tip: Tip | None = None


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
    """What was asked for, as far as it changes what a report set holds.

    Args:
        figures: whether they are drawn.
        pages: whether page, paper, workbook, replay and the programmes to exchange are made.
        exports: programmes that were chosen, sorted.
        partial: whether programmes may leave out points that cannot be measured.
        withheld: why programmes must not be written although the plan's own motion is proven, as
            of one pose of a presentation that fails elsewhere; empty for no such reason.
    """

    figures: bool = True
    pages: bool = True
    exports: tuple[str, ...] = ()
    partial: bool = False
    withheld: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file of a report set.

    Args:
        name: path within the set, parts joined by ``/``.
        sha256: of its bytes, in hexadecimal.
        size: [bytes]
    """

    name: str
    sha256: str
    size: int


def listed_files(folder: Path) -> tuple[ListedFile, ...]:
    """Every file of a report set but its provenance, in the order of their names.

    Args:
        folder: that holds nothing else, such as one that was filled just now.
    """
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return tuple(
        _listed(name, path)
        for name, path in sorted(paths.items())
        if name != RECORD and path.is_file()
    )


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
        "command": made.command,
        "machine": made.machine,
        "versions": dict(made.versions),
        "options": {
            "figures": chosen.figures,
            "pages": chosen.pages,
            "exports": list(chosen.exports),
            "partial": chosen.partial,
        },
        "job": {
            "name": inputs.title,
            "file": inputs.job.name,
            "sha256": inputs.job.sha256,
            "stored": inputs.job.stored,
        },
        "inputs": [_input(item) for item in inputs.others],
        "files": [{"name": f.name, "sha256": f.sha256, "bytes": f.size} for f in files],
    }


def _input(item: StoredInput) -> dict[str, object]:
    return {"name": item.name, "sha256": item.sha256, "stored": item.stored}


def _listed(name: str, path: Path) -> ListedFile:
    digest, size = hashlib.sha256(), 0
    for block in blocks(path):
        digest.update(block)
        size += len(block)
    return ListedFile(name=name, sha256=digest.hexdigest(), size=size)


def installed_versions() -> tuple[tuple[str, str], ...]:
    """Versions of Python and of the packages that numbers and bytes depend on."""
    found = [("python", platform.python_version())]
    for name in _PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)
