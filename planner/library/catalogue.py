"""Library jobs by name."""

from __future__ import annotations

from pathlib import Path

from planner.errors import JobError
from robots.core.catalogue import Catalogue

_JOBS = Catalogue(
    package="planner.library", thing="job", endings=(), file="job.toml", error=JobError
)
names = _JOBS.names


def path_of(name: str) -> Path:
    """The job file of a library job; the files it names stand beside it.

    Raises:
        JobError: no such name; the message gives the nearest.
    """
    return _JOBS.file_of(name)
