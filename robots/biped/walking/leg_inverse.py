"""Closed-form inverse geometry of a BIP leg: six joints for a foot's pose, four for a hip's place.

Seen from the foot, the hip lies in the plane of thigh and shank; that plane turns about the foot's
forward axis only. So the frontal ankle angle is read first, then the triangle thigh-shank, then the
ankle's flexion; what is left of the rotation is the hip's. The ankle's frontal angle and the hip's
rotation are those within ±90°: the other solutions turn them by 180°, which no leg can. The knee
bends forward (as it can) or backward; at the straight leg both are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError, PostureError
from robots.biped.walking.leg_geometry import Leg
from robots.core.arrays import Array
from robots.core.orientation import rotation_x, rotation_y

Knee = Literal["forward", "backward"]

_ROUNDING = 1e-12  # [m] a foot that is too far by less than this is in reach
_STRAIGHT = 1e-14  # [m] a leg as long as this, less than its length, is straight


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPosture:
    """Joint angles of one leg.

    Args:
        leg: whose.
        q: in the order of ``leg.columns``. # (..., n) [rad]
    """

    leg: Leg
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


def foot_posture(leg: Leg, T_pelvis_foot: ArrayLike, knee: Knee = "forward") -> LegPosture:
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
            "ask for the place of its hip."
        )
    T = np.asarray(T_pelvis_foot, dtype=float)
    R = T[..., :3, :3] @ leg.foot_zero.T
    reach = leg.hip - T[..., :3, 3]
    ankle = _ankle_angles(leg, np.einsum("...ji,...j->...i", R, reach), knee)
    # R = Rx(hip)·Rz(hip)·Ry(hip)·Ry(knee)·Ry(ankle)·Rx(ankle); from the foot up, signs change.
    M = R @ rotation_x(ankle.roll) @ rotation_y(ankle.pitch + ankle.knee)
    hips = _hip_angles(M)
    turns = np.stack([*hips, -ankle.knee, -ankle.pitch, -ankle.roll], axis=-1)
    return LegPosture(leg=leg, q=turns * leg.signs)


def hip_posture(
    leg: Leg, hip: ArrayLike, pitch: ArrayLike = 0.0, knee: Knee = "forward"
) -> LegPosture:
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
        raise BipedError(
            f"The leg of foot {leg.foot!r} hangs on a pelvis; ask for its foot's pose."
        )
    reach = np.asarray(hip, dtype=float) - leg.ankle
    ankle = _ankle_angles(leg, reach, knee)
    last = np.asarray(pitch, dtype=float) - ankle.pitch - ankle.knee
    turns = np.stack(np.broadcast_arrays(ankle.roll, ankle.pitch, ankle.knee, last), axis=-1)
    return LegPosture(leg=leg, q=turns * leg.signs)


def _ankle_angles(leg: Leg, hip: Array, knee: Knee) -> _Ankle:
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


def _check_reach(leg: Leg, distance: Array) -> None:
    least = abs(leg.thigh - leg.shank)
    if not np.isfinite(distance).all():
        raise PostureError(f"The {leg.foot} foot's pose holds a value that is not finite.")
    if distance.max(initial=0.0) > leg.length + _ROUNDING:
        _refuse(leg, distance, int(np.argmax(distance)), leg.length, "more")
    if distance.size and distance.min() < least - _ROUNDING:
        _refuse(leg, distance, int(np.argmin(distance)), least, "less")


def _refuse(leg: Leg, distance: Array, index: int, limit: float, side: str) -> None:
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
