"""Diagnosis of this machine and this installation."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.metadata import (
    Distribution,
    FileHash,
    PackageNotFoundError,
    PackagePath,
    distribution,
    requires,
    version,
)
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import PlannerError
from robots.core.caps import Cap
from robots.core.kernels.cache import cache_folder
from robots.core.kernels.machine import processor, this_machine

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_TOOLS = {
    "check_urdf": ("check_urdf",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "C compiler": ("cc", "gcc", "clang"),
}
_DIGEST = 32  # bytes of SHA-256 in front of every entry
_MOST = 64_000_000  # [bytes] that are looked at, the newest first
_OLD = 86_400.0  # [s] a file that is being written for so long was abandoned
DISTRIBUTION = "palpeur"
_OPTIONAL = "cluster"  # an extra that users take; the others are for developers
ROOMS = ("planner", "robots", "parts", "reports")
_ROOT = Path(__file__).resolve().parents[1]


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
    from planner.batch.pool import memory_is_watched

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
    from robots.core.benchmark.kernels import try_compiler
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


class Health(Enum):
    """Result of a check."""

    GOOD = "ok"
    LESS = "missing, not needed"
    RISK = "not as it should be"  # it works, and somebody should look at it
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


def needed(good: bool) -> Health:
    """Health of what must be good."""
    return Health.GOOD if good else Health.BAD


def listed(names: list[str], most: int = 3) -> str:
    """The first few of many names."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


# --- versions -------------------------------------------------------------------------------------
def requirement_checks() -> Iterator[Diagnosis]:
    """Versions, in the order of the metadata."""
    python = f"{platform.python_version()} ({sys.executable})"
    recent = sys.version_info >= (3, 11)
    yield Diagnosis(name="Python", health=needed(recent), found=python)
    try:
        yield Diagnosis(name=DISTRIBUTION, health=Health.GOOD, found=version(DISTRIBUTION))
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        found = "not installed, only imported: its requirements are not known; pip install it"
        yield Diagnosis(name=DISTRIBUTION, health=Health.RISK, found=found)
        return
    try:
        from packaging.requirements import Requirement
    except ImportError:
        found = "not installed, so that no version can be compared: pip install packaging"
        yield Diagnosis(name="packaging", health=Health.BAD, found=found)
        return
    for requirement in map(Requirement, wanted):
        yield from _checked(requirement)


def _checked(wanted: Requirement) -> Iterator[Diagnosis]:
    """The version of one requirement; none where it does not apply."""
    required = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
    if not required and not (wanted.marker and wanted.marker.evaluate({"extra": _OPTIONAL})):
        return
    words = f"{wanted.name}{wanted.specifier}"
    try:
        installed = version(wanted.name)
    except PackageNotFoundError:
        missing = Health.BAD if required else Health.LESS
        found = f"not installed: pip install '{words}'"
        yield Diagnosis(name=wanted.name, health=missing, found=found)
        return
    if wanted.specifier.contains(installed, prereleases=True):
        yield Diagnosis(name=wanted.name, health=Health.GOOD, found=installed)
    else:
        told = f"{installed}, but Palpeur requires {wanted.specifier}: pip install '{words}'"
        yield Diagnosis(name=wanted.name, health=needed(not required), found=told)


# --- files as they were installed -----------------------------------------------------------------
def files_check(found: Distribution | None = None) -> Diagnosis:
    """Compare every file with the hash that the installer noted.

    Args:
        found: the distribution; left out: the one that is installed.
    """
    try:
        found = found or distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return Diagnosis(
            name="installed files", health=Health.RISK, found="not installed: nothing to compare"
        )
    if found.read_text("RECORD") is None:
        told = "run from a checkout, not from a wheel: there is no RECORD to compare with"
        return Diagnosis(name="installed files", health=Health.GOOD, found=told)
    if _is_editable(found):
        told = "an editable installation: its files may change, and there is nothing to compare"
        return Diagnosis(name="installed files", health=Health.GOOD, found=told)
    return _compared(found)


def _compared(found: Distribution) -> Diagnosis:
    files = [file for file in found.files or () if file.parts[0] in ROOMS]
    hashed = [(file, file.hash) for file in files if file.hash is not None]
    changed = [str(file) for file, recorded in hashed if not _is_as_recorded(file, recorded)]
    foreign = list(_foreign(found, files))
    if not changed and not foreign:
        told = f"{len(hashed)} files are as they were installed"
        return Diagnosis(name="installed files", health=Health.GOOD, found=told)
    faults = [f"{listed(changed)} changed or missing"] if changed else []
    faults += [f"{listed(foreign)} not of this version"] if foreign else []
    told = "; ".join(faults) + f": pip install --force-reinstall {DISTRIBUTION}"
    return Diagnosis(name="installed files", health=Health.BAD, found=told)


def _is_editable(found: Distribution) -> bool:
    text = found.read_text("direct_url.json")
    try:
        document = json.loads(text) if text else {}
    except ValueError:
        return False
    return bool(document.get("dir_info", {}).get("editable"))


def _is_as_recorded(file: PackagePath, recorded: FileHash) -> bool:
    """Hashes of a RECORD are in URL-safe base64 without padding."""
    try:
        path = Path(str(file.locate()))
        if not path.is_file():  # missing, or a pipe that nobody writes to
            return False
        digest = hashlib.new(recorded.mode, path.read_bytes())
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode() == recorded.value


def _foreign(found: Distribution, files: Iterable[PackagePath]) -> Iterator[str]:
    """Code in Palpeur's folders that its RECORD does not list, byte code apart."""
    known = {file.as_posix() for file in files}
    root = Path(str(found.locate_file("")))
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            name = path.relative_to(root).as_posix()
            code = path.suffix in {".py", ".so", ".pyd", ".pth"}
            if code and name not in known and path.is_file():
                yield name


# --- who may change what runs ---------------------------------------------------------------------
def folder_checks() -> Iterator[Diagnosis]:
    """Folders of the import path, and Palpeur's own files."""
    yield writable_check("import path", _import_path())
    yield writable_check("package folders", _own())


def writable_check(name: str, paths: Iterator[Path]) -> Diagnosis:
    """Return whether anybody may write to files or folders that code comes from."""
    if sys.platform == "win32":
        return Diagnosis(name=name, health=Health.LESS, found="not checked on Windows")
    looked, open_to_all, foreign = 0, [], []
    for path in paths:
        try:
            info = path.stat()
        except OSError:
            continue
        looked += 1
        if info.st_mode & stat.S_IWOTH:
            open_to_all.append(str(path))
        if info.st_uid not in (0, os.getuid()):
            foreign.append(f"{path} (uid {info.st_uid})")
    if open_to_all:
        found = f"everybody may write to {listed(open_to_all)}, and so change what runs: chmod o-w"
        return Diagnosis(name=name, health=Health.BAD, found=found)
    if foreign:
        found = f"{listed(foreign)} belongs to another user, who can change what runs"
        return Diagnosis(name=name, health=Health.RISK, found=found)
    found = f"{looked} places, none that everybody may write to"
    return Diagnosis(name=name, health=Health.GOOD, found=found)


def _import_path() -> Iterator[Path]:
    """Existing entries of the import path, and the folders above, where an entry may be swapped.

    A folder above in which everybody may make files, but not touch those of others (``/tmp``), is
    no way in.
    """
    entries = [path for path in map(Path, sys.path) if os.access(path, os.F_OK)]
    entries = [path.resolve() for path in entries]
    above = {parent for path in entries for parent in path.parents}
    yield from dict.fromkeys(entries)
    for folder in sorted(above - set(entries)):
        if not _is_sticky(folder):
            yield folder


def _is_sticky(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_ISVTX)
    except OSError:
        return False


def _own() -> Iterator[Path]:
    for room in ROOMS:
        yield _ROOT / room
        for folder, names, files in os.walk(_ROOT / room):
            names[:] = [name for name in names if name != "__pycache__"]
            yield from (Path(folder, name) for name in (*names, *files))
