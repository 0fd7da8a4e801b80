"""Where a report set comes from: inputs with their hashes, versions, the command."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from planner.job import JobInput
from planner.plan_types import Plan

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
    """

    command: str
    job: str
    sha256: str
    inputs: tuple[JobInput, ...]
    versions: tuple[tuple[str, str], ...]
    machine: str


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
        versions=(("python", platform.python_version()), *_installed()),
        machine=platform.machine(),
    )


def _installed() -> tuple[tuple[str, str], ...]:
    found = []
    for name in _PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)
