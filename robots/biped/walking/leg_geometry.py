"""Leg: the few numbers that the closed-form inverse geometry of a BIP leg needs.

A BIP leg is a spherical hip (axes, from the pelvis: forward, up, left), a knee whose axis looks
left, and an ankle cardan (left, then forward). Read from the mechanism in its zero posture, so no
name or length of a robot file is repeated here; what is not such a leg is refused.

Angles here turn about +x, +y, +z of the world axes (x forward, y left, z up) that the biped's
``T_world_base`` turns its base to; ``signs`` carries them over to the joints' own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.biped import Biped, Foot
from robots.biped.errors import BipedError
from robots.core.arrays import Array
from robots.core.mechanism import BASE, Mechanism
from robots.core.model import Model

X, Y, Z = np.eye(3)
HANGING = (X, Z, Y, Y, Y, X)  # hip, hip, hip, knee, ankle, ankle; from the pelvis to the foot
STANDING = (X, Y, Y, Y)  # ankle, ankle, knee, hip; from the foot up
_STRAIGHT = 1e-9  # [m, rad] what still counts as one point or one direction


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leg:
    """One leg; lengths in metres, world axes of the zero posture.

    Args:
        foot: the foot's name.
        columns: where the leg's joints are in q, from the base outwards.
        names: of these joints.
        signs: joint angle = sign · angle about the world axis. # (4,) or (6,)
        lower: joint limits. # [rad]
        upper: # [rad]
        hip: centre of the hip, seen from the base's origin. # (3,)
        ankle: centre of the cardan at zero, seen from the base's origin. # (3,)
        thigh: hip to knee.
        shank: knee to ankle.
        foot_zero: the foot link's axes in the zero posture. # (3, 3)
    """

    foot: str
    columns: tuple[int, ...]
    names: tuple[str, ...]
    signs: Array
    lower: Array
    upper: Array
    hip: Array
    ankle: Array
    thigh: float
    shank: float
    foot_zero: Array

    @property
    def length(self) -> float:
        """Hip to ankle of the straight leg. [m]."""
        return self.thigh + self.shank

    @property
    def hangs(self) -> bool:
        """Whether the leg hangs on the base, six joints; else it stands on it, four joints."""
        return len(self.columns) == len(HANGING)


def legs_of(biped: Biped) -> tuple[Leg, ...]:
    """The legs of a biped, one for each foot.

    Raises:
        BipedError: a foot that is not on a BIP leg; the message names the joint that differs.
    """
    R = biped.T_world_base[:3, :3]
    return tuple(_read(biped.mechanism, foot, R) for foot in biped.feet)


def _read(mechanism: Mechanism, foot: Foot, R: Array) -> Leg:
    poses = _zero_poses(mechanism)
    chain = _chain(mechanism, foot)
    pattern = HANGING if foot.link else STANDING
    joints = [mechanism.joints[index] for index in chain]
    if len(chain) != len(pattern):
        raise BipedError(
            f"Foot {foot.name!r} of {mechanism.name} moves by {len(chain)} joints; a BIP leg has "
            f"{len(pattern)}, {'from the pelvis' if foot.link else 'from the foot up'}.",
            foot=foot.name,
        )
    points = np.array([R @ poses[joint.name][:3, 3] for joint in joints])
    along = [
        float(axis @ R @ poses[joint.name][:3, 2])
        for axis, joint in zip(pattern, joints, strict=True)
    ]
    for joint, cosine in zip(joints, along, strict=True):
        if abs(abs(cosine) - 1.0) > _STRAIGHT:
            off = np.degrees(np.arccos(abs(cosine)))
            raise BipedError(
                f"Joint {joint.name!r} of {mechanism.name} is {off:.6g} deg "
                "off the axis that it has in a BIP leg; the closed-form inverse geometry "
                "does not hold.",
                joint=joint.name,
            )
    hip, knee, ankle = _centres(mechanism.name, foot, points)
    order = [movable.name for movable in mechanism.movable]
    return Leg(
        foot=foot.name,
        columns=tuple(order.index(joint.name) for joint in joints),
        names=tuple(joint.name for joint in joints),
        signs=np.sign(along),
        lower=np.array([joint.q_min for joint in joints]),
        upper=np.array([joint.q_max for joint in joints]),
        hip=hip,
        ankle=ankle,
        thigh=float(hip[2] - knee[2]),
        shank=float(knee[2] - ankle[2]),
        foot_zero=R @ poses[foot.link][:3, :3],
    )


def _centres(name: str, foot: Foot, points: Array) -> tuple[Array, Array, Array]:
    """Hip, knee and ankle, one straight below the other across the knee's axis."""
    if foot.link:
        hips, knee, ankles = points[:3], points[3], points[4:]
    else:
        ankles, knee, hips = points[:2], points[2], points[3:]
    hip, ankle = hips[0], ankles[0]
    spread = float(max(np.ptp(hips, axis=0).max(), np.ptp(ankles, axis=0).max()))
    bend = float(np.ptp([hip[0], knee[0], ankle[0]]))
    aside = float(np.ptp([hip[1], ankle[1]]))
    if max(spread, bend, aside) > _STRAIGHT or not hip[2] > knee[2] > ankle[2]:
        raise BipedError(
            f"The leg of foot {foot.name!r} of {name} is not straight at zero, or its hip or ankle "
            "axes do not meet in a point; the closed-form inverse geometry does not hold.",
            foot=foot.name,
        )
    return hip, knee, ankle


def _chain(mechanism: Mechanism, foot: Foot) -> list[int]:
    """Indices of the movable joints between base and foot, or of all of a leg on its foot."""
    if not foot.link:
        return [index for index, joint in enumerate(mechanism.joints) if joint.movable]
    found, index = [], mechanism.index(foot.link)
    while index != BASE:
        if mechanism.joints[index].movable:
            found.append(index)
        index = mechanism.joints[index].parent
    return found[::-1]


def _zero_poses(mechanism: Mechanism) -> dict[str, Array]:
    """Pose of every link in the base frame at q = 0, by name; the base under the empty name."""
    placed = Model(mechanism, engine="numpy").transforms(np.zeros(mechanism.dof))
    poses = {joint.name: T for joint, T in zip(mechanism.joints, placed, strict=True)}
    return {"": np.eye(4), **poses}
