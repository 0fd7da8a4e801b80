"""A straight line of poses: the origin on a segment, the orientation about one fixed axis.

Source: [LAMMARI12] §V.4 eqs. (V.10)-(V.13)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_field
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import MinimumTime, minimum_time
from robots.core.pose import (
    AxisAngle,
    as_pose,
    axis_angle,
    make_pose,
    nearest_rotation,
    rotation_about,
)

# A turn this close to π can be made either way round; rounding of the poses decides nothing. [rad]
HALF_TURN_MARGIN = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineState:
    """Pose, velocity and acceleration along a line, in the frame of the poses.

    Args:
        pose: # (..., 4, 4)
        velocity: linear, then angular. # (..., 6) [m/s, rad/s]
        acceleration: linear, then angular. # (..., 6) [m/s², rad/s²]
    """

    pose: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StraightLine:
    """P(r) = Pi + r·(Pf - Pi) and A(r) = Ai·rot(U, r·α), for r from 0 to 1.

    At α = 0 and α = π the printed U divides by sin α = 0. Here α = 0 keeps the orientation, and at
    α = π the axis comes from the symmetric part; of the two equally short ways round (±U) the one
    whose largest component is positive is taken, and ``is_half_turn`` says so.

    Args:
        start: pose at r = 0. # (4, 4)
        end: pose at r = 1. # (4, 4)

    Raises:
        PoseError: not a rigid transform.

    Source: [LAMMARI12] §V.4 eqs. (V.10)-(V.13)
    """

    start: Array
    end: Array
    turn: AxisAngle = field(init=False)  # U in the moving frame, and α

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            T = np.array(as_pose(getattr(self, name), f"The line's {name} pose"))
            # Poses printed with ten digits pass as_pose; their products must pass too.
            T[:3, :3] = nearest_rotation(T[:3, :3])
            freeze_field(self, name, T)
        relative = self.start[:3, :3].T @ self.end[:3, :3]
        object.__setattr__(self, "turn", axis_angle(relative))

    @property
    def distance(self) -> float:
        """Length of the segment, eq. (V.10). [m]."""
        return float(np.linalg.norm(self.tangent[:3]))

    @property
    def angle(self) -> float:
        """Angle α of the whole turn. [rad]."""
        return float(self.turn.angle)

    @property
    def is_half_turn(self) -> bool:
        """Whether the turn is π, so that both directions of rotation are equally short."""
        return bool(np.pi - self.angle <= HALF_TURN_MARGIN)

    @property
    def tangent(self) -> Array:
        """Linear and angular velocity per unit of r, constant on the line. # (6,) [m, rad].

        rot(U, ·) leaves U where it is, so ω = Ai·U·α·ṙ keeps its direction.
        """
        angular = self.start[:3, :3] @ self.turn.vector
        return np.concatenate([self.end[:3, 3] - self.start[:3, 3], angular])

    def pose(self, r: ArrayLike) -> Array:
        """Poses at progress r. Args: r, any shape. # (..., 4, 4)."""
        r = np.asarray(r, dtype=np.float64)
        P = self.start[:3, 3] + r[..., None] * self.tangent[:3]
        return make_pose(self.start[:3, :3] @ rotation_about(self.turn.axis, r * self.angle), P)

    def state(self, r: ArrayLike, rd: ArrayLike, rdd: ArrayLike) -> LineState:
        """Poses and their rates for a given law.

        Args:
            r: progress. # (...)
            rd: its rate ṙ; with r' = dr/ds in its place the result is per s. # (...) [1/s]
            rdd: its acceleration r̈. # (...) [1/s²]
        """
        return LineState(
            pose=self.pose(r),
            velocity=np.asarray(rd, dtype=np.float64)[..., None] * self.tangent,
            acceleration=np.asarray(rdd, dtype=np.float64)[..., None] * self.tangent,
        )

    def least_time(self, law_name: str, limits: JointLimits) -> MinimumTime:
        """Least duration under limits of the tool's own speed and acceleration.

        Args:
            law_name: one of ``LAW_NAMES``.
            limits: of two "joints", see ``line_limits``.

        Raises:
            MotionError: unknown law, or limits of another number of joints.
        """
        return minimum_time(law_name, [self.distance, self.angle], limits)


def line_limits(
    *,
    max_speed: float,
    max_acceleration: float,
    max_angular_speed: float,
    max_angular_acceleration: float,
    max_jerk: float = np.inf,
    max_angular_jerk: float = np.inf,
) -> JointLimits:
    """Limits of a tool on a straight line, named "translation" and "rotation".

    Args:
        max_speed: [m/s]
        max_acceleration: [m/s²]
        max_angular_speed: [rad/s]
        max_angular_acceleration: [rad/s²]
        max_jerk: [m/s³]
        max_angular_jerk: [rad/s³]

    Raises:
        MotionError: a limit that is not finite and above zero.
    """
    return JointLimits(
        max_speed=np.array([max_speed, max_angular_speed]),
        max_acceleration=np.array([max_acceleration, max_angular_acceleration]),
        names=("translation", "rotation"),
        units=("m", "rad"),
        max_jerk=np.array([max_jerk, max_angular_jerk]),
    )
