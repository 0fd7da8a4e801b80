"""Mechanism: the immutable description of joints, bodies, drives and tool.

A mechanism is a tree of joints on a fixed base; each joint carries one body. A joint's frame sits
at a constant ``placement`` in its parent's frame; the joint turns about, or slides along, the z
axis of that frame. Modified Denavit-Hartenberg rows, URDF origins and description phrases all
become placements.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_field, frozen
from robots.core.capsule import Capsule, check_capsules
from robots.core.controller import Controller
from robots.core.errors import MassesUnknownError, MechanismError
from robots.core.file_reading import MeshShape, SideBranches, TipLink, UnreadShape
from robots.core.pose import make_pose, transform_points

BASE = -1  # parent index of a joint that stands on the base
STANDARD_GRAVITY = (0.0, 0.0, -9.81)  # [m/s²], base frame
Reference = Literal["origin", "com"]


class JointKind(Enum):
    """Motion of a joint along its frame's z axis."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    FIXED = "fixed"

    @property
    def angular(self) -> bool:
        """Whether the joint variable is an angle."""
        return self is JointKind.REVOLUTE

    @property
    def unit(self) -> str:
        """SI unit of the joint variable."""
        return "rad" if self.angular else "m"

    @property
    def effort_unit(self) -> str:
        """SI unit of the joint's force or torque."""
        return "N m" if self.angular else "N"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """Mass properties of one rigid body, expressed in its joint's frame.

    Args:
        mass: [kg], zero for a body that only carries a frame.
        com: centre of mass. # (3,) [m]
        inertia: symmetric tensor; off-diagonal entries are the tensor's own (I_xy = -∫xy dm).
            # (3, 3) [kg m²]
        at: point that ``inertia`` refers to, the joint "origin" or the centre of mass "com".

    Raises:
        MechanismError: negative mass, a value that is not finite, an asymmetric tensor.
    """

    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    at: Reference = "com"

    def __post_init__(self) -> None:
        if not np.isfinite(self.mass) or self.mass < 0.0:
            raise MechanismError(
                f"A body's mass is {self.mass!r} kg; it must be a finite number, zero or more.",
                value=self.mass,
            )
        object.__setattr__(self, "com", _read_only(self.com, (3,), "A body's centre of mass"))
        tensor = _read_only(self.inertia, (3, 3), "A body's inertia tensor")
        if not np.allclose(tensor, tensor.T, rtol=1e-12, atol=0.0):
            raise MechanismError(f"A body's inertia tensor is not symmetric: {tensor.tolist()}.")
        object.__setattr__(self, "inertia", tensor)
        if self.at not in ("origin", "com"):
            raise MechanismError(f'A tensor is given at "origin" or "com", not at {self.at!r}.')

    @property
    def first_moment(self) -> Array:
        """Mass times centre of mass. # (3,) [kg m]."""
        return self.mass * self.com

    @property
    def inertia_at_origin(self) -> Array:
        """Tensor at the joint origin. # (3, 3) [kg m²]."""
        return self.inertia if self.at == "origin" else self.inertia + self._point_mass_tensor()

    @property
    def inertia_at_com(self) -> Array:
        """Tensor at the centre of mass. # (3, 3) [kg m²]."""
        return self.inertia if self.at == "com" else self.inertia - self._point_mass_tensor()

    @property
    def massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return self.mass == 0.0 and not np.any(self.inertia)

    def moved(self, T: Array) -> Body:
        """The same body in another frame. Args: T maps this frame into the other one. # (4, 4)."""
        R = T[:3, :3]
        turned = R @ self.inertia_at_com @ R.T
        return Body(
            mass=self.mass,
            com=transform_points(T, self.com),
            inertia=0.5 * (turned + turned.T),
            at="com",
        )

    def joined(self, other: Body) -> Body:
        """One rigid body of two in the same frame: at the origin masses and tensors add up."""
        if other.massless:
            return self
        if self.massless:
            return other
        mass = self.mass + other.mass
        com = (self.first_moment + other.first_moment) / mass if mass else self.com
        tensor = self.inertia_at_origin + other.inertia_at_origin
        return Body(mass=mass, com=com, inertia=tensor, at="origin")

    def inconsistencies(self) -> tuple[str, ...]:
        """Reasons why no real mass distribution has these numbers; empty when one can.

        Source: [LAMMARI12] table VI.6 and sources.md decision 1: published bodies may fail this,
        so the caller warns and goes on.
        """
        moments = np.linalg.eigvalsh(self.inertia_at_com)
        scale = max(float(np.abs(self.inertia_at_origin).max()), 1e-300)
        slack = CONSISTENCY_TOLERANCE * scale
        if self.mass == 0.0 and np.any(self.inertia):
            return ("it has inertia but no mass",)
        if moments[0] < -slack:
            return (
                f"its smallest central moment of inertia is {moments[0]:.6g} kg m²: below zero",
            )
        if moments[2] > moments[0] + moments[1] + slack:
            return (
                f"its central moments {moments[0]:.6g}, {moments[1]:.6g}, {moments[2]:.6g} kg m² "
                "violate the triangle rule: the largest exceeds the sum of the others",
            )
        return ()

    def _point_mass_tensor(self) -> Array:
        """Tensor of the mass as a point at the centre of mass (Huygens-Steiner)."""
        g = self.com
        return np.asarray(self.mass * (np.dot(g, g) * np.eye(3) - np.outer(g, g)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joint:
    """One joint and the body it carries; lengths in metres, angles in radians, forces in newtons.

    Args:
        name: unique in the mechanism.
        kind: revolute, prismatic or fixed.
        parent: index of the parent joint, ``BASE`` for the base.
        placement: joint frame in the parent frame at q = 0. # (4, 4)
        q_min: lower limit, -inf when there is none. [rad or m]
        q_max: upper limit. [rad or m]
        max_speed: KV of the sources. [rad/s or m/s]
        max_acceleration: KA of the sources. [rad/s² or m/s²]
        max_jerk: [rad/s³ or m/s³]
        max_effort: torque or force the drive can give. [N m or N]
        coulomb: dry friction. [N m or N]
        viscous: friction per speed. [N m s or N s/m]
        motor_inertia: drive inertia seen at the joint. [kg m² or kg]
        body: mass properties in the joint frame.

    Raises:
        MechanismError: a value out of its domain; the message names the joint.
    """

    name: str
    kind: JointKind
    parent: int
    placement: Array
    q_min: float = -np.inf
    q_max: float = np.inf
    max_speed: float = np.inf
    max_acceleration: float = np.inf
    max_jerk: float = np.inf
    max_effort: float = np.inf
    coulomb: float = 0.0
    viscous: float = 0.0
    motor_inertia: float = 0.0
    body: Body = field(default_factory=Body)

    def __post_init__(self) -> None:
        object.__setattr__(self, "placement", checked_placement(self.placement, self.name))
        unit = self.kind.unit
        if np.isnan(self.q_min) or np.isnan(self.q_max) or self.q_min > self.q_max:
            raise MechanismError(
                f"Joint {self.name!r}: lower limit {self.q_min:g} {unit} is above upper limit "
                f"{self.q_max:g} {unit}; exchange them or correct one.",
                joint=self.name,
                q_min=self.q_min,
                q_max=self.q_max,
            )
        for field_name in ("max_speed", "max_acceleration", "max_jerk", "max_effort"):
            self._require(field_name, above_zero=True)
        for field_name in ("coulomb", "viscous", "motor_inertia"):
            self._require(field_name, above_zero=False)

    def _require(self, field_name: str, *, above_zero: bool) -> None:
        value = getattr(self, field_name)
        wrong = not value > 0.0 if above_zero else not (value >= 0.0 and np.isfinite(value))
        if wrong:
            bound = "above zero" if above_zero else "finite, zero or more"
            raise MechanismError(
                f"Joint {self.name!r}: {field_name} is {value!r}; it must be {bound}.",
                joint=self.name,
                field=field_name,
                value=value,
            )

    @property
    def movable(self) -> bool:
        """Whether the joint has a variable of its own."""
        return self.kind is not JointKind.FIXED


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mechanism:
    """A tree of joints on a fixed base.

    Args:
        name: short name, shown everywhere.
        joints: parents before children.
        source: where the numbers come from.
        gravity: acceleration of gravity in the base frame. # (3,) [m/s²]
        tool: probe (tool) frame in the frame of joint ``tool_joint``. # (4, 4)
        tool_joint: index of the joint that carries the tool; default the last one.
        capsules: the room that base and links take; none where it is not known.
        self_pairs: pairs of capsules, by index, that must not touch each other.
        tip: link whose frame is the tool frame, where the file says so by links (URDF).
        side_branches: of the file, off the chain to the tip: held still.
        unread_shapes: collision geometry of the file that is no capsule.
        mesh_shapes: what capsules were fitted about.
        controller: of the robot, where the file describes it.
        masses_known: whether the bodies' masses are those of the robot. Where they are not, its
            dynamics are not evaluated, whatever the bodies say.

    Raises:
        MechanismError: no joint, two joints of one name, a parent that is not before its child.
    """

    name: str
    joints: tuple[Joint, ...]
    source: str = ""
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    tool: Array = field(default_factory=lambda: np.eye(4))
    tool_joint: int = -1
    capsules: tuple[Capsule, ...] = ()
    self_pairs: tuple[tuple[int, int], ...] = ()
    tip: TipLink | None = None
    side_branches: SideBranches = field(default_factory=SideBranches)
    unread_shapes: tuple[UnreadShape, ...] = ()
    mesh_shapes: tuple[MeshShape, ...] = ()
    controller: Controller | None = None
    masses_known: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        _check_tree(self.name, self.joints)
        gravity = np.array(self.gravity, dtype=np.float64)
        if gravity.shape != (3,) or not np.all(np.isfinite(gravity)):
            raise MechanismError(
                f"Mechanism {self.name!r}: gravity is {self.gravity!r}; "
                "give three finite numbers in m/s², base frame."
            )
        freeze_field(self, "gravity", gravity)
        object.__setattr__(self, "tool", checked_placement(self.tool, "tool"))
        last = len(self.joints) - 1
        if not -1 <= self.tool_joint <= last:
            raise MechanismError(
                f"Mechanism {self.name!r}: the tool hangs on joint index {self.tool_joint}; "
                f"the last index is {last}."
            )
        if self.tool_joint == -1:
            object.__setattr__(self, "tool_joint", last)
        check_capsules(self.name, len(self.joints), self.capsules, self.self_pairs)

    @property
    def movable(self) -> tuple[Joint, ...]:
        """Joints with a variable, in the order of q."""
        return tuple(joint for joint in self.joints if joint.movable)

    @property
    def dof(self) -> int:
        """Number of joint variables n."""
        return len(self.movable)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Number by which a table's columns call each variable, in the order of q.

        Joints named q1 … qn keep the numbers of their names in whatever order the tree has them;
        joints of other names are counted.
        """
        names = [joint.name for joint in self.movable]
        counted = range(1, len(names) + 1)
        if sorted(names) == sorted(f"q{k}" for k in counted):
            return tuple(int(name[1:]) for name in names)
        return tuple(counted)

    @property
    def q_min(self) -> Array:
        """Lower limits. # (n,) [rad or m]."""
        return self._per_variable("q_min")

    @property
    def q_max(self) -> Array:
        """Upper limits. # (n,) [rad or m]."""
        return self._per_variable("q_max")

    @property
    def max_speed(self) -> Array:
        """Speed limits KV. # (n,) [rad/s or m/s]."""
        return self._per_variable("max_speed")

    @property
    def max_acceleration(self) -> Array:
        """Acceleration limits KA. # (n,) [rad/s² or m/s²]."""
        return self._per_variable("max_acceleration")

    @property
    def max_jerk(self) -> Array:
        """Jerk limits. # (n,) [rad/s³ or m/s³]."""
        return self._per_variable("max_jerk")

    @property
    def max_effort(self) -> Array:
        """Torque or force limits. # (n,) [N m or N]."""
        return self._per_variable("max_effort")

    @property
    def total_mass(self) -> float:
        """Sum of the bodies' masses. [kg]."""
        return sum(joint.body.mass for joint in self.joints)

    @property
    def is_chain(self) -> bool:
        """Whether every joint's parent is the joint before it."""
        return all(joint.parent == index - 1 for index, joint in enumerate(self.joints))

    def require_masses(self, what: str) -> None:
        """Refuse a quantity that needs masses where they are not known. Args: what: its name.

        Raises:
            MassesUnknownError: the robot's masses are not known.
        """
        if not self.masses_known:
            raise MassesUnknownError(
                f"Robot {self.name!r}: {what} cannot be evaluated, as the masses are not known. "
                "Give every link that moves its [joint.body] with mass_kg, com_mm and "
                'inertia_kg_m2 in the robot file, and remove masses = "unknown" there; in a URDF '
                "file give <inertial>.",
                quantity=what,
                robot=self.name,
            )

    def index(self, name: str) -> int:
        """Index of the joint called ``name``.

        Raises:
            MechanismError: no joint has this name; the message lists those that exist.
        """
        names = [joint.name for joint in self.joints]
        if name not in names:
            raise MechanismError(
                f"Mechanism {self.name!r} has no joint {name!r}; it has {', '.join(names)}.",
                name=name,
            )
        return names.index(name)

    def warnings(self) -> tuple[str, ...]:
        """What is doubtful about the numbers, one sentence each; the mechanism is still usable."""
        known = self.joints if self.masses_known else ()
        bodies = (
            f"Body of joint {joint.name!r} is not physically consistent: {reason}."
            for joint in known
            for reason in joint.body.inconsistencies()
        )
        return (*bodies, *self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the file that it was read from holds and this description does not."""
        return tuple(
            f"Link {shape.link!r} has {shape.kind} shapes, which are not checked."
            for shape in self.unread_shapes
        )

    def _per_variable(self, field_name: str) -> Array:
        return np.array([getattr(joint, field_name) for joint in self.movable], dtype=np.float64)


def checked_placement(placement: object, owner: str) -> Array:
    """Copy a (4, 4) rigid placement, refusing what is not one; ``owner`` names it in the error."""
    array = np.array(placement, dtype=np.float64)
    rigid = (
        array.shape == (4, 4)
        and bool(np.all(np.isfinite(array)))
        and bool(np.all(array[3] == (0.0, 0.0, 0.0, 1.0)))
        and np.allclose(array[:3, :3] @ array[:3, :3].T, np.eye(3), atol=1e-9)
        and float(np.linalg.det(array[:3, :3])) > 0.0
    )
    if not rigid:
        raise MechanismError(
            f"The placement of {owner!r} is not a rigid (4, 4) transform: {array.tolist()}.",
            owner=owner,
        )
    return frozen(array)


def _check_tree(name: str, joints: tuple[Joint, ...]) -> None:
    if not joints:
        raise MechanismError(f"Mechanism {name!r} has no joint; give it at least one.")
    seen: set[str] = set()
    for index, joint in enumerate(joints):
        if joint.name in seen:
            raise MechanismError(
                f"Mechanism {name!r}: two joints are called {joint.name!r}; rename one.",
                joint=joint.name,
            )
        seen.add(joint.name)
        if not BASE <= joint.parent < index:
            raise MechanismError(
                f"Mechanism {name!r}: joint {joint.name!r} (index {index}) has parent index "
                f"{joint.parent}; a parent stands before its child.",
                joint=joint.name,
                parent=joint.parent,
            )


# ----------------------------------------------------------------------------------------- Payload


def with_payload(
    mechanism: Mechanism,
    mass: float,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike | None = None,
) -> Mechanism:
    """The mechanism with a body fixed to its tool frame, such as a probe.

    Args:
        mechanism: what carries it.
        mass: [kg]; zero, without inertia, gives the mechanism back as it is.
        com: centre of mass in the tool frame. # (3,) [m]
        inertia: tensor at the centre of mass, along the tool's axes; left out: a point mass.
            # (3, 3) [kg m²]

    Raises:
        MechanismError: negative mass, a value that is not finite, an asymmetric tensor.
    """
    tensor = np.zeros((3, 3)) if inertia is None else inertia
    payload = Body(mass=mass, com=np.asarray(com), inertia=np.asarray(tensor))
    if payload.massless:
        return mechanism
    index = mechanism.tool_joint
    holder = mechanism.joints[index]
    joints = list(mechanism.joints)
    joints[index] = replace(holder, body=holder.body.joined(payload.moved(mechanism.tool)))
    return replace(mechanism, joints=tuple(joints))


def with_stylus(mechanism: Mechanism, length: float) -> Mechanism:
    """The mechanism whose tool frame lies a stylus farther along its z axis. Args: length. [m]."""
    if length == 0.0:
        return mechanism
    return replace(mechanism, tool=mechanism.tool @ make_pose(translation=[0.0, 0.0, length]))


# ------------------------------------------------------------------------------------------ Bodies
# The equations use the parameters that enter the dynamics linearly: mass, first moment m·OG and
# inertia tensor *at the joint origin*. A source may give the tensor there or at the centre of mass;
# the body remembers which one it was given (sources.md, decision 1).

# Tensors are printed with a few digits; a violation below this fraction of the trace is rounding.
CONSISTENCY_TOLERANCE = 1e-9


def _read_only(value: object, shape: tuple[int, ...], what: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.shape != shape:
        raise MechanismError(
            f"{what} has shape {array.shape}, expected {shape}.", found=array.shape, expected=shape
        )
    if not np.all(np.isfinite(array)):
        raise MechanismError(f"{what} holds a value that is not finite: {array.tolist()}.")
    return frozen(array)
