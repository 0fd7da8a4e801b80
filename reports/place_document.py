"""A placing as a JSON document (format 1): ``place --json`` and ``place.json``."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from planner.findings import Severity
from planner.part_pose.best_pose import Placing, PlannedPose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.tolerance import MisFixturing
from reports.plan_document import FORMAT, Document
from reports.verdict import aspect_names
from robots.core.arrays import Array

_UNITS = {
    FixturingErrorKind.TRANSLATION: ("mm", 1e3),
    FixturingErrorKind.ROTATION: ("deg", 180.0 / np.pi),
}


def place_document(placing: Placing, tolerances: tuple[MisFixturing, ...]) -> Document:
    """What was found, in millimetres, degrees and seconds.

    Args:
        placing: the given and the best pose.
        tolerances: of the best pose, one per kind of error.
    """
    job, best = placing.job, placing.best
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "job": {"name": job.name, "sha256": job.sha256},
        "robot": job.robot_model,
        "feasible": placing.feasible,
        "unchecked": aspect_names(best.plan.unchecked),
        "goal": job.place.goal,
        "pose": _pose(best),
        "pose_line": best.pose.line,
        "shift_mm": _list(1e3 * (best.pose.T[:3, 3] - placing.given.pose.T[:3, 3])),
        "given": _standing(placing.given),
        "best": _standing(best),
        "tolerance": {
            "reference_mm": _reference(best),
            **{found.kind.value: _tolerance(found) for found in tolerances},
        },
        "search": _search(placing),
    }


def _pose(standing: PlannedPose) -> Document:
    pose = standing.pose
    return {
        "translation_mm": list(pose.translation_mm),
        "rotation_zyx_deg": list(pose.rotation_zyx_deg),
    }


def _standing(standing: PlannedPose) -> Document:
    plan, tightest = standing.plan, standing.tightest
    clearance = standing.clearance
    return {
        "pose": _pose(standing),
        "feasible": plan.feasible,
        "points": len(plan.planned_points),
        "points_served": len(standing.served),
        "worst_margin_deg": _number(np.degrees(standing.margin)),
        "joint_margin_deg": None
        if tightest is None
        else _number(np.degrees(tightest.joint_margin)),
        "margin_joint": None if tightest is None else tightest.margin_joint,
        "margin_point": None if tightest is None else tightest.name,
        "singularity_margin": _number(standing.singularity_margin),
        "min_clearance_mm": None if clearance is None else _number(1e3 * clearance),
        "duration_s": _number(plan.totals.duration),
        "energy_j": _number(plan.totals.energy),
        "errors": [f.document() for f in plan.finding_list if f.severity is Severity.ERROR],
    }


def _tolerance(found: MisFixturing) -> Document:
    unit, factor = _UNITS[found.kind]
    first = found.first
    return {
        f"size_{unit}": _number(factor * found.size),
        f"proven_{unit}": None if found.proven is None else _number(factor * found.proven),
        "directions": found.directions,
        "plans": found.plans,
        "first_failure": None
        if first is None
        else {
            "point": first.point,
            "limit": first.limit,
            "direction": _list(first.direction),
            "place_on_line": _number(first.place),
        },
    }


def _search(placing: Placing) -> Document:
    settings = placing.job.place
    ranges = {axis: _list(1e3 * span) for axis, span in zip("xyz", settings.shift, strict=True)}
    return {
        "range_mm": ranges,
        "yaw_deg": _list(np.degrees(settings.yaw)),
        "full": settings.full,
        "seed": settings.seed,
        "poses_tried": placing.tried,
        "poses_planned": placing.planned,
    }


def _reference(standing: PlannedPose) -> list[float | None] | None:
    """What rotation errors turn about: the middle of the served points' contacts."""
    plan = standing.plan
    rows = [k for k, point in enumerate(plan.planned_points) if point.reachable]
    return _list(1e3 * np.mean(plan.placed.contacts[rows], axis=0)) if rows else None


def _list(values: Array) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return round(float(value), 9) + 0.0 if np.isfinite(value) else None
