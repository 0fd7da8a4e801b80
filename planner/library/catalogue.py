"""Library jobs by name."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import JobError
from robots.core.catalogue import Catalogue

if TYPE_CHECKING:
    from planner.job import Job

_JOBS = Catalogue(
    package="planner.library", thing="job", endings=(), file="job.toml", error=JobError
)
names = _JOBS.names


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleFacts:
    """A library job in a line: name of the job, robot."""

    job: str
    robot: str


def facts_of(name: str) -> ExampleFacts:
    """What a library job is, by its file alone.

    Raises:
        JobError: no such name; the message gives the nearest.
    """
    document = tomllib.loads(_JOBS.text_of(name))
    return ExampleFacts(job=document["job"]["name"], robot=document["robot"]["model"])


def path_of(name: str) -> Path:
    """The job file of a library job; the files it names stand beside it.

    Raises:
        JobError: no such name; the message gives the nearest.
    """
    return _JOBS.file_of(name)


def read_example(name: str) -> Job:
    """A library job, see ``palpeur examples``.

    Raises:
        JobError: no such name; the message gives the nearest.
    """
    from planner.job import read_job

    return read_job(path_of(name))
