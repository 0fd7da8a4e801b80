"""What the machine can do: processor, machine code, and tools that are good to have."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from planner.cli.doctor.diagnosis import Diagnosis, Health, needed

_TOOLS = {
    "check_urdf": ("check_urdf",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "C compiler": ("cc", "gcc", "clang"),
}


def machine_checks() -> Iterator[Diagnosis]:
    """Processor, vectors, compiler."""
    yield Diagnosis(name="processor", health=Health.GOOD, found=processor())
    yield _vectors()
    yield _compiler()
    yield _memory_caps()


def tool_checks() -> Iterator[Diagnosis]:
    """What tests, browsers and comparisons use, and no plan needs."""
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


def _optional_package(module: str, distribution: str) -> Diagnosis:
    if find_spec(module) is None:
        return Diagnosis(name=module, health=Health.LESS, found=f"pip install {distribution}")
    try:
        return Diagnosis(name=module, health=Health.GOOD, found=version(distribution))
    except PackageNotFoundError:
        return Diagnosis(name=module, health=Health.GOOD, found="version unknown")


def _memory_caps() -> Diagnosis:
    from planner.batch.worker_process import memory_is_watched

    lacking = []
    if not memory_is_watched():
        lacking.append("--memory-cap of a batch")
    if find_spec("resource") is None:
        lacking.append("STEP_MEMORY of the STEP translator")
    if lacking:
        found = f"not kept on this system: {', '.join(lacking)}; caps on time are"
        return Diagnosis(name="memory caps", health=Health.LESS, found=found)
    return Diagnosis(name="memory caps", health=Health.GOOD, found="kept")


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
    from robots.core.errors import PalpeurError

    try:
        trial = kernel_trial()
    except PalpeurError as error:
        return Diagnosis(name="kernel compiler", health=Health.LESS, found=error.message)
    except (OSError, RuntimeError, ImportError) as error:  # what llvmlite raises
        return Diagnosis(name="kernel compiler", health=Health.BAD, found=str(error))
    found = f"compiled in {trial.seconds:.2f} s, differs from NumPy by {trial.difference:.1e}"
    return Diagnosis(name="kernel compiler", health=needed(trial.difference < 1e-12), found=found)


def _tool(name: str, programs: tuple[str, ...]) -> Diagnosis:
    paths = [path for path in map(shutil.which, programs) if path]
    if paths:
        return Diagnosis(name=name, health=Health.GOOD, found=paths[0])
    return Diagnosis(name=name, health=Health.LESS, found="not on the path")
