"""Balance of a standing robot: margins at rest, zero-moment points in motion, reserves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError, PostureError
from robots.biped.posture.ground import WAYS, Ground
from robots.biped.posture.standing import Standing, stand
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import Stance, StanceVerdict, motion_verdict, posture_verdict
from robots.biped.posture.zero_moment import (
    GroundWrench,
    centroidal_zero_moment_points,
    ground_wrench,
    zero_moment_point,
)
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
    verdict: StanceVerdict
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
                verdict=posture_verdict(standing.com[row], polygon),
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
    verdicts: tuple[StanceVerdict, ...]

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
            motion_verdict([0.0], standing.com[row : row + 1], zmp[row : row + 1], polygon)
            for row, polygon in enumerate(standing.support)
        ),
    )


def tip_angle(com: ArrayLike, support: SupportPolygon, direction: Sequence[float] | Array) -> float:
    """Tilt at which the centre of mass is straight above the edge that lies in a direction.

    The robot turns with the ground as one body, so the tilt has the tangent of the way to the edge
    over the height of the centre of mass.

    Args:
        com: centre of mass on the level ground, whose height is zero. # (3,) [m]
        support: on the level ground.
        direction: horizontal, where the ground goes down. # (2,)

    Returns:
        The tilt; negative where the robot has fallen on level ground already. [rad]

    Raises:
        BipedError: a centre of mass that is not above the ground.
    """
    centre = np.asarray(com, dtype=np.float64)
    if centre.shape != (3,) or not centre[2] > 0.0:
        raise BipedError(
            f"A tip angle was requested for a centre of mass at {centre.tolist()} m; "
            "give three numbers, the height above the ground above zero."
        )
    return float(np.arctan2(support.reach(centre, direction), centre[2]))


# ----------------------------------------------------------------------------------------- Capture
# With the centre of mass kept at a height z above the ground its horizontal motion ẍ = ω²·(x − p),
# p being the zero-moment point and ω = √(g/z). The combination ξ = x + ẋ/ω runs away from p as
# exp(ω·t), so the robot comes to rest without a step exactly while ξ is inside the support polygon.

STANDARD_GRAVITY = 9.81  # [m/s²]


def pendulum_frequency(height: float, gravity: float = STANDARD_GRAVITY) -> float:
    """ω = √(g/z). [1/s].

    Args:
        height: of the centre of mass above the ground. [m]
        gravity: [m/s²]

    Raises:
        BipedError: a height or gravity that is not above zero.
    """
    for name, value, unit in (("height", height, "m"), ("gravity", gravity, "m/s²")):
        if not (value > 0.0 and np.isfinite(value)):
            raise BipedError(
                f"An inverted pendulum's {name} is {value:g} {unit}; it must be above zero.",
                name=name,
                value=value,
                limit=0.0,
                unit=unit,
            )
    return float(np.sqrt(gravity / height))


def capture_point(com: ArrayLike, velocity: ArrayLike, omega: float) -> Array:
    """ξ = x + ẋ/ω in the horizontal plane. # (..., 2 or 3) twice -> (..., 2) [m]."""
    x = np.asarray(com, dtype=np.float64)[..., :2]
    xd = np.asarray(velocity, dtype=np.float64)[..., :2]
    return np.asarray(x + xd / omega)


def capture_speed(
    com: ArrayLike, support: SupportPolygon, direction: Sequence[float] | Array, omega: float
) -> float:
    """Highest speed in a direction from which the robot comes to rest without a step. [m/s].

    Args:
        com: centre of mass, inside the polygon. # (2,) or (3,) [m]
        support: what it stands on.
        direction: horizontal. # (2,)
        omega: of the pendulum. [1/s]

    Raises:
        BipedError: the centre of mass is outside the polygon, where no speed that way will do.
    """
    room = support.reach(com, direction)
    if room < 0.0:
        raise BipedError(
            f"The centre of mass is {-1e3 * room:.4g} mm beyond the support polygon; "
            "nothing captures it without a step.",
            value=room,
            limit=0.0,
            unit="m",
        )
    return omega * room
