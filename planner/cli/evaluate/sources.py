"""What a command was asked, told again in provenance: without folders, with hashes."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import JobError
from robots.core.caps import Cap, read_capped, reason_of

if TYPE_CHECKING:
    from planner.job import Job
    from reports.evaluation.shown import InputFile, Source


def source_of(job: Job, path: str, words: Sequence[str], others: Sequence[str] = ()) -> Source:
    """The source of a report.

    Args:
        job: as it was read.
        path: of its file.
        words: of the command that makes the same again.
        others: paths of other files that were read.
    """
    from reports.evaluation.shown import InputFile, Source

    read = (InputFile(name=one.name, sha256=one.sha256) for one in job.inputs)
    return Source(
        command=shlex.join(words),
        job=InputFile(name=Path(path).name, sha256=job.sha256),
        others=(*map(_file, others), *read),
    )


def _file(path: str) -> InputFile:
    from reports.evaluation.shown import InputFile

    try:
        content = read_capped(path, Cap.TABLE_BYTES)
    except OSError as error:
        raise JobError(f"{path}: the file cannot be read: {reason_of(error)}.") from error
    return InputFile(name=Path(path).name, sha256=hashlib.sha256(content).hexdigest())
