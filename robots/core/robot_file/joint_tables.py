"""Tables of a robot file to joints and bodies in SI, parents before children."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from robots.core.arrays import Array
from robots.core.denavit_hartenberg import DhRow
from robots.core.errors import RobotFileError
from robots.core.file_units import metres, radians
from robots.core.mechanism import Body, Joint, JointKind
from robots.core.pose import make_pose, rotation_zyx
from robots.core.robot_file.source_text import SourceText
from robots.core.schema_problems import KeyPath, nearest

if TYPE_CHECKING:
    from robots.core.robot_file.schema import (
        BodyTable,
        FixedTable,
        PoseTable,
        PrismaticDrive,
        PrismaticTable,
        RevoluteDrive,
        RevoluteTable,
    )

BASE_NAME = "base"


def joint_of(
    table: RevoluteTable | PrismaticTable | FixedTable,
    parent: int,
    source: SourceText,
    path: KeyPath,
) -> Joint:
    """The joint of a ``[[joint]]`` table.

    Raises:
        RobotFileError: limits exchanged, placement given twice, tensor without its point.
    """
    body = body_of(table.body, source, (*path, "body")) if table.body else Body()
    placement = placement_of(table, source, path)
    kind = JointKind(table.type)
    if table.type == "fixed":
        return Joint(name=table.name, kind=kind, parent=parent, placement=placement, body=body)
    if table.type == "revolute":
        limits = _limits(table.min_deg, table.max_deg, "deg", source, path)
        q_min, q_max = (radians(limit) for limit in limits)
        drive = revolute_drive(table)
    else:
        limits = _limits(table.min_mm, table.max_mm, "mm", source, path)
        q_min, q_max = (metres(limit) for limit in limits)
        drive = prismatic_drive(table)
    return Joint(
        name=table.name,
        kind=kind,
        parent=parent,
        placement=placement,
        q_min=q_min,
        q_max=q_max,
        body=body,
        **drive,
    )


def revolute_drive(table: RevoluteDrive) -> dict[str, Any]:
    """Drive limits and friction of a revolute joint, as keywords of ``Joint``."""
    return {
        "max_speed": _or_infinite(table.max_speed_rad_s),
        "max_acceleration": _or_infinite(table.max_acceleration_rad_s2),
        "max_jerk": _or_infinite(table.max_jerk_rad_s3),
        "max_effort": _or_infinite(table.max_torque_nm),
        "coulomb": float(table.coulomb_nm),
        "viscous": float(table.viscous_nm_s),
        "motor_inertia": float(table.motor_inertia_kg_m2),
    }


def prismatic_drive(table: PrismaticDrive) -> dict[str, Any]:
    """Drive limits and friction of a prismatic joint, as keywords of ``Joint``."""
    return {
        "max_speed": _or_infinite(table.max_speed_m_s),
        "max_acceleration": _or_infinite(table.max_acceleration_m_s2),
        "max_jerk": _or_infinite(table.max_jerk_m_s3),
        "max_effort": _or_infinite(table.max_force_n),
        "coulomb": float(table.coulomb_n),
        "viscous": float(table.viscous_n_s_m),
        "motor_inertia": float(table.motor_mass_kg),
    }


def body_of(table: BodyTable, source: SourceText, path: KeyPath) -> Body:
    """The body of a ``body`` table.

    Raises:
        RobotFileError: a tensor that does not say which point it refers to.

    Source: sources.md decision 1: the file says where each tensor is given
    """
    com = vector(table.com_mm, metres)
    if table.inertia_kg_m2 is None:
        return Body(mass=float(table.mass_kg), com=com, at=table.at or "com")
    if table.at is None:
        raise source.error(
            (*path, "at"),
            'is missing; give at = "com" if the tensor refers to the centre of mass, at = "origin" '
            "if it refers to the joint's origin.",
        )
    i = table.inertia_kg_m2
    tensor = [[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]]
    inertia = np.array([[float(entry) for entry in row] for row in tensor])
    return Body(mass=float(table.mass_kg), com=com, inertia=inertia, at=table.at)


def pose_of(table: PoseTable) -> Array:
    """Placement of a translation and three angles. # (4, 4)."""
    rotation = rotation_zyx(vector(table.rotation_zyx_deg, radians))
    return make_pose(rotation, vector(table.translation_mm, metres))


def vector(values: Sequence[Decimal], to_si: Callable[[Decimal], float] = float) -> Array:
    """Three decimals of a file in SI. # (3,)."""
    return np.array([to_si(value) for value in values])


def placement_of(
    table: RevoluteTable | PrismaticTable | FixedTable, source: SourceText, path: KeyPath
) -> Array:
    """Placement of a joint. # (4, 4).

    Raises:
        RobotFileError: both ``pose`` and Denavit-Hartenberg keys.
    """
    if table.pose is None:
        return DhRow(
            alpha=radians(table.alpha_deg),
            d=metres(table.d_mm),
            theta=radians(table.theta_deg),
            r=metres(table.r_mm),
        ).pose()
    for key in ("alpha_deg", "d_mm", "theta_deg", "r_mm"):
        if key in table.model_fields_set:
            raise source.error(
                (*path, key), "stands beside pose; give the placement in one of the two forms."
            )
    return pose_of(table.pose)


def _limits(
    lower: Decimal | None, upper: Decimal | None, unit: str, source: SourceText, path: KeyPath
) -> tuple[Decimal, Decimal]:
    low = Decimal("-Infinity") if lower is None else lower
    high = Decimal("Infinity") if upper is None else upper
    if low > high:
        raise source.error(
            (*path, f"min_{unit}"),
            f"is {lower}, above max_{unit} = {upper}; exchange them or correct one.",
            value=lower,
            limit=upper,
        )
    return low, high


def _or_infinite(value: Decimal | None) -> float:
    return math.inf if value is None else float(value)


def ordered(
    names: Sequence[str], parents: Sequence[str | None], source: SourceText
) -> tuple[int, ...]:
    """Indices of the joints, parents first, otherwise in the order of the file.

    Args:
        names: of the joints.
        parents: what each joint says; None is the joint before, or the base for the first.
        source: for messages.

    Raises:
        RobotFileError: a name given twice or reserved, an unknown parent, a cycle.
    """
    _check_names(names, source)
    index_of = {name: index for index, name in enumerate(names)}
    parent_of: list[int] = []
    for index, name in enumerate(parents):
        parent_of.append(index - 1 if name is None else _parent(index, name, index_of, source))
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parent_of):
        children.setdefault(parent, []).append(index)
    order: list[int] = []
    ready = list(children.get(-1, []))
    while ready:
        # The least index: a joint keeps its place in the file unless its parent comes later.
        order.append(heappop(ready))
        for child in children.get(order[-1], []):
            heappush(ready, child)
    if len(order) < len(names):
        raise _cycle(sorted(set(range(len(names))) - set(order)), parent_of, names, source)
    return tuple(order)


def _check_names(names: Sequence[str], source: SourceText) -> None:
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        if name == BASE_NAME:
            raise source.error(
                ("joint", index, "name"), f"is {name!r}, which is the base itself; rename it."
            )
        if name in seen:
            raise source.error(
                ("joint", index, "name"),
                f"is {name!r}, as is the name of joint[{seen[name]}]; rename one.",
            )
        seen[name] = index


def _parent(index: int, parent: str, index_of: dict[str, int], source: SourceText) -> int:
    if parent == BASE_NAME:
        return -1
    path = ("joint", index, "parent")
    if parent not in index_of:
        raise source.error(
            path, f"is {parent!r}, but no joint has this name; {nearest(parent, index_of)}"
        )
    if index_of[parent] == index:
        raise source.error(
            path, f'is the joint itself, {parent!r}; name another joint, or "{BASE_NAME}".'
        )
    return index_of[parent]


def _cycle(
    waiting: Sequence[int], parent_of: Sequence[int], names: Sequence[str], source: SourceText
) -> RobotFileError:
    """The error that names the joints of one cycle."""
    visited: dict[int, None] = {}
    index = waiting[0]
    while index not in visited:
        visited[index] = None
        index = parent_of[index]
    walk = list(visited)
    loop = walk[walk.index(index) :]
    told = [names[joint] for joint in loop]
    circle = " → ".join([*(told if len(told) < 9 else [*told[:7], "…"]), told[0]])
    return source.error(
        ("joint", loop[0], "parent"),
        f'closes a circle of parents: {circle}; one of them must stand on "{BASE_NAME}".',
    )
