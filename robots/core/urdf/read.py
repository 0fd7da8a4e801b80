"""URDF → Mechanism.

A URDF joint moves about any axis of its frame; ours moves about z. The joint frame is turned so
that z is the axis, and what stands in it (children, body) is turned back. Collision geometry
becomes capsules; visuals, meshes, colours, transmissions and Gazebo's elements are not read. A
limit of zero effort or velocity means that none is stated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.errors import MechanismError, RobotFileError
from robots.core.file_reading import HeldJoint, SideBranches, Tip
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_z, unit_direction
from robots.core.robot_file.source_text import read_bytes
from robots.core.self_pairs import default_self_pairs
from robots.core.urdf.collision import Collisions
from robots.core.urdf.document import UNLIMITED, Element, UrdfText, parse_urdf
from robots.core.urdf.links import LinkTree, joints_in_order
from robots.core.urdf.tip import is_moving, tip_of

_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
}


def load_urdf(path: Path | str, *, tip: str = "") -> Mechanism:
    """Read a URDF file.

    Args:
        path: of the file.
        tip: link whose frame is the tool frame; empty for the rule of ``tip_of``.

    Raises:
        RobotFileError: not readable, or not a robot of this kind; the message names the line.
    """
    path = Path(path)
    return read_urdf(read_bytes(path), origin=path.name, tip=tip)


def read_urdf(text: bytes | str, *, origin: str = "URDF", tip: str = "") -> Mechanism:
    """Read a URDF document: the chain from the root link to the tip.

    What branches off the chain is fixed to it, its joints held; ``side_branches`` says so. Masses
    and shapes of the branches count.

    Args:
        text: the document.
        origin: the name that messages give it.
        tip: link whose frame is the tool frame; empty for the rule of ``tip_of``.

    Raises:
        RobotFileError: not a robot of this kind, or no link is plainly the tip; the message names
            the line.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    document = parse_urdf(raw, origin)
    try:
        mechanism = _mechanism(document, tip)
        return replace(mechanism, self_pairs=default_self_pairs(mechanism))
    except RobotFileError:
        raise
    except MechanismError as error:
        raise RobotFileError(f"{origin}: {error}", file=origin) from error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Frame:
    """Joint that carries a link, and the link's frame in that joint's."""

    joint: int
    T: Array  # of the link in the joint's frame # (4, 4)


def _mechanism(document: UrdfText, tip: str) -> Mechanism:
    tree = joints_in_order(document)
    if not tree.joints:
        raise document.error(document.root, "has no joint; a mechanism has at least one.")
    chosen = tip_of(document, tree, tip)
    return _Reading(document=document, tree=tree, tip=chosen).mechanism()


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
    tip: Tip
    chain: frozenset[str] = frozenset()
    joints: list[Joint] = field(default_factory=list)
    frames: dict[str, _Frame] = field(default_factory=dict)
    held: list[HeldJoint] = field(default_factory=list)
    side_links: list[_SideLink] = field(default_factory=list)
    behind_held: set[str] = field(default_factory=set)  # names of links

    def mechanism(self) -> Mechanism:
        """Read the whole tree."""
        document, tree = self.document, self.tree
        self.frames = {tree.root: _Frame(joint=BASE, T=np.eye(4))}
        collisions = Collisions(document=document)
        collisions.add(tree.links[tree.root], BASE, np.eye(4), None)
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
        return Mechanism(
            name=document.root.get("name") or "urdf robot",
            source=f"URDF {document.origin}",
            joints=self._joined(),
            tool=frame.T,
            tool_joint=frame.joint,
            capsules=tuple(collisions.capsules),
            tip=self.tip,
            side_branches=self._side_branches(),
            unread_shapes=tuple(collisions.unread.values()),
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
            "floating are not.",
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
        raise document.error(inertial, f"has mass {mass:g} kg; expected zero or more.")
    pose = T @ document.origin_of(inertial)
    entries = document.child(inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (
        document.number(entries, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = pose[:3, :3]
    turned = R @ tensor @ R.T
    return Body(mass=mass, com=pose[:3, 3], inertia=0.5 * (turned + turned.T), at="com")
