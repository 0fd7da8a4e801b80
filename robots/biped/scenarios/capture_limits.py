"""How a biped stands before a push, and how strong a push it survives without a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.posture.capture import capture_speed, pendulum_frequency
from robots.biped.posture.headings import heading
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.scenarios.fixed_feet import standing_support
from robots.biped.scenarios.swaying import Sway, sway
from robots.biped.walking.free_base import FreeBase
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.arrays import Array
from robots.core.model import Model

FORWARD = (1.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureLimits:
    """Highest speeds of the centre of mass from which the robot comes back without a step.

    Args:
        pendulum: of the linear inverted pendulum, ZMP on the edge. [m/s]
        whole_body: of the swaying robot's full dynamics, ZMP on the edge. [m/s]
        commanded: the same with the ZMP on the inset edge. [m/s]
    """

    pendulum: float
    whole_body: float
    commanded: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PushedStand:
    """The robot before the push, seen along its direction.

    Args:
        swaying: what it does on the spot.
        support: what it stands on.
        com: centre of mass. # (3,) [m]
        omega: of the linear pendulum. [1/s]
        front: edge ahead, along the direction. [m]
        rear: edge behind. [m]
    """

    swaying: Sway
    support: SupportPolygon
    com: Array
    omega: float
    front: float
    rear: float

    @property
    def home(self) -> float:
        """Centre of mass along the direction. [m]."""
        return float(self.com[:2] @ self.swaying.direction)


def capture_limits(
    biped: Biped, direction: ArrayLike = FORWARD, *, lowering: float = 0.0, inset: float = 0.0
) -> CaptureLimits:
    """The strongest push in a direction that the robot survives without a step.

    Args:
        biped: on two BIP legs.
        direction: of the push, horizontal. # (2,)
        lowering: of the pelvis while it stands. [m]
        inset: how far the commanded ZMP stays inside the edges. [m]

    Raises:
        BipedError: no direction, or no such robot.
    """
    return limits_of(pushed_stand(biped, direction, lowering), inset)


def pushed_stand(biped: Biped, direction: ArrayLike, lowering: float) -> PushedStand:
    """The robot in its standing place.

    Args:
        biped: on two BIP legs.
        direction: of the push, horizontal: x forward, y left. # (2,)
        lowering: of the pelvis. [m]

    Raises:
        BipedError: no direction, or no such robot.
    """
    unit = _unit(direction)
    swaying = sway(LeggedRobot(biped=biped), FreeBase(biped=biped), unit, lowering)
    com = swaying.free.model.center_of_mass(swaying.path(0.0))
    support = standing_support(biped)
    home = float(com[:2] @ unit)
    return PushedStand(
        swaying=swaying,
        support=support,
        com=com,
        omega=pendulum_frequency(float(com[2])),
        front=home + support.reach(com, unit),
        rear=home - support.reach(com, -unit),
    )


def require_two_legs(biped: Biped, direction: ArrayLike) -> None:
    """Check that a push of this robot is simulated.

    Raises:
        BipedError: it is not on two legs; the message has the speed that it would come to rest from
            as a pendulum.
    """
    if len(biped.feet) == 2 and all(foot.link for foot in biped.feet):
        return
    unit, T = _unit(direction), biped.T_world_base
    seen = Model(biped.mechanism, "single-use").center_of_mass(np.asarray(biped.q_standing))
    com = T[:3, :3] @ seen + T[:3, 3]
    omega = pendulum_frequency(float(com[2]))
    most = capture_speed(com, standing_support(biped), unit, omega)
    raise BipedError(
        f"{biped.name} does not hang on two legs between a pelvis and its feet; the recovery from "
        "a push is simulated for a robot such as bip2000. As a linear pendulum it would come to "
        f"rest without a step from at most {np.floor(1e3 * most) / 1e3:.3f} m/s {heading(unit)}.",
        biped=biped.name,
        limit=most,
        unit="m/s",
    )


def _unit(direction: ArrayLike) -> Array:
    way = np.asarray(direction, dtype=float)
    length = float(np.hypot(*way)) if way.shape == (2,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise BipedError(f"The push's direction is {direction!r}; give two numbers, x and y.")
    return np.asarray(way / length)


def limits_of(stand: PushedStand, inset: float) -> CaptureLimits:
    """The strongest pushes. Args: stand; inset of the commanded ZMP. [m]."""
    return CaptureLimits(
        pendulum=capture_speed(stand.com, stand.support, stand.swaying.direction, stand.omega),
        whole_body=_highest(stand, stand.front),
        commanded=_highest(stand, stand.front - inset),
    )


def _highest(stand: PushedStand, edge: float) -> float:
    """Speed of the centre of mass that just dies out over the edge, the ZMP on it. [m/s].

    With E = ṡ², s̈ = ½·dE/ds makes the motion a linear equation of first order in s, which ends
    with E = 0 where the robot would balance over the edge.

    Raises:
        BipedError: legs that are too short to get there.
    """
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    swaying = stand.swaying
    farthest = float(swaying.center_of_mass(swaying.reach))
    if farthest <= edge:
        raise BipedError(
            f"Such short legs bring the centre of mass to {farthest:.3g} m along the push, not "
            f"over the edge at {edge:.3g} m; lower the pelvis less.",
            value=farthest,
            limit=edge,
            unit="m",
        )
    there = brentq(lambda s: swaying.balance(s, edge)[0], 0.0, swaying.reach, xtol=1e-14)

    def slope(s: float, E: Array) -> Array:
        A0, A1, A2 = swaying.balance(s, edge)
        return np.asarray(-2.0 * (A0 + A2 * E) / A1)

    found = solve_ivp(slope, (there, 0.0), [0.0], rtol=1e-10, atol=1e-14)
    return float(np.sqrt(found.y[0, -1]) * swaying.slope(0.0))
