"""JSON Schema of ``plan.json`` (format 1), for programs that read plans."""

from __future__ import annotations

from planner.findings.unchecked import Aspect
from robots.core.file_reading import TipRule

Schema = dict[str, object]

_TEXT: Schema = {"type": "string"}
_TRUTH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number"}
_MAYBE: Schema = {"type": ["number", "null"]}
_JOINTS: Schema = {"type": ["array", "null"], "items": _MAYBE}


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
        energy_j=_NUMBER,
        net_work_j=_NUMBER,
        peak_power_w=_NUMBER,
        min_power_w=_NUMBER,
        points=_list(_point()),
        unchecked=_list(_one_of(*(aspect.value for aspect in Aspect))),
        segments=_list(_segment()),
        joints=_list(_joint()),
        findings=_list(_finding()),
        validation=_object(passed=_TRUTH, checks=_list(_check())),
    )


def _point() -> Schema:
    """A point; a robot with sliding joints has ``joint_margin_mm`` as well."""
    point = _object(
        name=_TEXT,
        reachable=_TRUTH,
        branch={"type": ["string", "null"]},
        q_clearance_deg=_JOINTS,
        q_contact_deg=_JOINTS,
        min_clearance_mm=_MAYBE,
        joint_margin_deg=_MAYBE,
        singularity_margin=_MAYBE,
    )
    return {**point, "properties": {**_properties(point), "joint_margin_mm": _MAYBE}}


def _properties(schema: Schema) -> dict[str, object]:
    found = schema["properties"]
    return dict(found) if isinstance(found, dict) else {}


def _segment() -> Schema:
    return _object(
        kind=_one_of("probe", "dwell", "retract", "travel"),
        point=_TEXT,
        law=_TEXT,
        start_s=_NUMBER,
        duration_s=_NUMBER,
        binding=_TEXT,
        clearance={"anyOf": [{"type": "null"}, _clearance()]},
    )


def _clearance() -> Schema:
    return _object(
        certified_mm=_MAYBE,
        seen_mm=_MAYBE,
        pair={"type": ["string", "null"]},
        at=_MAYBE,
        place_mm=_list(_MAYBE),
    )


def _joint() -> Schema:
    """A joint that turns, or one that slides."""
    common = {"peak_power_w": _NUMBER, "energy_j": _NUMBER}
    turns = _object(
        name=_TEXT,
        peak_velocity_rad_s=_NUMBER,
        peak_acceleration_rad_s2=_NUMBER,
        peak_torque_nm=_NUMBER,
        rms_torque_nm=_NUMBER,
        **common,
    )
    slides = _object(
        name=_TEXT,
        peak_velocity_m_s=_NUMBER,
        peak_acceleration_m_s2=_NUMBER,
        peak_force_n=_NUMBER,
        rms_force_n=_NUMBER,
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
