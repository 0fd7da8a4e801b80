"""URDF files to ``Mechanism`` and back, with the rule that selects the tip.

A URDF joint moves about any axis of its frame; ours moves about z. The joint frame is turned so
that z is the axis, and what stands in it (children, body) is turned back. Collision geometry
becomes capsules, that of meshes by ``robots.core.shapes``; colours, transmissions and Gazebo's
elements are not read. A limit of zero effort or velocity means that none is stated. Where no
link that moves has a mass, the masses are not known.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices
from robots.core.capsule import Capsule, default_capsule_name, unique_name
from robots.core.errors import MechanismError, RobotFileError
from robots.core.file_reading import HeldJoint, MeshShape, SideBranches, TipLink, UnreadShape
from robots.core.mechanism import BASE, STANDARD_GRAVITY, Body, Joint, JointKind, Mechanism
from robots.core.pose import (
    angles_zyx,
    inverse_pose,
    make_pose,
    rotation_z,
    transform_points,
    turn_between,
    unit_direction,
)
from robots.core.robot_file.source_text import read_bytes
from robots.core.self_pairs import default_self_pairs
from robots.core.shapes.link_shapes import (
    LinkShape,
    UrdfShapes,
    carried,
    link_meshes,
    urdf_shapes,
)
from robots.core.shapes.mesh_files import MeshFile, MeshFolder
from robots.core.shapes.piece_fit import NONE
from robots.core.urdf_document import (
    UNLIMITED,
    Element,
    LinkTree,
    UrdfText,
    is_moving,
    joints_in_order,
    parse_urdf,
    tip_of,
)

_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
}


def load_urdf(
    path: Path | str,
    *,
    tip: str = "",
    base: str = "",
    meshes: Path | str | None = None,
) -> Mechanism:
    """Read a URDF file, its links shaped by their meshes where these are found.

    Args:
        path: of the file.
        tip: link whose frame is the tool frame; empty for the rule of ``tip_of``.
        base: link whose frame is the base frame; empty for the root link.
        meshes: folder that meshes are sought in besides that of the file.

    Raises:
        RobotFileError: not readable, or not a robot of this kind; the message names the line.
        MeshError: a mesh that is unreadable, unsafe, or of a size that cannot be.
    """
    path = Path(path)
    raw = read_bytes(path)
    folder = MeshFolder.beside(path, meshes)
    shapes = urdf_shapes(raw, folder, origin=path.name)
    return read_urdf(raw, origin=path.name, tip=tip, base=base, shapes=shapes)


def read_urdf(
    text: bytes | str,
    *,
    origin: str = "URDF",
    tip: str = "",
    base: str = "",
    shapes: UrdfShapes | None = None,
) -> Mechanism:
    """Read a URDF document: the chain from the root link to the tip.

    What branches off the chain is fixed to it, its joints held; ``side_branches`` says so. Masses
    and shapes of the branches count.

    Args:
        text: the document.
        origin: the name that messages give it.
        tip: link whose frame is the tool frame; empty for the rule of ``tip_of``.
        base: link whose frame is the base frame; empty for the root link. What stands before it is
            left out, unless it is rigid with it.
        shapes: of its links' meshes; left out: meshes are not read, which is noted.

    Raises:
        RobotFileError: not a robot of this kind, or no link is plainly the tip; the message names
            the line.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return mechanism_of(parse_urdf(raw, origin), tip=tip, base=base, shapes=shapes)


def mechanism_of(
    document: UrdfText,
    *,
    tip: str = "",
    base: str = "",
    gravity: ArrayLike = STANDARD_GRAVITY,
    shapes: UrdfShapes | None = None,
) -> Mechanism:
    """The mechanism of a parsed document.

    Args:
        document: with links and joints.
        tip: as for ``read_urdf``.
        base: likewise.
        gravity: in the frame of the root link. # (3,) [m/s²]
        shapes: as for ``read_urdf``.

    Raises:
        RobotFileError: as ``read_urdf``.
    """
    try:
        found = np.asarray(gravity, dtype=np.float64)
        mechanism = _mechanism(document, tip, base, found, shapes or UrdfShapes())
        return replace(mechanism, self_pairs=default_self_pairs(mechanism))
    except RobotFileError:
        raise
    except MechanismError as error:
        raise RobotFileError(f"{document.origin}: {error}", file=document.origin) from error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnLink:
    """The mesh that a link is drawn by.

    Args:
        link: its name.
        joint: index of the joint that carries it, ``BASE`` for the base.
        vertices: in that joint's frame. # (v, 3) [m]
        faces: # (f, 3)
    """

    link: str
    joint: int
    vertices: Array
    faces: Indices


def drawn_links(
    raw: bytes, files: Sequence[MeshFile], *, origin: str = "URDF", tip: str = ""
) -> tuple[DrawnLink, ...]:
    """What the links of a URDF that ``read_urdf`` has read are drawn by.

    Args:
        raw: the document.
        files: meshes that were found for it; a link whose meshes were not is left out.
        origin: as for ``read_urdf``.
        tip: likewise.
    """
    document = parse_urdf(raw, origin)
    tree = joints_in_order(document)
    reading = _Reading(
        document=document, tree=tree, tip=tip_of(document, tree, tip), gravity=np.zeros(3)
    )
    reading.mechanism()
    return tuple(
        DrawnLink(
            link=mesh.link,
            joint=reading.frames[mesh.link].joint,
            vertices=transform_points(reading.frames[mesh.link].T, mesh.vertices),
            faces=mesh.faces,
        )
        for mesh in link_meshes(document, files)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Frame:
    """Joint that carries a link, and the link's frame in that joint's."""

    joint: int
    T: Array  # of the link in the joint's frame # (4, 4)


def _mechanism(
    document: UrdfText, tip: str, base: str, gravity: Array, shapes: UrdfShapes
) -> Mechanism:
    tree = joints_in_order(document, base)
    if not tree.joints:
        raise document.error(document.root, "has no joint; a mechanism has at least one.")
    chosen = tip_of(document, tree, tip)
    reading = _Reading(document=document, tree=tree, tip=chosen, gravity=gravity, shapes=shapes)
    return reading.mechanism()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SideLink:
    """A link off the chain, and the body it adds to the joint of the chain that carries it."""

    name: str
    joint: int
    body: Body


@dataclass(slots=True, kw_only=True, eq=False)
class _Reading:
    """The chain to the tip as it grows, joint by joint; what hangs beside it is fixed to it."""

    document: UrdfText
    tree: LinkTree
    tip: TipLink
    gravity: Array
    shapes: UrdfShapes = field(default_factory=UrdfShapes)
    chain: frozenset[str] = frozenset()
    joints: list[Joint] = field(default_factory=list)
    frames: dict[str, _Frame] = field(default_factory=dict)
    held: list[HeldJoint] = field(default_factory=list)
    side_links: list[_SideLink] = field(default_factory=list)
    behind_held: set[str] = field(default_factory=set)  # names of links

    def mechanism(self) -> Mechanism:
        """Read the whole tree."""
        document, tree = self.document, self.tree
        T_root_base = np.eye(4)
        for element in tree.upstream:
            T_root_base = T_root_base @ document.origin_of(element)
        T = inverse_pose(T_root_base) if tree.root != tree.base else np.eye(4)
        self.frames = {tree.root: _Frame(joint=BASE, T=T)}
        collisions = Collisions(document=document, shapes=self.shapes)
        collisions.add(tree.links[tree.root], BASE, T, None)
        self.chain = frozenset(joint.get("name") for joint in tree.chain(self.tip.link))
        for element in tree.joints:
            link = tree.links[_link(document, element, "child")]
            if element.get("name") in self.chain:
                self._add_to_chain(element, link)
            else:
                self._hold(element, link)
            frame = self.frames[link.get("name")]
            carrier = None if frame.joint == BASE else self.joints[frame.joint].name
            collisions.add(link, frame.joint, frame.T, carrier)
        frame = self.frames[self.tip.link]
        joints = self._joined()
        return Mechanism(
            name=document.root.get("name") or "urdf robot",
            source=f"URDF {document.origin}",
            joints=joints,
            gravity=T_root_base[:3, :3].T @ self.gravity,
            tool=frame.T,
            tool_joint=frame.joint,
            capsules=tuple(collisions.capsules),
            tip=self.tip,
            side_branches=self._side_branches(),
            unread_shapes=tuple(collisions.unread.values()),
            masses_known=any(
                self._moves(index) and not joint.body.massless for index, joint in enumerate(joints)
            ),
            mesh_shapes=tuple(collisions.meshes),
        )

    def _add_to_chain(self, element: Element, link: Element) -> None:
        """A joint of the chain; a massless tip on a fixed joint is a mere frame and needs none."""
        document = self.document
        parent = self.frames[_link(document, element, "parent")]
        placement = parent.T @ document.origin_of(element)
        kind = _kind(document, element)
        is_tip = link.get("name") == self.tip.link
        if is_tip and kind is JointKind.FIXED and _body(document, link, np.eye(4)).massless:
            self.frames[self.tip.link] = _Frame(joint=parent.joint, T=placement)
            return
        axes = np.eye(3) if kind is JointKind.FIXED else _axes(document, element)
        T = make_pose(axes.T)
        self.joints.append(
            Joint(
                name=document.required(element, "name"),
                kind=kind,
                parent=parent.joint,
                placement=placement @ make_pose(axes),
                body=_body(document, link, T),
                **_drive(document, element, kind),
            )
        )
        self.frames[link.get("name")] = _Frame(joint=len(self.joints) - 1, T=T)

    def _hold(self, element: Element, link: Element) -> None:
        """A joint off the chain: its link is fixed where the joint is held."""
        document = self.document
        parent = self.frames[_link(document, element, "parent")]
        T = parent.T @ document.origin_of(element)
        parent_link = _link(document, element, "parent")
        if is_moving(element) or parent_link in self.behind_held:
            self.behind_held.add(link.get("name"))
        if is_moving(element):
            joint = self._held(element)
            self.held.append(joint)
            T = T @ _displacement(document, element, joint.value)
        self.frames[link.get("name")] = _Frame(joint=parent.joint, T=T)
        body = _body(document, link, T)
        if not body.massless or link.find("collision") is not None:
            self.side_links.append(_SideLink(name=link.get("name"), joint=parent.joint, body=body))

    def _held(self, element: Element) -> HeldJoint:
        """At zero, or at the limit nearest to it; a joint that mimics one follows it."""
        document = self.document
        kind = document.required(element, "type")
        mimic = document.child(element, "mimic")
        return HeldJoint(
            name=document.required(element, "name"),
            value=self._held_value(element, frozenset()),
            unit="m" if kind == "prismatic" else "rad",
            mimics="" if mimic is None else document.required(mimic, "joint"),
        )

    def _held_value(self, element: Element, followers: frozenset[str]) -> float:
        """Of a joint and those that it mimics. Args: followers: that lead to it by mimicking it."""
        document, name = self.document, element.get("name")
        if name in followers:
            raise document.error(element, "mimics itself by way of others; remove one <mimic>.")
        if name in self.chain:
            return 0.0
        mimic, limit = document.child(element, "mimic"), document.child(element, "limit")
        if mimic is not None:
            leader = self.tree.joint(document.required(mimic, "joint"))
            if leader is None:
                raise document.error(mimic, f"of {name!r} names a joint that is missing.")
            value = self._held_value(leader, followers | {name})
            factor = document.number(mimic, "multiplier", 1.0)
            return factor * value + document.number(mimic, "offset")
        if limit is None or element.get("type") not in ("revolute", "prismatic"):
            return 0.0
        lower, upper = document.number(limit, "lower"), document.number(limit, "upper")
        return min(max(0.0, lower), upper) if lower <= upper else 0.0

    def _joined(self) -> tuple[Joint, ...]:
        """The chain's joints, with the bodies beside it."""
        bodies = [joint.body for joint in self.joints]
        for side in self.side_links:
            if side.joint != BASE:
                bodies[side.joint] = bodies[side.joint].joined(side.body)
        return tuple(
            joint if body is joint.body else replace(joint, body=body)
            for joint, body in zip(self.joints, bodies, strict=True)
        )

    def _side_branches(self) -> SideBranches:
        held = [side for side in self.side_links if side.name in self.behind_held]
        fixed = [side for side in self.side_links if side.name not in self.behind_held]
        return SideBranches(
            joints=tuple(self.held),
            links=tuple(side.name for side in held),
            mass=self._carried_mass(held),
            fixed_links=tuple(side.name for side in fixed),
            fixed_mass=self._carried_mass(fixed),
        )

    def _carried_mass(self, links: Sequence[_SideLink]) -> float:
        """Of those that a moving joint of the chain carries. [kg]."""
        return sum((side.body.mass for side in links if self._moves(side.joint)), 0.0)

    def _moves(self, index: int) -> bool:
        while index != BASE and not self.joints[index].movable:
            index = self.joints[index].parent
        return index != BASE


def _displacement(document: UrdfText, joint: Element, value: float) -> Array:
    """Displacement of a joint by its value, in the joint's URDF frame. # (4, 4)."""
    kind = joint.get("type")
    if kind not in ("revolute", "continuous", "prismatic"):
        return np.eye(4)
    axes = _axes(document, joint)
    if kind == "prismatic":
        return make_pose(translation=value * axes[:, 2])
    return make_pose(axes @ rotation_z(value) @ axes.T)


def _link(document: UrdfText, joint: Element, end: str) -> str:
    return document.required(document.child(joint, end), "link")


def _kind(document: UrdfText, joint: Element) -> JointKind:
    kind = document.required(joint, "type")
    if kind not in _KINDS:
        raise document.error(
            joint,
            f"has type {kind!r} and moves the tip; {', '.join(_KINDS)} are read, planar and "
            f"floating are not. Where the robot stands still there, import it with "
            f"{_link(document, joint, 'child')!r} as its base (palpeur robot import --base).",
        )
    mimic = document.child(joint, "mimic")
    if mimic is not None:
        raise document.error(
            joint,
            f"moves the tip and mimics joint {mimic.get('joint')!r}: coupled joints cannot be "
            "planned one by one. Give a tip before it, or remove <mimic>.",
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
        raise document.error(
            joint,
            "has no <limit>; URDF requires it for this type. Add one, such as "
            '<limit lower="-3.14" upper="3.14" effort="0" velocity="1.0"/>.',
        )
    q_min, q_max = document.number(limit, "lower"), document.number(limit, "upper")
    if q_min > q_max and not turns_freely:
        raise document.error(
            limit,
            f"of joint {joint.get('name')!r} has lower {q_min:g} above upper {q_max:g} "
            f"{kind.unit}; exchange them or correct one.",
        )
    unlimited_below, unlimited_above = turns_freely or q_min <= -UNLIMITED, q_max >= UNLIMITED
    return {
        "q_min": -math.inf if unlimited_below else q_min,
        "q_max": math.inf if turns_freely or unlimited_above else q_max,
        "max_speed": _bound(document, joint, limit, "velocity"),
        "max_effort": _bound(document, joint, limit, "effort"),
        "viscous": _friction(document, joint, dynamics, "damping"),
        "coulomb": _friction(document, joint, dynamics, "friction"),
    }


def _bound(document: UrdfText, joint: Element, limit: Element | None, key: str) -> float:
    """A limit; zero, which published files write for "not known", is none."""
    value = document.number(limit, key)
    if value < 0.0:
        raise document.error(
            limit, f"of joint {joint.get('name')!r} has {key} {value:g}; expected zero or more."
        )
    return math.inf if value == 0.0 or value >= UNLIMITED else value


def _friction(document: UrdfText, joint: Element, dynamics: Element | None, key: str) -> float:
    value = document.number(dynamics, key)
    if value < 0.0:
        raise document.error(
            dynamics, f"of joint {joint.get('name')!r} has {key} {value:g}; expected zero or more."
        )
    return value


def _body(document: UrdfText, link: Element, T: Array) -> Body:
    """Mass properties of a link in the frame of its joint. Args: T of the link there. # (4, 4)."""
    inertial = document.child(link, "inertial")
    if inertial is None:
        return Body()
    mass = document.number(document.child(inertial, "mass"), "value")
    if mass < 0.0:
        raise document.error(
            inertial,
            f"of link {link.get('name')!r} has mass {mass:g} kg; expected zero or more. Give its "
            '<mass value="…"/>, or remove the <inertial> of every link: masses are then unknown.',
        )
    pose = T @ document.origin_of(inertial)
    entries = document.child(inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (
        document.number(entries, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = pose[:3, :3]
    turned = R @ tensor @ R.T
    return Body(mass=mass, com=pose[:3, 3], inertia=0.5 * (turned + turned.T), at="com")


# ------------------------------------------------------------------------------- Mechanism to URDF
# Every joint's axis is z of its frame, as inside. URDF has no place for gravity, accelerations,
# motor inertia and provenance: a comment at the top says which of them are left out.

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
            body = joint.body if mechanism.masses_known else Body()
            links[index] = _add_link(root, _link_name(joint), body)
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
        "convex pieces in capsules": any(len(c.corners) for c in mechanism.capsules),
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


_AT_THE_END = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosing:
    """A capsule about the centre of a shape.

    Args:
        axis: of the shape's frame along which it lies: 0, 1 or 2.
        half_length: of its segment. [m]
        radius: [m]
    """

    axis: int
    half_length: float
    radius: float

    @property
    def volume(self) -> float:
        """[m³]."""
        return math.pi * self.radius**2 * (2.0 * self.half_length + 4.0 / 3.0 * self.radius)


# -------------------------------------------------------------------- Collision shapes to capsules
# Spheres and capsules are read as they are, cylinders and boxes as the smallest capsule about them
# and a convex piece: the box itself, or a prism about the cylinder.
# A cylinder with a sphere of its own radius at both ends is a capsule: URDF has no other way to say
# it, and ours are written so. Meshes come with the capsules that were fitted about them; those of a
# link of which one is missing are noted.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solid:
    """A collision geometry: its capsule about its own centre, and whether it is a bare cylinder."""

    name: str
    frame: Array  # in the joint's frame # (4, 4)
    capsule: Enclosing
    cylinder: tuple[float, float] | None = None  # radius, length [m]
    corners: Array = field(default_factory=NONE.copy)  # of its piece, in its frame # (k, 3)

    def ends(self, half_length: float) -> tuple[Array, Array]:
        """Points on the axis. # (3,) each."""
        reach = half_length * self.frame[:3, self.capsule.axis]
        return self.frame[:3, 3] - reach, self.frame[:3, 3] + reach


@dataclass(slots=True, kw_only=True, eq=False)
class Collisions:
    """Collects the capsules of a document's links, and what is not read."""

    document: UrdfText
    shapes: UrdfShapes = field(default_factory=UrdfShapes)
    meshes: list[MeshShape] = field(default_factory=list)
    capsules: list[Capsule] = field(default_factory=list)
    unread: dict[tuple[str, str], UnreadShape] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def add(self, link: Element, joint: int, frame: Array, carrier: str | None) -> None:
        """Read the collisions of a link.

        Args:
            link: of the document.
            joint: index of the joint that carries it, -1 for the base.
            frame: the link's frame in that joint's frame. # (4, 4)
            carrier: name of that joint, None for the base.

        Raises:
            RobotFileError: sizes that are not numbers, zero or more.
        """
        solids = []
        for element in link.findall("collision"):
            name = element.get("name") or default_capsule_name(carrier)
            solid = self._solid(link, element, name, frame)
            if solid is not None:
                solids.append(solid)
        fitted = self.shapes.links.get(link.get("name"))
        if fitted is not None:
            self._add_shape(fitted, joint, frame)
        for solid in _merged(solids):
            start, end = solid.ends(solid.capsule.half_length)
            self.capsules.append(
                Capsule(
                    name=unique_name(solid.name, self.names),
                    joint=joint,
                    start=start,
                    end=end,
                    radius=solid.capsule.radius,
                    corners=transform_points(solid.frame, solid.corners),
                )
            )

    def _add_shape(self, shape: LinkShape, joint: int, frame: Array) -> None:
        """The capsules about a link's meshes, called by the link."""
        names = []
        for one in shape.capsules:
            moved = carried(one, frame)
            names.append(unique_name(shape.link, self.names))
            self.capsules.append(
                Capsule(
                    name=names[-1],
                    joint=joint,
                    start=moved.start,
                    end=moved.end,
                    radius=moved.radius,
                    corners=moved.corners,
                )
            )
        self.meshes.append(
            MeshShape(
                link=shape.link,
                capsules=tuple(names),
                excess=shape.excess,
                mesh_excess=shape.mesh_excess,
                files=shape.files,
                visual=shape.visual,
            )
        )

    def _solid(self, link: Element, collision: Element, name: str, frame: Array) -> _Solid | None:
        """A geometry of a link whose frame is given; None for what is not read."""
        geometry = self.document.child(collision, "geometry")
        shape = next(iter(geometry), None) if geometry is not None else None
        kind = "empty geometry" if shape is None else str(shape.tag)
        pose = frame @ self.document.origin_of(collision)
        if kind == "sphere":
            ball = Enclosing(axis=2, half_length=0.0, radius=self._size(shape, "radius"))
            return _Solid(name=name, frame=pose, capsule=ball)
        if kind == "box":
            size = self.document.numbers(shape, "size", [np.nan] * 3)
            if not min(size) >= 0.0:
                raise self.document.error(shape, "needs a size of three numbers, zero or more.")
            return _Solid(
                name=name, frame=pose, capsule=around_box(size), corners=box_corners(size)
            )
        if kind in ("cylinder", "capsule"):
            radius, length = (self._size(shape, key) for key in ("radius", "length"))
            if kind == "capsule":
                exact = Enclosing(axis=2, half_length=length / 2.0, radius=radius)
                return _Solid(name=name, frame=pose, capsule=exact)
            return _Solid(
                name=name,
                frame=pose,
                capsule=around_cylinder(radius, length),
                cylinder=(radius, length),
                corners=prism_corners(radius, length),
            )
        if kind != "mesh" or link.get("name") not in self.shapes.links:
            self._note_unread(link.get("name"), kind, collision.sourceline)
        return None

    def _note_unread(self, link: str, kind: str, line: int) -> None:
        earlier = self.unread.get((link, kind))
        self.unread[link, kind] = (
            UnreadShape(link=link, kind=kind, line=line, sought=self._sought(link, kind))
            if earlier is None
            else replace(earlier, count=earlier.count + 1)
        )

    def _sought(self, link: str, kind: str) -> tuple[str, ...]:
        """Places where a link's first missing mesh was looked for."""
        missing = (one.sought for one in self.shapes.missing if one.link == link)
        return next(missing, ()) if kind == "mesh" else ()

    def _size(self, shape: Element, key: str) -> float:
        value = self.document.number(shape, key, np.nan)
        if not value >= 0.0:
            raise self.document.error(shape, f"needs a {key}, a number, zero or more.")
        return value


def _merged(solids: list[_Solid]) -> list[_Solid]:
    """The solids, a cylinder and the two spheres at its ends made one."""
    caps: set[int] = set()
    found = []
    for solid in solids:
        ends = _cap_of_both_ends(solid, solids) if solid.cylinder else None
        if ends is None or solid.cylinder is None:
            found.append(solid)
            continue
        caps |= ends
        radius, length = solid.cylinder
        exact = Enclosing(axis=2, half_length=length / 2.0, radius=radius)
        found.append(_Solid(name=solid.name, frame=solid.frame, capsule=exact))
    return [solid for solid in found if id(solid) not in caps]


def _cap_of_both_ends(cylinder: _Solid, solids: list[_Solid]) -> set[int] | None:
    """Identities of the spheres that round off a cylinder's two ends."""
    radius, length = cylinder.cylinder or (0.0, 0.0)
    slack = _AT_THE_END * (radius + length + float(np.abs(cylinder.frame[:3, 3]).max()))
    found: set[int] = set()
    for end in cylinder.ends(length / 2.0):
        at_end = [
            id(solid)
            for solid in solids
            if solid.cylinder is None
            and solid.capsule.half_length == 0.0
            and abs(solid.capsule.radius - radius) <= slack
            and np.linalg.norm(solid.frame[:3, 3] - end) <= slack
        ]
        if not at_end:
            return None
        found.add(at_end[0])
    return found


# --------------------------------------------------------------------- Smallest enclosing capsules
# A cylinder of radius r and length 2·λ·r lies in a capsule of radius R = r·√(1 + x²) whose segment
# ends r·x before the cylinder's rims do. x = 0 has the thinnest capsule, which sticks out most; the
# volume π·r³·(2·(1 + x²)·(λ - x) + 4/3·(1 + x²)^(3/2)) is least where its derivative is zero, or at
# x = λ, a ball, when the cylinder is flatter than λ = 1/√3. A box touches with its corners only: it
# needs the capsule of the cylinder through them.
_FLATTEST = 1.0 / math.sqrt(3.0)
_HALVINGS = 60


def around_cylinder(radius: float, length: float, axis: int = 2) -> Enclosing:
    """Smallest capsule about a cylinder. Args: radius, length [m]; axis of the frame."""
    if radius == 0.0:
        return Enclosing(axis=axis, half_length=length / 2.0, radius=0.0)
    slenderness = length / (2.0 * radius)
    x = _overlap(slenderness)
    # The rim must lie inside whatever rounding does.
    grown = radius * math.sqrt(1.0 + x * x) * (1.0 + 1e-15)
    half_length = max(length / 2.0 - radius * x, 0.0)
    return Enclosing(axis=axis, half_length=half_length, radius=grown)


def around_box(size: Sequence[float]) -> Enclosing:
    """Smallest capsule about a box. Args: size along x, y, z. # (3,) [m]."""
    found = []
    for axis, length in enumerate(size):
        others = [size[(axis + 1) % 3], size[(axis + 2) % 3]]
        found.append(around_cylinder(math.hypot(*others) / 2.0, length, axis))
    return min(found, key=lambda capsule: capsule.volume)


_FLAT = 1e-6  # thickness over size of what has no inside to speak of
_SIDES = 12  # of a prism about a cylinder: 2 % more volume


def box_corners(size: Sequence[float]) -> Array:
    """Corners of a box about its centre; none of a flat one. # (8 or 0, 3) [m]."""
    if min(size) <= _FLAT * max(size):
        return NONE
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    return np.asarray(signs * size)


def prism_corners(radius: float, length: float) -> Array:
    """Corners of a prism about a cylinder along z; none of a flat one. # (24 or 0, 3) [m]."""
    if min(radius, length) <= _FLAT * max(radius, length):
        return NONE
    angles = 2.0 * math.pi * np.arange(_SIDES) / _SIDES
    reach = radius / math.cos(math.pi / _SIDES) * (1.0 + 1e-15)  # no rounding lets the rim out
    ring = reach * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.array([[*point, end] for end in (-0.5 * length, 0.5 * length) for point in ring])


def _overlap(slenderness: float) -> float:
    """The x of least volume, by halving: the derivative is below zero at 0, above it at λ."""
    if slenderness <= _FLATTEST:
        return slenderness
    low, high = 0.0, slenderness
    for _ in range(_HALVINGS):
        x = 0.5 * (low + high)
        slope = 2.0 * slenderness * x - 3.0 * x * x - 1.0 + 2.0 * x * math.sqrt(1.0 + x * x)
        low, high = (x, high) if slope < 0.0 else (low, x)
    return low


# ------------------------------------------------------------------ Capsules to collision elements
def add_collisions(link: Element, capsule: Capsule) -> None:
    """Append a capsule to a link: one sphere for a ball, else cylinder, sphere, sphere."""
    size = {"radius": repr(capsule.radius + 0.0)}
    axis = capsule.end - capsule.start
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        _add(link, capsule.name, capsule.start, "sphere", size)
        return
    R = turn_between([0.0, 0.0, 1.0], axis / length).rotation
    yaw, pitch, roll = angles_zyx(R).angles
    middle = 0.5 * (capsule.start + capsule.end)
    cylinder = size | {"length": repr(length)}
    _add(
        link,
        capsule.name,
        middle,
        "cylinder",
        cylinder,
        rpy=_numbers(np.array([roll, pitch, yaw])),
    )
    _add(link, f"{capsule.name} start", capsule.start, "sphere", size)
    _add(link, f"{capsule.name} end", capsule.end, "sphere", size)


def _add(
    link: Element,
    name: str,
    place: Array,
    tag: str,
    size: dict[str, str],
    *,
    rpy: str = "0 0 0",
) -> None:
    from lxml import etree

    collision = etree.SubElement(link, "collision", name=name)
    etree.SubElement(collision, "origin", xyz=_numbers(place), rpy=rpy)
    etree.SubElement(etree.SubElement(collision, "geometry"), tag, size)
