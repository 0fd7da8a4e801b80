"""Mechanism → URDF.

Every joint's axis is z of its frame, as inside. URDF has no place for gravity, accelerations,
motor inertia and provenance: a comment at the top says which of them are left out.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.errors import RobotFileError
from robots.core.mechanism import BASE, STANDARD_GRAVITY, Joint, JointKind, Mechanism
from robots.core.pose import angles_zyx
from robots.core.self_pairs import default_self_pairs
from robots.core.urdf.collision_elements import add_collisions

Element = Any  # lxml's element class is private

# URDF must have a number where a limit is; the largest double reads back as "no limit".
_NO_LIMIT = sys.float_info.max
_BASE_LINK = "base"
_TOOL_LINK = "tool"


def write_urdf(mechanism: Mechanism) -> str:
    """Write a URDF document; links are called ``<joint>_link``, the tool frame is link ``tool``.

    Args:
        mechanism: any.

    Raises:
        RobotFileError: a name that XML cannot hold.
    """
    from lxml import etree

    root = etree.Element("robot")
    try:
        root.set("name", mechanism.name)
        root.append(etree.Comment(_comment(mechanism)))
        links = {BASE: etree.SubElement(root, "link", name=_BASE_LINK)}
        for index, joint in enumerate(mechanism.joints):
            links[index] = _add_link(root, _link_name(joint), joint.body)
        for capsule in mechanism.capsules:
            add_collisions(links[capsule.joint], capsule)
        etree.SubElement(root, "link", name=_TOOL_LINK)
        for joint in mechanism.joints:
            parent = _BASE_LINK if joint.parent == BASE else _link_of(mechanism, joint.parent)
            _add_joint(root, joint, parent)
        _add_tool(root, mechanism)
    except ValueError as error:
        raise RobotFileError(
            f"Mechanism {mechanism.name!r} cannot be written as URDF: {error}; rename the robot or "
            "its joints."
        ) from error
    etree.indent(root)
    return f'<?xml version="1.0"?>\n{etree.tostring(root, encoding="unicode")}\n'


def _comment(mechanism: Mechanism) -> str:
    left_out = {
        "maximum accelerations": any(np.isfinite(j.max_acceleration) for j in mechanism.movable),
        "maximum jerks": any(np.isfinite(j.max_jerk) for j in mechanism.movable),
        "motor inertias": any(joint.motor_inertia for joint in mechanism.movable),
        "the pairs of capsules to watch": mechanism.self_pairs != default_self_pairs(mechanism),
        "gravity": tuple(mechanism.gravity) != STANDARD_GRAVITY,
    }
    missing = [what for what, present in left_out.items() if present]
    text = f" Written by Palpeur. Source: {mechanism.source or 'not stated'}."
    if missing:
        text += f" Not in this file, as URDF has no place for it: {', '.join(missing)}."
    while "--" in text:  # forbidden inside XML comments
        text = text.replace("--", "-")
    return text + " "


def _link_name(joint: Joint) -> str:
    return f"{joint.name}_link"


def _link_of(mechanism: Mechanism, index: int) -> str:
    return _link_name(mechanism.joints[index])


def _add_link(root: Element, name: str, body: Body) -> Element:
    from lxml import etree

    link = etree.SubElement(root, "link", name=name)
    if body.mass == 0.0 and not np.any(body.inertia):
        return link
    inertial = etree.SubElement(link, "inertial")
    etree.SubElement(inertial, "origin", xyz=_numbers(body.com), rpy="0 0 0")
    etree.SubElement(inertial, "mass", value=_number(body.mass))
    tensor = body.inertia_at_com
    places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2)}
    places |= {"iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    entries = {key: _number(tensor[place]) for key, place in places.items()}
    etree.SubElement(inertial, "inertia", entries)
    return link


def _add_joint(root: Element, joint: Joint, parent: str) -> None:
    from lxml import etree

    element = etree.SubElement(root, "joint", name=joint.name, type=_urdf_type(joint))
    etree.SubElement(element, "origin", _origin(joint.placement))
    etree.SubElement(element, "parent", link=parent)
    etree.SubElement(element, "child", link=_link_name(joint))
    if not joint.movable:
        return
    etree.SubElement(element, "axis", xyz="0 0 1")
    limit = {"effort": _number(joint.max_effort), "velocity": _number(joint.max_speed)}
    if element.get("type") != "continuous":
        limit |= {"lower": _number(joint.q_min), "upper": _number(joint.q_max)}
    etree.SubElement(element, "limit", limit)
    if joint.viscous or joint.coulomb:
        friction = {"damping": _number(joint.viscous), "friction": _number(joint.coulomb)}
        etree.SubElement(element, "dynamics", friction)


def _urdf_type(joint: Joint) -> str:
    if joint.kind is JointKind.REVOLUTE and np.isinf(joint.q_min) and np.isinf(joint.q_max):
        return "continuous"
    return joint.kind.value


def _add_tool(root: Element, mechanism: Mechanism) -> None:
    from lxml import etree

    name = f"{_TOOL_LINK}_mount"
    while any(joint.name == name for joint in mechanism.joints):
        name += "_"
    element = etree.SubElement(root, "joint", name=name, type="fixed")
    etree.SubElement(element, "origin", _origin(mechanism.tool))
    etree.SubElement(element, "parent", link=_link_of(mechanism, mechanism.tool_joint))
    etree.SubElement(element, "child", link=_TOOL_LINK)


def _origin(placement: Array) -> dict[str, str]:
    yaw, pitch, roll = angles_zyx(placement[:3, :3]).angles
    return {"xyz": _numbers(placement[:3, 3]), "rpy": _numbers(np.array([roll, pitch, yaw]))}


def _numbers(values: Array) -> str:
    return " ".join(_number(float(value)) for value in values)


def _number(value: float) -> str:
    finite = max(-_NO_LIMIT, min(_NO_LIMIT, float(value)))
    return repr(finite + 0.0)
