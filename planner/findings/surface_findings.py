"""Findings about the part: its geometry's audit, and points that do not fit its surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from planner.findings import Finding, Quantity, Severity
from planner.findings.subjects import Geometry, Point, Points
from planner.job import Job
from robots.core.arrays import Indices, Mask
from robots.core.pose import inverse_pose, transform_points
from robots.core.rounding import apart

if TYPE_CHECKING:
    from parts.geometry import Audit


FAR = 1e-3  # [m] a probe point farther from the surface was meant for another part or pose
_ALL = 0.9  # of the points: from here on it is the list that is turned round, not its points
_LIST = 3  # points that make a list
_NAMED = 5  # points that one message names


def surface_findings(job: Job) -> list[Finding]:
    """What the geometry and its comparison with the points leave to say; none without geometry."""
    if job.surface is None:
        return []
    report = job.surface.normals
    return [
        *_adapted(job, job.surface.audit),
        *(_doubt(job, sentence) for sentence in job.surface.audit.warnings),
        *(_inward(name) for name in report.inward_names()),
        *_off(job),
    ]


def told_once(job: Job, findings: Sequence[Finding]) -> list[Finding]:
    """Findings about the surface, those of a list of normals that is turned round as one of them.

    Args:
        job: that they are about.
        findings: as ``surface_findings`` has them.
    """
    inward = [finding for finding in findings if finding.code == "P121"]
    total = len(job.points)
    if total < _LIST or len(inward) < _ALL * total:
        return list(findings)
    rest = [finding for finding in findings if finding.code != "P121"]
    return [_turned_round(job, [finding.subject.point for finding in inward]), *rest]


def causes_first(findings: Sequence[Finding]) -> list[Finding]:
    """The same, what is wrong with the points before what follows from it.

    A warning that a point lies off the surface goes before the errors where the same point fails.
    """
    failing = {one.subject.point for one in findings if one.severity is Severity.ERROR}

    def rank(finding: Finding) -> int:
        if finding.code == "P121":
            return 0
        return 1 if finding.code == "P122" and finding.subject.point in failing else 2

    return sorted(findings, key=rank)


def _adapted(job: Job, audit: Audit) -> list[Finding]:
    """What of the geometry is not as its file has it."""
    found: list[Finding] = []
    if audit.sheet_faces:
        sheets = "sheet" if audit.sheets == 1 else "sheets"
        found.append(
            Finding(
                code="P126",
                severity=Severity.NOTE,
                subject=Geometry(job.part.geometry),
                message=f"{audit.sheets} {sheets} beside the solids left out ({audit.sheet_faces} "
                "of the file's faces): neither measured nor avoided",
                hint='supplementary geometry needs no action; sheets = "include" in [part] makes '
                "them part",
            )
        )
    if audit.turned:
        found.append(
            Finding(
                code="P126",
                severity=Severity.NOTE,
                subject=Geometry(job.part.geometry),
                message=f"{audit.turned} of {audit.triangles} triangles turned round: their closed "
                "pieces were inside out",
                hint="no action needed; normals point out of the material",
            )
        )
    return found


def _doubt(job: Job, sentence: str) -> Finding:
    return Finding(
        code="P120",
        severity=Severity.WARNING,
        subject=Geometry(job.part.geometry),
        message=sentence,
        hint="correct the geometry where it was made, or its unit",
    )


def _inward(name: str) -> Finding:
    return Finding(
        code="P121",
        severity=Severity.ERROR,
        subject=Point(name),
        message="the normal points into the material of the part",
        hint="turn the normal round, or check the part's orientation",
    )


def _turned_round(job: Job, names: Sequence[str]) -> Finding:
    inward = set(names)
    right = [name for name in job.points.names if name not in inward]
    more = f" and {len(right) - _NAMED} more" if len(right) > _NAMED else ""
    others = f" (all but {', '.join(right[:_NAMED])}{more})" if right else ""
    return Finding(
        code="P121",
        severity=Severity.ERROR,
        subject=Points(),
        message=f"{len(names)} of {len(job.points)} normals point into the material of the part"
        f"{others}",
        hint="turn them round: change the sign of nx, ny and nz of these points; what else is said "
        "of them follows from it",
    )


def _off(job: Job) -> list[Finding]:
    """Points off the surface, and on which side of it."""
    if job.surface is None:
        return []
    report = job.surface.normals
    rows = np.flatnonzero(report.distances > FAR)
    sides = _sides(job, rows)
    return [
        _far(report.names[k], float(report.distances[k]), side)
        for k, side in zip(rows.tolist(), sides, strict=True)
    ]


def _sides(job: Job, rows: Indices) -> list[str]:
    """Where points lie, in words; a skin that is open has no inside."""
    if not rows.size or job.geometry is None or not job.geometry.audit.watertight:
        return ["from the part's surface"] * rows.size
    positions = job.points.positions[rows]
    if job.frame == "base":
        positions = transform_points(inverse_pose(job.part.T_base_part), positions)
    inside: Mask = job.geometry.inside(positions)
    return [
        "inside the part, below its surface" if one else "outside the part, off its surface"
        for one in inside.tolist()
    ]


def _far(name: str, distance: float, side: str) -> Finding:
    far, _ = apart(1e3 * distance, 1e3 * FAR, 3)
    return Finding(
        code="P122",
        severity=Severity.WARNING,
        subject=Point(name),
        message=f"the point lies {far} mm {side} (limit {1e3 * FAR:g} mm)",
        quantities=(Quantity("distance", 1e3 * distance, "mm"),),
        hint="check that points and geometry share one frame and one revision",
    )
