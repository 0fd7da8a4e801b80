"""Poses of the platform that are worth a look: home, spread over its workspace, and aimed.

Every pose that is returned keeps the platform's strokes, cones, clearances and singularities.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import make_pose, rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.limits import PoseLimits, pose_limits, violations
from robots.stewart.platform import Platform

_STEPS = 256  # along each axis, in search of the end of the workspace
_WIDEST = 2.0  # times the width of the base: no workspace is wider about home
_MOST_TURN = np.pi / 2
_DRAWN = 16  # times as many as are wanted: the box is larger than the workspace
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
_AIMS = (1.0, 0.75, 0.5, 0.25)  # parts of the largest tilt
_SHIFTS = 12  # translations tried with each tilt
_SPARE = 1e-3  # of the least margin, relative to home: a pose is not taken on the very limit


class PoseSource:
    """Draws poses of a platform.

    Args:
        platform: its geometry and limits.
        seed: of what is drawn.

    Raises:
        PlatformError: its home pose breaks one of its own limits.
    """

    def __init__(self, platform: Platform, seed: int) -> None:
        self.platform, self._seed = platform, seed
        self._limits: PoseLimits = pose_limits(platform)
        broken = violations(platform, platform.home)
        if broken:
            raise PlatformError(
                f"Platform {platform.name!r}: its home pose breaks a limit: {broken[0].sentence} "
                "Correct the home pose or the limit in the platform file.",
                platform=platform.name,
            )
        home = np.minimum(self._limits.margins(platform.home), 1.0)
        self._floor = _SPARE * np.maximum(home, 0.0)
        self._spans = self._box()

    def allowed(self, poses: Array) -> Array:
        """Those of some poses that keep every limit. # (p, 4, 4) -> (q, 4, 4)."""
        inside = np.all(self._limits.margins(poses) >= self._floor, axis=-1)
        return np.asarray(poses[inside])

    def home(self) -> Array:
        """The home pose. # (1, 4, 4)."""
        return self.platform.home[None]

    def spread(self, count: int) -> Array:
        """Poses over the workspace about home, by a Halton sequence. # (at most count, 4, 4)."""
        low, high = self._spans
        units = halton(_DRAWN * count, 6, self._seed)
        return self.allowed(self._moved(low + units * (high - low)))[:count]

    def aimed(self, normals: Array, towards: Array) -> Array:
        """Poses tilted so that normals turn towards a direction, as far as the limits let them.

        Args:
            normals: at home, hexapod frame. # (k, 3) unit
            towards: hexapod frame. # (3,) unit
        """
        axes = np.cross(normals, towards)
        sizes = np.linalg.norm(axes, axis=1)
        low, high = self._spans
        shifts = low[:3] + halton(_SHIFTS, 3, self._seed) * (high - low)[:3]
        shifts = np.concatenate([np.zeros((1, 3)), 0.5 * shifts])
        moves: list[Array] = []
        for axis in axes[sizes > 1e-6] / sizes[sizes > 1e-6, None]:
            reach = _farthest(self._inside, np.concatenate([np.zeros(3), axis]), _MOST_TURN)
            for part in _AIMS:
                turn = np.tile(part * reach * axis, (len(shifts), 1))
                moves.append(np.concatenate([shifts, turn], axis=1))
        return self.allowed(self._moved(np.concatenate([np.zeros((0, 6)), *moves])))

    def _box(self) -> tuple[Array, Array]:
        """Least and greatest moves along and about each axis alone that keep the limits. # (6,)."""
        size = float(np.max(np.ptp(self.platform.base_points, axis=0)))
        most = np.array([_WIDEST * size] * 3 + [_MOST_TURN] * 3)
        axes = np.eye(6)
        low = [-_farthest(self._inside, -axes[k], most[k]) for k in range(6)]
        high = [_farthest(self._inside, axes[k], most[k]) for k in range(6)]
        return np.array(low), np.array(high)

    def _inside(self, moves: Array) -> Mask:
        margins = self._limits.margins(self._moved(moves))
        return np.asarray(np.all(margins >= self._floor, axis=-1))

    def _moved(self, moves: Array) -> Array:
        """Home, shifted and turned about its own origin, hexapod axes. # (m, 6) -> (m, 4, 4)."""
        home = self.platform.home
        R = rotation_exp(moves[:, 3:]) @ home[:3, :3]
        return np.asarray(make_pose(R, home[:3, 3] + moves[:, :3]))


def halton(count: int, dimensions: int, seed: int) -> Array:
    """A Halton sequence, shifted at random in the unit cube. # (count, dimensions <= 20)."""
    index = np.arange(1, count + 1)
    columns = [_radical_inverse(index, base) for base in _PRIMES[:dimensions]]
    shift = np.random.default_rng(seed).random(dimensions)
    return np.asarray((np.stack(columns, axis=1) + shift) % 1.0)


def _radical_inverse(index: Indices, base: int) -> Array:
    """Digits of whole numbers mirrored about the point. # (m,) -> (m,)."""
    left, place, total = index.copy(), 1.0, np.zeros(index.size)
    while np.any(left):
        place /= base
        total += place * (left % base)
        left //= base
    return total


def _farthest(inside: Callable[[Array], Mask], direction: Array, most: float) -> float:
    """How far home may go along a move before a limit is met, to a step."""
    sizes = np.linspace(0.0, most, _STEPS + 1)
    good = inside(sizes[:, None] * direction)
    stops = np.nonzero(~good)[0]
    return float(sizes[max(stops[0] - 1, 0)] if stops.size else most)
