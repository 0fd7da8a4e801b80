"""Report: all that a reader is told, in the order in which it is read."""

from __future__ import annotations

from dataclasses import dataclass

from planner.findings import Finding
from reports.content.curves import CurveSet
from reports.content.table import Fact, Table, ValueStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The content of a report, without a form.

    Args:
        title: name of the job, as the file says it; untrusted.
        verdict: one sentence: feasible or not, and validated or not.
        status: what the verdict means.
        unchecked: what was not checked, what that means, what would change it.
        facts: the summary.
        findings: the worst first.
        curves: over time, one set per quantity.
        joints: peaks of each joint.
        points: every probe point.
        segments: every motion.
        clearances: least clearance of every motion; empty where none was checked.
        audit: health of the geometry; None where the job names none.
        validation: every residual.
        cell: solids and capsules that were checked.
        job_text: the job file as it was read; untrusted.
        errata: what a reproduced source says otherwise, one sentence each.
        provenance: hashes, versions, command.
        sha256: of the job file.
        version: of Palpeur.
    """

    title: str
    verdict: str
    status: ValueStatus
    unchecked: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    curves: tuple[CurveSet, ...]
    joints: Table
    points: Table
    segments: Table
    clearances: Table
    audit: Table | None
    validation: Table
    cell: Table
    job_text: str
    errata: tuple[str, ...]
    provenance: Table
    sha256: str
    version: str

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables in reading order."""
        maybe = () if self.audit is None else (self.audit,)
        return (
            *(self.joints, self.points, self.segments, self.clearances),
            *maybe,
            *(self.validation, self.cell, self.provenance),
        )
