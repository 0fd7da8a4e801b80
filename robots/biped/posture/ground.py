"""Ground: the plane that a robot stands on, tilted by α and β; names of directions.

World axes here are x forward, y left, z up. The source's world has x up, z forward and therefore y
to the right; ``R_WORLD_SOURCE`` carries its vectors over. In the source the ground turns by α about
its z (forward), then by β about −y (left); here that is roll by α about x, then pitch by β about y:
R = Rx(α)·Ry(β). A positive β lowers the ground in front of the robot.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.core.arrays import Array, freeze_field, frozen
from robots.core.pose import make_pose, rotation_x, rotation_y

R_WORLD_SOURCE = frozen([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]], np.float64)
_STEEPEST = np.radians(89.0)


def ground_axes(tilts: ArrayLike) -> Array:
    """Axes of tilted grounds in the world, Rx(α)·Ry(β). # (..., 2) [rad] -> (..., 3, 3).

    Source: [GASTEBOIS17] §2.5.5 eqs. (45)-(46)
    """
    angles = np.asarray(tilts, dtype=np.float64)
    return np.asarray(rotation_x(angles[..., 0]) @ rotation_y(angles[..., 1]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """A plane through a point of the world.

    Args:
        alpha: roll about the world's x (forward). [rad]
        beta: pitch about the rolled y (left); positive lowers the front. [rad]
        point: that the plane turns about and passes through. # (3,) [m]

    Raises:
        BipedError: an angle or a point that is not finite, or a wall instead of a ground.

    Source: [GASTEBOIS17] §2.5.5 eqs. (45)-(46)
    """

    alpha: float = 0.0
    beta: float = 0.0
    point: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            angle = getattr(self, name)
            if not abs(angle) <= _STEEPEST:
                raise BipedError(
                    f"The ground's {name} is {np.degrees(angle):.6g} deg; it must be finite and "
                    f"within ±{np.degrees(_STEEPEST):.0f} deg.",
                    name=name,
                    value=angle,
                    limit=_STEEPEST,
                    unit="rad",
                )
        point = np.array(self.point, dtype=np.float64)
        if point.shape != (3,) or not np.all(np.isfinite(point)):
            raise BipedError(
                f"The ground's point is {self.point!r}; give three finite numbers in metres."
            )
        freeze_field(self, "point", point)

    @property
    def rotation(self) -> Array:
        """Axes of the ground in the world: along it forward, along it left, normal. # (3, 3)."""
        return ground_axes((self.alpha, self.beta))

    @property
    def normal(self) -> Array:
        """Upward unit normal. # (3,)."""
        return self.rotation[:, 2]

    @property
    def T_world_ground(self) -> Array:
        """Pose of the ground's frame. # (4, 4)."""
        return make_pose(self.rotation, self.point)

    def clearance(self, points: ArrayLike) -> Array:
        """Distance of points above the plane, along its normal. # (..., 3) -> (...) [m]."""
        return np.asarray((np.asarray(points, dtype=np.float64) - self.point) @ self.normal)

    def below(self, points: ArrayLike) -> Array:
        """Points of the plane straight below (or above) others. # (..., 2 or 3) -> (..., 3) [m]."""
        across = np.asarray(points, dtype=np.float64)[..., :2]
        n = self.normal
        height = self.point[2] - (across - self.point[:2]) @ n[:2] / n[2]
        return np.concatenate([across, np.asarray(height)[..., None]], axis=-1)


# ---------------------------------------------------------------------------------------- Headings

WAYS = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_SAME = 1e-9


def heading(unit: ArrayLike) -> str:
    """Where a unit vector goes, in a word where there is one. # (2,)."""
    way = np.asarray(unit, dtype=float)
    for word, there in WAYS.items():
        if np.abs(way - there).max() < _SAME:
            return word
    return f"towards ({way[0]:.3g}, {way[1]:.3g})"
