"""The plan as a JSON document (format 1), and the schema of that document.

Numbers stand in full precision. A number that does not exist, such as the joints of a point that
is not reached, is null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from planner.findings.finding import Aspect
from planner.plan import (
    INTERPOLATION_PART,
    JUMP,
    JointLoad,
    PlannedPoint,
    Segment,
    SegmentClearance,
    SegmentKind,
    joint_cells,
)
from planner.touch.summary import TouchSummary, touch_summary
from reports.verdict import aspect_names
from robots.core.arrays import Array
from robots.core.file_reading import TipRule

if TYPE_CHECKING:
    from planner.proof import Proof
    from robots.core.file_reading import TipLink

FORMAT = 1
Document = dict[str, object]
Schema = dict[str, object]
_TEXT: Schema = {"type": "string"}
_TRUTH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_MAYBE: Schema = {"type": ["number", "null"]}
_JOINTS: Schema = {"type": ["array", "null"], "items": _MAYBE}


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
        "touch": _touch(touch_summary(plan)),
        "segments": [_segment(segment) for segment in plan.timeline],
        "joints": [_joint(joint, turning[joint.name]) for joint in plan.joint_loads],
        "findings": [finding.document() for finding in plan.finding_list],
        "samples": _samples(proof),
        "validation": _validation(proof),
    }


def document_text(document: Document) -> str:
    """JSON with one point, segment, joint, finding or check per line, and a line end."""
    return _text(document) + "\n"


def _samples(proof: Proof) -> Document:
    """The rows of the trajectory: of a fixed period, or what straight lines between them miss."""
    job = proof.plan.job
    if job.sampling_period is not None:
        return {"rows": proof.motion.count, "period_s": job.sampling_period}
    return {
        "rows": proof.motion.count,
        "interpolation_error_m": job.interpolation_error,
        "interpolation_error_of_largest": INTERPOLATION_PART,
        "jump_s": JUMP,
    }


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
        "inverse_branch": point.inverse_branch or None,
        "q_clearance_deg": _numbers(scale * point.q_clearance) if point.reachable else None,
        "q_contact_deg": _numbers(scale * point.q_contact) if point.reachable else None,
        "min_clearance_mm": None
        if point.min_clearance is None
        else _number(1e3 * point.min_clearance),
        **margin,
        "singularity_margin": _number(point.singularity_margin),
        "touch_speed_mm_s": _number(1e3 * point.touch_speed),
        "overrun_mm": _number(1e3 * point.overrun),
    }


def _touch(touch: TouchSummary) -> Document:
    return {
        "mode": touch.mode,
        "speed_mm_s": _number(1e3 * touch.speed),
        "max_speed_in_search_mm_s": _number(1e3 * touch.speed_in_search),
        "search_before_mm": _number(1e3 * touch.search_before),
        "search_after_mm": _number(1e3 * touch.search_after),
        "max_overrun_mm": _number(1e3 * touch.overrun),
        "overtravel_mm": _number(1e3 * touch.overtravel),
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


def _number(value: float | None) -> float | None:
    """A number of Python's own; None where it is not finite."""
    return float(value) if value is not None and math.isfinite(value) else None


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


def _object(**properties: Schema) -> Schema:
    """An object with exactly these keys, all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def plan_schema() -> Schema:
    """The schema; null stands where a number does not exist, as for a point that is not reached.

    A plan of a robot from a URDF file has ``tip`` as well.
    """
    plan = _plan()
    tip = _object(link=_TEXT, root=_TEXT, rule=_one_of(*(rule.value for rule in TipRule)))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Palpeur plan, format 1",
        **plan,
        "properties": {**_properties(plan), "tip": tip},
    }


def _plan() -> Schema:
    return _object(
        format={"const": 1},
        palpeur=_TEXT,
        job=_object(name=_TEXT, sha256={"type": "string", "pattern": "^[0-9a-f]{64}$"}),
        robot=_TEXT,
        feasible=_TRUTH,
        duration_s=_NUMBER,
        energy_j=_MAYBE,
        net_work_j=_MAYBE,
        peak_power_w=_MAYBE,
        min_power_w=_MAYBE,
        points=_list(_plan_schema_point()),
        unchecked=_list(_one_of(*(aspect.value for aspect in Aspect))),
        touch=_object(
            mode=_one_of("search", "to-rest"),
            speed_mm_s=_NUMBER,
            max_speed_in_search_mm_s=_NUMBER,
            search_before_mm=_NUMBER,
            search_after_mm=_NUMBER,
            max_overrun_mm=_NUMBER,
            overtravel_mm=_MAYBE,
        ),
        segments=_list(_plan_schema_segment()),
        joints=_list(_plan_schema_joint()),
        findings=_list(_finding()),
        samples={"anyOf": [_regular(), _spaced()]},
        validation=_object(passed=_TRUTH, checks=_list(_check())),
    )


def _regular() -> Schema:
    return _object(rows=_COUNT, period_s=_NUMBER)


def _spaced() -> Schema:
    return _object(
        rows=_COUNT,
        interpolation_error_m=_NUMBER,
        interpolation_error_of_largest=_NUMBER,
        jump_s=_NUMBER,
    )


def _plan_schema_point() -> Schema:
    """A point; a robot with sliding joints has ``joint_margin_mm`` as well."""
    point = _object(
        name=_TEXT,
        reachable=_TRUTH,
        branch={"type": ["string", "null"]},
        inverse_branch={"type": ["string", "null"]},
        q_clearance_deg=_JOINTS,
        q_contact_deg=_JOINTS,
        min_clearance_mm=_MAYBE,
        joint_margin_deg=_MAYBE,
        singularity_margin=_MAYBE,
        touch_speed_mm_s=_MAYBE,
        overrun_mm=_MAYBE,
    )
    return {**point, "properties": {**_properties(point), "joint_margin_mm": _MAYBE}}


def _properties(schema: Schema) -> dict[str, object]:
    found = schema["properties"]
    return dict(found) if isinstance(found, dict) else {}


def _plan_schema_segment() -> Schema:
    return _object(
        kind=_one_of(*(kind.value for kind in SegmentKind)),
        point=_TEXT,
        law=_TEXT,
        start_s=_NUMBER,
        duration_s=_NUMBER,
        binding=_TEXT,
        clearance={"anyOf": [{"type": "null"}, _plan_schema_clearance()]},
    )


def _plan_schema_clearance() -> Schema:
    return _object(
        certified_mm=_MAYBE,
        seen_mm=_MAYBE,
        pair={"type": ["string", "null"]},
        at=_MAYBE,
        place_mm=_list(_MAYBE),
    )


def _plan_schema_joint() -> Schema:
    """A joint that turns, or one that slides."""
    common = {"peak_power_w": _MAYBE, "energy_j": _MAYBE}
    turns = _object(
        name=_TEXT,
        peak_velocity_rad_s=_NUMBER,
        peak_acceleration_rad_s2=_NUMBER,
        peak_torque_nm=_MAYBE,
        rms_torque_nm=_MAYBE,
        **common,
    )
    slides = _object(
        name=_TEXT,
        peak_velocity_m_s=_NUMBER,
        peak_acceleration_m_s2=_NUMBER,
        peak_force_n=_MAYBE,
        rms_force_n=_MAYBE,
        **common,
    )
    return {"anyOf": [turns, slides]}


def _finding() -> Schema:
    return _object(
        code={"type": "string", "pattern": "^[A-Z][0-9]{3}$"},
        severity=_one_of("error", "warning", "note"),
        where=_TEXT,
        message=_TEXT,
        hint=_TEXT,
    )


def _check() -> Schema:
    return _object(name=_TEXT, value=_MAYBE, limit=_MAYBE, unit=_TEXT, passed=_TRUTH)
