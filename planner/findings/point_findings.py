"""Findings about the point file: what of it was not taken, how it was read, what is doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parts.points import SkippedItem
from planner.findings import Finding, Severity
from planner.findings.subjects import PartOfFile, Points
from planner.job import Job


def point_file_findings(job: Job) -> list[Finding]:
    """What the points of a job leave to say, before any of them is planned."""
    source = job.point_source
    origin = "points" if source is None else source.origin
    return [
        *untaken_findings("P123", () if source is None else source.untaken),
        *doubt_findings("P125", origin, job.points.warnings),
        *read_findings("P124", origin, () if source is None else source.told()),
    ]


def untaken_findings(code: str, untaken: Sequence[SkippedItem]) -> Iterator[Finding]:
    """One finding for each part of a file that gives no points, by its name."""
    for one in untaken:
        yield Finding(
            code=code,
            severity=Severity.WARNING if one.lost else Severity.NOTE,
            subject=PartOfFile(one.name),
            message=f"not taken from the file: {one.sentence()}",
            hint=one.advice,
        )


def doubt_findings(code: str, origin: str, doubts: Sequence[str]) -> Iterator[Finding]:
    """What is doubtful about points that were taken."""
    for doubt in doubts:
        yield Finding(code=code, severity=Severity.WARNING, subject=Points(origin), message=doubt)


def read_findings(code: str, origin: str, told: Sequence[str]) -> Iterator[Finding]:
    """How a file was read, as one note."""
    if told:
        yield Finding(
            code=code, severity=Severity.NOTE, subject=Points(origin), message=" ".join(told)
        )
