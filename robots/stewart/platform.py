"""Stewart-Gough platform: its legs and bodies, and the leg vectors and lengths at a pose.

A leg runs from its base point A, in the base frame, to its platform point B, in the platform frame:
a universal joint at A, a cylinder, a piston that slides in it, and a Cardan or spherical joint at
B. The platform frame's pose in the base frame is T_base_platform.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_field, freeze_fields, frozen
from robots.core.mechanism import STANDARD_GRAVITY, Body, checked_placement
from robots.core.pose import ORTHONORMALITY_LIMIT, as_pose
from robots.stewart.errors import PlatformError

LEGS = 6


class LegEnd(Enum):
    """The joint that ties a leg to the platform."""

    SPHERICAL = "spherical"  # the leg is kept from turning about itself by the universal joint
    CARDAN = "cardan"  # two crossed axes; the piston turns in its cylinder instead


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegBodies:
    """Masses of a leg; each body's frame has its z axis along the leg, from base to platform.

    Args:
        cross: of the universal joint, at A.
        cylinder: frame at A.
        piston: frame at B, z still from base to platform.
        end_cross: of a Cardan end, at B.
        end: small last body at B.
    """

    cross: Body = field(default_factory=Body)
    cylinder: Body = field(default_factory=Body)
    piston: Body = field(default_factory=Body)
    end_cross: Body = field(default_factory=Body)
    end: Body = field(default_factory=Body)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leg:
    """One leg.

    Args:
        name: unique on its platform.
        base: point A. Base frame. # (3,) [m]
        platform: point B. Platform frame. # (3,) [m]
        first_axis: of the universal joint, fixed in the base; not along the leg. # (3,) unit
        end: what ties it to the platform.
        min_length: stroke limits, A to B. [m]
        max_length: [m]
        max_speed: of the stroke. [m/s]
        max_acceleration: [m/s²]
        max_force: of its drive. [N]
        base_cone: largest angle between the leg and ``base_direction``. [rad]
        base_direction: middle of that cone. Base frame. # (3,) unit
        platform_cone: likewise at B, between the leg and ``platform_direction``. [rad]
        platform_direction: Platform frame, from B towards A. # (3,) unit
        radius: of the leg as a capsule. [m]
        coulomb: dry friction of the stroke. [N]
        viscous: friction per speed. [N s/m]
        bodies: masses.
    """

    name: str
    base: Array
    platform: Array
    first_axis: Array
    end: LegEnd = LegEnd.SPHERICAL
    min_length: float = 0.0
    max_length: float = np.inf
    max_speed: float = np.inf
    max_acceleration: float = np.inf
    max_force: float = np.inf
    base_cone: float = np.pi
    base_direction: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    platform_cone: float = np.pi
    platform_direction: Array = field(default_factory=lambda: np.array([0.0, 0.0, -1.0]))
    radius: float = 0.0
    coulomb: float = 0.0
    viscous: float = 0.0
    bodies: LegBodies = field(default_factory=LegBodies)

    def __post_init__(self) -> None:
        for what in ("base", "platform"):
            object.__setattr__(self, what, self._vector(what))
        for what in ("first_axis", "base_direction", "platform_direction"):
            vector = self._vector(what)
            length = float(np.linalg.norm(vector))
            if length < 1e-9:
                raise PlatformError(
                    f"Leg {self.name!r}: its {what} {vector.tolist()} has no length."
                )
            unit = vector / length
            freeze_field(self, what, unit)
        if not 0.0 <= self.min_length < self.max_length:
            raise PlatformError(
                f"Leg {self.name!r}: its shortest length {self.min_length:g} m is not below its "
                f"longest {self.max_length:g} m; exchange them or correct one.",
                leg=self.name,
            )

    def _vector(self, what: str) -> Array:
        array = np.array(getattr(self, what), dtype=np.float64)
        if array.shape != (3,) or not np.all(np.isfinite(array)):
            raise PlatformError(
                f"Leg {self.name!r}: its {what} is {array.tolist()}; give three finite numbers.",
                leg=self.name,
            )
        return frozen(array)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Platform:
    """A Stewart-Gough platform.

    Args:
        name: short name, shown everywhere.
        legs: six, in order.
        home: T_base_platform where it rests. # (4, 4)
        body: of the platform, in the platform frame.
        gravity: Base frame. # (3,) [m/s²]
        source: where the numbers come from.

    Raises:
        PlatformError: another number of legs, a name twice, two legs that are the same line.
    """

    name: str
    legs: tuple[Leg, ...]
    home: Array
    body: Body = field(default_factory=Body)
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "legs", tuple(self.legs))
        object.__setattr__(self, "home", checked_placement(self.home, f"{self.name}: home"))
        freeze_fields(self, "gravity", dtype=np.float64)
        if len(self.legs) != LEGS:
            raise PlatformError(
                f"Platform {self.name!r} has {len(self.legs)} legs; a Stewart-Gough platform has "
                f"{LEGS}.",
                found=len(self.legs),
            )
        for k, leg in enumerate(self.legs):
            for other in self.legs[:k]:
                self._check_pair(other, leg)

    def _check_pair(self, one: Leg, other: Leg) -> None:
        if one.name == other.name:
            raise PlatformError(
                f"Platform {self.name!r}: two legs are called {one.name!r}; rename one.",
                leg=one.name,
            )
        same = [
            np.allclose(getattr(one, end), getattr(other, end), atol=1e-12)
            for end in ("base", "platform")
        ]
        if all(same):
            raise PlatformError(
                f"Platform {self.name!r}: legs {one.name!r} and {other.name!r} join the same two "
                "points; one of them does nothing.",
                legs=(one.name, other.name),
            )

    @property
    def base_points(self) -> Array:
        """All A. Base frame. # (6, 3) [m]."""
        return np.array([leg.base for leg in self.legs])

    @property
    def platform_points(self) -> Array:
        """All B. Platform frame. # (6, 3) [m]."""
        return np.array([leg.platform for leg in self.legs])


# -------------------------------------------------------------------------------- Inverse geometry
# Source: [STAICU09] §2 eq. (10): the closure r(A) + leg + R·r(B) of every leg ends at the platform.


def leg_vectors(platform: Platform, T: ArrayLike) -> Array:
    """From A to B of every leg, base frame.

    Args:
        platform: its geometry.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        B - A. # (..., 6, 3) [m]

    Raises:
        PlatformError: another shape, or a number that is not finite.
        PoseError: a matrix that is no rigid transform.
    """
    poses = checked_poses(platform, T)
    arms = platform.platform_points @ np.swapaxes(poses[..., :3, :3], -1, -2)
    return np.asarray(arms + poses[..., None, :3, 3] - platform.base_points)


def lengths(platform: Platform, T: ArrayLike) -> Array:
    """Length of every leg, A to B, at a pose. # (..., 4, 4) -> (..., 6) [m].

    Raises:
        PlatformError: another shape, or a number that is not finite.
    """
    return np.asarray(np.linalg.norm(leg_vectors(platform, T), axis=-1))


def checked_poses(platform: Platform, T: ArrayLike) -> Array:
    """T as an array, refused when it cannot be poses. # (..., 4, 4)."""
    poses = np.asarray(T, dtype=np.float64)
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise PlatformError(
            f"Platform {platform.name!r}: T_base_platform has shape {poses.shape}; its last two "
            "dimensions must be 4 and 4.",
            found=poses.shape,
        )
    if not np.all(np.isfinite(poses)):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(poses))[0])
        raise PlatformError(
            f"Platform {platform.name!r}: T_base_platform holds {poses[index]} at index {index}; "
            "every entry must be finite.",
            index=index,
        )
    if not _rigid(poses):
        as_pose(poses, f"Platform {platform.name!r}: T_base_platform")
    return poses


def _rigid(poses: Array) -> bool:
    """Whether all are rigid transforms; the core then says of one that is not what is wrong."""
    R = poses[..., :3, :3]
    deviation = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    volume = np.einsum("...i,...i->...", np.cross(R[..., 0], R[..., 1]), R[..., 2])
    last = bool(np.all(poses[..., 3, :] == (0.0, 0.0, 0.0, 1.0)))
    return last and deviation <= ORTHONORMALITY_LIMIT and bool(np.all(volume > 0.0))
