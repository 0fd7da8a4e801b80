"""The postural stabiliser of a robot on two feet: kinematic, over the polygon that they span.

The same fields and the same virtual mass at the centre of mass as for the leg; its speed becomes
joint speeds of a closed chain, in which both soles rest. Limits of speed, acceleration and position
of the joints are kept; of position the tighter stops, where the biped has them: they keep the knees
off the straight leg, from where no joint moves the pelvis up. The physical robot is taken to follow
exactly.

Source: [GASTEBOIS17] §2.5.4-2.5.12, for any convex polygon; decision 7 of sources.md
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from robots.biped.posture.ground import ground_axes
from robots.biped.stabiliser.closed_speeds import SpeedTask, closed_speeds
from robots.biped.stabiliser.fields import attraction, repulsion, walls_of
from robots.biped.stabiliser.gains import Gains
from robots.biped.stabiliser.starting_posture import starting_posture
from robots.biped.stabiliser.two_feet import TwoFeet
from robots.biped.stabiliser.virtual_robot import (
    Tip,
    VirtualNumbers,
    virtual_numbers,
    wanted_speed,
)
from robots.core.arrays import Array
from robots.core.equations.algebra import numbers

Point = tuple[float, float]

PERIOD = 0.01  # [s]
_BRAKING = 0.5  # [rad/s²] of a joint that comes near its limit
_INSET = 1e-3  # [rad] from the limits; closing the chain moves a joint by less


class _Seen(NamedTuple):
    """The robot in the world at an instant."""

    tip: Tip
    parting: Array  # (6, n)
    walls: Array  # distances of the centre of mass to the walls (m,) [m]
    force: Point  # of the fields, zero outside a wall [N]


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoFeetStabiliser:
    """The stabiliser of a robot on two feet.

    Args:
        chain: the robot on its feet.
        corners: of the polygon that they span, on level ground, counter-clockwise. # (m, 2) [m]
        posture: that the motion starts from. # (n,) [rad]
        gains: of fields and virtual robot; the follower's do not count.
        period: [s]

    Raises:
        PostureError: a joint of the posture past its stop.
        BipedError: gains that do not fit the robot.
    """

    chain: TwoFeet
    corners: Array
    posture: Array
    gains: Gains
    period: float = PERIOD

    def __post_init__(self) -> None:
        starting_posture(self.chain.robot.biped, self.posture, self.limits)
        self.gains.fields.numbers(len(self.corners))
        self.gains.virtual.numbers(self.chain.robot.biped.mechanism, self.period)

    @property
    def limits(self) -> Array:
        """Of the joints' positions. # (2, n) [rad]."""
        return np.asarray(self.chain.robot.biped.q_stops)

    @cached_property
    def values(self) -> VirtualNumbers:
        """Constants of the virtual robot."""
        mechanism = self.chain.robot.biped.mechanism
        flat = self.gains.virtual.numbers(mechanism, self.period)
        return virtual_numbers(flat.tolist(), mechanism.dof)

    @cached_property
    def altitude(self) -> float:
        """Of the centre of mass at the start. [m]."""
        return float(self.chain.rates(self.posture).com[2])

    def postures(self, ground: Array) -> Array:
        """Set-points on a ground that moves. # (k, 4 or more) -> (k, n) [rad].

        Args:
            ground: α, β and their speeds, one period after the other.

        Raises:
            PostureError: a leg too short for what is asked of it.
        """
        q, qd, fallen = self.posture, np.zeros_like(self.posture), False
        found = [q]
        for tilt in ground[:-1]:
            seen = self._seen(q, tilt)
            fallen = fallen or bool(seen.walls.min() <= 0.0)
            qd = self._speeds(q, qd, seen, on=not fallen)
            q = self.chain.closed(q + self.period * qd)
            found.append(q)
        return np.array(found)

    def _seen(self, q: Array, tilt: Array) -> _Seen:
        fn, rates, axes = numbers(), self.chain.rates(q), ground_axes(tilt[:2])
        com = axes @ rates.com
        carried = np.cross([tilt[2], 0.0, 0.0] + tilt[3] * axes[:, 1], com)
        x, y, z = axes @ rates.com_jacobian
        corners = np.pad(self.corners, ((0, 0), (0, 1))) @ axes.T
        walls = walls_of(corners[:, :2].tolist(), fn)
        place = (float(com[0]), float(com[1]))
        distances = np.array([wall.distance(place) for wall in walls])
        force = (0.0, 0.0)
        if distances.min() > 0.0:
            gains = self.gains.fields.numbers(len(walls))
            aim = (axes @ [*self._target, 0.0])[:2].tolist()
            parts = repulsion(walls, gains, place, fn), attraction(aim, gains, place, fn)
            force = (parts[0][0] + parts[1][0], parts[0][1] + parts[1][1])
        tip = Tip((*place, float(com[2])), (x, y, z), tuple(carried.tolist()))
        return _Seen(tip, rates.parting, distances, force)

    @cached_property
    def _target(self) -> Point:
        """Place of the attractor on the level ground. [m]."""
        target = self.gains.fields.target
        centre = self.corners.mean(axis=0)
        return (float(centre[0]), float(centre[1])) if target is None else target

    def _speeds(self, q: Array, qd: Array, seen: _Seen, *, on: bool) -> Array:
        """Joint speeds of the next period; a fallen robot brakes. # (n,) [rad/s]."""
        values = self.values
        missing = self.altitude - seen.tip.position[2]
        wanted = np.array(wanted_speed(values, seen.tip, qd.tolist(), (seen.force, missing)))
        weights = np.array([1.0, 1.0, values.altitude_weight])
        lower, upper = self._bounds(q, qd)
        return closed_speeds(
            SpeedTask(
                closure=seen.parting,
                jacobian=weights[:, None] * np.array(seen.tip.jacobian),
                wanted=on * weights * wanted,
                damping=float(np.sqrt(values.regularisation)),
                rest=on * values.posture_gain * (self.posture - q),
                mobility=np.asarray(values.mobility),
                lower=lower,
                upper=upper,
            )
        )

    def _bounds(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Speeds that keep the limits of position, speed and acceleration. # two (n,) [rad/s].

        √(c² + 2·a·x) - c with c = a·T is the speed from which braking by a ends before the limit at
        distance x. It is slow braking: others take over from the joint meanwhile.
        """
        top = np.asarray(self.values.max_speed)
        step = self.period * np.asarray(self.values.max_acceleration)

        def braking(room: Array) -> Array:
            slow = _BRAKING * self.period
            away = np.sqrt(slow * slow + 2.0 * _BRAKING * np.maximum(room, 0.0)) - slow
            return np.asarray(np.minimum(top, away))

        low, high = np.add(self.limits, [[_INSET], [-_INSET]])
        lower = np.clip(-braking(q - low), qd - step, qd + step)
        upper = np.clip(braking(high - q), qd - step, qd + step)
        return lower, upper
