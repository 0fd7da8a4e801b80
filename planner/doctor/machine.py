"""Is this machine fit: processor, machine code and its cache, caps, tools that are good to have."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from planner.doctor.installation import (
    Diagnosis,
    Health,
    files_check,
    folder_checks,
    listed,
    needed,
    requirement_checks,
)
from planner.errors import PlannerError
from robots.core.caps import Cap
from robots.core.kernels.cache import cache_folder
from robots.core.kernels.machine import processor, this_machine

_TOOLS = {
    "check_urdf": ("check_urdf",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "C compiler": ("cc", "gcc", "clang"),
}
_DIGEST = 32  # bytes of SHA-256 in front of every entry
_MOST = 64_000_000  # [bytes] that are looked at, the newest first
_OLD = 86_400.0  # [s] a file that is being written for so long was abandoned


def diagnoses() -> Iterator[Diagnosis]:
    """Everything the doctor looks at, in order: the installation, then the machine."""
    yield from requirement_checks()
    yield files_check()
    yield from folder_checks()
    yield from machine_checks()
    yield cache_check()
    yield caps_check()
    yield from tool_checks()


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
    machine = this_machine()
    if machine is None:
        found = "no fused multiply-add: NumPy is used instead of machine code"
        return Diagnosis(name="vector width", health=Health.LESS, found=found)
    found = f"{machine.lanes} doubles ({machine.cpu})"
    return Diagnosis(name="vector width", health=Health.GOOD, found=found)


def _compiler() -> Diagnosis:
    """Compile a small kernel and compare it with NumPy."""
    from robots.core.benchmark import try_compiler
    from robots.core.errors import RobotError
    from robots.library import load

    try:
        trial = try_compiler(load("measuring-arm"))
    except (RobotError, PlannerError) as error:
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


# --- cache of machine code ------------------------------------------------------------------------


def cache_check() -> Diagnosis:
    """Look at the folder and what is in it.

    An entry's name holds the hash of its programme, of the compiler and of the processor, so an
    entry that nobody asks for any longer costs room and does no harm.
    """
    folder = cache_folder()
    try:
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(nearest, os.W_OK | os.X_OK):
            return _less(f"{folder}: cannot be written; every run compiles anew")
        if nearest != folder:
            return _good(f"{folder} (not yet made)")
        return _good_or_open(folder)
    except OSError as error:
        return _less(f"{folder}: {error.strerror}; every run compiles anew")


def _good_or_open(folder: Path) -> Diagnosis:
    info = folder.stat()
    if sys.platform != "win32":
        if info.st_uid != os.getuid():
            return _risk(f"{folder} belongs to uid {info.st_uid}, so it is not used; remove it")
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return _risk(f"{folder}: others may write to it, so it is not used; chmod go-w it")
    sizes = [path.stat().st_size for path in folder.glob("*.o")]
    faulty = [*_damaged(folder), *_abandoned(folder)]
    if faulty:
        told = f"{folder}: {listed(faulty)} damaged or abandoned (never run); remove them"
        return _risk(told)
    return _good(f"{folder}: {len(sizes)} kernels, {sum(sizes) / 1e6:.1f} MB, private")


def _damaged(folder: Path) -> Iterator[str]:
    """Entries whose content is not what their first bytes promise."""
    left = _MOST
    for path in sorted(folder.glob("*.o"), key=lambda path: -path.stat().st_mtime):
        left -= path.stat().st_size
        if left < 0:
            return
        content = path.read_bytes() if path.is_file() else b""  # a pipe may be waited for for ever
        if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            yield path.name


def _abandoned(folder: Path) -> Iterator[str]:
    now = time.time()
    for path in folder.glob(".*"):
        if path.is_file() and now - path.stat().st_mtime > _OLD:
            yield path.name


def _good(found: str) -> Diagnosis:
    return Diagnosis(name="kernel cache", health=Health.GOOD, found=found)


def _less(found: str) -> Diagnosis:
    return Diagnosis(name="kernel cache", health=Health.LESS, found=found)


def _risk(found: str) -> Diagnosis:
    return Diagnosis(name="kernel cache", health=Health.RISK, found=found)


# --- caps on input --------------------------------------------------------------------------------


def caps_check() -> Diagnosis:
    """Caps on input that the environment changes."""
    changed = [
        f"{cap.variable}={cap.limit} (default {cap.default})"
        for cap in Cap
        if cap.limit != cap.default
    ]
    found = ", ".join(changed) or f"{len(Cap)} at their defaults; --caps lists them"
    return Diagnosis(name="caps on input", health=Health.GOOD, found=found)
