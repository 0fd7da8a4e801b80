"""Biped with a free base: rates of sampled motions, momenta, and the load on each of two feet.

Three sliding joints along x, y, z and three turning ones about z, y, x stand between the world and
the base. So the core's equations serve a walking robot as they are: the first six coordinates are
the base's place, and the effort that the first six joints would need is what the ground gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.posture.zero_moment import GroundWrench
from robots.core.arrays import Array, Mask
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.pose import angles_zyx

FREE = 6  # coordinates of the base
# Axes of a frame whose z is the world's x, y, z.
_ALONG_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_ALONG_Y = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
_ALONG_Z = np.eye(3)
_ORDER = (
    ("base along x", JointKind.PRISMATIC, _ALONG_X),
    ("base along y", JointKind.PRISMATIC, _ALONG_Y),
    ("base along z", JointKind.PRISMATIC, _ALONG_Z),
    ("base about z", JointKind.REVOLUTE, _ALONG_Z),
    ("base about y", JointKind.REVOLUTE, _ALONG_Y),
    ("base about x", JointKind.REVOLUTE, _ALONG_X),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FreeState:
    """Coordinates of robot and base with their rates: six of the base, then q.

    Args:
        x: place along x, y, z, yaw, pitch, roll from the standing attitude, q. # (k, 6 + n)
        xd: # (k, 6 + n)
        xdd: # (k, 6 + n)
    """

    x: Array
    xd: Array
    xdd: Array

    @property
    def q(self) -> Array:
        """Joint positions. # (k, n) [rad]."""
        return self.x[:, FREE:]

    @property
    def qd(self) -> Array:
        """Joint speeds. # (k, n) [rad/s]."""
        return self.xd[:, FREE:]

    @property
    def qdd(self) -> Array:
        """Joint accelerations. # (k, n) [rad/s²]."""
        return self.xdd[:, FREE:]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FreeBase:
    """A biped with its free base.

    Args:
        biped: which.
    """

    biped: Biped
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", Model(with_free_base(self.biped), "single-use"))

    def coordinates(self, q: ArrayLike, T_world_base: ArrayLike) -> Array:
        """Coordinates of postures. # (..., n), (..., 4, 4) -> (..., 6 + n)."""
        T = np.asarray(T_world_base, dtype=float)
        turn = angles_zyx(T[..., :3, :3] @ self.biped.T_world_base[:3, :3].T).angles
        return np.concatenate([T[..., :3, 3], turn, np.asarray(q, dtype=float)], axis=-1)

    def efforts(self, state: FreeState) -> Array:
        """Efforts of all joints if the base were driven and the feet free. # (k, 6 + n)."""
        return self.model.torques(state.x, state.xd, state.xdd)

    def push(self, state: FreeState, efforts: Array) -> GroundWrench:
        """What the ground must exert, from the efforts of the base's joints."""
        yaw, pitch = state.x[:, 3], state.x[:, 4]
        zero, one = np.zeros_like(yaw), np.ones_like(yaw)
        cz, sz, cy, sy = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
        # Rows: the axes of the three turns in the world; an effort is the moment along its axis.
        axes = [[zero, zero, one], [-sz, cz, zero], [cz * cy, sz * cy, -sy]]
        matrix = np.moveaxis(np.array(axes), -1, 0)
        about_base = np.linalg.solve(matrix, efforts[:, 3:FREE, None])[..., 0]
        force = efforts[:, :3]
        return GroundWrench(force=force, moment=about_base + np.cross(state.x[:, :3], force))

    def feet_efforts(self, state: FreeState, pushes: tuple[GroundWrench, ...]) -> Array:
        """Efforts that the ground's push on each foot saves the joints. # (k, 6 + n)."""
        total = np.zeros_like(state.x)
        for foot, push in zip(self.biped.feet, pushes, strict=True):
            held = _held_at(self.model.mechanism, foot.link)
            place = held.forward(state.x)[:, :3, 3]
            wrench = np.concatenate([push.force, moment_about(push, place)], axis=-1)
            total += held.statics(state.x, wrench)
        return total


def moment_about(push: GroundWrench, points: Array) -> Array:
    """Moment of the ground's push about points. # (k, 3) [N m]."""
    return np.asarray(push.moment - np.cross(points, push.force))


def with_free_base(biped: Biped) -> Mechanism:
    """The mechanism with six joints between world and base; its base axes are the world's."""
    robot = biped.mechanism
    R_before = np.eye(3)
    joints = []
    for index, (name, kind, R) in enumerate(_ORDER):
        parent = index - 1 if index else BASE
        joints.append(Joint(name=name, kind=kind, parent=parent, placement=_turn(R_before.T @ R)))
        R_before = R
    base = _turn(R_before.T @ biped.T_world_base[:3, :3])
    for joint in robot.joints:
        placement = base @ joint.placement if joint.parent == BASE else joint.placement
        joints.append(replace(joint, parent=joint.parent + FREE, placement=placement))
    return Mechanism(
        name=f"{robot.name} on a free base",
        joints=tuple(joints),
        source=robot.source,
        gravity=biped.T_world_base[:3, :3] @ robot.gravity,
        tool=robot.tool,
        tool_joint=robot.tool_joint + FREE,
    )


def _held_at(mechanism: Mechanism, link: str) -> Model:
    held = replace(mechanism, tool=np.eye(4), tool_joint=mechanism.index(link))
    return Model(held, "single-use")


def _turn(R: Array) -> Array:
    T = np.eye(4)
    T[:3, :3] = R
    return T


# ----------------------------------------------------------------------------------- Sampled rates

_FEWEST = 6  # samples that a spline of degree five with rest at both ends needs


def rates_from_rest(t: Array, x: Array) -> FreeState:
    """Speeds and accelerations of coordinates sampled in time.

    Args:
        t: rising. # (k,) [s]
        x: coordinates, at rest at the first and at the last instant. # (k, m)

    Raises:
        BipedError: too few samples.
    """
    still = np.zeros(x.shape[1])
    rest = [(1, still), (2, still)]
    return _rates(t, x, (rest, rest))


def rates_of(t: Array, x: Array) -> FreeState:
    """The same of a motion of which nothing is known at its ends.

    Args:
        t: rising. # (k,) [s]
        x: coordinates. # (k, m)

    Raises:
        BipedError: too few samples.
    """
    return _rates(t, x, None)


def _rates(t: Array, x: Array, ends: Any) -> FreeState:
    from scipy.interpolate import make_interp_spline

    if len(t) < _FEWEST:
        raise BipedError(
            f"A motion of {len(t)} samples has no rates; it takes at least {_FEWEST}.",
            value=len(t),
            limit=_FEWEST,
        )
    # From the start on: what does not move has no speed, not even by rounding.
    spline = make_interp_spline(t, x - x[0], k=5, bc_type=ends)
    return FreeState(x=np.array(x), xd=spline(t, 1), xdd=spline(t, 2))


# ------------------------------------------------------------------------------- Load of each foot
# On two feet the joints' torques are not determined by the motion: the closed chain can press
# against itself. Here each foot takes the part of the push that the ZMP's place between the feet
# asks for and nothing presses sideways, so that torques go over without a jump when a foot leaves
# or lands.


def load_shares(zmp: Array, soles: Array, loaded: Mask) -> Array:
    """Part of the push on each foot; the two add up to one.

    Args:
        zmp: # (k, 3) [m]
        soles: one point of each sole, the same on both. # (k, 2, 3) [m]
        loaded: whether a foot is on the ground. # (k, 2)
    """
    between = soles[:, 1] - soles[:, 0]
    along = np.sum((zmp - soles[:, 0]) * between, axis=1)
    second = np.clip(along / np.sum(between * between, axis=1), 0.0, 1.0)
    second = np.where(loaded[:, 0], np.where(loaded[:, 1], second, 0.0), 1.0)
    return np.stack([1.0 - second, second], axis=-1)


def shared(
    push: GroundWrench, zmp: Array, soles: Array, shares: Array
) -> tuple[GroundWrench, GroundWrench]:
    """The push of the ground on each foot; their sum is the whole push.

    The pressure points of both feet are off their sole's point by one and the same vector, so that
    they and the ZMP are on one line; the moment about the vertical is split like the force.

    Args:
        push: on the robot, about the world's origin.
        zmp: # (k, 3) [m]
        soles: # (k, 2, 3) [m]
        shares: of ``load_shares``. # (k, 2)
    """
    twist = moment_about(push, zmp)
    off = zmp - np.sum(shares[:, :, None] * soles, axis=1)
    pushes = []
    for foot in (0, 1):
        part = shares[:, foot, None]
        force = part * push.force
        pressed = soles[:, foot] + off
        pushes.append(GroundWrench(force=force, moment=part * twist + np.cross(pressed, force)))
    return pushes[0], pushes[1]
