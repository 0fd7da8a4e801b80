"""The position follower: torques with which the physical leg keeps to the stabiliser's set-points.

Computed torque on the measured tilt of the ground and its speed: gravity and the motion of leg and
ground are fed forward; the ground's acceleration is not known to it and remains a disturbance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robots.biped.errors import BipedError
from robots.biped.stabiliser.tilting_ground import Tilt, leg_torques
from robots.core.arrays import Array
from robots.core.equations.algebra import Functions
from robots.core.equations.tree import Tree
from robots.core.mechanism import Mechanism

Scalar = Any
Joints = Sequence[Scalar]


class Reference(NamedTuple):
    """What the joints are to do now, as scalars."""

    q: Joints  # [rad]
    qd: Joints  # [rad/s]
    qdd: Joints  # [rad/s²]


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Gains of the follower; errors decay as a second-order system, the same for all joints.

    Args:
        frequency: natural frequency of an error. [rad/s]
        damping: its damping ratio. []
        torque_limits: greatest torques; default the mechanism's own. Zero lets the leg swing
            freely. # (n,) [N m]

    Raises:
        BipedError: a gain or a limit below zero.
    """

    frequency: float = 40.0
    damping: float = 1.0
    torque_limits: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        limits = self.torque_limits or ()
        named = [("frequency", self.frequency), ("damping", self.damping)]
        for name, value in (*named, *(("torque limit", limit) for limit in limits)):
            if not value >= 0.0:
                raise BipedError(f"The follower's {name} is {value!r}; it must be zero or more.")

    def numbers(self, mechanism: Mechanism) -> Array:
        """Stiffness, damping and torque limits in one row.

        Raises:
            BipedError: another number of limits than joints.
        """
        limits = mechanism.max_effort if self.torque_limits is None else self.torque_limits
        if len(limits) != mechanism.dof:
            raise BipedError(
                f"The follower has {len(limits)} torque limits for {mechanism.dof} joints."
            )
        stiffness = self.frequency**2
        return np.array([stiffness, 2.0 * self.damping * self.frequency, *limits])


def follower_torques(
    tree: Tree,
    tilt: Tilt,
    state: tuple[Joints, Joints],
    goal: tuple[Reference, Sequence[Scalar]],
    fn: Functions,
) -> list[Scalar]:
    """Torques of one cycle, within their limits. # (n,) [N m].

    Args:
        tree: the leg on its ground.
        tilt: of the ground; its acceleration is not looked at.
        state: measured joint positions and speeds.
        goal: the reference, and the gains as ``Follower.numbers`` gives them.
        fn: functions of the scalars.
    """
    reference, (stiffness, damping, *limits) = goal
    wanted = [
        qdd + stiffness * (q_goal - q) + damping * (qd_goal - qd)
        for q_goal, qd_goal, qdd, q, qd in zip(*reference, *state, strict=True)
    ]
    measured = Tilt(tilt.angle, tilt.speed, (0.0, 0.0))
    tau = leg_torques(tree, measured, (*state, wanted), fn)
    return [
        -fn.maximum(-fn.maximum(x, -limit), -limit) for x, limit in zip(tau, limits, strict=True)
    ]
