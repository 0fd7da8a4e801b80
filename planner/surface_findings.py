"""Findings about the part: its geometry's audit, and points that do not fit its surface."""

from __future__ import annotations

import numpy as np

from planner.findings import Finding, Severity
from planner.job import Job

FAR = 1e-3  # [m] a probe point farther from the surface was meant for another part or pose


def surface_findings(job: Job) -> list[Finding]:
    """What the geometry and its comparison with the points leave to say; none without geometry."""
    if job.surface is None:
        return []
    report = job.surface.normals
    return [
        *(_doubt(job, sentence) for sentence in job.surface.audit.warnings),
        *(_inward(name) for name in report.inward_names()),
        *(
            _far(report.names[k], float(report.distances[k]))
            for k in np.flatnonzero(report.distances > FAR)
        ),
    ]


def _doubt(job: Job, sentence: str) -> Finding:
    return Finding(
        code="P120",
        severity=Severity.WARNING,
        where=job.part.geometry,
        message=sentence,
        hint="mend the geometry where it was made; Palpeur repairs nothing silently",
    )


def _inward(name: str) -> Finding:
    return Finding(
        code="P121",
        severity=Severity.ERROR,
        where=name,
        message="the normal points into the material of the part",
        hint="turn the normal round, or check the part's orientation",
    )


def _far(name: str, distance: float) -> Finding:
    return Finding(
        code="P122",
        severity=Severity.WARNING,
        where=name,
        message=f"the point lies {1e3 * distance:.3f} mm from the part's surface "
        f"(limit {1e3 * FAR:g} mm)",
        hint="check that points and geometry share one frame and one revision",
    )
