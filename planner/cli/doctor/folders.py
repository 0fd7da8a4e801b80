"""Who may change what this process runs: the folders that Python imports from."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from planner.cli.doctor.diagnosis import Diagnosis, Health, listed
from planner.cli.doctor.installed_files import ROOMS

_HOUSE = Path(__file__).resolve().parents[3]


def folder_checks() -> Iterator[Diagnosis]:
    """Folders of the import path, and Palpeur's own files."""
    yield writable_check("import path", _import_path())
    yield writable_check("package folders", _own())


def writable_check(name: str, paths: Iterator[Path]) -> Diagnosis:
    """Whether anybody may write to files or folders that code comes from."""
    if sys.platform == "win32":
        return Diagnosis(name=name, health=Health.LESS, found="not looked at on Windows")
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
        yield _HOUSE / room
        for folder, names, files in os.walk(_HOUSE / room):
            names[:] = [name for name in names if name != "__pycache__"]
            yield from (Path(folder, name) for name in (*names, *files))
