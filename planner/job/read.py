"""Job file (TOML) → Job."""

from __future__ import annotations

from pathlib import Path

from planner.errors import JobError
from planner.job.folder import JobFolder
from planner.job.job import Job, read_source
from planner.job.job_text import job_text, read_job_text


def read_job(
    path: Path | str, *, allow_outside: bool = False, text: str = "", fixed_part: bool = False
) -> Job:
    """Read a job file and what it names.

    Args:
        path: of the job file.
        allow_outside: whether paths in it may leave its folder.
        text: of a variant that is read in place of the file's, as if it stood there.
        fixed_part: refuse a job whose part a presenter moves, for work on one pose of it.

    Raises:
        JobError: a file that cannot be read, or a fault in it; with file, line, key, what was
            found and what was expected.
    """
    path = Path(path)
    source = job_text(path, text, in_file=False) if text else read_job_text(path)
    folder = JobFolder(root=path.parent, source=source, allow_outside=allow_outside)
    job = read_source(source, folder)
    if fixed_part and job.presenter is not None:
        raise JobError(
            f"{path.name} has a [presenter], whose hexapod moves the part between plans; use "
            f"`palpeur stewart present {path.name}`, or remove the table and give [part] its pose "
            "in the robot's base.",
            key="presenter",
        )
    return job


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of job files."""
    from planner.job.schema import JobFile
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(JobFile)
