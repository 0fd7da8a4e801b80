"""Postural stabiliser of a robot on two feet: kinematic, over a closed chain.

The same fields and the same virtual mass at the centre of mass as for the leg; its speed becomes
joint speeds of a closed chain, in which both soles rest. Limits of speed, acceleration and position
of the joints are kept; of position the tighter stops, where the biped has them: they keep the knees
off the straight leg, from where no joint moves the pelvis up. The physical robot is taken to follow
exactly.

Source: [GASTEBOIS17] §2.5.4-2.5.12, for any convex polygon; decision 7 of sources.md
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from robots.biped.biped import Foot
from robots.biped.posture.ground import ground_axes
from robots.biped.stabiliser.fields import attraction, repulsion, walls_of
from robots.biped.stabiliser.leg_stabiliser import Gains, starting_posture
from robots.biped.stabiliser.virtual_robot import (
    VirtualNumbers,
    VirtualTip,
    desired_speed,
    virtual_numbers,
)
from robots.biped.walking.legged_robot import LeggedRobot, foot_posture
from robots.core.arrays import Array
from robots.core.equations.algebra import numbers
from robots.core.model import Model
from robots.core.pose import inverse_pose

Point = tuple[float, float]
PERIOD = 0.01  # [s]
_BRAKING = 0.5  # [rad/s²] of a joint that comes near its limit
_INSET = 1e-3  # [rad] from the limits; closing the chain moves a joint by less


class _Seen(NamedTuple):
    """The robot in the world at an instant."""

    tip: VirtualTip
    parting: Array  # (6, n)
    walls: Array  # distances of the centre of mass to the walls (m,) [m]
    force: Point  # of the fields, zero outside a wall [N]


# ------------------------------------------------------------------------- Two soles on one ground
# The first foot holds the base: from there it is seen what the joints do to the second foot and to
# the centre of mass. What a step's second order moves the second foot is taken back by the inverse
# geometry of its leg, so that both soles stay where they are.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoFeet:
    """A robot on two BIP legs whose feet stay where they are.

    Args:
        robot: with its legs.
        T_ground_feet: where its feet's links are. # two (4, 4)
    """

    robot: LeggedRobot
    T_ground_feet: tuple[Array, ...]
    models: tuple[Model, ...] = field(init=False)

    def __post_init__(self) -> None:
        models = tuple(self._model(foot) for foot in self.robot.biped.feet)
        object.__setattr__(self, "models", models)

    def base(self, q: Array) -> Array:
        """Pose of the base on the ground. # (..., n) -> (..., 4, 4)."""
        return self.T_ground_feet[0] @ inverse_pose(self.models[0].forward(q))

    def rates(self, q: Array) -> ChainRates:
        """What joint speeds do. # (n,) [rad]."""
        first, second = self.models
        T, J = first.forward(q), first.jacobian(q)
        J_second, com = second.jacobian(q), first.center_of_mass(q)
        away = second.forward(q)[:3, 3] - T[:3, 3]
        # Speeds of two points that are fixed to the first foot, seen from the base.
        beside, below = (J[:3] + np.cross(J[3:], p, axis=0) for p in (away, com - T[:3, 3]))
        T_ground_base = self.T_ground_feet[0] @ inverse_pose(T)
        R = T_ground_base[:3, :3]
        return ChainRates(
            com=R @ com + T_ground_base[:3, 3],
            com_jacobian=R @ (first.center_of_mass_jacobian(q) - below),
            parting=np.concatenate([R @ (J_second[:3] - beside), R @ (J_second[3:] - J[3:])]),
        )

    def closed(self, q: Array) -> Array:
        """The posture with the second leg's joints as its resting foot asks for. # (n,) [rad].

        Raises:
            PostureError: the second foot is out of its leg's reach.
        """
        seen = inverse_pose(self.base(q)) @ self.T_ground_feet[1]
        # The leg's geometry sees places from the base in the world's axes of the zero posture.
        upright = self.robot.biped.T_world_base[:3, :3]
        seen = np.block([[upright @ seen[:3]], [seen[3:]]])
        leg, found = self.robot.legs[1], q.copy()
        found[list(leg.columns)] = foot_posture(leg, seen).q
        return found

    def _model(self, foot: Foot) -> Model:
        mechanism = self.robot.biped.mechanism
        held = replace(mechanism, tool=np.eye(4), tool_joint=mechanism.index(foot.link))
        return Model(held, engine="compiled")


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
        tip = VirtualTip((*place, float(com[2])), (x, y, z), tuple(carried.tolist()))
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
        wanted = np.array(desired_speed(values, seen.tip, qd.tolist(), (seen.force, missing)))
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChainRates:
    """Jacobians of one posture; ground axes.

    Args:
        com: centre of mass. # (3,) [m]
        com_jacobian: its speed. # (3, n) [m/rad]
        parting: speed of the second foot, linear then angular; zero while both rest. # (6, n)
    """

    com: Array
    com_jacobian: Array
    parting: Array


# ---------------------------------------------------------------- Joint speeds of the closed chain
# The thesis' damped pseudo-inverse, weighted by tasks and joints, is the least of
#
#     Σ (q̇ − q̇0)²/w + Σ (J·q̇ − v)²/λ²
#
# Here it is sought among the speeds within bounds, and with the closure as rows of so great a
# weight that the feet hold: a joint at its limit is relieved by the others, smoothly.

_CLOSURE = 1e-6  # [m/s] speed of a foot that weighs as much as 1 rad/s of a joint
_ENOUGH = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpeedTask:
    """Velocity task of n joints.

    Args:
        closure: speeds that must be zero, per joint speed. # (c, n)
        jacobian: of the task. # (m, n)
        wanted: speed of the task. # (m,)
        damping: λ of the task.
        rest: joint speeds that are wanted where the task does not care. # (n,)
        mobility: weight w of each joint. # (n,)
        lower: bounds of the joint speeds. # (n,)
        upper: # (n,)
    """

    closure: Array
    jacobian: Array
    wanted: Array
    damping: float
    rest: Array
    mobility: Array
    lower: Array
    upper: Array


def closed_speeds(task: SpeedTask) -> Array:
    """The joint speeds. # (n,)."""
    from scipy.optimize import lsq_linear

    ease = 1.0 / np.sqrt(task.mobility)
    rows = np.concatenate([task.closure / _CLOSURE, task.jacobian / task.damping, np.diag(ease)])
    sides = np.concatenate(
        [np.zeros(len(task.closure)), task.wanted / task.damping, ease * task.rest]
    )
    speeds = np.linalg.lstsq(rows, sides, rcond=None)[0]
    if (speeds < task.lower).any() or (speeds > task.upper).any():
        apart = np.maximum(task.upper, task.lower + _ENOUGH)
        speeds = lsq_linear(rows, sides, (task.lower, apart), method="bvls", tol=_ENOUGH).x
    return np.asarray(speeds)
