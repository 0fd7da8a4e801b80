"""Whether Palpeur's files are those that were installed: hashes against the wheel's RECORD."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.metadata import (
    Distribution,
    FileHash,
    PackageNotFoundError,
    PackagePath,
    distribution,
)
from pathlib import Path

from planner.cli.doctor.diagnosis import Diagnosis, Health, listed
from planner.cli.doctor.requirements import DISTRIBUTION

ROOMS = ("planner", "robots", "parts", "reports")
_NAME = "installed files"


def files_check(found: Distribution | None = None) -> Diagnosis:
    """Compare every file with the hash that the installer noted.

    Args:
        found: the distribution; left out: the one that is installed.
    """
    try:
        found = found or distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return Diagnosis(name=_NAME, health=Health.RISK, found="not installed: nothing to compare")
    if found.read_text("RECORD") is None:
        told = "run from a checkout, not from a wheel: there is no RECORD to compare with"
        return Diagnosis(name=_NAME, health=Health.GOOD, found=told)
    if _is_editable(found):
        told = "an editable installation: its files may change, and there is nothing to compare"
        return Diagnosis(name=_NAME, health=Health.GOOD, found=told)
    return _compared(found)


def _compared(found: Distribution) -> Diagnosis:
    files = [file for file in found.files or () if file.parts[0] in ROOMS]
    hashed = [(file, file.hash) for file in files if file.hash is not None]
    changed = [str(file) for file, recorded in hashed if not _is_as_recorded(file, recorded)]
    foreign = list(_foreign(found, files))
    if not changed and not foreign:
        told = f"{len(hashed)} files are as they were installed"
        return Diagnosis(name=_NAME, health=Health.GOOD, found=told)
    faults = [f"{listed(changed)} changed or missing"] if changed else []
    faults += [f"{listed(foreign)} not of this version"] if foreign else []
    told = "; ".join(faults) + f": pip install --force-reinstall {DISTRIBUTION}"
    return Diagnosis(name=_NAME, health=Health.BAD, found=told)


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
