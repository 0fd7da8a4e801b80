"""Balance of a standing robot: margins at rest, zero-moment points in motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.errors import PostureError
from robots.biped.posture.capture import capture_speed, pendulum_frequency
from robots.biped.posture.ground import Ground
from robots.biped.posture.ground_wrench import (
    GroundWrench,
    centroidal_zero_moment_points,
    ground_wrench,
)
from robots.biped.posture.headings import WAYS
from robots.biped.posture.judging import judge, judge_posture
from robots.biped.posture.standing import Standing, stand
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.tip_angles import tip_angle
from robots.biped.posture.zero_moment import zero_moment_point
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array
from robots.core.inverse.limits import limit_breaches


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Balance:
    """One posture at rest, and how far it is from falling in four directions.

    Args:
        standing: all postures, of which this is ``index``.
        index: see standing.
        verdict: on it.
        omega: of the pendulum. [1/s]
        tip_angles: tilt of the level ground at which the frozen robot falls; None where it has
            fallen. [rad]
        capture_speeds: of the centre of mass from which it comes to rest without a step; None
            where it has fallen. [m/s]
        limits: joints out of their limits, as a sentence; empty when there are none.
    """

    standing: Standing
    index: int
    verdict: Verdict
    omega: float
    tip_angles: dict[str, float | None]
    capture_speeds: dict[str, float | None]
    limits: str

    @property
    def com(self) -> Array:
        """Centre of mass. # (3,) [m]."""
        return np.asarray(self.standing.com[self.index])

    @property
    def support(self) -> SupportPolygon:
        """Support polygon of this posture."""
        return self.standing.support[self.index]

    @property
    def nearest_edge(self) -> str:
        """Of the support polygon."""
        return self.support.nearest_edge_name(self.com)

    @property
    def stands(self) -> bool:
        """Whether the robot does."""
        return self.verdict.stance is Stance.STANDING


def balances(standing: Standing) -> list[Balance]:
    """Judge postures at rest; the tip angles are those of the same postures on level ground.

    Raises:
        PostureError: a centre of mass that is not above the ground.
    """
    level = stand(standing.biped, standing.q, Ground())
    heights = standing.com[:, 2] - standing.ground.below(standing.com)[:, 2]
    gravity = float(np.linalg.norm(standing.biped.mechanism.gravity))
    found = []
    for row, polygon in enumerate(standing.support):
        height = float(heights[row])
        if height <= 0.0:
            raise PostureError(
                f"Posture {row + 1} of {standing.biped.name}: its centre of mass is "
                f"{-1e3 * height:.4g} mm below the ground; it must be above it.",
                posture=row,
                value=height,
                limit=0.0,
                unit="m",
            )
        omega = pendulum_frequency(height, gravity)
        found.append(
            Balance(
                standing=standing,
                index=row,
                verdict=judge_posture(standing.com[row], polygon),
                omega=omega,
                tip_angles=_tips(level.com[row], level.support[row]),
                capture_speeds=_speeds(standing.com[row], polygon, omega),
                limits=limit_breaches(standing.biped.mechanism, standing.q[row]),
            )
        )
    return found


def _tips(com: Array, polygon: SupportPolygon) -> dict[str, float | None]:
    if polygon.signed_margin(com) < 0.0:
        return dict.fromkeys(WAYS)
    return {way: tip_angle(com, polygon, direction) for way, direction in WAYS.items()}


def _speeds(com: Array, polygon: SupportPolygon, omega: float) -> dict[str, float | None]:
    if polygon.signed_margin(com) < 0.0:
        return dict.fromkeys(WAYS)
    return {way: capture_speed(com, polygon, there, omega) for way, there in WAYS.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZeroMoments:
    """Zero-moment points of all states.

    Args:
        standing: where the robot is.
        wrench: of the ground.
        zmp: from the full dynamics. # (k, 3) [m]
        centroidal: the same from the momentum. # (k, 3) [m]
        verdicts: on each. # k
    """

    standing: Standing
    wrench: GroundWrench
    zmp: Array
    centroidal: Array
    verdicts: tuple[Verdict, ...]

    @property
    def stands(self) -> bool:
        """Whether the robot stands in every state."""
        return all(verdict.stance is Stance.STANDING for verdict in self.verdicts)

    @property
    def difference(self) -> Array:
        """Between the two methods. # (k,) [m]."""
        return np.asarray(np.linalg.norm(self.zmp - self.centroidal, axis=1))


def zero_moments(standing: Standing, qd: Array, qdd: Array) -> ZeroMoments:
    """Zero-moment points of moving states; the standing foot rests.

    Args:
        standing: where the robot is, k states.
        qd: # (k, n) [rad/s]
        qdd: # (k, n) [rad/s²]

    Raises:
        PostureError: a state that pulls at the ground.
    """
    wrench = ground_wrench(standing, qd, qdd)
    zmp = zero_moment_point(wrench.force, wrench.moment, standing.ground)
    return ZeroMoments(
        standing=standing,
        wrench=wrench,
        zmp=zmp,
        centroidal=centroidal_zero_moment_points(standing, qd, qdd),
        verdicts=tuple(
            judge([0.0], standing.com[row : row + 1], zmp[row : row + 1], polygon)
            for row, polygon in enumerate(standing.support)
        ),
    )
