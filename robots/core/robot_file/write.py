"""Mechanism → robot file (TOML).

Placements that are modified Denavit-Hartenberg rows are written as rows, others as ``pose``. A
number is rounded to twelve digits where that reproduces the placement as well as all digits do, so
that files stay readable; masses, limits and drives keep every digit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.errors import RobotFileError
from robots.core.file_units import (
    degrees_text,
    millimetres_text,
    number_text,
    rounded_angle,
    rounded_length,
)
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import angles_zyx, rotation_zyx
from robots.core.robot_file.toml_document import toml_text
from robots.core.robot_file.tree import BASE_NAME

# Two units in the last place of 1: what sine, cosine and one product lose.
_CLOSE = 5e-16

_REVOLUTE_KEYS = {
    "max_speed": "max_speed_rad_s",
    "max_acceleration": "max_acceleration_rad_s2",
    "max_jerk": "max_jerk_rad_s3",
    "max_effort": "max_torque_nm",
    "coulomb": "coulomb_nm",
    "viscous": "viscous_nm_s",
    "motor_inertia": "motor_inertia_kg_m2",
}
_PRISMATIC_KEYS = {
    "max_speed": "max_speed_m_s",
    "max_acceleration": "max_acceleration_m_s2",
    "max_jerk": "max_jerk_m_s3",
    "max_effort": "max_force_n",
    "coulomb": "coulomb_n",
    "viscous": "viscous_n_s_m",
    "motor_inertia": "motor_mass_kg",
}
_ENTRIES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def write_toml(mechanism: Mechanism) -> str:
    """Write a robot file that reads back to the same mechanism.

    Raises:
        RobotFileError: a joint called "base", which is the base's own name in files.
    """
    document: dict[str, object] = {"format": 1, "robot": _robot(mechanism)}
    if capsules := _capsules(mechanism, BASE):
        document["base_capsule"] = capsules
    if joints := [_joint(mechanism, index) for index in range(len(mechanism.joints))]:
        document["joint"] = joints
    last = len(mechanism.joints) - 1
    tool = _pose(mechanism.tool)
    if mechanism.tool_joint != last:
        tool = {"joint": mechanism.joints[mechanism.tool_joint].name, **tool}
    if tool:
        document["tool"] = tool
    return toml_text(document)


def body_table(body: Body) -> dict[str, object]:
    """Table of a body, which robot and platform files share; empty for one without mass."""
    if not (body.mass or np.any(body.com) or np.any(body.inertia)):
        return {}
    table: dict[str, object] = {"mass_kg": printed(number_text(body.mass))}
    if np.any(body.com):
        table["com_mm"] = numbers(body.com, millimetres_text)
    if np.any(body.inertia):
        table["inertia_kg_m2"] = {
            key: printed(number_text(body.inertia[at])) for key, at in _ENTRIES.items()
        }
    return {**table, "at": body.at}


def numbers(values: Array, written: Callable[[float], str]) -> list[int | Decimal]:
    """Values as they are printed in a file."""
    return [printed(written(float(value))) for value in values]


def printed(text: str) -> int | Decimal:
    """The number that prints as this text, so that whole ones need no point."""
    return int(text) if text.lstrip("-").isdigit() else Decimal(text)


def _robot(mechanism: Mechanism) -> dict[str, object]:
    table: dict[str, object] = {"name": mechanism.name}
    if mechanism.source:
        table["source"] = mechanism.source
    table["gravity_m_s2"] = numbers(mechanism.gravity, number_text)
    if mechanism.capsules:
        names = [capsule.name for capsule in mechanism.capsules]
        table["self_collision"] = [[names[a], names[b]] for a, b in mechanism.self_pairs]
    return table


def _capsules(mechanism: Mechanism, joint: int) -> list[dict[str, object]]:
    """The tables of what one joint carries."""
    tables: list[dict[str, object]] = []
    for capsule in mechanism.capsules:
        if capsule.joint == joint:
            table: dict[str, object] = {"name": capsule.name}
            table["from_mm"] = numbers(capsule.start, millimetres_text)
            if not np.array_equal(capsule.start, capsule.end):
                table["to_mm"] = numbers(capsule.end, millimetres_text)
            tables.append({**table, "radius_mm": printed(millimetres_text(capsule.radius))})
    return tables


def _joint(mechanism: Mechanism, index: int) -> dict[str, object]:
    joint = mechanism.joints[index]
    if joint.name == BASE_NAME:
        raise RobotFileError(
            f"Mechanism {mechanism.name!r}: joint {index} is called {BASE_NAME!r}, which means the "
            "base in robot files; rename it.",
            joint=joint.name,
        )
    table: dict[str, object] = {"name": joint.name, "type": joint.kind.value}
    if joint.parent != index - 1:
        table["parent"] = BASE_NAME if joint.parent == BASE else mechanism.joints[joint.parent].name
    table |= _placement(joint.placement)
    if joint.movable:
        table |= _motion(joint)
    if body := body_table(joint.body):
        table["body"] = body
    if capsules := _capsules(mechanism, index):
        table["capsule"] = capsules
    return table


def _motion(joint: Joint) -> dict[str, object]:
    table: dict[str, object] = {}
    revolute = joint.kind is JointKind.REVOLUTE
    unit, written = ("deg", degrees_text) if revolute else ("mm", millimetres_text)
    for key, limit in (("min", joint.q_min), ("max", joint.q_max)):
        if np.isfinite(limit):
            table[f"{key}_{unit}"] = printed(written(limit))
    for field, key in (_REVOLUTE_KEYS if revolute else _PRISMATIC_KEYS).items():
        value = getattr(joint, field)
        if value and np.isfinite(value):
            table[key] = printed(number_text(value))
    return table


def _placement(placement: Array) -> dict[str, object]:
    row = _row(placement)
    if row is None:
        return {"pose": _pose(placement)}
    values = {"alpha_deg": row.alpha, "d_mm": row.d, "theta_deg": row.theta, "r_mm": row.r}
    return {
        key: printed((degrees_text if key.endswith("_deg") else millimetres_text)(value))
        for key, value in values.items()
        if value
    }


def _row(placement: Array) -> DhRow | None:
    """The single row that is the placement; None when there is none."""
    row = rows_of(placement).joint
    rounded = DhRow(
        alpha=rounded_angle(row.alpha),
        d=rounded_length(row.d),
        theta=rounded_angle(row.theta),
        r=rounded_length(row.r),
    )
    reach = max(1.0, float(np.abs(placement[:3, 3]).max()))
    for candidate in (rounded, row):
        if np.abs(candidate.pose() - placement).max() <= _CLOSE * reach:
            return candidate
    return None


def _pose(placement: Array) -> dict[str, object]:
    """The keys of a general placement."""
    R, p = placement[:3, :3], placement[:3, 3]
    table: dict[str, object] = {}
    if np.any(p):
        table["translation_mm"] = numbers(p, millimetres_text)
    if np.array_equal(R, np.eye(3)):
        return table
    angles = angles_zyx(R).angles
    rounded = np.array([rounded_angle(float(angle)) for angle in angles])
    if np.abs(rotation_zyx(rounded) - R).max() <= _CLOSE:
        angles = rounded
    return {**table, "rotation_zyx_deg": numbers(angles, degrees_text)}
