"""Leg on a tilting ground: exact model with two prescribed joints, tilt over time.

The ground's roll α and pitch β become the first two joints of one mechanism that stands in the
world; its base axes are the world's, its base the point that the ground turns about. So gravity
seen from the foot, and the ground's own speeds and accelerations, enter by the core's equations and
by nothing else. The first two variables are given, the others move by their torques.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.posture.verdict import Stance, StanceVerdict
from robots.biped.stabiliser.fields import Point
from robots.biped.stabiliser.virtual_robot import VirtualTip
from robots.core.arrays import Array
from robots.core.equations import energy
from robots.core.equations.algebra import Functions, Mat3, Vec3, add, dot, product, scale
from robots.core.equations.dynamics import mass_matrix, newton_euler, solve_symmetric
from robots.core.equations.kinematics import frames
from robots.core.equations.tree import Tree
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.motion.motion_law import QUINTIC

Scalar = Any
Joints = Sequence[Scalar]
TILTS = 2  # prescribed joints: roll about the world's x, then pitch about the rolled y
# Frames whose z axis is the world's x, and then its y.
_ROLL = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
_PITCH = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))


class Tilt(NamedTuple):
    """The ground at an instant: (roll, pitch) and their rates."""

    angle: tuple[Scalar, Scalar]  # [rad]
    speed: tuple[Scalar, Scalar]  # [rad/s]
    acceleration: tuple[Scalar, Scalar]  # [rad/s²]


LEVEL = Tilt((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


def require_leg(biped: Biped) -> None:
    """Check that a biped is a leg whose base is its foot.

    Raises:
        BipedError: it has two feet, or its foot is not its base.
    """
    if len(biped.feet) != 1 or biped.feet[0].link:
        raise BipedError(
            f"{biped.name} does not stand on its base; the simulation on a tilting ground takes a "
            "leg whose base is its foot, such as bip-leg, or a robot on two feet, such as bip2000.",
            biped=biped.name,
        )


def on_tilting_ground(biped: Biped) -> Mechanism:
    """A leg with the ground's roll and pitch before its own joints.

    Raises:
        BipedError: it has two feet, or its foot is not its base.
    """
    require_leg(biped)
    leg = biped.mechanism
    base = _pose(_PITCH).T @ biped.T_world_base
    joints = [
        Joint(name="ground roll", kind=JointKind.REVOLUTE, parent=BASE, placement=_pose(_ROLL)),
        Joint(
            name="ground pitch",
            kind=JointKind.REVOLUTE,
            parent=0,
            placement=_pose(_ROLL).T @ _pose(_PITCH),
        ),
    ]
    for joint in leg.joints:
        first = joint.parent == BASE
        placement = base @ joint.placement if first else joint.placement
        joints.append(replace(joint, parent=joint.parent + TILTS, placement=placement))
    return Mechanism(
        name=f"{leg.name} on tilting ground",
        joints=tuple(joints),
        source=leg.source,
        gravity=biped.T_world_base[:3, :3] @ leg.gravity,
        tool=leg.tool,
        tool_joint=leg.tool_joint + TILTS,
    )


def _pose(axes: Mat3) -> Array:
    """Pose whose rotation has these rows, at the origin. # (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = axes
    return T


def tip_of(tree: Tree, tilt: Tilt, q: Joints, fn: Functions) -> VirtualTip:
    """The centre of mass of the leg, how its own joints move it and how the ground carries it."""
    placed = frames(tree, [*tilt.angle, *q], fn)
    columns = energy.center_of_mass_jacobian(tree, placed)
    carried = add(scale(tilt.speed[0], columns[0]), scale(tilt.speed[1], columns[1]))
    x, y, z = zip(*columns[TILTS:], strict=True)
    position = energy.center_of_mass(tree, placed)
    return VirtualTip(position=position, jacobian=(x, y, z), carried=carried)


def ground_axes(angle: Sequence[Scalar], fn: Functions) -> Mat3:
    """Axes of the tilted ground in the world, Rx(α)·Ry(β).

    Source: [GASTEBOIS17] §2.5.5 eqs. (45)-(46)
    """
    ca, sa, cb, sb = fn.cos(angle[0]), fn.sin(angle[0]), fn.cos(angle[1]), fn.sin(angle[1])
    roll: Mat3 = ((1.0, 0.0, 0.0), (0.0, ca, -sa), (0.0, sa, ca))
    pitch: Mat3 = ((cb, 0.0, sb), (0.0, 1.0, 0.0), (-sb, 0.0, cb))
    return product(roll, pitch)


def seen_along_gravity(axes: Mat3, points: Sequence[Vec3]) -> list[Point]:
    """Points fixed to the ground, projected on the horizontal plane. # [m].

    Source: [GASTEBOIS17] §2.5.6 eqs. (50)-(51)
    """
    return [(dot(axes[0], p), dot(axes[1], p)) for p in points]


def standing_points(biped: Biped) -> list[Vec3]:
    """Corners of the sole in world axes on level ground. # (m, 3) [m]."""
    T = biped.T_world_base
    sole = biped.feet[0].sole @ T[:3, :3].T + T[:3, 3]
    return [(float(x), float(y), float(z)) for x, y, z in sole]


def leg_torques(
    tree: Tree, tilt: Tilt, motion: tuple[Joints, Joints, Joints], fn: Functions
) -> list[Scalar]:
    """Torques of the leg's joints for a motion (q, qd, qdd) on the moving ground. # (n,) [N m]."""
    full = [[*g, *m] for g, m in zip(tilt, motion, strict=True)]
    return newton_euler(tree, (full[0], full[1], full[2]), fn)[TILTS:]


def leg_accelerations(
    tree: Tree, tilt: Tilt, state: tuple[Joints, Joints, Joints], fn: Functions
) -> list[Scalar]:
    """Accelerations of the leg's joints under (q, qd, tau) on the moving ground. # (n,) [rad/s²].

    The ground's motion is prescribed, so only the leg's part of the mass matrix is solved for; what
    the ground's acceleration asks of the leg's joints stands in the bias.
    """
    q, qd, tau = state
    bias = leg_torques(tree, tilt, (q, qd, [0.0] * len(q)), fn)
    A = [row[TILTS:] for row in mass_matrix(tree, [*tilt.angle, *q], fn)[TILTS:]]
    return solve_symmetric(A, [t - b for t, b in zip(tau, bias, strict=True)])


# ---------------------------------------------------------------------------- Motion of the ground

_SHORTEST = 0.1  # [s]; a sample is told every 20 ms


class GroundMotion(Protocol):
    """A ground whose roll α and pitch β are known at any time."""

    @property
    def duration(self) -> float:
        """How long it moves. [s]."""

    def samples(self, t: Array) -> Array:
        """α, β, their speeds and their accelerations. # (k,) -> (k, 6) [rad, rad/s, rad/s²]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThereAndBack:
    """From level to (α, β) and back, each way by the quintic law.

    Args:
        alpha: roll. [rad]
        beta: pitch; positive lowers the front. [rad]
        each_way: time of one way, 0.1 s or more. [s]

    Raises:
        BipedError: an angle not finite or steeper than 80 deg, a time that is too short.

    Source: [GASTEBOIS17] §2.5.12
    """

    alpha: float
    beta: float
    each_way: float = 7.0

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not abs(value) <= np.radians(80.0):
                raise BipedError(
                    f"The ground tilts by {name} = {np.degrees(value):g} deg; it must be finite "
                    "and within ±80 deg.",
                    angle=name,
                    value=value,
                )
        if not (np.isfinite(self.each_way) and self.each_way >= _SHORTEST):
            raise BipedError(
                f"The ground tilts in {self.each_way!r} s; it takes at least {_SHORTEST:g} s.",
                value=self.each_way,
                limit=_SHORTEST,
                unit="s",
            )

    @property
    def duration(self) -> float:
        """Both ways. [s]."""
        return 2.0 * self.each_way

    def samples(self, t: Array) -> Array:
        """α, β, their speeds and their accelerations. # (k,) -> (k, 6)."""
        T = self.each_way
        back = t > T
        s = np.where(back, 2.0 - t / T, t / T)
        turn = np.where(back, -1.0, 1.0)
        law = (QUINTIC.r(s), turn * QUINTIC.dr(s) / T, QUINTIC.ddr(s) / T**2)
        return np.stack([angle * x for x in law for angle in (self.alpha, self.beta)], axis=-1)


def less_tilt(t: Array, tilts: Array, verdict: StanceVerdict) -> str:
    """What would do on a ground where the robot falls; empty where it does not, or on level ground.

    Args:
        t: # (k,) [s]
        tilts: α and β at these instants. # (k, 2 or more) [rad]
        verdict: of the motion.
    """
    if verdict.stance is not Stance.FALLEN:
        return ""
    roll, pitch = (float(np.degrees(np.interp(verdict.time, t, tilts[:, k]))) for k in (0, 1))
    if roll == pitch == 0.0:
        return ""
    return (
        f"The ground is at roll {roll:.2f}, pitch {pitch:.2f} deg then: tilt it less or slower, or "
        "start in another posture."
    )
