"""Two-legged robot placed by feet and centre of mass, with closed-form leg inverse.

Feet stay flat and parallel to the walk, the pelvis stays upright, the trunk's joints stay at zero;
what is free is where the pelvis is. World axes: x forward, y left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped, Foot
from robots.biped.errors import BipedError, PostureError
from robots.core.arrays import Array
from robots.core.mechanism import BASE, Mechanism
from robots.core.model import Model
from robots.core.pose import rotation_x, rotation_y

_SETTLED = 1e-12  # [m] distance of the centre of mass from where it is wanted
_ROUNDS = 25
_PROBE = 1e-4  # [m] step of the slope of the centre of mass over the pelvis' place
Knee = Literal["forward", "backward"]
X, Y, Z = np.eye(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeetPlacement:
    """Postures of a robot on its feet.

    Args:
        q: # (k, n) [rad]
        T_world_base: # (k, 4, 4)
    """

    q: Array
    T_world_base: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BipedLeg:
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeggedRobot:
    """A robot on two BIP legs.

    Args:
        biped: the robot.

    Raises:
        BipedError: it has not two legs that hang on a pelvis.
    """

    biped: Biped
    legs: tuple[BipedLeg, ...] = field(init=False)
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        if len(self.biped.feet) != 2 or not all(foot.link for foot in self.biped.feet):
            raise BipedError(
                f"{self.biped.name} does not hang on two legs between a pelvis and its feet; a "
                "robot such as bip2000 does.",
                biped=self.biped.name,
            )
        object.__setattr__(self, "legs", legs_of(self.biped))
        object.__setattr__(self, "model", Model(self.biped.mechanism))

    @property
    def ankles(self) -> Array:
        """Ankles of the robot that stands at zero. # (2, 3) [m]."""
        return np.asarray(self.biped.T_world_base[:3, 3] + [leg.ankle for leg in self.legs])

    def upright(self, origin: Array) -> Array:
        """Pose of the base, upright, with its origin at places. # (..., 3) -> (..., 4, 4)."""
        T = np.broadcast_to(self.biped.T_world_base, (*origin.shape[:-1], 4, 4)).copy()
        T[..., :3, 3] = origin
        return T

    def postures(self, origin: Array, ankles: Array) -> FeetPlacement:
        """Postures with the pelvis' origin and the ankles at places.

        Args:
            origin: # (..., 3) [m]
            ankles: # (..., 2, 3) [m]

        Raises:
            PostureError: a foot out of a leg's reach; names the foot, the sample and the lengths.
        """
        q = np.zeros((*origin.shape[:-1], self.model.dof))
        for number, leg in enumerate(self.legs):
            T = np.zeros((*origin.shape[:-1], 4, 4))
            T[..., :3, :3] = leg.foot_zero
            T[..., :3, 3] = ankles[..., number, :] - origin
            q[..., leg.columns] = foot_posture(leg, T).q
        return FeetPlacement(q=q, T_world_base=self.upright(origin))

    def center_of_mass(self, placement: FeetPlacement) -> Array:
        """In the world. # (..., 3) [m]."""
        T = placement.T_world_base
        seen = self.model.center_of_mass(placement.q)
        return np.asarray(np.einsum("...ij,...j->...i", T[..., :3, :3], seen) + T[..., :3, 3])

    def over(self, com: Array, ankles: Array) -> FeetPlacement:
        """Postures that put the centre of mass at places.

        Args:
            com: # (k, 3) [m]
            ankles: # (k, 2, 3) [m]

        Raises:
            PostureError: a foot out of reach, or no pelvis' place found.
        """
        origin = com - self._lever()
        placement = self.postures(origin, ankles)
        miss = com - self.center_of_mass(placement)
        slope = self._slope(origin, ankles)
        for _ in range(_ROUNDS):
            if np.abs(miss).max(initial=0.0) < _SETTLED:
                return placement
            origin = origin + np.linalg.solve(slope, miss[..., None])[..., 0]
            placement = self.postures(origin, ankles)
            miss = com - self.center_of_mass(placement)
        worst = int(np.argmax(np.abs(miss).max(axis=-1)))
        raise PostureError(
            f"No place of the pelvis puts the centre of mass of {self.biped.name} where sample "
            f"{worst} wants it: {1e3 * float(np.abs(miss).max()):.3g} mm remain.",
            value=float(np.abs(miss).max()),
            limit=_SETTLED,
            unit="m",
        )

    def _lever(self) -> Array:
        """Centre of mass from the pelvis' origin at zero, a first guess. # (3,) [m]."""
        T = self.biped.T_world_base
        return np.asarray(T[:3, :3] @ self.model.center_of_mass(np.zeros(self.model.dof)))

    def _slope(self, origin: Array, ankles: Array) -> Array:
        """Displacement of the centre of mass per one of the pelvis. # (k, 3, 3)."""
        # Downwards steps only: upwards a nearly stretched leg would not reach.
        here = self.center_of_mass(self.postures(origin, ankles))
        towards = ankles.mean(axis=-2) - origin
        columns = []
        for axis in range(3):
            step = np.zeros_like(origin)
            step[..., axis] = np.where(towards[..., axis] < 0.0, -_PROBE, _PROBE)
            there = self.center_of_mass(self.postures(origin + step, ankles))
            columns.append((there - here) / step[..., axis, None])
        return np.stack(columns, axis=-1)


# ----------------------------------------------------------------------- Inverse geometry of a leg
# Seen from the foot, the hip lies in the plane of thigh and shank; that plane turns about the
# foot's forward axis only. So the frontal ankle angle is read first, then the triangle thigh-shank,
# then the ankle's flexion; what is left of the rotation is the hip's. The ankle's frontal angle and
# the hip's rotation are those within ±90°: the other solutions turn them by 180°, which no leg can.
# The knee bends forward (as it can) or backward; at the straight leg both are one.

_ROUNDING = 1e-12  # [m] a foot that is too far by less than this is in reach
_STRAIGHT = 1e-14  # [m] a leg as long as this, less than its length, is straight


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegAngles:
    """Joint angles of one leg.

    Args:
        leg: whose.
        q: in the order of ``leg.columns``. # (..., n) [rad]
    """

    leg: BipedLeg
    q: Array

    @property
    def excess(self) -> Array:
        """How far each joint is beyond its limits; zero within them. # (..., n) [rad]."""
        over = np.maximum(self.q - self.leg.upper, self.leg.lower - self.q)
        return np.maximum(over, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ankle:
    """Angles from the foot up, about world axes. # (...) [rad]."""

    roll: Array
    pitch: Array
    knee: Array


def foot_posture(leg: BipedLeg, T_pelvis_foot: ArrayLike, knee: Knee = "forward") -> LegAngles:
    """Joints that bring the foot to a pose.

    Args:
        leg: that hangs on the pelvis.
        T_pelvis_foot: pose of the foot's link; origin and axes of the pelvis are those of the base,
            turned to world axes of the zero posture. # (..., 4, 4)
        knee: which way it points.

    Raises:
        PostureError: the foot is too far from the hip, or too near.
        BipedError: a leg that stands on its base.
    """
    if not leg.hangs:
        raise BipedError(
            f"The leg on foot {leg.foot!r} has {len(leg.columns)} joints and stands on its base; "
            "use the position of its hip."
        )
    T = np.asarray(T_pelvis_foot, dtype=float)
    R = T[..., :3, :3] @ leg.foot_zero.T
    reach = leg.hip - T[..., :3, 3]
    ankle = _ankle_angles(leg, np.einsum("...ji,...j->...i", R, reach), knee)
    # R = Rx(hip)·Rz(hip)·Ry(hip)·Ry(knee)·Ry(ankle)·Rx(ankle); from the foot up, signs change.
    M = R @ rotation_x(ankle.roll) @ rotation_y(ankle.pitch + ankle.knee)
    hips = _hip_angles(M)
    turns = np.stack([*hips, -ankle.knee, -ankle.pitch, -ankle.roll], axis=-1)
    return LegAngles(leg=leg, q=turns * leg.signs)


def hip_posture(
    leg: BipedLeg, hip: ArrayLike, pitch: ArrayLike = 0.0, knee: Knee = "forward"
) -> LegAngles:
    """Joints that bring the hip of a leg standing on its foot to a place.

    Args:
        leg: that stands on its base, the foot.
        hip: seen from the base's origin, world axes of the zero posture. # (..., 3) [m]
        pitch: of what the hip carries, about y; positive leans forward. # (...) [rad]
        knee: which way it points.

    Raises:
        PostureError: the place is too far from the ankle, or too near.
        BipedError: a leg that hangs on a pelvis.
    """
    if leg.hangs:
        raise BipedError(f"The leg of foot {leg.foot!r} hangs on a pelvis; use its foot's pose.")
    reach = np.asarray(hip, dtype=float) - leg.ankle
    ankle = _ankle_angles(leg, reach, knee)
    last = np.asarray(pitch, dtype=float) - ankle.pitch - ankle.knee
    turns = np.stack(np.broadcast_arrays(ankle.roll, ankle.pitch, ankle.knee, last), axis=-1)
    return LegAngles(leg=leg, q=turns * leg.signs)


def _ankle_angles(leg: BipedLeg, hip: Array, knee: Knee) -> _Ankle:
    """Angles that put the hip at ``hip``, seen from the ankle in the foot's axes. # (..., 3)."""
    x, up = hip[..., 0], np.hypot(hip[..., 1], hip[..., 2])
    distance = np.hypot(x, up)
    _check_reach(leg, distance)
    spare = leg.length - distance
    long = np.where(spare > _STRAIGHT, spare, 0.0) * (leg.length + distance)
    least = leg.thigh - leg.shank
    short = np.maximum((distance - least) * (distance + least), 0.0)
    # Half-angle form: near the straight leg the cosine would lose half of the digits.
    bend = 2.0 * np.arctan2(np.sqrt(long), np.sqrt(short))
    turn = -bend if knee == "forward" else bend
    lean = np.arctan2(leg.thigh * np.sin(turn), leg.shank + leg.thigh * np.cos(turn))
    return _Ankle(
        roll=np.arctan2(-hip[..., 1], hip[..., 2]), pitch=np.arctan2(x, up) - lean, knee=turn
    )


def _hip_angles(M: Array) -> tuple[Array, Array, Array]:
    """Angles of M = Rx·Rz·Ry, the middle one within ±90°."""
    first = np.arctan2(M[..., 2, 1], M[..., 1, 1])
    middle = np.arctan2(-M[..., 0, 1], np.hypot(M[..., 1, 1], M[..., 2, 1]))
    return first, middle, np.arctan2(M[..., 0, 2], M[..., 0, 0])


def _check_reach(leg: BipedLeg, distance: Array) -> None:
    least = abs(leg.thigh - leg.shank)
    if not np.isfinite(distance).all():
        raise PostureError(f"The {leg.foot} foot's pose holds a value that is not finite.")
    if distance.max(initial=0.0) > leg.length + _ROUNDING:
        _refuse(leg, distance, int(np.argmax(distance)), leg.length, "more")
    if distance.size and distance.min() < least - _ROUNDING:
        _refuse(leg, distance, int(np.argmin(distance)), least, "less")


def _refuse(leg: BipedLeg, distance: Array, index: int, limit: float, side: str) -> None:
    value = float(distance.flat[index])
    where = f" at sample {index}" if distance.ndim else ""
    fix = "bring the pelvis lower or shorten the step" if side == "more" else "raise the pelvis"
    raise PostureError(
        f"The {leg.foot} leg would need {value:.6g} m from hip to ankle{where}, {side} than the "
        f"{limit:.6g} m that it has; {fix}.",
        foot=leg.foot,
        joint=leg.names[3],
        value=value,
        limit=limit,
        unit="m",
    )


# ------------------------------------------------------------------------------------ Leg geometry
# A BIP leg is a spherical hip (axes, from the pelvis: forward, up, left), a knee whose axis looks
# left, and an ankle cardan (left, then forward). Read from the mechanism in its zero posture, so no
# name or length of a robot file is repeated here; what is not such a leg is refused.
#
# Angles here turn about +x, +y, +z of the world axes (x forward, y left, z up) that the biped's
# ``T_world_base`` turns its base to; ``signs`` carries them over to the joints' own.

HANGING = (X, Z, Y, Y, Y, X)  # hip, hip, hip, knee, ankle, ankle; from the pelvis to the foot
STANDING = (X, Y, Y, Y)  # ankle, ankle, knee, hip; from the foot up
_LEG_GEOMETRY_STRAIGHT = 1e-9  # [m, rad] what still counts as one point or one direction


def legs_of(biped: Biped) -> tuple[BipedLeg, ...]:
    """The legs of a biped, one for each foot.

    Raises:
        BipedError: a foot that is not on a BIP leg; the message names the joint that differs.
    """
    R = biped.T_world_base[:3, :3]
    return tuple(_read(biped.mechanism, foot, R) for foot in biped.feet)


def _read(mechanism: Mechanism, foot: Foot, R: Array) -> BipedLeg:
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
        if abs(abs(cosine) - 1.0) > _LEG_GEOMETRY_STRAIGHT:
            off = np.degrees(np.arccos(abs(cosine)))
            raise BipedError(
                f"Joint {joint.name!r} of {mechanism.name} is {off:.6g} deg "
                "off the axis that it has in a BIP leg; the closed-form inverse geometry "
                "does not hold.",
                joint=joint.name,
            )
    hip, knee, ankle = _centres(mechanism.name, foot, points)
    order = [movable.name for movable in mechanism.movable]
    return BipedLeg(
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
    if max(spread, bend, aside) > _LEG_GEOMETRY_STRAIGHT or not hip[2] > knee[2] > ankle[2]:
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
