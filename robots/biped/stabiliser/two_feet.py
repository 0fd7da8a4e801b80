"""TwoFeet: a robot whose two soles rest on one ground, a closed chain; axes are the ground's.

The first foot holds the base: from there it is seen what the joints do to the second foot and to
the centre of mass. What a step's second order moves the second foot is taken back by the inverse
geometry of its leg, so that both soles stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from robots.biped.biped import Foot
from robots.biped.walking.leg_inverse import foot_posture
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.arrays import Array
from robots.core.model import Model
from robots.core.pose import inverse_pose


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChainRates:
    """What joint speeds do in one posture; ground axes.

    Args:
        com: centre of mass. # (3,) [m]
        com_jacobian: its speed. # (3, n) [m/rad]
        parting: speed of the second foot, linear then angular; zero while both rest. # (6, n)
    """

    com: Array
    com_jacobian: Array
    parting: Array


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
