"""URDF → Mechanism.

A URDF joint moves about any axis of its frame; ours moves about z. The joint frame is turned so
that z is the axis, and what stands in it (children, body) is turned back. Collision geometry
becomes capsules; visuals, meshes, colours and transmissions are not read. A
limit of zero effort or velocity means that none is stated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robots.core.body import Body
from robots.core.errors import MechanismError, RobotFileError
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, unit_direction
from robots.core.robot_file.source_text import read_bytes
from robots.core.self_pairs import default_self_pairs
from robots.core.urdf.collision import Collisions
from robots.core.urdf.document import UNLIMITED, Element, UrdfText, parse_urdf
from robots.core.urdf.links import LinkTree, joints_in_order

Array = NDArray[np.float64]

TOOL_LINK = "tool"  # a massless link of this name, fixed, is the tool frame
_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
}


def load_urdf(path: Path | str) -> Mechanism:
    """Read a URDF file.

    Raises:
        RobotFileError: not readable, or not a robot of this kind; the message names the line.
    """
    path = Path(path)
    return read_urdf(read_bytes(path), origin=path.name)


def read_urdf(text: bytes | str, *, origin: str = "URDF") -> Mechanism:
    """Read a URDF document.

    The tool frame is the link called "tool" when it is massless and fixed; otherwise the frame of
    the last joint, in the order parents first.

    Args:
        text: the document.
        origin: the name that messages give it.

    Raises:
        RobotFileError: not a robot of this kind; the message names the line.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    document = parse_urdf(raw, origin)
    try:
        mechanism = _mechanism(document)
        return replace(mechanism, self_pairs=default_self_pairs(mechanism))
    except RobotFileError:
        raise
    except MechanismError as error:
        raise RobotFileError(f"{origin}: {error}", file=origin) from error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Frame:
    """Where a link's frame stands: the joint that carries it and the turn that made z the axis."""

    joint: int
    axes: Array  # joint frame seen from the link frame # (3, 3)


def _mechanism(document: UrdfText) -> Mechanism:
    tree = joints_in_order(document)
    frames = {tree.root: _Frame(joint=BASE, axes=np.eye(3))}
    joints: list[Joint] = []
    collisions = Collisions(document=document)
    collisions.add(tree.links[tree.root], BASE, np.eye(4), None)
    tool: tuple[int, Array] | None = None
    for element in tree.joints:
        parent = frames[_link(document, element, "parent")]
        link = tree.links[_link(document, element, "child")]
        placement = make_pose(parent.axes.T) @ document.origin_of(element)
        kind = _kind(document, element)
        if _is_tool(tree, link) and kind is JointKind.FIXED and parent.joint != BASE:
            tool = (parent.joint, placement)
            collisions.add(link, parent.joint, placement, joints[parent.joint].name)
            continue
        axes = np.eye(3) if kind is JointKind.FIXED else _axes(document, element)
        joints.append(
            Joint(
                name=document.required(element, "name"),
                kind=kind,
                parent=parent.joint,
                placement=placement @ make_pose(axes),
                body=_body(document, link, axes),
                **_drive(document, element, kind),
            )
        )
        frames[link.get("name")] = _Frame(joint=len(joints) - 1, axes=axes)
        collisions.add(link, len(joints) - 1, make_pose(axes.T), joints[-1].name)
    if not joints:
        raise document.error(document.root, "has no joint; a mechanism has at least one.")
    carrier, frame = tool or (len(joints) - 1, make_pose(_last_axes(joints, frames).T))
    return Mechanism(
        name=document.root.get("name") or "urdf robot",
        source=f"URDF {document.origin}",
        joints=tuple(joints),
        tool=frame,
        tool_joint=carrier,
        capsules=tuple(collisions.capsules),
        remarks=tuple(collisions.remarks),
    )


def _is_tool(tree: LinkTree, link: Element) -> bool:
    """Whether a link is a mere frame called "tool"."""
    carries_none = link.get("name") not in tree.parents
    return bool(link.get("name") == TOOL_LINK and carries_none and link.find("inertial") is None)


def _last_axes(joints: list[Joint], frames: dict[str, _Frame]) -> Array:
    """Axes of the last joint's frame in its link: the tool is the link's own frame."""
    last = len(joints) - 1
    return next(frame.axes for frame in frames.values() if frame.joint == last)


def _link(document: UrdfText, joint: Element, end: str) -> str:
    return document.required(document.child(joint, end), "link")


def _kind(document: UrdfText, joint: Element) -> JointKind:
    kind = document.required(joint, "type")
    if kind not in _KINDS:
        raise document.error(
            joint, f"has type {kind!r}; {', '.join(_KINDS)} are read, planar and floating are not."
        )
    if document.child(joint, "mimic") is not None:
        raise document.error(
            joint, "mimics another joint; coupled joints are not read, remove <mimic> or fix it."
        )
    return _KINDS[kind]


def _axes(document: UrdfText, joint: Element) -> Array:
    """Rotation whose z is the joint's axis; exact where the axis is one of the frame's own."""
    element = document.child(joint, "axis")
    axis = np.array(document.numbers(element, "xyz", [1.0, 0.0, 0.0]))
    if not np.any(axis):
        raise document.error(element, "has length zero; give the axis a direction.")
    z = unit_direction(axis)
    if z[2] == 1.0:
        return np.eye(3)
    # x is the frame axis farthest from z, made perpendicular: no cancellation anywhere.
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = unit_direction(x - (x @ z) * z)
    return np.column_stack([x, np.cross(z, x), z])


def _drive(document: UrdfText, joint: Element, kind: JointKind) -> dict[str, float]:
    """Limits and friction, as keywords of ``Joint``."""
    if kind is JointKind.FIXED:
        return {}
    limit, dynamics = document.child(joint, "limit"), document.child(joint, "dynamics")
    turns_freely = joint.get("type") == "continuous"
    if limit is None and not turns_freely:
        raise document.error(joint, "has no <limit>; URDF requires it for this type.")
    q_min, q_max = document.number(limit, "lower"), document.number(limit, "upper")
    unlimited_below, unlimited_above = turns_freely or q_min <= -UNLIMITED, q_max >= UNLIMITED
    return {
        "q_min": -math.inf if unlimited_below else q_min,
        "q_max": math.inf if turns_freely or unlimited_above else q_max,
        "max_speed": _bound(document.number(limit, "velocity")),
        "max_effort": _bound(document.number(limit, "effort")),
        "viscous": document.number(dynamics, "damping"),
        "coulomb": document.number(dynamics, "friction"),
    }


def _bound(value: float) -> float:
    return math.inf if value == 0.0 or value >= UNLIMITED else value


def _body(document: UrdfText, link: Element, axes: Array) -> Body:
    """Mass properties of a link, in the turned joint frame."""
    inertial = document.child(link, "inertial")
    if inertial is None:
        return Body()
    mass = document.number(document.child(inertial, "mass"), "value")
    if mass < 0.0:
        raise document.error(inertial, f"has mass {mass:g} kg; expected zero or more.")
    pose = make_pose(axes.T) @ document.origin_of(inertial)
    entries = document.child(inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (
        document.number(entries, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = pose[:3, :3]
    turned = R @ tensor @ R.T
    return Body(mass=mass, com=pose[:3, 3], inertia=0.5 * (turned + turned.T), at="com")
