"""A plan that failed its own validation: which check, which joint, which motion, and the evidence.

Such a plan is a defect of Palpeur's. The user is told where it is, and a file keeps everything that
is needed to find it again.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from planner.errors import OutputError
from planner.plan import Plan, SegmentKind
from planner.proof import Check, Location, Proof
from planner.result_files import write_file
from reports.plan_document import document_text, plan_document

_MOTION = {
    SegmentKind.PROBE: "probing line to {}",
    SegmentKind.SEARCH: "search at {}",
    SegmentKind.STOP: "stop at {}",
    SegmentKind.DWELL: "dwell at {}",
    SegmentKind.BACK_OFF: "back-off from {}",
    SegmentKind.RETRACT: "retract from {}",
    SegmentKind.TRAVEL: "travel to {}",
}


def location_text(plan: Plan, location: Location) -> str:
    """Compose a location such as "q3, retract from P2, at 1.234 s"; empty where none is known."""
    parts = [location.joint]
    if location.segment >= 0:
        segment = plan.timeline[location.segment]
        parts.append(_MOTION[segment.kind].format(segment.point))
    elif location.point:
        parts.append(f"point {location.point}")
    if np.isfinite(location.instant):
        parts.append(f"at {location.instant:.6g} s")
    return ", ".join(part for part in parts if part)


def failed_check_text(plan: Plan, check: Check) -> str:
    """Compose a failed check with its residual, limit and location, in one line."""
    unit = "" if check.unit == "1" else f" {check.unit}"
    form = ".9g" if check.limit >= 1.0 else ".3g"  # a ratio to a limit differs late
    where = location_text(plan, check.location)
    found = f"{check.name} {check.value:{form}}{unit} (limit {check.limit:{form}}{unit})"
    return f"{found}: {where}" if where else found


def write_evidence(proof: Proof, folder: Path) -> Path | None:
    """Keep a rejected plan and its residuals in a file, named by the job's hash.

    Returns:
        The file, or None where the folder cannot be written.
    """
    failed = [
        {
            "name": check.name,
            "value": check.value if np.isfinite(check.value) else None,
            "limit": check.limit,
            "unit": check.unit,
            "joint": check.location.joint or None,
            "point": check.location.point or None,
            "segment": check.location.segment if check.location.segment >= 0 else None,
            "instant_s": check.location.instant if np.isfinite(check.location.instant) else None,
            "explanation": check.explanation,
        }
        for check in proof.failures
    ]
    head = json.dumps(failed, ensure_ascii=False, indent=1, allow_nan=False)
    document = document_text(plan_document(proof))
    text = f'{{"format": 1,\n"failed": {head},\n"plan": {document}}}\n'
    path = folder / f"{proof.plan.job.sha256[:16]}.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(path, text)
    except (OSError, OutputError):
        return None
    return path
