"""Swaying: the pelvis glides over fixed feet along a line; one coordinate is the whole robot.

The knees keep their angle, so the hips move on spheres about the ankles while the trunk stays
upright: the plain ankle strategy in any direction. With the pelvis' displacement s as the one
coordinate, q, the centre of mass and the ground's push are functions of (s, ṡ, s̈), and the push is
W = W0(s) + W1(s)·s̈ + W2(s)·ṡ², exactly, from the full dynamics. So the acceleration that puts the
ZMP on a wanted place is solved for in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from robots.biped.errors import BipedError
from robots.biped.walking.free_base import FreeBase, FreeState
from robots.biped.walking.legged_robot import LeggedRobot, Placement
from robots.core.arrays import Array

_FARTHEST = 0.45  # [m] displacement of the pelvis that the tables go to, either way
_STEP = 0.005  # [m] of the tables


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sway:
    """A swaying robot over s, the pelvis' displacement; splines of degree five.

    Args:
        free: the robot.
        direction: horizontal unit vector that the pelvis moves along. # (2,)
        reach: s goes from -reach to reach. [m]
        path: coordinates of ``FreeBase`` over s. # -> (..., 6 + n)
        tables: over s: centre of mass along the direction, its slope, then the tipping moment about
            the world's origin and the vertical push, three terms each. # -> (..., 8)
    """

    free: FreeBase
    direction: Array
    reach: float
    path: Any
    tables: Any

    def center_of_mass(self, s: float | Array) -> Array:
        """Along the direction. [m]."""
        return np.asarray(self.tables(s)[..., 0])

    def slope(self, s: float | Array) -> Array:
        """Speed of the centre of mass along the direction per ṡ."""
        return np.asarray(self.tables(s)[..., 1])

    def balance(self, s: float | Array, zmp: float | Array) -> Array:
        """A0, A1, A2 of 0 = A0 + A1·s̈ + A2·ṡ², which puts the ZMP on a place. # (..., 3)."""
        found = self.tables(s)
        return np.asarray(found[..., 2:5] - np.asarray(zmp)[..., None] * found[..., 5:8])

    def acceleration(self, s: float, sd: float, zmp: float) -> float:
        """s̈ with the ZMP on a place along the direction. [m/s²]."""
        A0, A1, A2 = self.balance(s, zmp)
        return -float((A0 + A2 * sd * sd) / A1)

    def state(self, s: Array, sd: Array, sdd: Array) -> FreeState:
        """Coordinates and rates. # (k,) each."""
        dx, ddx = self.path(s, 1), self.path(s, 2)
        return FreeState(
            x=self.path(s),
            xd=dx * sd[:, None],
            xdd=dx * sdd[:, None] + ddx * (sd * sd)[:, None],
        )


def sway(robot: LeggedRobot, free: FreeBase, direction: Array, lowering: float = 0.0) -> Sway:
    """The robot that sways about its standing place.

    Args:
        robot: with its legs.
        free: the same with its free base.
        direction: horizontal unit vector. # (2,)
        lowering: of the pelvis at s = 0. [m]

    Raises:
        BipedError: a pelvis that would be raised, or as low as its feet.
        PostureError: legs that cannot be that short.
    """
    from scipy.interpolate import make_interp_spline

    stretched = float(robot.legs[0].hip[2] - robot.legs[0].ankle[2])
    if not 0.0 <= lowering < stretched:
        raise BipedError(
            f"The pelvis is lowered by {lowering:g} m; it must be 0 or more, and less than the "
            f"{stretched:.3g} m of the legs.",
            value=lowering,
            limit=stretched,
            unit="m",
        )
    height = stretched - lowering
    s = _stations(min(_FARTHEST, 0.6 * height))
    path = make_interp_spline(s, _coordinates(robot, free, direction, (s, height)), k=5)
    return Sway(
        free=free,
        direction=direction,
        reach=float(s[-1]),
        path=path,
        tables=make_interp_spline(s, _tables(free, direction, path, s), k=5),
    )


def _tables(free: FreeBase, direction: Array, path: Any, s: Array) -> Array:
    """Columns of ``Sway.tables``. # (m, 8)."""
    x, dx, ddx = path(s), path(s, 1), path(s, 2)
    still = np.zeros_like(x)
    rest, driven, moving = (
        _about_origin(free, FreeState(x=x, xd=xd, xdd=xdd), direction)
        for xd, xdd in ((still, still), (still, dx), (dx, ddx))
    )
    terms = np.stack([rest, driven - rest, moving - rest], axis=-1)
    com = free.model.center_of_mass(x)[:, :2] @ direction
    J = free.model.center_of_mass_jacobian(x)[:, :2]
    slope = np.einsum("a,kai,ki->k", direction, J, dx)
    return np.column_stack([com, slope, terms[:, 0], terms[:, 1]])


def _stations(farthest: float) -> Array:
    count = round(farthest / _STEP)
    return np.linspace(-count * _STEP, count * _STEP, 2 * count + 1)


def _coordinates(
    robot: LeggedRobot, free: FreeBase, direction: Array, path: tuple[Array, float]
) -> Array:
    s, height = path
    up = np.sqrt((height - s) * (height + s)) + robot.ankles[0, 2] - robot.legs[0].hip[2]
    home = np.broadcast_to(robot.biped.T_world_base[:2, 3], (len(s), 2))
    origin = np.column_stack([home + s[:, None] * direction, up])
    placed: Placement = robot.postures(origin, np.broadcast_to(robot.ankles, (len(s), 2, 3)))
    return free.coordinates(placed.q, placed.T_world_base)


def _about_origin(free: FreeBase, state: FreeState, direction: Array) -> Array:
    """Tipping moment about the world's origin, and vertical push. # (m, 2) [N m, N]."""
    push = free.push(state, free.efforts(state))
    tipping = direction[1] * push.moment[:, 0] - direction[0] * push.moment[:, 1]
    return np.column_stack([tipping, push.force[:, 2]])
