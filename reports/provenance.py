"""Provenance of a report set: inputs with their hashes, versions, the command."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from planner.job.elements import JobInput
from planner.plan import Plan
from planner.result_files import REPORT_SET, ListedFile, file_rows
from reports.inputs import StoredInput, StoredInputs
from robots.core.file_reading import TipLink

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
        withheld: why programmes must not be written although the plan's own motion is proven, as
            of one pose of a presentation that fails elsewhere; empty for no such reason.
    """

    figures: bool = True
    pages: bool = True
    exports: tuple[str, ...] = ()
    partial: bool = False
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


def installed_versions() -> tuple[tuple[str, str], ...]:
    """Versions of Python and of the packages that numbers and bytes depend on."""
    found = [("python", platform.python_version())]
    for name in _PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)
