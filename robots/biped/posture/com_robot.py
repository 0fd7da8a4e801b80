"""The virtual robot whose tip is the leg's centre of mass.

With the bodies' centres of mass on the segments, the centre of mass of the whole leg has the very
form of the leg's forward geometry, with other lengths. So a leg that is to move its centre of mass
is a robot without mass that moves its tip.

Axes are the source's, at the ankle: x up along the stretched leg, z forward, y right; q1 turns
about z (the leg sways sideways), q2, q3, q4 about −y (forward when positive).

Source: [GASTEBOIS17] §2.5.3 eqs. (36)-(44). Erratum: the third coordinate of G4 in (36) is printed
without the fourth segment; it is s2·l2 + s23·l3 + s234·l4cdg, as (38)-(40) go on with. The second
system of (42) lacks the line of l4G, which is m4·l4cdg/m234.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.core.arrays import Array

_JOINTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AxialLeg:
    """A leg of four joints with its masses on its segments: shank 2, thigh 3, trunk 4.

    Args:
        m2: shank; m3 thigh; m4 what stands on the hip. [kg]
        m3: thigh. [kg]
        m4: trunk. [kg]
        l2: ankle to knee. [m]
        l3: knee to hip. [m]
        l2_cdg: ankle to the shank's centre of mass. [m]
        l3_cdg: knee to the thigh's. [m]
        l4_cdg: hip to the trunk's. [m]

    Raises:
        BipedError: a value that is not finite, a negative mass, or no mass at all.
    """

    m2: float
    m3: float
    m4: float
    l2: float
    l3: float
    l2_cdg: float
    l3_cdg: float
    l4_cdg: float

    def __post_init__(self) -> None:
        values = [getattr(self, name) for name in self.__slots__]
        if not np.all(np.isfinite(values)) or min(self.masses) < 0.0 or not sum(self.masses) > 0.0:
            raise BipedError(
                f"A leg has masses {', '.join(f'{m:g}' for m in self.masses)} kg and lengths "
                f"{', '.join(f'{x:g}' for x in values[3:])} m; they must be finite, no mass below "
                "zero and one above it."
            )

    @property
    def masses(self) -> tuple[float, float, float]:
        """Of the three bodies. [kg]."""
        return (self.m2, self.m3, self.m4)

    def centres(self, q: ArrayLike) -> Array:
        """Centres of mass G2, G3, G4, eq. (36) corrected. # (..., 4) -> (..., 3, 3) [m]."""
        ends = (
            (self.l2_cdg, 0.0, 0.0),
            (self.l2, self.l3_cdg, 0.0),
            (self.l2, self.l3, self.l4_cdg),
        )
        return np.stack([_tip(_checked(q), lengths) for lengths in ends], axis=-2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComRobot:
    """The virtual robot: the leg's joints, massless segments, its tip the centre of mass.

    Args:
        l2_g: equivalent lengths, eq. (42). [m]
        l3_g: [m]
        l4_g: [m]
    """

    l2_g: float
    l3_g: float
    l4_g: float

    def position(self, q: ArrayLike) -> Array:
        """Centre of mass from the ankle, eq. (41). # (..., 4) -> (..., 3) [m]."""
        return _tip(_checked(q), (self.l2_g, self.l3_g, self.l4_g))

    def pose(self, q: ArrayLike) -> Array:
        """Pose of the tip, eq. (44). # (..., 4) -> (..., 4, 4)."""
        angles = _checked(q)
        c1, s1 = np.cos(angles[..., 0]), np.sin(angles[..., 0])
        turn = np.sum(angles[..., 1:], axis=-1)
        c, s = np.cos(turn), np.sin(turn)
        T = np.zeros((*angles.shape[:-1], 4, 4))
        T[..., 0, :3] = np.stack([c1 * c, -c1 * s, s1], axis=-1)
        T[..., 1, :3] = np.stack([s1 * c, -s1 * s, -c1], axis=-1)
        T[..., 2, :2] = np.stack([s, c], axis=-1)
        T[..., :3, 3] = self.position(angles)
        T[..., 3, 3] = 1.0
        return T

    def jacobian(self, q: ArrayLike) -> Array:
        """Velocity of the centre of mass per joint speed, the rows of (7). # -> (..., 3, 4)."""
        angles = _checked(q)
        c1, s1 = np.cos(angles[..., 0]), np.sin(angles[..., 0])
        turns = np.cumsum(angles[..., 1:], axis=-1)
        lengths = np.array([self.l2_g, self.l3_g, self.l4_g])
        # From joint k on: how far the tip is above and in front of it.
        above = np.cumsum((np.cos(turns) * lengths)[..., ::-1], axis=-1)[..., ::-1]
        front = np.cumsum((np.sin(turns) * lengths)[..., ::-1], axis=-1)[..., ::-1]
        J = np.zeros((*angles.shape[:-1], 3, _JOINTS))
        J[..., 0, 0] = -s1 * above[..., 0]
        J[..., 1, 0] = c1 * above[..., 0]
        J[..., 0, 1:] = -c1[..., None] * front
        J[..., 1, 1:] = -s1[..., None] * front
        J[..., 2, 1:] = above
        return J


def com_robot(leg: AxialLeg) -> ComRobot:
    """The virtual robot of a leg.

    Source: [GASTEBOIS17] eq. (42), with the line of l4G
    """
    total = sum(leg.masses)
    return ComRobot(
        l2_g=(leg.m2 * leg.l2_cdg + leg.m3 * leg.l2 + leg.m4 * leg.l2) / total,
        l3_g=(leg.m3 * leg.l3_cdg + leg.m4 * leg.l3) / total,
        l4_g=leg.m4 * leg.l4_cdg / total,
    )


def _tip(q: Array, lengths: tuple[float, float, float]) -> Array:
    turns = np.cumsum(q[..., 1:], axis=-1)
    above = np.cos(turns) @ np.array(lengths)
    front = np.sin(turns) @ np.array(lengths)
    return np.stack([np.cos(q[..., 0]) * above, np.sin(q[..., 0]) * above, front], axis=-1)


def _checked(q: ArrayLike) -> Array:
    angles = np.asarray(q, dtype=np.float64)
    if angles.ndim == 0 or angles.shape[-1] != _JOINTS or not np.all(np.isfinite(angles)):
        raise BipedError(
            f"The virtual robot got joint angles of shape {angles.shape}; "
            f"it has {_JOINTS} joints, each with a finite angle in radians.",
            shape=angles.shape,
        )
    return angles
