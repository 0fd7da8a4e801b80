"""LeggedRobot: a two-legged biped with its leg geometry, placed by its feet and centre of mass.

Feet stay flat and parallel to the walk, the pelvis stays upright, the trunk's joints stay at zero;
what is free is where the pelvis is. World axes: x forward, y left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robots.biped.biped import Biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.walking.leg_geometry import Leg, legs_of
from robots.biped.walking.leg_inverse import foot_posture
from robots.core.arrays import Array
from robots.core.model import Model

_SETTLED = 1e-12  # [m] distance of the centre of mass from where it is wanted
_ROUNDS = 25
_PROBE = 1e-4  # [m] step of the slope of the centre of mass over the pelvis' place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placement:
    """Postures of a robot on its feet.

    Args:
        q: # (k, n) [rad]
        T_world_base: # (k, 4, 4)
    """

    q: Array
    T_world_base: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeggedRobot:
    """A robot on two BIP legs.

    Args:
        biped: the robot.

    Raises:
        BipedError: it has not two legs that hang on a pelvis.
    """

    biped: Biped
    legs: tuple[Leg, ...] = field(init=False)
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        if len(self.biped.feet) != 2 or not all(foot.link for foot in self.biped.feet):
            raise BipedError(
                f"{self.biped.name} does not hang on two legs between a pelvis and its feet; a "
                "robot such as bip2000 does.",
                biped=self.biped.name,
            )
        object.__setattr__(self, "legs", legs_of(self.biped))
        object.__setattr__(self, "model", Model(self.biped.mechanism))

    @property
    def ankles(self) -> Array:
        """Ankles of the robot that stands at zero. # (2, 3) [m]."""
        return np.asarray(self.biped.T_world_base[:3, 3] + [leg.ankle for leg in self.legs])

    def upright(self, origin: Array) -> Array:
        """Pose of the base, upright, with its origin at places. # (..., 3) -> (..., 4, 4)."""
        T = np.broadcast_to(self.biped.T_world_base, (*origin.shape[:-1], 4, 4)).copy()
        T[..., :3, 3] = origin
        return T

    def postures(self, origin: Array, ankles: Array) -> Placement:
        """Postures with the pelvis' origin and the ankles at places.

        Args:
            origin: # (..., 3) [m]
            ankles: # (..., 2, 3) [m]

        Raises:
            PostureError: a foot out of a leg's reach; names the foot, the sample and the lengths.
        """
        q = np.zeros((*origin.shape[:-1], self.model.dof))
        for number, leg in enumerate(self.legs):
            T = np.zeros((*origin.shape[:-1], 4, 4))
            T[..., :3, :3] = leg.foot_zero
            T[..., :3, 3] = ankles[..., number, :] - origin
            q[..., leg.columns] = foot_posture(leg, T).q
        return Placement(q=q, T_world_base=self.upright(origin))

    def center_of_mass(self, placement: Placement) -> Array:
        """In the world. # (..., 3) [m]."""
        T = placement.T_world_base
        seen = self.model.center_of_mass(placement.q)
        return np.asarray(np.einsum("...ij,...j->...i", T[..., :3, :3], seen) + T[..., :3, 3])

    def over(self, com: Array, ankles: Array) -> Placement:
        """Postures that put the centre of mass at places.

        Args:
            com: # (k, 3) [m]
            ankles: # (k, 2, 3) [m]

        Raises:
            PostureError: a foot out of reach, or no pelvis' place found.
        """
        origin = com - self._lever()
        placement = self.postures(origin, ankles)
        miss = com - self.center_of_mass(placement)
        slope = self._slope(origin, ankles)
        for _ in range(_ROUNDS):
            if np.abs(miss).max(initial=0.0) < _SETTLED:
                return placement
            origin = origin + np.linalg.solve(slope, miss[..., None])[..., 0]
            placement = self.postures(origin, ankles)
            miss = com - self.center_of_mass(placement)
        worst = int(np.argmax(np.abs(miss).max(axis=-1)))
        raise PostureError(
            f"No place of the pelvis puts the centre of mass of {self.biped.name} where sample "
            f"{worst} wants it: {1e3 * float(np.abs(miss).max()):.3g} mm remain.",
            value=float(np.abs(miss).max()),
            limit=_SETTLED,
            unit="m",
        )

    def _lever(self) -> Array:
        """Centre of mass from the pelvis' origin at zero, a first guess. # (3,) [m]."""
        T = self.biped.T_world_base
        return np.asarray(T[:3, :3] @ self.model.center_of_mass(np.zeros(self.model.dof)))

    def _slope(self, origin: Array, ankles: Array) -> Array:
        """Displacement of the centre of mass per one of the pelvis. # (k, 3, 3)."""
        # Downwards steps only: upwards a nearly stretched leg would not reach.
        here = self.center_of_mass(self.postures(origin, ankles))
        towards = ankles.mean(axis=-2) - origin
        columns = []
        for axis in range(3):
            step = np.zeros_like(origin)
            step[..., axis] = np.where(towards[..., axis] < 0.0, -_PROBE, _PROBE)
            there = self.center_of_mass(self.postures(origin + step, ankles))
            columns.append((there - here) / step[..., axis, None])
        return np.stack(columns, axis=-1)
