"""Moves between two poses: straight for the origin, about one fixed axis for the orientation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.motion.motion_law import MotionLaw, Side
from robots.core.orientation import rotation_exp, rotation_log
from robots.core.pose import as_pose
from robots.stewart.errors import PlatformError
from robots.stewart.motion import PlatformState, SpeedBound

# Beyond this turn the shorter way round is a matter of rounding. [rad]
_HALF_TURN = np.pi - 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoseMove:
    """A course between two poses along the geodesic of each part, both under the same law.

    Args:
        start: T_base_platform. # (4, 4)
        end: likewise.
        law: how progress goes with s.
        travel: of the origin. # (3,) [m]
        turn: rotation vector of the whole turn, base frame. # (3,) [rad]
    """

    start: Array
    end: Array
    law: MotionLaw
    travel: Array
    turn: Array

    @property
    def breaks(self) -> tuple[float, ...]:
        """Where the law's second derivative jumps."""
        return self.law.switches

    def state(self, s: Array, side: Side = "right") -> PlatformState:
        """State with derivatives over s. Args: s. # (...); side of a break."""
        r = self.law.r(s)
        T = np.zeros((*np.shape(r), 4, 4))
        T[..., :3, :3] = rotation_exp(r[..., None] * self.turn) @ self.start[:3, :3]
        T[..., :3, 3] = self.start[:3, 3] + r[..., None] * self.travel
        T[..., 3, 3] = 1.0
        # The axis is fixed, so the turn's derivatives are along it as the travel's along the line.
        way = np.concatenate([self.travel, self.turn])
        rate, change = self.law.dr(s, side), self.law.ddr(s, side)
        return PlatformState(T=T, V=rate[..., None] * way, A=change[..., None] * way)

    def speed_bound(self) -> SpeedBound:
        """Largest speeds over s; reached where the law is fastest."""
        return SpeedBound(
            linear=float(np.linalg.norm(self.travel)) * self.law.peak_rate,
            angular=float(np.linalg.norm(self.turn)) * self.law.peak_rate,
        )


def pose_move(start: ArrayLike, end: ArrayLike, law: MotionLaw) -> PoseMove:
    """The move between two poses.

    Args:
        start: T_base_platform. # (4, 4)
        end: likewise.
        law: of ``robots.core.motion``.

    Raises:
        PoseError: not poses.
        PlatformError: two equal poses, or a half turn, which has no shorter way.
    """
    T0, T1 = as_pose(start, "The move's start"), as_pose(end, "The move's end")
    turn = rotation_log(T1[:3, :3] @ T0[:3, :3].T)
    travel = T1[:3, 3] - T0[:3, 3]
    angle = float(np.linalg.norm(turn))
    if angle > _HALF_TURN:
        raise PlatformError(
            f"The move turns the platform by {np.degrees(angle):.6g} deg: both ways round are "
            "equally long; give a pose between.",
            angle=angle,
        )
    if angle == 0.0 and not np.any(travel):
        raise PlatformError("The move starts and ends in the same pose; give two different poses.")
    return PoseMove(start=T0, end=T1, law=law, travel=travel, turn=turn)
