"""Everything besides the job file that determines a batch result: code, versions, options."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
from collections.abc import Iterator
from pathlib import Path

from planner.batch.case import OUTSIDE, Environment
from robots.core.caps import Cap, changed_caps

_PACKAGES = ("parts", "planner", "reports", "robots")
_READ = frozenset({".py", ".toml", ".csv"})  # what is run, and the library that jobs name
# These decide what a batch takes, and nothing of what comes of a job.
_OF_THE_BATCH = frozenset(
    {
        *(Cap.BATCH_JOBS, Cap.BATCH_WORKERS, Cap.SWEEP_JOBS, Cap.SWEEP_KEYS, Cap.SWEEP_CHARACTERS),
        *(Cap.RESULT_BYTES, Cap.SUMMARY_BYTES),
    }
)


def surroundings(*, allow_outside: bool) -> Environment:
    """Of this installation.

    Args:
        allow_outside: whether jobs may name files outside their folder.
    """
    from reports.provenance import installed_versions

    return Environment(
        parameters=tuple(sorted(((OUTSIDE, str(allow_outside).lower()), *_caps()))),
        code=_code(),
        environment=tuple(sorted((*installed_versions(), ("machine", platform.machine())))),
    )


def _caps() -> Iterator[tuple[str, str]]:
    """Caps on input that the environment changes: they decide what of a job is refused."""
    for name, limit in changed_caps().items():
        if Cap[name] not in _OF_THE_BATCH:
            yield f"cap {name}", str(limit)


def _code() -> str:
    """Hash of every file of Palpeur that can change a result."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        root = _folder(package)
        for path in sorted(root.rglob("*")):
            if path.suffix in _READ and path.is_file():
                content = path.read_bytes()
                name = f"{package}/{path.relative_to(root).as_posix()}"
                digest.update(f"{name}\0{len(content)}\0".encode())
                digest.update(content)
    return digest.hexdigest()


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    places = found.submodule_search_locations if found is not None else None
    return Path(next(iter(places))) if places else Path()
