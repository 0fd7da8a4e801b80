"""The plan as a JSON document (format 1): ``plan --json`` and ``plan.json`` of the report set.

Numbers stand in full precision. A number that does not exist, such as the joints of a point that
is not reached, is null.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from planner.plan_types import Array, JointLoad, Plan, PlannedPoint, Segment

if TYPE_CHECKING:
    from reports.validation import Validation

FORMAT = 1
Document = dict[str, object]


def plan_document(plan: Plan, validation: Validation) -> Document:
    """A plan with its validation, keys in the order of the contract.

    Args:
        plan: what was planned.
        validation: what its independent check found.
    """
    totals = plan.totals
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "job": {"name": plan.job.name, "sha256": plan.job.sha256},
        "robot": plan.job.robot,
        "feasible": plan.feasible,
        "duration_s": _number(totals.duration),
        "energy_j": _number(totals.energy),
        "net_work_j": _number(totals.net_work),
        "peak_power_w": _number(totals.peak_power),
        "min_power_w": _number(totals.min_power),
        "points": [_point(point) for point in plan.points],
        "segments": [_segment(segment) for segment in plan.segments],
        "joints": [_joint(joint) for joint in plan.joints],
        "findings": [finding.document() for finding in plan.findings],
        "validation": _validation(validation),
    }


def document_text(document: Document) -> str:
    """JSON with one point, segment, joint, finding or check per line, and a line end."""
    return _text(document) + "\n"


def _point(point: PlannedPoint) -> Document:
    return {
        "name": point.name,
        "reachable": point.reachable,
        "branch": point.branch or None,
        "q_clearance_deg": _degrees(point.q_clearance) if point.reachable else None,
        "q_contact_deg": _degrees(point.q_contact) if point.reachable else None,
        "min_clearance_mm": None
        if point.min_clearance is None
        else _number(1e3 * point.min_clearance),
        "joint_margin_deg": _number(np.degrees(point.joint_margin)),
        "singularity_margin": _number(point.singularity_margin),
    }


def _segment(segment: Segment) -> Document:
    return {
        "kind": segment.kind.value,
        "point": segment.point,
        "law": segment.law,
        "start_s": _number(segment.start),
        "duration_s": _number(segment.duration),
        "binding": segment.binding,
    }


def _joint(joint: JointLoad) -> Document:
    return {
        "name": joint.name,
        "peak_velocity_rad_s": _number(joint.peak_velocity),
        "peak_acceleration_rad_s2": _number(joint.peak_acceleration),
        "peak_torque_nm": _number(joint.peak_torque),
        "rms_torque_nm": _number(joint.rms_torque),
        "peak_power_w": _number(joint.peak_power),
        "energy_j": _number(joint.energy),
    }


def _validation(validation: Validation) -> Document:
    checks = [
        {
            "name": check.name,
            "value": _number(check.value),
            "limit": _number(check.limit),
            "unit": check.unit,
            "passed": bool(check.passed),
        }
        for check in validation.checks
    ]
    return {"passed": bool(validation.passed), "checks": checks}


def _degrees(q: Array) -> list[float | None]:
    return [_number(value) for value in np.degrees(q)]


def _number(value: float) -> float | None:
    """A number of Python's own; None where it is not finite."""
    return float(value) if np.isfinite(value) else None


def _text(value: object) -> str:
    """One line, but for lists of objects and for objects that hold something of more lines."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_line, value)) + "\n]"
    if isinstance(value, dict) and any(isinstance(item, dict | list) for item in value.values()):
        lines = (f"{_line(str(key))}: {_text(item)}" for key, item in value.items())
        return "{\n" + ",\n".join(lines) + "\n}"
    return _line(value)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
