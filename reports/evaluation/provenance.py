"""Where an evaluation comes from: command, files with their hashes, versions."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path

from planner.errors import JobError
from planner.job import Job
from reports.content.table import Table, columns, text
from reports.evaluation.shown import InputFile, ResultSource
from reports.provenance import installed_versions
from robots.core.caps import Cap, read_capped, reason_of


def provenance_table(source: ResultSource) -> Table:
    """The table that every report ends with; nothing of when, where or by whom."""
    rows = [
        ("command", source.command),
        (f"job file {source.job.name}", f"SHA-256 {source.job.sha256}"),
        *((f"input {one.name}", f"SHA-256 {one.sha256}") for one in source.others),
        *installed_versions(),
    ]
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=tuple((text(what), text(value)) for what, value in rows),
    )


def source_of(
    job: Job, path: str, words: Sequence[str], others: Sequence[str] = ()
) -> ResultSource:
    """Describe the source of a report: without folders, with hashes.

    Args:
        job: as it was read.
        path: of its file.
        words: of the command that makes the same again.
        others: paths of other files that were read.

    Raises:
        JobError: one of them cannot be read.
    """
    read = (InputFile(name=one.name, sha256=one.sha256) for one in job.inputs)
    return ResultSource(
        command=shlex.join(words),
        job=InputFile(name=Path(path).name, sha256=job.sha256),
        others=(*map(_file, others), *read),
    )


def _file(path: str) -> InputFile:
    try:
        content = read_capped(path, Cap.TABLE_BYTES)
    except OSError as error:
        raise JobError(f"{path}: the file cannot be read: {reason_of(error)}.") from error
    return InputFile(name=Path(path).name, sha256=hashlib.sha256(content).hexdigest())
