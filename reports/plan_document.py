"""The plan as a JSON document (format 1): ``plan --json`` and ``plan.json`` of the report set.

Numbers stand in full precision. A number that does not exist, such as the joints of a point that
is not reached, is null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from planner.plan import JointLoad, PlannedPoint, Segment, SegmentClearance, joint_cells
from reports.verdict import aspect_names
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.proof import Proof
    from robots.core.file_reading import TipLink

FORMAT = 1
Document = dict[str, object]


def plan_document(proof: Proof) -> Document:
    """A plan with its proof, keys in the order of the contract."""
    plan, totals = proof.plan, proof.plan.totals
    turning = {joint.name: joint.kind.angular for joint in plan.job.mechanism.movable}
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "job": {"name": plan.job.name, "sha256": plan.job.sha256},
        "robot": plan.job.robot_model,
        **_tip(plan.job.mechanism.tip),
        "feasible": plan.feasible,
        "duration_s": _number(totals.duration),
        "energy_j": _number(totals.energy),
        "net_work_j": _number(totals.net_work),
        "peak_power_w": _number(totals.peak_power),
        "min_power_w": _number(totals.min_power),
        "points": [_point(point, turning) for point in plan.planned_points],
        "unchecked": aspect_names(plan.unchecked),
        "segments": [_segment(segment) for segment in plan.timeline],
        "joints": [_joint(joint, turning[joint.name]) for joint in plan.joint_loads],
        "findings": [finding.document() for finding in plan.finding_list],
        "validation": _validation(proof),
    }


def document_text(document: Document) -> str:
    """JSON with one point, segment, joint, finding or check per line, and a line end."""
    return _text(document) + "\n"


def _tip(tip: TipLink | None) -> Document:
    """The link that is the tool frame of a robot from a URDF file."""
    if tip is None:
        return {}
    return {"tip": {"link": tip.link, "root": tip.root, "rule": tip.rule.value}}


def _point(point: PlannedPoint, turning: Mapping[str, bool]) -> Document:
    """A point; joints that slide stand in millimetres, and so does a margin that is theirs."""
    scale = np.where(list(turning.values()), 180.0 / np.pi, 1e3)
    slides = not turning.get(point.margin_joint, True)
    margin = {"joint_margin_deg": None if slides else _number(np.degrees(point.joint_margin))}
    if not all(turning.values()):
        margin["joint_margin_mm"] = _number(1e3 * point.joint_margin) if slides else None
    return {
        "name": point.name,
        "reachable": point.reachable,
        "branch": point.branch or None,
        "q_clearance_deg": _numbers(scale * point.q_clearance) if point.reachable else None,
        "q_contact_deg": _numbers(scale * point.q_contact) if point.reachable else None,
        "min_clearance_mm": None
        if point.min_clearance is None
        else _number(1e3 * point.min_clearance),
        **margin,
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
        "clearance": _clearance(segment.clearance),
    }


def _clearance(clearance: SegmentClearance | None) -> Document | None:
    if clearance is None:
        return None
    return {
        "certified_mm": _number(1e3 * clearance.certified),
        "seen_mm": _number(1e3 * clearance.seen),
        "pair": clearance.pair or None,
        "at": _number(clearance.at),
        "place_mm": [_number(1e3 * value) for value in clearance.place],
    }


def _joint(joint: JointLoad, turns: bool) -> Document:
    """A joint; one that slides has its own units, and forces."""
    return {
        key: _number(value) if isinstance(value, float) else value
        for key, value in joint_cells(joint, turns).items()
    }


def _validation(proof: Proof) -> Document:
    checks = [
        {
            "name": check.name,
            "value": _number(check.value),
            "limit": _number(check.limit),
            "unit": check.unit,
            "passed": bool(check.passed),
        }
        for check in proof.check_list
    ]
    return {"passed": bool(proof.passed), "checks": checks}


def _numbers(values: Array) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


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
