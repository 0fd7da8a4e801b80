"""MuJoCo's model files (MJCF), as far as they are simple, written as the URDF document they mean.

Read are nested bodies and frames with hinge and slide joints, inertias and primitive geoms,
defaults of classes, the compiler's angles and Euler sequences, actuators' force ranges, sites. What
a chain of rigid bodies cannot hold is refused by name; what only concerns pictures and simulation
is passed over. The URDF document then goes the way of every URDF file: tip, side branches, held
joints.

Source: MuJoCo documentation, XML reference
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import RobotFileError
from robots.core.pose import (
    angles_zyx,
    inverse_pose,
    make_pose,
    rotation_about,
    rotation_x,
    rotation_y,
    rotation_z,
    turn_between,
    unit_direction,
)
from robots.core.urdf_document import UNLIMITED, Element, UrdfText, parse_xml

_DENSITY = 1000.0  # [kg/m³] of a geom that gives neither mass nor density
_WORLD = "world"
_PASSED_OVER = frozenset(
    ("asset", "visual", "statistic", "contact", "keyframe", "sensor", "size", "custom", "option")
)
_READ = frozenset(("compiler", "default", "worldbody", "actuator", "equality", "tendon"))
_IN_BODY = frozenset(
    ("inertial", "joint", "freejoint", "geom", "site", "body", "frame", "camera", "light")
)
_ACTUATORS = frozenset(
    ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder")
)
_TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoModel:
    """A MuJoCo model as URDF, and what URDF has no place for.

    Args:
        document: the same bodies, joints and shapes.
        gravity: in the world's frame. # (3,) [m/s²]
        armatures: rotor inertia of each joint. [kg m² or kg]
        unweighed: bodies that move whose mass follows from meshes only.
        from_geoms: bodies whose mass and inertia follow from their geoms.
        passed_over: what is in the file and has no place in a robot file.
        refusals: why the joints named cannot be on the chain to the tip.
    """

    document: UrdfText
    gravity: Array
    armatures: Mapping[str, float]
    unweighed: tuple[str, ...]
    from_geoms: tuple[str, ...]
    passed_over: tuple[str, ...]
    refusals: tuple[tuple[frozenset[str], RobotFileError], ...]

    def check_chain(self, joints: Iterable[str]) -> None:
        """Refuse what a chain cannot hold; off the chain it does no harm. Args: joints: names.

        Raises:
            RobotFileError: a spring or a closed loop on the chain.
        """
        chain = set(joints)
        for names, error in self.refusals:
            if names & chain:
                raise error


def is_mjcf(text: bytes, origin: str) -> bool:
    """Whether an XML document is a MuJoCo model."""
    return bool(parse_xml(text, origin).root.tag == "mujoco")


def read_mjcf(text: bytes, *, origin: str = "MJCF") -> MujocoModel:
    """Read a MuJoCo model.

    Raises:
        RobotFileError: not a model of this kind; the message names line and element.
    """
    source = parse_xml(text, origin)
    if source.root.tag != "mujoco":
        raise source.error(source.root, "is the root element; MJCF begins with <mujoco>.")
    return _Reading(source).model()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Mass:
    """A body's mass, in its own frame."""

    mass: float
    com: Array  # (3,) [m]
    inertia: Array  # at the centre of mass # (3, 3) [kg m²]


@dataclass(slots=True, eq=False)
class _Reading:
    """The URDF document as it grows, body by body."""

    source: UrdfText
    settings: dict[str, str] = field(default_factory=dict)
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    joint_names: set[str] = field(default_factory=set)
    joints_to: dict[str, tuple[str, ...]] = field(default_factory=dict)  # from the world, by link
    refusals: list[tuple[frozenset[str], RobotFileError]] = field(default_factory=list)
    armatures: dict[str, float] = field(default_factory=dict)
    efforts: dict[str, float] = field(default_factory=dict)
    unweighed: list[str] = field(default_factory=list)
    from_geoms: list[str] = field(default_factory=list)
    passed_over: dict[str, None] = field(default_factory=dict)
    robot: Element = None

    def model(self) -> MujocoModel:
        """Read the whole file."""
        from lxml import etree

        source, root = self.source, self.source.root
        for element in root:
            if element.tag not in _READ | _PASSED_OVER:
                raise self._beyond(element)
        for compiler in root.findall("compiler"):
            self.settings |= compiler.attrib
        self._check_compiler()
        self.classes = {"main": {}}
        for element in root.findall("default"):
            name = element.get("class") or "main"
            self._defaults(element, name, self.classes["main"])
            self.classes["main"] = self.classes[name]
        for tendon in (one for group in root.findall("tendon") for one in group):
            self.passed_over[f"<{tendon.tag} name={tendon.get('name')!r}>"] = None
        self._read_actuators()
        self.robot = etree.Element("robot", name=root.get("model") or "mujoco robot")
        self.robot.sourceline = root.sourceline
        self.joints_to[_WORLD] = ()
        self._link(_WORLD, root)
        self.names.add(_WORLD)
        for world in root.findall("worldbody"):
            self._children(world, _WORLD, np.eye(4), "main", moving=False)
        self._check_couplings()
        options = root.find("option")
        gravity = source.numbers(options, "gravity", [0.0, 0.0, -9.81])
        return MujocoModel(
            document=UrdfText(origin=source.origin, root=self.robot),
            gravity=np.array(gravity),
            armatures=self.armatures,
            unweighed=tuple(self.unweighed),
            from_geoms=tuple(self.from_geoms),
            passed_over=tuple(self.passed_over),
            refusals=tuple(self.refusals),
        )

    # --- what holds for the whole file ---------------------------------------------------------

    def _check_compiler(self) -> None:
        element = self.source.root.find("compiler")
        if self.settings.get("coordinate", "local") != "local":
            raise self.source.error(
                element, 'has coordinate="global", which is not read; save the model with local '
                "coordinates (MuJoCo does when it saves one)."
            )  # fmt: skip
        if self.settings.get("angle", "degree") not in ("degree", "radian"):
            raise self.source.error(
                element, f"has angle={self.settings['angle']!r}; expected degree or radian."
            )
        sequence = self.settings.get("eulerseq", "xyz")
        if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
            raise self.source.error(
                element, f"has eulerseq={sequence!r}; expected three of x, y, z, X, Y, Z."
            )
        if self.source.number(element, "settotalmass", -1.0) > 0.0:
            raise self.source.error(
                element, "has settotalmass, which scales all masses; it is not read. Save the "
                "model with its final masses."
            )  # fmt: skip

    def _angle(self, value: float) -> float:
        return value if self.settings.get("angle", "degree") == "radian" else math.radians(value)

    def _defaults(
        self, element: Element, name: str, inherited: Mapping[str, dict[str, str]]
    ) -> None:
        """A class and those in it; each has what its parent has."""
        own = {tag: dict(values) for tag, values in inherited.items()}
        for child in element:
            if child.tag != "default":
                tag = "actuator" if child.tag in _ACTUATORS else str(child.tag)
                own[tag] = own.get(tag, {}) | dict(child.attrib)
        self.classes[name] = own
        for child in element.findall("default"):
            self._defaults(child, self.source.required(child, "class"), own)

    def _settled(self, element: Element, tag: str, childclass: str) -> Element:
        """The element with the defaults of its class."""
        from lxml import etree

        name = element.get("class") or childclass
        if name not in self.classes:
            raise self.source.error(element, f"has class {name!r}, which no <default> defines.")
        found = etree.Element(element.tag, self.classes[name].get(tag, {}) | dict(element.attrib))
        found.sourceline = element.sourceline
        return found

    def _read_actuators(self) -> None:
        """Force ranges of actuators on single joints, through their gears."""
        for group in self.source.root.findall("actuator"):
            for element in group:
                joint = element.get("joint")
                if element.tag not in _ACTUATORS or joint is None:
                    self.passed_over[f"<{element.tag} name={element.get('name')!r}>"] = None
                    continue
                settled = self._settled(element, "actuator", "main")
                text = settled.get("forcerange") or (
                    settled.get("ctrlrange") if element.tag == "motor" else None
                )
                if text is None:
                    continue
                key = "forcerange" if settled.get("forcerange") else "ctrlrange"
                low, high = self.source.numbers(settled, key, [0.0, 0.0])
                gear = abs(next(iter(self.source.some_numbers(settled, "gear", "1")), 1.0))
                effort = gear * min(abs(low), abs(high))
                if effort > 0.0:
                    self.efforts[joint] = effort

    def _check_couplings(self) -> None:
        """Refuse equalities, which close loops; URDF's <mimic> stands for joint couplings."""
        for group in self.source.root.findall("equality"):
            for element in group:
                active = self._settled(element, "equality", "main").get("active", "true")
                if active == "false":
                    continue
                if element.tag == "joint" and element.get("joint2"):
                    self._couple(element)
                elif element.tag in ("connect", "weld"):
                    self._close_loop(element)
                else:
                    raise self._beyond(element)

    def _close_loop(self, element: Element) -> None:
        """Remember a loop: it must not hold a joint of the chain to the tip."""
        ends = [element.get(f"body{k}") or element.get(f"site{k}") or _WORLD for k in (1, 2)]
        for end in ends:
            if end not in self.joints_to:
                raise self.source.error(element, f"names {end!r}, which is no body or site.")
        one, other = (set(self.joints_to[end]) for end in ends)
        error = self.source.error(
            element,
            "closes a loop of bodies with the chain to the tip; only trees are read. Remove it "
            "where the arm moves without it, or give the open chain.",
        )
        self.refusals.append((frozenset(one ^ other), error))

    def _couple(self, element: Element) -> None:
        """joint1 follows joint2 linearly: a mimic joint."""
        from lxml import etree

        follower, leader = (self.source.required(element, f"joint{k}") for k in (1, 2))
        coefficients = self.source.some_numbers(element, "polycoef", "0 1 0 0 0")
        if len(coefficients) < 2:
            raise self.source.error(
                element,
                f'has polycoef="{element.get("polycoef")}"; expected two numbers at least: offset '
                "and multiplier.",
            )
        if any(coefficients[2:]):
            raise self.source.error(element, f"couples {follower!r} by a curve; lines are read.")
        for joint in self.robot.findall("joint"):
            if joint.get("name") == follower and joint.find("mimic") is None:
                values = {"multiplier": coefficients[1], "offset": coefficients[0]}
                texts = {key: repr(value) for key, value in values.items()}
                etree.SubElement(joint, "mimic", joint=leader, **texts)

    def _beyond(self, element: Element) -> RobotFileError:
        if element.tag == "include":
            return self.source.error(
                element, f"includes {element.get('file')!r}; import that file if it is the robot, "
                "or put its content here."
            )  # fmt: skip
        return self.source.error(
            element,
            "is beyond the simple MuJoCo files that are read (nested bodies, hinge and slide "
            "joints, inertias, primitive geoms); remove it, or save the model as URDF.",
        )

    # --- bodies ----------------------------------------------------------------------------------

    def _children(
        self, element: Element, link: str, T: Array, childclass: str, *, moving: bool
    ) -> None:
        """What stands in a body, the world or a frame; T: of the element in the link."""
        for child in element:
            if child.tag not in _IN_BODY:
                raise self._beyond(child)
            if child.tag == "body":
                self._body(child, link, T, childclass, moving=moving)
            elif child.tag == "frame":
                inner = T @ self._pose(child)
                name = child.get("childclass") or childclass
                self._children(child, link, inner, name, moving=moving)
            elif child.tag == "site":
                self._site(child, link, T, childclass)
            elif child.tag == "geom":
                self._collision(child, link, T, childclass)

    def _body(self, body: Element, parent: str, T: Array, childclass: str, *, moving: bool) -> None:
        """A body, with a link of its own for each of its joints."""
        if body.get("mocap", "false") == "true":
            raise self.source.error(body, "is a mocap body, which no joint carries; remove it.")
        if self.source.number(body, "gravcomp"):
            self.passed_over["gravcomp, which lifts bodies without a drive"] = None
        childclass = body.get("childclass") or childclass
        name = self._unused(body.get("name") or "body")
        at = T @ self._pose(body)  # of the body in the parent link, all joints at their reference
        joints = [self._settled(one, "joint", childclass) for one in body.findall("joint")]
        if body.find("freejoint") is not None or any(one.get("type") == "free" for one in joints):
            self._link(name, body)
            self._joint(body, f"{name} free", "floating", parent, name, at)
            self._inertial(body, name, childclass, moving=True)
            self._children(body, name, np.eye(4), childclass, moving=True)
            return
        link = parent
        for number, joint in enumerate(joints, start=1):
            last = number == len(joints)
            child = name if last else self._unused(f"{name} joint {number}")
            # Joints act about points and axes of the body; each link stands where the body does.
            self._link(child, body)
            self._moving_joint(joint, name, link, child, at)
            link, at = child, np.eye(4)
        if not joints:
            self._link(name, body)
            self._joint(body, f"{name} mount", "fixed", parent, name, at)
        moves = moving or bool(joints)
        self._inertial(body, name, childclass, moving=moves)
        self._children(body, name, np.eye(4), childclass, moving=moves)

    def _moving_joint(self, joint: Element, body: str, parent: str, child: str, at: Array) -> None:
        """A hinge or a slide. URDF's joint frame is its child's: a carrier stands at the anchor.

        Args:
            joint: with its defaults.
            body: its name.
            parent: link before it.
            child: link behind it.
            at: of the body in the parent link. # (4, 4)
        """
        from lxml import etree

        source, kind = self.source, joint.get("type") or "hinge"
        name = joint.get("name") or self._unused_joint(body)
        self.joint_names.add(name)
        if kind not in ("hinge", "slide"):
            self._joint(joint, name, kind, parent, child, at)  # refused on the chain, held off it
            return
        if any(source.numbers(joint, "stiffness", [0.0])):
            error = source.error(
                joint,
                "has a spring (stiffness), whose torque is not modelled; remove it where the arm "
                "has none.",
            )
            self.refusals.append((frozenset([name]), error))
        hinge = kind == "hinge"
        anchor = make_pose(translation=source.numbers(joint, "pos", [0.0, 0.0, 0.0]))
        axis = unit_direction(source.numbers(joint, "axis", [0.0, 0.0, 1.0]))
        reference = source.number(joint, "ref")
        reference = self._angle(reference) if hinge else reference
        back = rotation_about(axis, -reference) if hinge else np.eye(3)
        shift = np.zeros(3) if hinge else -reference * axis
        low, high, limited = self._range(joint, hinge=hinge)
        turning = child
        if np.any(anchor[:3, 3]):
            turning = self._unused(f"{child} anchor")
            self._link(turning, joint)
        types = {(True, True): "revolute", (True, False): "continuous"}
        element = self._joint(
            joint,
            name,
            types.get((hinge, limited), "prismatic"),
            parent,
            turning,
            at @ anchor @ make_pose(back, shift),
        )
        etree.SubElement(element, "axis", xyz=_text(axis))
        limit = {"lower": repr(low), "upper": repr(high), "velocity": "0"}
        effort = self._effort(joint, name)
        etree.SubElement(element, "limit", limit, effort=repr(effort))
        friction = {
            "damping": repr(source.numbers(joint, "damping", [0.0])[0]),
            "friction": repr(source.number(joint, "frictionloss")),
        }
        etree.SubElement(element, "dynamics", friction)
        self.armatures[name] = source.number(joint, "armature")
        if turning != child:
            self._joint(joint, f"{turning} mount", "fixed", turning, child, inverse_pose(anchor))

    def _range(self, joint: Element, *, hinge: bool) -> tuple[float, float, bool]:
        """Lower and upper limit, and whether there are any."""
        limited = joint.get("limited", "auto")
        given = joint.get("range") is not None
        if limited == "auto" and given and self.settings.get("autolimits", "true") == "false":
            raise self.source.error(joint, 'has a range, but limited is not given; give "true".')
        if limited == "false" or not given:
            return -UNLIMITED, UNLIMITED, False
        low, high = self.source.numbers(joint, "range", [0.0, 0.0])
        if low > high:
            raise self.source.error(joint, f"has range {low:g} to {high:g}; exchange them.")
        return (self._angle(low), self._angle(high), True) if hinge else (low, high, True)

    def _effort(self, joint: Element, name: str) -> float:
        """The joint's own range of forces, or that of its actuator; zero for none."""
        low, high = self.source.numbers(joint, "actuatorfrcrange", [0.0, 0.0])
        own = min(abs(low), abs(high))
        return own or self.efforts.get(name, 0.0)

    def _site(self, site: Element, link: str, T: Array, childclass: str) -> None:
        settled = self._settled(site, "site", childclass)
        if site.get("name"):
            name = self._unused(str(site.get("name")))
            self._link(name, site)
            self._joint(site, f"{name} mount", "fixed", link, name, T @ self._pose(settled))

    # --- masses ----------------------------------------------------------------------------------

    def _inertial(self, body: Element, name: str, childclass: str, *, moving: bool) -> None:
        """The body's <inertial>, or what follows from its geoms."""
        from lxml import etree

        given = body.find("inertial")
        by_geoms = self.settings.get("inertiafromgeom", "auto")
        if given is not None and by_geoms != "true":
            mass = self._given_mass(given)
        elif by_geoms == "false":
            return
        else:
            found = self._mass_of_geoms(body, childclass)
            if found is None:
                self.unweighed += [name] if moving else []
                return
            if found.mass == 0.0:
                return
            self.from_geoms.append(name)
            mass = found
        link = next(one for one in self.robot.findall("link") if one.get("name") == name)
        inertial = etree.SubElement(link, "inertial")
        inertial.sourceline = body.sourceline
        etree.SubElement(inertial, "origin", xyz=_text(mass.com))
        etree.SubElement(inertial, "mass", value=repr(mass.mass))
        places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
        places |= {"izz": (2, 2)}
        tensor = {key: repr(float(mass.inertia[at])) for key, at in places.items()}
        etree.SubElement(inertial, "inertia", tensor)

    def _given_mass(self, inertial: Element) -> _Mass:
        source = self.source
        source.required(inertial, "mass")
        mass = source.number(inertial, "mass")
        if mass < 0.0:
            raise source.error(inertial, f"has mass {mass:g} kg; expected zero or more.")
        if inertial.get("fullinertia") is not None:
            xx, yy, zz, xy, xz, yz = source.numbers(inertial, "fullinertia", [0.0] * 6)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(source.numbers(inertial, "diaginertia", [0.0] * 3))
        pose = self._pose(inertial)
        turned = pose[:3, :3] @ tensor @ pose[:3, :3].T
        return _Mass(mass=mass, com=pose[:3, 3], inertia=0.5 * (turned + turned.T))

    def _mass_of_geoms(self, body: Element, childclass: str) -> _Mass | None:
        """Of all geoms of a body together; None where one is a mesh that weighs."""
        parts = []
        for geom, T in self._geoms(body, np.eye(4), childclass):
            part = self._geom_mass(geom, T)
            if part is None:
                return None
            parts.append(part)
        total = sum(part.mass for part in parts)
        if total == 0.0:
            return _Mass(mass=0.0, com=np.zeros(3), inertia=np.zeros((3, 3)))
        com = sum((part.mass * part.com for part in parts), np.zeros(3)) / total
        inertia = np.zeros((3, 3))
        for part in parts:
            d = part.com - com
            inertia += part.inertia + part.mass * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
        return _Mass(mass=total, com=com, inertia=inertia)

    def _geoms(
        self, element: Element, T: Array, childclass: str
    ) -> Iterator[tuple[Element, Array]]:
        for child in element:
            if child.tag == "frame":
                name = child.get("childclass") or childclass
                yield from self._geoms(child, T @ self._pose(child), name)
            elif child.tag == "geom":
                yield self._settled(child, "geom", childclass), T

    def _geom_mass(self, geom: Element, T: Array) -> _Mass | None:
        source = self.source
        given = geom.get("mass")
        density = source.number(geom, "density", _DENSITY)
        if (given is not None and source.number(geom, "mass") == 0.0) or (
            given is None and density == 0.0
        ):
            return _Mass(mass=0.0, com=np.zeros(3), inertia=np.zeros((3, 3)))
        solid = self._solid(geom)
        if solid is None:
            return None
        volume, per_mass, pose = solid.volume, solid.inertia_per_mass, T @ solid.pose
        mass = source.number(geom, "mass") if given is not None else density * volume
        if mass < 0.0:
            raise source.error(geom, f"has mass {mass:g} kg; expected zero or more.")
        R = pose[:3, :3]
        return _Mass(mass=mass, com=pose[:3, 3], inertia=mass * (R @ np.diag(per_mass) @ R.T))

    # --- shapes ----------------------------------------------------------------------------------

    def _collision(self, element: Element, link: str, T: Array, childclass: str) -> None:
        """A geom that can touch something, as URDF's <collision>."""
        from lxml import etree

        geom = self._settled(element, "geom", childclass)
        numbers = (self.source.number(geom, key, 1.0) for key in ("contype", "conaffinity"))
        if not any(numbers) or geom.get("type") in ("plane", "hfield"):
            return
        parent = next(one for one in self.robot.findall("link") if one.get("name") == link)
        solid = self._solid(geom)
        pose = T @ (self._pose(geom) if solid is None else solid.pose)
        collision = etree.SubElement(parent, "collision")
        collision.sourceline = element.sourceline
        etree.SubElement(collision, "origin", _origin(pose))
        geometry = etree.SubElement(collision, "geometry")
        if solid is None:
            shape = etree.SubElement(geometry, "mesh", self._mesh_file(geom))
            shape.sourceline = element.sourceline
        else:
            sizes = {key: _text(value) for key, value in solid.sizes.items()}
            etree.SubElement(geometry, solid.kind, sizes)

    def _mesh_file(self, geom: Element) -> dict[str, str]:
        """File and scale of a mesh, as the assets name it."""
        name = geom.get("mesh") or ""
        folder = self.settings.get("meshdir") or self.settings.get("assetdir") or ""
        for group in self.source.root.findall("asset"):
            for mesh in group.findall("mesh"):
                settled = self._settled(mesh, "mesh", "main")
                file = settled.get("file") or ""
                if file and name == (settled.get("name") or PurePosixPath(file).stem):
                    scale = settled.get("scale") or "1 1 1"
                    return {"filename": str(PurePosixPath(folder, file)), "scale": scale}
        return {"filename": f"{name or geom.get('type') or 'mesh'}.stl"}  # nowhere to be found

    def _solid(self, geom: Element) -> _Solid | None:
        """The primitive that a geom is; None for a mesh."""
        source, kind = self.source, geom.get("type") or "sphere"
        if geom.get("mesh") is not None or kind in ("mesh", "sdf", "hfield", "plane"):
            return None
        if kind not in _SIZES:
            raise source.error(geom, f"has type {kind!r}, which is none of MuJoCo's.")
        sizes = source.some_numbers(geom, "size")
        pose = self._pose(geom)
        if geom.get("fromto") is not None:
            ends = np.array(source.numbers(geom, "fromto", [0.0] * 6)).reshape(2, 3)
            along = ends[1] - ends[0]
            length = float(np.linalg.norm(along))
            turn = turn_between([0.0, 0.0, 1.0], along / length).rotation if length else np.eye(3)
            pose = make_pose(turn, ends.mean(axis=0))
            sizes = [*sizes[:1] * (2 if kind in ("box", "ellipsoid") else 1), length / 2]
        if len(sizes) < _SIZES[kind] or min(sizes) < 0.0:
            raise source.error(
                geom, f"is a {kind} of size {geom.get('size')!r}; expected {_SIZES[kind]} numbers."
            )
        return _solid_of(kind, sizes, pose)

    # --- frames ----------------------------------------------------------------------------------

    def _pose(self, element: Element) -> Array:
        """Pose of an element by pos and one of quat, axisangle, euler, xyaxes, zaxis. # (4, 4)."""
        source = self.source
        position = source.numbers(element, "pos", [0.0, 0.0, 0.0])
        if element.get("quat") is not None:
            quaternion = source.numbers(element, "quat", [1.0, 0.0, 0.0, 0.0])
            if not any(quaternion):
                raise source.error(element, "has a quaternion of length zero.")
            return make_pose(_of_quaternion(np.array(quaternion)), position)
        if element.get("axisangle") is not None:
            x, y, z, angle = source.numbers(element, "axisangle", [0.0, 0.0, 1.0, 0.0])
            return make_pose(rotation_about([x, y, z], self._angle(angle)), position)
        if element.get("euler") is not None:
            R = np.eye(3)
            angles = source.numbers(element, "euler", [0.0, 0.0, 0.0])
            for letter, angle in zip(self.settings.get("eulerseq", "xyz"), angles, strict=True):
                turn = _TURNS[letter.lower()](self._angle(angle))
                # Small letters turn about the frame's own axes, capitals about the parent's.
                R = R @ turn if letter.islower() else turn @ R
            return make_pose(R, position)
        if element.get("xyaxes") is not None:
            both = np.array(source.numbers(element, "xyaxes", [1.0, 0, 0, 0, 1, 0])).reshape(2, 3)
            e_x = unit_direction(both[0])
            e_y = unit_direction(both[1] - (both[1] @ e_x) * e_x)
            return make_pose(np.column_stack([e_x, e_y, np.cross(e_x, e_y)]), position)
        if element.get("zaxis") is not None:
            e_z = unit_direction(source.numbers(element, "zaxis", [0.0, 0.0, 1.0]))
            return make_pose(turn_between([0.0, 0.0, 1.0], e_z).rotation, position)
        return make_pose(translation=position)

    def _unused(self, name: str) -> str:
        """A link's name; bodies and sites may share names, links may not."""
        found, count = name, 1
        while found in self.names:
            count += 1
            found = f"{name} {count}"
        self.names.add(found)
        return found

    def _unused_joint(self, body: str) -> str:
        name, count = f"{body} joint", 1
        while name in self.joint_names:
            count += 1
            name = f"{body} joint {count}"
        return name

    def _link(self, name: str, element: Element) -> None:
        from lxml import etree

        etree.SubElement(self.robot, "link", name=name).sourceline = element.sourceline

    def _joint(
        self, element: Element, name: str, kind: str, parent: str, child: str, T: Array
    ) -> Element:
        from lxml import etree

        joint = etree.SubElement(self.robot, "joint", name=name, type=kind)
        joint.sourceline = element.sourceline
        etree.SubElement(joint, "origin", _origin(T))
        etree.SubElement(joint, "parent", link=parent)
        etree.SubElement(joint, "child", link=child)
        own = () if kind == "fixed" else (name,)
        self.joints_to[child] = (*self.joints_to[parent], *own)
        return joint


# ------------------------------------------------------------------------------- Primitive solids

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solid:
    """A primitive geom.

    Args:
        kind: of URDF's geometry.
        sizes: its attributes there. [m]
        pose: of its centre, in the frame that holds the geom. # (4, 4)
        volume: [m³]
        inertia_per_mass: principal moments over the mass. # (3,) [m²]
    """

    kind: str
    sizes: Mapping[str, Sequence[float]]
    pose: Array
    volume: float
    inertia_per_mass: tuple[float, float, float]


def _solid_of(kind: str, sizes: Sequence[float], pose: Array) -> _Solid:
    if kind in ("box", "ellipsoid"):
        x, y, z = sizes[:3]
        full, part = (8.0, 3.0) if kind == "box" else (4.0 / 3.0 * math.pi, 5.0)
        moments = ((y * y + z * z) / part, (x * x + z * z) / part, (x * x + y * y) / part)
        # The box about an ellipsoid: its capsule contains both.
        return _Solid(
            kind="box",
            sizes={"size": (2.0 * x, 2.0 * y, 2.0 * z)},
            pose=pose,
            volume=full * x * y * z,
            inertia_per_mass=moments,
        )
    r = sizes[0]
    if kind == "sphere":
        moment = 0.4 * r * r
        return _Solid(
            kind=kind,
            sizes={"radius": (r,)},
            pose=pose,
            volume=4.0 / 3.0 * math.pi * r**3,
            inertia_per_mass=(moment, moment, moment),
        )
    half = sizes[1]
    tube, ball = math.pi * r * r * 2.0 * half, 4.0 / 3.0 * math.pi * r**3
    ball = ball if kind == "capsule" else 0.0
    volume = tube + ball
    m, c = tube / volume if volume else 0.0, ball / volume if volume else 0.0
    about = m * 0.5 * r * r + c * 0.4 * r * r
    across = m * (r * r / 4.0 + half * half / 3.0)
    # Both half balls together: 0.4·r² at their middle, moved out by half and 3/8·r each.
    across += c * (0.4 * r * r + half * half + 0.75 * half * r)
    return _Solid(
        kind=kind,
        sizes={"radius": (r,), "length": (2.0 * half,)},
        pose=pose,
        volume=volume,
        inertia_per_mass=(across, across, about),
    )


def _of_quaternion(quaternion: Array) -> Array:
    """Rotation of a quaternion w, x, y, z of any length above zero. # (3, 3)."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def _origin(T: Array) -> dict[str, str]:
    yaw, pitch, roll = angles_zyx(T[:3, :3]).angles
    return {"xyz": _text(T[:3, 3]), "rpy": _text([roll, pitch, yaw])}


def _text(values: Sequence[float] | Array) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
