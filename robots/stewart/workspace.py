"""Slices of the workspace: where the platform can go in one orientation, how it can tilt in place.

Both are found in polar coordinates about a feasible centre: every ray is followed in steps until a
limit breaks, then bisected to rounding. So a slice is the region that is seen from its centre; what
lies behind a forbidden strip, or a strip thinner than a step, is not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices
from robots.core.pose import rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.limits import LimitColumn, PoseLimits
from robots.stewart.platform import lengths

DIRECTIONS = 180
LARGEST_TILT = np.radians(120.0)
_STEPS = 128  # of a ray
_BISECTIONS = 45
_GRID = 21  # points along a side of the search for a centre
_FREE = -1  # no limit stopped the ray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkspaceSlice:
    """A region of a plane, as rays from a centre.

    Args:
        centre: # (2,) [m or rad]
        direction: of the rays, evenly round the circle. # (n,) [rad]
        reach: how far each ray stays within all limits. # (n,) [m or rad]
        stopped_by: index of the limit that each ray meets; -1 where the search ended. # (n,)
        columns: the limits.
        unit: "m" or "rad".
    """

    centre: Array
    direction: Array
    reach: Array
    stopped_by: Indices
    columns: tuple[LimitColumn, ...]
    unit: str

    @property
    def empty(self) -> bool:
        """Whether no pose of the plane is feasible."""
        return not np.any(self.reach)

    @property
    def points(self) -> Array:
        """The boundary. # (n, 2) [m or rad]."""
        ray = np.stack([np.cos(self.direction), np.sin(self.direction)], axis=-1)
        return np.asarray(self.centre + self.reach[:, None] * ray)

    @property
    def area(self) -> float:
        """Half the integral of the squared reach over the circle. [m² or rad²]."""
        return float(np.pi * np.mean(self.reach**2))

    @property
    def area_doubt(self) -> float:
        """What half as many rays change in the area. [m² or rad²]."""
        return abs(self.area - float(np.pi * np.mean(self.reach[::2] ** 2)))


def position_slice(
    limits: PoseLimits,
    height: float,
    *,
    rotation: ArrayLike | None = None,
    centre: ArrayLike | None = None,
    directions: int = DIRECTIONS,
    largest: float | None = None,
) -> WorkspaceSlice:
    """Where the platform frame's origin can go in a level plane, in one orientation.

    Args:
        limits: of the platform.
        height: of the plane. [m]
        rotation: of the platform; default: as at home. # (3, 3)
        centre: x, y of the rays' start; default: home, or else the best place of a grid. # (2,) [m]
        directions: number of rays.
        largest: end of the search; default: what the longest legs could reach. [m]

    Raises:
        PlatformError: a number that is not finite, too few directions.
    """
    home = limits.platform.home
    R = home[:3, :3] if rotation is None else np.asarray(rotation, dtype=np.float64)
    extent = _extent(limits) if largest is None else largest

    def poses(places: Array) -> Array:
        T = np.zeros((*places.shape[:-1], 4, 4))
        T[..., :3, :3], T[..., :2, 3], T[..., 2, 3], T[..., 3, 3] = R, places, height, 1.0
        return T

    start = home[:2, 3] if centre is None else np.asarray(centre, dtype=np.float64)
    if centre is None and limits.worst(poses(start)) < 0.0:
        start = _best_place(limits, poses, start, extent)
    return _polar(limits, poses, start, _Rays(directions, extent, "m"))


def orientation_slice(
    limits: PoseLimits,
    *,
    position: ArrayLike | None = None,
    torsion: float = 0.0,
    directions: int = DIRECTIONS,
    largest: float = LARGEST_TILT,
) -> WorkspaceSlice:
    """How the platform can tilt in one place: R = exp(tilt about a level axis)·Rz(torsion)·R_home.

    The plane's coordinates are the tilt's rotation vector: angles about the base's x and y.

    Args:
        limits: of the platform.
        position: of the platform frame's origin; default: home. # (3,) [m]
        torsion: about the base's z, before the tilt. [rad]
        directions: number of level axes.
        largest: end of the search. [rad]

    Raises:
        PlatformError: a number that is not finite, too few directions.
    """
    home = limits.platform.home
    p = home[:3, 3] if position is None else np.asarray(position, dtype=np.float64)
    turned = rotation_exp(np.array([0.0, 0.0, torsion])) @ home[:3, :3]

    def poses(tilts: Array) -> Array:
        T = np.zeros((*tilts.shape[:-1], 4, 4))
        vector = np.concatenate([tilts, np.zeros_like(tilts[..., :1])], axis=-1)
        T[..., :3, :3] = rotation_exp(vector) @ turned
        T[..., :3, 3], T[..., 3, 3] = p, 1.0
        return T

    return _polar(limits, poses, np.zeros(2), _Rays(directions, largest, "rad"))


@dataclass(frozen=True, slots=True)
class _Rays:
    count: int
    largest: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class _RayEnds:
    reach: Array
    stopped_by: Indices


_Poses = Callable[[Array], Array]


def _polar(limits: PoseLimits, poses: _Poses, centre: Array, rays: _Rays) -> WorkspaceSlice:
    if rays.count < 8 or not (np.isfinite(rays.largest) and rays.largest > 0.0):
        raise PlatformError(
            f"A workspace slice was asked for {rays.count} directions up to {rays.largest!r} "
            f"{rays.unit}; give at least 8, and a finite reach above zero.",
            directions=rays.count,
            largest=rays.largest,
        )
    direction = 2.0 * np.pi * np.arange(rays.count) / rays.count
    ray = np.stack([np.cos(direction), np.sin(direction)], axis=-1)
    found = _followed(limits, poses, centre, ray, rays.largest)
    return WorkspaceSlice(
        centre=centre,
        direction=direction,
        reach=found.reach,
        stopped_by=found.stopped_by,
        columns=limits.columns,
        unit=rays.unit,
    )


def _followed(
    limits: PoseLimits, poses: _Poses, centre: Array, ray: Array, largest: float
) -> _RayEnds:
    """Each ray until the first limit breaks."""
    steps = np.linspace(0.0, largest, _STEPS + 1)
    bad = limits.worst(poses(centre + steps[:, None, None] * ray)) < 0.0
    first = np.where(bad.any(axis=0), bad.argmax(axis=0), _STEPS + 1)
    low, high = steps[np.maximum(first - 1, 0)], steps[np.minimum(first, _STEPS)]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        outside = limits.worst(poses(centre + middle[:, None] * ray)) < 0.0
        low, high = np.where(outside, low, middle), np.where(outside, middle, high)
    stopped = np.argmin(limits.margins(poses(centre + high[:, None] * ray)), axis=-1)
    return _RayEnds(low, np.where(first > _STEPS, _FREE, stopped))


def _extent(limits: PoseLimits) -> float:
    """No pose lies farther from home's vertical than this. [m]."""
    platform = limits.platform
    longest = np.array([leg.max_length for leg in platform.legs])
    at_home = lengths(platform, platform.home)
    reach = longest if np.all(np.isfinite(longest)) else 3.0 * at_home
    sizes = np.linalg.norm(platform.base_points, axis=-1)
    sizes = sizes + np.linalg.norm(platform.platform_points, axis=-1)
    return float(np.min(reach + sizes) + np.linalg.norm(platform.home[:2, 3]))


def _best_place(limits: PoseLimits, poses: _Poses, start: Array, extent: float) -> Array:
    """The place of a grid with the largest worst margin."""
    side = np.linspace(-extent, extent, _GRID)
    places = start + np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.asarray(places[np.argmax(limits.worst(poses(places)))])
