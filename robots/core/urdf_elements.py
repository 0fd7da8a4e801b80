"""Elements of URDF documents: safe XML, checked attributes, link tree, collision shapes.

Entities, the network and huge trees are off; a document type is refused outright.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule, default_capsule_name, unique_name
from robots.core.errors import RobotFileError
from robots.core.file_reading import UnreadShape
from robots.core.orientation import turn_between
from robots.core.pose import angles_zyx, make_pose, rotation_zyx
from robots.core.robot_file.source_text import check_size
from robots.core.schema_problems import nearest

Element = Any  # lxml's element class is private
# What writers put where a limit must stand and there is none.
UNLIMITED = 1e300
_EXPAND = "expand the file first: xacro robot.xacro > robot.urdf."


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfText:
    """A URDF document's name and root element."""

    origin: str
    root: Element

    def error(self, element: Element, sentence: str, **facts: object) -> RobotFileError:
        """The error at an element: file, line, element, then the sentence."""
        name = element.get("name")
        what = f"<{element.tag}>" if name is None else f"<{element.tag} name={name!r}>"
        return RobotFileError(
            f"{self.origin}, line {element.sourceline}: {what} {sentence}",
            file=self.origin,
            line=element.sourceline,
            **facts,
        )

    def required(self, element: Element, attribute: str) -> str:
        """An attribute that must be there.

        Raises:
            RobotFileError: it is not, or it is empty.
        """
        value = element.get(attribute)
        if not value or not value.strip():
            raise self.error(element, f"has no {attribute}; URDF requires it.")
        return str(value)

    def child(self, element: Element, tag: str) -> Element | None:
        """The one child of this tag, None when there is none.

        Raises:
            RobotFileError: several.
        """
        found = element.findall(tag)
        if len(found) > 1:
            raise self.error(found[1], f"stands a second time in <{element.tag}>; keep one.")
        return found[0] if found else None

    def numbers(
        self, element: Element | None, attribute: str, default: Sequence[float]
    ) -> list[float]:
        """Numbers of an attribute, as many as ``default`` has.

        Raises:
            RobotFileError: another count, or a value that is not a finite number.
        """
        text = None if element is None else element.get(attribute)
        if text is None:
            return list(default)
        try:
            values = [float(part) for part in text.split()]
        except ValueError:
            values = [math.nan]
        if len(values) != len(default) or not all(map(math.isfinite, values)):
            count = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            raise self.error(element, f'has {attribute}="{text[:60]}"; expected {count}.')
        return values

    def number(self, element: Element | None, attribute: str, default: float = 0.0) -> float:
        """One number of an attribute.

        Raises:
            RobotFileError: not a finite number.
        """
        return self.numbers(element, attribute, [default])[0]

    def origin_of(self, element: Element) -> Array:
        """Pose of an element's <origin xyz rpy>: Rz(yaw)·Ry(pitch)·Rx(roll). # (4, 4).

        Raises:
            RobotFileError: not numbers.
        """
        origin = self.child(element, "origin")
        roll, pitch, yaw = self.numbers(origin, "rpy", [0.0, 0.0, 0.0])
        translation = self.numbers(origin, "xyz", [0.0, 0.0, 0.0])
        return make_pose(rotation_zyx([yaw, pitch, roll]), translation)


def parse_urdf(text: bytes, origin: str) -> UrdfText:
    """Parse a URDF document.

    Raises:
        RobotFileError: too large, not XML, with a document type or entities, or not URDF.
    """
    from lxml import etree

    check_size(origin, len(text))
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise RobotFileError(f"{origin}: this is not valid XML: {error}.", file=origin) from None
    document = UrdfText(origin=origin, root=root)
    if root.getroottree().docinfo.doctype:
        raise document.error(
            root, "comes after a document type, which may hold entities; remove <!DOCTYPE …>."
        )
    _drop_default_namespace(root)
    _refuse_macros(document)
    if root.tag != "robot":
        raise document.error(root, "is the root element; a URDF file begins with <robot>.")
    return document


def _drop_default_namespace(root: Element) -> None:
    """Give elements of the default namespace their bare names: some exporters declare one."""
    default = root.nsmap.get(None)
    if default is None:
        return
    for element in root.iter(f"{{{default}}}*"):
        element.tag = element.tag.partition("}")[2]


def _refuse_macros(document: UrdfText) -> None:
    """Refuse what only xacro can expand; that its namespace is declared says nothing.

    Raises:
        RobotFileError: an element of xacro, or an expression in a value of a link or a joint.
    """
    for element in document.root.iter():
        name = str(element.tag)
        if name.startswith("{") and name.partition("}")[0].endswith("/xacro"):
            local = name.partition("}")[2]
            raise RobotFileError(
                f"{document.origin}, line {element.sourceline}: <xacro:{local}> is an element of "
                f"xacro; {_EXPAND}",
                file=document.origin,
                line=element.sourceline,
            )
    for top in document.root.iterchildren("link", "joint"):
        for element in top.iter():
            for key, value in element.items():
                if "${" in value:
                    raise document.error(
                        element, f'has {key}="{value[:60]}", an expression of xacro; {_EXPAND}'
                    )


# -------------------------------------------------------------------------------- Links and joints


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTree:
    """A checked tree.

    Args:
        root: name of the link that stands on the base.
        links: by name.
        joints: parents before children, otherwise in the order of the file.
        carriers: the joint that carries each link but the root, by the link's name.
    """

    root: str
    links: dict[str, Element]
    joints: tuple[Element, ...]
    carriers: dict[str, Element]

    def joint(self, name: str) -> Element | None:
        """The joint of a name; None where there is none."""
        return next((joint for joint in self.joints if joint.get("name") == name), None)

    @property
    def leaves(self) -> tuple[str, ...]:
        """Links that carry no joint, in the order of the file."""
        parents = {joint.find("parent").get("link") for joint in self.joints}
        return tuple(name for name in self.links if name not in parents)

    def chain(self, link: str) -> tuple[Element, ...]:
        """Joints from the root to a link."""
        found: list[Element] = []
        while link != self.root:
            found.append(self.carriers[link])
            link = found[-1].find("parent").get("link")
        return tuple(reversed(found))


def joints_in_order(document: UrdfText) -> LinkTree:
    """Order the joints and check that they make one tree.

    Raises:
        RobotFileError: names given twice, a missing link, a closed loop, several trees.
    """
    links = _by_name(document, "link")
    joints = _by_name(document, "joint")
    if not links:
        raise document.error(document.root, "has no link; a robot has at least two.")
    children: dict[str, list[Element]] = {}
    carried: dict[str, Element] = {}
    for joint in joints.values():
        parent, child = (_end(document, joint, end, links) for end in ("parent", "child"))
        if child in carried:
            other = carried[child].get("name")
            raise document.error(
                joint,
                f"carries link {child!r}, as joint {other!r} does: the links close a loop. "
                "Only trees are read; cut the loop.",
            )
        carried[child] = joint
        children.setdefault(parent, []).append(joint)
    root = _root(document, links, carried)
    order = _ordered(document, root, children)
    if len(order) < len(joints):
        stray = next(joint for joint in joints.values() if joint not in order)
        raise document.error(stray, "belongs to a loop of links that never reaches the root link.")
    return LinkTree(root=root, links=links, joints=order, carriers=carried)


def _by_name(document: UrdfText, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in document.root.findall(tag):
        name = document.required(element, "name")
        if name in found:
            raise document.error(element, f"has the name of an earlier {tag}; rename one.")
        found[name] = element
    return found


def _end(document: UrdfText, joint: Element, end: str, links: dict[str, Element]) -> str:
    element = document.child(joint, end)
    if element is None:
        raise document.error(joint, f"has no <{end} link=…>; URDF requires it.")
    link = document.required(element, "link")
    if link not in links:
        raise document.error(
            joint, f"names {end} link {link!r}, which is missing; {nearest(link, links)}"
        )
    return link


def _root(document: UrdfText, links: dict[str, Element], carried: dict[str, Element]) -> str:
    roots = [name for name in links if name not in carried]
    if not roots:
        raise document.error(
            document.root, "has no root link: every link is carried, so the links close a loop."
        )
    if len(roots) > 1:
        raise document.error(
            links[roots[1]],
            f"is a second root beside {roots[0]!r}: no joint carries it; join the two trees.",
        )
    return roots[0]


def _ordered(
    document: UrdfText, root: str, children: dict[str, list[Element]]
) -> tuple[Element, ...]:
    """Joints depth first: a chain stays together, branches follow the order of the file."""
    order: list[Element] = []
    waiting = list(reversed(children.get(root, [])))
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        child = document.required(document.child(joint, "child"), "link")
        waiting.extend(reversed(children.get(child, [])))
    return tuple(order)


# A sphere caps a cylinder when it stands at its end to this, relative to the cylinder's size.
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
# Spheres and capsules are read as they are, cylinders and boxes as the smallest capsule about them.
# A cylinder with a sphere of its own radius at both ends is a capsule: URDF has no other way to say
# it, and ours are written so. Meshes are not read, which is noted.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solid:
    """A collision geometry: its capsule about its own centre, and whether it is a bare cylinder."""

    name: str
    frame: Array  # in the joint's frame # (4, 4)
    capsule: Enclosing
    cylinder: tuple[float, float] | None = None  # radius, length [m]

    def ends(self, half_length: float) -> tuple[Array, Array]:
        """Points on the axis. # (3,) each."""
        reach = half_length * self.frame[:3, self.capsule.axis]
        return self.frame[:3, 3] - reach, self.frame[:3, 3] + reach


@dataclass(slots=True, kw_only=True, eq=False)
class Collisions:
    """Collects the capsules of a document's links, and what is not read."""

    document: UrdfText
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
            shape = self._shape(link, element)
            if shape is not None:
                pose = frame @ self.document.origin_of(element)
                solids.append(_Solid(name=name, frame=pose, capsule=shape[0], cylinder=shape[1]))
        for solid in _merged(solids):
            start, end = solid.ends(solid.capsule.half_length)
            self.capsules.append(
                Capsule(
                    name=unique_name(solid.name, self.names),
                    joint=joint,
                    start=start,
                    end=end,
                    radius=solid.capsule.radius,
                )
            )

    def _shape(
        self, link: Element, collision: Element
    ) -> tuple[Enclosing, tuple[float, float] | None] | None:
        """Capsule of a geometry and, of a cylinder, its sizes; None for what is not read."""
        geometry = self.document.child(collision, "geometry")
        shape = next(iter(geometry), None) if geometry is not None else None
        kind = "empty geometry" if shape is None else str(shape.tag)
        if kind == "sphere":
            radius = self._size(shape, "radius")
            return Enclosing(axis=2, half_length=0.0, radius=radius), None
        if kind == "box":
            size = self.document.numbers(shape, "size", [np.nan] * 3)
            if not min(size) >= 0.0:
                raise self.document.error(shape, "needs a size of three numbers, zero or more.")
            return around_box(size), None
        if kind in ("cylinder", "capsule"):
            radius, length = (self._size(shape, key) for key in ("radius", "length"))
            if kind == "capsule":
                return Enclosing(axis=2, half_length=length / 2.0, radius=radius), None
            return around_cylinder(radius, length), (radius, length)
        self._note_unread(link.get("name"), kind, collision.sourceline)
        return None

    def _note_unread(self, link: str, kind: str, line: int) -> None:
        earlier = self.unread.get((link, kind))
        self.unread[link, kind] = (
            UnreadShape(link=link, kind=kind, line=line)
            if earlier is None
            else replace(earlier, count=earlier.count + 1)
        )

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
    _add(link, capsule.name, middle, "cylinder", cylinder, rpy=_numbers([roll, pitch, yaw]))
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


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
