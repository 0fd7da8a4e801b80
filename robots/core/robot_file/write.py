"""Mechanism → robot file (TOML).

Placements that are modified Denavit-Hartenberg rows are written as rows, others as ``pose``. A
number is rounded to twelve digits where that reproduces the placement as well as all digits do, so
that files stay readable; masses, limits and drives keep every digit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

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


def write_toml(mechanism: Mechanism) -> str:
    """Write a robot file that reads back to the same mechanism.

    Raises:
        RobotFileError: a joint called "base", which is the base's own name in files.
    """
    blocks = [
        "format = 1",
        "\n".join(_robot(mechanism)),
        "\n".join(_capsules(mechanism, BASE)),
        *("\n".join(_joint(mechanism, index)) for index in range(len(mechanism.joints))),
        "\n".join(_tool(mechanism)),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _robot(mechanism: Mechanism) -> Iterator[str]:
    yield "[robot]"
    yield f"name = {_text(mechanism.name)}"
    if mechanism.source:
        yield f"source = {_text(mechanism.source)}"
    yield f"gravity_m_s2 = {_list(mechanism.gravity, number_text)}"
    if mechanism.capsules:
        names = [_text(capsule.name) for capsule in mechanism.capsules]
        pairs = (f"    [{names[a]}, {names[b]}]," for a, b in mechanism.self_pairs)
        yield "\n".join(["self_collision = [", *pairs, "]"])


def _capsules(mechanism: Mechanism, joint: int) -> Iterator[str]:
    """The tables of what one joint carries."""
    for capsule in mechanism.capsules:
        if capsule.joint != joint:
            continue
        yield "[[base_capsule]]" if joint == BASE else "[[joint.capsule]]"
        yield f"name = {_text(capsule.name)}"
        yield f"from_mm = {_list(capsule.start, millimetres_text)}"
        if not np.array_equal(capsule.start, capsule.end):
            yield f"to_mm = {_list(capsule.end, millimetres_text)}"
        yield f"radius_mm = {millimetres_text(capsule.radius)}"


def _joint(mechanism: Mechanism, index: int) -> Iterator[str]:
    joint = mechanism.joints[index]
    if joint.name == BASE_NAME:
        raise RobotFileError(
            f"Mechanism {mechanism.name!r}: joint {index} is called {BASE_NAME!r}, which means the "
            "base in robot files; rename it.",
            joint=joint.name,
        )
    yield "[[joint]]"
    yield f"name = {_text(joint.name)}"
    yield f'type = "{joint.kind.value}"'
    if joint.parent != index - 1:
        parent = BASE_NAME if joint.parent == BASE else mechanism.joints[joint.parent].name
        yield f"parent = {_text(parent)}"
    yield from _placement(joint.placement)
    if joint.movable:
        yield from _motion(joint)
    yield from _body(joint.body, "joint.body")
    yield from _capsules(mechanism, index)


def _motion(joint: Joint) -> Iterator[str]:
    revolute = joint.kind is JointKind.REVOLUTE
    unit, written = ("deg", degrees_text) if revolute else ("mm", millimetres_text)
    for key, limit in (("min", joint.q_min), ("max", joint.q_max)):
        if np.isfinite(limit):
            yield f"{key}_{unit} = {written(limit)}"
    for field, key in (_REVOLUTE_KEYS if revolute else _PRISMATIC_KEYS).items():
        value = getattr(joint, field)
        if value and np.isfinite(value):
            yield f"{key} = {number_text(value)}"


def _placement(placement: Array) -> Iterator[str]:
    row = _row(placement)
    if row is None:
        yield f"pose = {{ {', '.join(_pose(placement))} }}"
        return
    for key, value, written in (
        ("alpha_deg", row.alpha, degrees_text),
        ("d_mm", row.d, millimetres_text),
        ("theta_deg", row.theta, degrees_text),
        ("r_mm", row.r, millimetres_text),
    ):
        if value:
            yield f"{key} = {written(value)}"


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


def _pose(placement: Array) -> Iterator[str]:
    """The keys of a general placement."""
    R, p = placement[:3, :3], placement[:3, 3]
    if np.any(p):
        yield f"translation_mm = {_list(p, millimetres_text)}"
    if np.array_equal(R, np.eye(3)):
        return
    angles = angles_zyx(R).angles
    rounded = np.array([rounded_angle(float(angle)) for angle in angles])
    if np.abs(rotation_zyx(rounded) - R).max() <= _CLOSE:
        angles = rounded
    yield f"rotation_zyx_deg = {_list(angles, degrees_text)}"


def _body(body: Body, table: str) -> Iterator[str]:
    if not (body.mass or np.any(body.com) or np.any(body.inertia)):
        return
    yield f"[{table}]"
    yield f"mass_kg = {number_text(body.mass)}"
    if np.any(body.com):
        yield f"com_mm = {_list(body.com, millimetres_text)}"
    if np.any(body.inertia):
        places = {
            "xx": (0, 0),
            "yy": (1, 1),
            "zz": (2, 2),
            "xy": (0, 1),
            "xz": (0, 2),
            "yz": (1, 2),
        }
        entries = (f"{key} = {number_text(body.inertia[at])}" for key, at in places.items())
        yield f"inertia_kg_m2 = {{ {', '.join(entries)} }}"
    yield f'at = "{body.at}"'


def _tool(mechanism: Mechanism) -> Iterator[str]:
    keys = list(_pose(mechanism.tool))
    last = len(mechanism.joints) - 1
    if mechanism.tool_joint == last and not keys:
        return
    yield "[tool]"
    if mechanism.tool_joint != last:
        yield f"joint = {_text(mechanism.joints[mechanism.tool_joint].name)}"
    yield from keys


def _list(values: Array, written: Callable[[float], str]) -> str:
    return f"[{', '.join(written(float(value)) for value in values)}]"


def _text(value: str) -> str:
    """A TOML basic string; JSON escapes the same characters but one."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
