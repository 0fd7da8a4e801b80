"""``palpeur doctor``: whether this machine can do the work, and how well."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, print_json, print_table
from planner.errors import PlannerError

_PACKAGES = (
    *("numpy", "scipy", "sympy", "pandas", "pyarrow", "matplotlib", "llvmlite"),
    *("pydantic", "lxml", "trimesh", "typer", "rich"),
)
_TOOLS = {
    "check_urdf": ("check_urdf",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "C compiler": ("cc", "gcc", "clang"),
}


class Health(Enum):
    """How a check came out."""

    GOOD = "ok"
    LESS = "missing, not needed"
    BAD = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One thing looked at."""

    name: str
    health: Health
    found: str

    def document(self) -> dict[str, object]:
        """As it stands in JSON."""
        return asdict(self) | {"health": self.health.name.lower()}


def print_diagnosis(*, as_json: bool) -> int:
    """Print every check; exit code 1 when something that is needed fails."""
    checks = tuple(diagnoses())
    fit = all(check.health is not Health.BAD for check in checks)
    if as_json:
        document = [check.document() for check in checks]
        print_json({"format": FORMAT, "fit": fit, "checks": document})
    else:
        rows = [(check.name, check.health.value, check.found) for check in checks]
        print_table(("what", "state", "found"), rows)
        print("This machine is fit." if fit else "This machine is not fit: see FAILED above.")
    return ExitCode.DONE if fit else ExitCode.FAILED


def diagnoses() -> Iterator[Diagnosis]:
    """All checks, in order."""
    recent = sys.version_info >= (3, 11)
    python = f"{platform.python_version()} ({sys.executable})"
    yield Diagnosis(name="Python", health=_needed(recent), found=python)
    yield Diagnosis(name="palpeur", health=Health.GOOD, found=version("palpeur"))
    for name in _PACKAGES:
        yield _package(name)
    yield Diagnosis(name="processor", health=Health.GOOD, found=processor())
    yield _vectors()
    yield _compiler()
    yield _cache()
    yield _optional_package("pinocchio", "pin")
    for name, programs in _TOOLS.items():
        yield _tool(name, programs)


def processor() -> str:
    """Name of the processor and the number of cores this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor_name()}, {usable} usable cores"


def _processor_name() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def _needed(good: bool) -> Health:
    return Health.GOOD if good else Health.BAD


def _package(name: str) -> Diagnosis:
    try:
        return Diagnosis(name=name, health=Health.GOOD, found=version(name))
    except PackageNotFoundError:
        return Diagnosis(name=name, health=Health.BAD, found="not installed: pip install palpeur")


def _optional_package(module: str, distribution: str) -> Diagnosis:
    if find_spec(module) is None:
        return Diagnosis(name=module, health=Health.LESS, found=f"pip install {distribution}")
    try:
        return Diagnosis(name=module, health=Health.GOOD, found=version(distribution))
    except PackageNotFoundError:
        return Diagnosis(name=module, health=Health.GOOD, found="version unknown")


def _vectors() -> Diagnosis:
    from robots.core.kernels.machine import this_machine

    machine = this_machine()
    if machine is None:
        found = "no fused multiply-add: NumPy is used instead of machine code"
        return Diagnosis(name="vector width", health=Health.LESS, found=found)
    found = f"{machine.lanes} doubles ({machine.cpu})"
    return Diagnosis(name="vector width", health=Health.GOOD, found=found)


def _compiler() -> Diagnosis:
    """Compile a small kernel and compare it with NumPy."""
    from planner.cli.robot.kernel_trial import kernel_trial
    from robots.core.errors import RobotError

    try:
        trial = kernel_trial()
    except (RobotError, PlannerError) as error:
        return Diagnosis(name="kernel compiler", health=Health.LESS, found=error.message)
    except (OSError, RuntimeError, ImportError) as error:  # what llvmlite raises
        return Diagnosis(name="kernel compiler", health=Health.BAD, found=str(error))
    found = f"compiled in {trial.seconds:.2f} s, differs from NumPy by {trial.difference:.1e}"
    return Diagnosis(name="kernel compiler", health=_needed(trial.difference < 1e-12), found=found)


def _cache() -> Diagnosis:
    from robots.core.kernels.cache import cache_folder

    folder = cache_folder()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        found = f"{folder}: cannot be written; every run compiles anew"
        return Diagnosis(name="kernel cache", health=Health.LESS, found=found)
    if nearest != folder:
        return Diagnosis(name="kernel cache", health=Health.GOOD, found=f"{folder} (not yet made)")
    if os.name != "nt" and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        found = f"{folder}: others may write to it, so it is not used; chmod go-w it"
        return Diagnosis(name="kernel cache", health=Health.LESS, found=found)
    sizes = [path.stat().st_size for path in folder.glob("*.o")]
    found = f"{folder}: {len(sizes)} kernels, {sum(sizes) / 1e6:.1f} MB"
    return Diagnosis(name="kernel cache", health=Health.GOOD, found=found)


def _tool(name: str, programs: tuple[str, ...]) -> Diagnosis:
    paths = [path for path in map(shutil.which, programs) if path]
    if paths:
        return Diagnosis(name=name, health=Health.GOOD, found=paths[0])
    return Diagnosis(name=name, health=Health.LESS, found="not on the path")
