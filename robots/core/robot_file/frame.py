"""Robots as tables: a DataFrame with one row per joint ⇄ robot file and mechanism.

Columns are the keys of a ``[[joint]]`` table; those of the body stand beside them. A cell that is
empty is a key that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from robots.core.denavit_hartenberg import rows_of
from robots.core.errors import RobotFileError
from robots.core.file_units import number_text
from robots.core.mechanism import BASE, Joint, Mechanism
from robots.core.pose import angles_zyx
from robots.core.robot_file.source_text import toml_string
from robots.core.schema_problems import nearest

if TYPE_CHECKING:
    from pandas import DataFrame

_DH = ("alpha_deg", "d_mm", "theta_deg", "r_mm")
_TURNING = {
    "max_speed": "max_speed_rad_s",
    "max_acceleration": "max_acceleration_rad_s2",
    "max_jerk": "max_jerk_rad_s3",
    "max_effort": "max_torque_nm",
    "coulomb": "coulomb_nm",
    "viscous": "viscous_nm_s",
    "motor_inertia": "motor_inertia_kg_m2",
}
_SLIDING = {
    "max_speed": "max_speed_m_s",
    "max_acceleration": "max_acceleration_m_s2",
    "max_jerk": "max_jerk_m_s3",
    "max_effort": "max_force_n",
    "coulomb": "coulomb_n",
    "viscous": "viscous_n_s_m",
    "motor_inertia": "motor_mass_kg",
}
_NUMBERS = (
    *_DH,
    *("min_deg", "max_deg", "min_mm", "max_mm"),
    *_TURNING.values(),
    *_SLIDING.values(),
)
_TEXTS = ("name", "type", "parent")
_AXES = ("x", "y", "z")
_POSITION = ("x_mm", "y_mm", "z_mm")  # of a placement that is no DH row
_ANGLES = ("rotation_z_deg", "rotation_y_deg", "rotation_x_deg")
_COM = tuple(f"com_{axis}_mm" for axis in _AXES)
_INERTIA = {f"i{pair}_kg_m2": pair for pair in ("xx", "yy", "zz", "xy", "xz", "yz")}
_COLUMNS = (*_TEXTS, *_NUMBERS, *_POSITION, *_ANGLES, "mass_kg", *_COM, *_INERTIA, "at")


def robot_text(joints: DataFrame, name: str) -> str:
    """Write the robot file of a table of joints.

    Args:
        joints: one row per joint, parents first; columns as in robot files, with ``mass_kg``,
            ``com_x_mm`` …, ``ixx_kg_m2`` … and ``at`` of the body, and ``x_mm`` …,
            ``rotation_z_deg`` … of a placement that is no Denavit-Hartenberg row.
        name: of the robot.

    Raises:
        RobotFileError: a column that is not known, or no name or type.
    """
    for column in map(str, joints.columns):
        if column not in _COLUMNS:
            raise RobotFileError(
                f"The table of joints has a column {column!r}, which no robot file has; "
                f"{nearest(column, _COLUMNS)}",
                column=column,
            )
    for column in ("name", "type"):
        if column not in joints.columns:
            raise RobotFileError(
                f"The table of joints has no column {column!r}; give name, type and the "
                f"Denavit-Hartenberg columns {', '.join(_DH)}.",
                column=column,
            )
    blocks = [f"format = 1\n\n[robot]\nname = {toml_string(name)}"]
    blocks += ["\n".join(_joint_lines(row)) for row in joints.to_dict("records")]
    return "\n\n".join(blocks) + "\n"


def _joint_lines(row: Mapping[str, object]) -> Iterator[str]:
    given = {key: value for key, value in row.items() if not _empty(value)}
    yield "[[joint]]"
    for key in (*_TEXTS, *_NUMBERS):
        if key in given:
            yield f"{key} = {_cell(given[key])}"
    if any(key in given for key in (*_POSITION, *_ANGLES)):
        position = ", ".join(_cell(given.get(key, 0.0)) for key in _POSITION)
        angles = ", ".join(_cell(given.get(key, 0.0)) for key in _ANGLES)
        yield f"pose = {{ translation_mm = [{position}], rotation_zyx_deg = [{angles}] }}"
    if not any(key in given for key in ("mass_kg", "at", *_COM, *_INERTIA)):
        return
    yield "[joint.body]"
    if "mass_kg" in given:
        yield f"mass_kg = {_cell(given['mass_kg'])}"
    if any(key in given for key in _COM):
        yield f"com_mm = [{', '.join(_cell(given.get(key, 0.0)) for key in _COM)}]"
    if any(key in given for key in _INERTIA):
        entries = (f"{pair} = {_cell(given.get(key, 0.0))}" for key, pair in _INERTIA.items())
        yield f"inertia_kg_m2 = {{ {', '.join(entries)} }}"
    if "at" in given:
        yield f"at = {_cell(given['at'])}"


def _empty(value: object) -> bool:
    """Whether a cell says nothing: pandas writes it as None or NaN."""
    return value is None or (isinstance(value, float) and bool(np.isnan(value)))


def _cell(value: object) -> str:
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return number_text(float(value)) if np.isfinite(value) else str(float(value))
    return toml_string(str(value))


def joints_frame(mechanism: Mechanism) -> DataFrame:
    """Table of the joints, with the columns that ``robot_text`` reads; missing limits are empty."""
    import pandas as pd

    rows = [dict(_joint_cells(mechanism, index)) for index in range(len(mechanism.joints))]
    used = [column for column in _COLUMNS if any(column in row for row in rows)]
    return pd.DataFrame(rows, columns=used)


def _joint_cells(mechanism: Mechanism, index: int) -> Iterator[tuple[str, object]]:
    joint = mechanism.joints[index]
    yield "name", joint.name
    yield "type", joint.kind.value
    if joint.parent != index - 1:
        yield "parent", "base" if joint.parent == BASE else mechanism.joints[joint.parent].name
    yield from _placement_cells(joint)
    if joint.movable:
        turns = joint.kind.angular
        unit, scale = ("deg", 180.0 / np.pi) if turns else ("mm", 1e3)
        for key, limit in (("min", joint.q_min), ("max", joint.q_max)):
            if np.isfinite(limit):
                yield f"{key}_{unit}", scale * limit
        for field, key in (_TURNING if turns else _SLIDING).items():
            value = getattr(joint, field)
            if value and np.isfinite(value):
                yield key, value
    body = joint.body
    if body.mass or np.any(body.com) or np.any(body.inertia):
        yield "mass_kg", body.mass
        yield from zip(_COM, (1e3 * body.com).tolist(), strict=True)
        places = {key: tuple("xyz".index(axis) for axis in pair) for key, pair in _INERTIA.items()}
        yield from ((key, float(body.inertia[place])) for key, place in places.items())
        yield "at", body.at


def _placement_cells(joint: Joint) -> Iterator[tuple[str, float]]:
    """One Denavit-Hartenberg row where there is one, else position and angles."""
    pair = rows_of(joint.placement)
    if pair.is_single:
        row = pair.joint
        values = (np.degrees(row.alpha), 1e3 * row.d, np.degrees(row.theta), 1e3 * row.r)
        yield from zip(_DH, map(float, values), strict=True)
        return
    yield from zip(_POSITION, (1e3 * joint.placement[:3, 3]).tolist(), strict=True)
    angles = np.degrees(angles_zyx(joint.placement[:3, :3]).angles)
    yield from zip(_ANGLES, angles.tolist(), strict=True)
