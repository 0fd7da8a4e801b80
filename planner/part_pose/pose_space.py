"""The poses of the part that a search may try: moves from the given one, within a box.

A move is a shift of the part's origin along the base's x, y, z, then turns through that origin: a
tilt, given as a rotation vector in the base's x-y plane, and yaw about the base's z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from planner.job import Job
from planner.job.solids import SolidKind
from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import angles_zyx, make_pose, rotation_exp, rotation_z, rotation_zyx

YAW = 3
_TURN = 2.0 * np.pi
# A turn weighs as a shift of its arc at this distance from the origin, when moves are compared.
_ARM = 0.5  # [m]
_MM_DIGITS = 2
_DEG_DIGITS = 3
_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # [rad]


@dataclass(frozen=True, kw_only=True, eq=False)
class PoseSpace:
    """All moves of a part.

    Args:
        T_given: pose that moves start from, T_base_part. # (4, 4)
        low: least of each coordinate. # (6,) [m, rad]
        high: greatest of each coordinate. # (6,) [m, rad]
    """

    T_given: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, job: Job) -> PoseSpace:
        """What the job's ``[place]`` table allows."""
        settings = job.place
        tilt = np.pi if settings.full else 0.0
        return cls(
            T_given=job.part.T_base_part,
            low=np.array([*settings.shift[:, 0], settings.yaw[0], -tilt, -tilt]),
            high=np.array([*settings.shift[:, 1], settings.yaw[1], tilt, tilt]),
        )

    @cached_property
    def free(self) -> Indices:
        """Coordinates that may change. # (d,)."""
        return np.nonzero(self.high > self.low)[0]

    @property
    def weights(self) -> Array:
        """What makes coordinates comparable: radians become arcs. # (6,)."""
        return np.array([1.0, 1.0, 1.0, _ARM, _ARM, _ARM])

    @property
    def nearest(self) -> Array:
        """The allowed move that is nearest to none. # (6,)."""
        return np.clip(np.zeros(6), self.low, self.high)

    def spread(self, count: int, seed: int) -> Array:
        """Moves that fill the box evenly, the same for the same seed. # (count, 6).

        Multiples of the roots of x^(d+1) = x + 1 modulo one: for every count no large gap is left.
        """
        d = self.free.size
        moves = np.tile(self.nearest, (count, 1))
        if d == 0:
            return moves
        root = 2.0
        for _ in range(64):
            root = (1.0 + root) ** (1.0 / (d + 1))
        steps = root ** -np.arange(1.0, d + 1)
        start = np.random.default_rng(seed).random(d)
        places = (start + np.arange(1, count + 1)[:, None] * steps) % 1.0
        low, high = self.low[self.free], self.high[self.free]
        moves[:, self.free] = low + places * (high - low)
        return moves

    def within(self, moves: Array) -> Array:
        """Moves brought into the box; a turn that is free all round goes on round. # (p, 6)."""
        moves = moves.copy()
        if self.high[YAW] - self.low[YAW] >= _TURN - 1e-9:
            moves[:, YAW] = (moves[:, YAW] - self.low[YAW]) % _TURN + self.low[YAW]
        return np.clip(moves, self.low, self.high)

    def poses(self, moves: Array) -> Array:
        """T_base_part after moves. # (p, 6) -> (p, 4, 4)."""
        tilt = np.concatenate([moves[:, 4:6], np.zeros((len(moves), 1))], axis=1)
        turns = rotation_z(moves[:, YAW]) @ rotation_exp(tilt)
        T = np.tile(self.T_given, (len(moves), 1, 1))
        T[:, :3, :3] = turns @ self.T_given[:3, :3]
        T[:, :3, 3] += moves[:, :3]
        return T

    def size(self, moves: Array) -> Array:
        """How far moves go, turns as arcs at half a metre. # (p,) [m]."""
        return np.asarray(np.linalg.norm(moves * self.weights, axis=1))


# -------------------------------------------------------------------------------------------- Room
# The part counts as its own box, an obstacle as its convex hull, so a pose that is called free is
# free; a hollow part over a post is not found. An obstacle that the part's box meets in its given
# pose, as a fixture around it does, says nothing and is left out.

_TOUCH = 1e-3  # depth that is still a touch: a part stands on its table [m]
_MOST = 64  # corners of an obstacle; one with more counts as its box


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Hull:
    """An obstacle's corners and directions across its faces. # (v, 3) [m], (m, 3)."""

    name: str
    corners: Array
    normals: Array


class PartClearance:
    """Clearance of the part at trial poses.

    Args:
        job: with a cell.
    """

    def __init__(self, job: Job) -> None:
        self._box = _part_box(job)
        self._hulls = _hulls(job)
        given = job.part.T_base_part[None]
        self._hulls = tuple(hull for hull in self._hulls if not self._meets(hull, given)[0])

    def free(self, poses: Array) -> Mask:
        """Poses in which the part meets no obstacle. # (p, 4, 4) -> (p,)."""
        free = np.ones(len(poses), dtype=bool)
        for hull in self._hulls:
            free &= ~self._meets(hull, poses)
        return free

    def _meets(self, hull: _Hull, poses: Array) -> Mask:
        """Return whether no direction separates box and hull by more than a touch. # (p,)."""
        R = poses[:, :3, :3]
        corners = np.einsum("pij,kj->pki", R, self._box) + poses[:, None, :3, 3]
        own = np.swapaxes(R, 1, 2)
        theirs = np.broadcast_to(hull.normals, (len(poses), *hull.normals.shape))
        across = np.cross(own[:, :, None], theirs[:, None]).reshape(len(poses), -1, 3)
        axes = np.concatenate([own, theirs, across], axis=1)
        lengths = np.linalg.norm(axes, axis=2, keepdims=True)
        axes = np.where(lengths > 1e-9, axes / np.maximum(lengths, 1e-9), own[:, :1])
        mine = np.einsum("pai,pki->pak", axes, corners)
        other = np.einsum("pai,ki->pak", axes, hull.corners)
        gap = np.maximum(other.min(axis=2) - mine.max(axis=2), mine.min(axis=2) - other.max(axis=2))
        return np.asarray(np.all(gap < -_TOUCH, axis=1))


def _part_box(job: Job) -> Array:
    """Corners of the part's box in its own axes; its origin without a geometry. # (8, 3)."""
    part = job.cell.part
    if part is None:
        return np.zeros((8, 3))
    T = job.part.T_base_part
    own = (part.mesh.vertices - T[:3, 3]) @ T[:3, :3]
    return _box_corners(own)


def _box_corners(points: Array) -> Array:
    return np.array(list(product(*np.stack([points.min(axis=0), points.max(axis=0)], axis=1))))


def _hulls(job: Job) -> tuple[_Hull, ...]:
    """Obstacles that a part with a geometry may meet."""
    if job.cell.part is None:
        return ()
    return tuple(
        _hull(solid.name, solid.mesh.vertices, solid.mesh.normals)
        for solid in job.cell.solids
        if solid.kind is SolidKind.OBSTACLE
    )


def _hull(name: str, vertices: Array, normals: Array) -> _Hull:
    if len(vertices) > _MOST:
        return _Hull(name=name, corners=_box_corners(vertices), normals=np.eye(3))
    across: Array = np.unique(np.where(normals[:, :1] < 0.0, -normals, normals).round(9), axis=0)
    return _Hull(name=name, corners=np.array(vertices), normals=across[:_MOST])


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPose:
    """T_base_part as the keys of a job file's pose.

    Args:
        translation_mm: origin of the part.
        rotation_zyx_deg: angles about z, then y, then x.
    """

    translation_mm: tuple[float, float, float]
    rotation_zyx_deg: tuple[float, float, float]

    @classmethod
    def of(
        cls, T: Array, *, mm_digits: int = _MM_DIGITS, deg_digits: int = _DEG_DIGITS
    ) -> WrittenPose:
        """A pose, rounded. Args: T. # (4, 4)."""
        x, y, z = (_rounded(1e3 * value, mm_digits) for value in T[:3, 3])
        angles = np.degrees(angles_zyx(T[:3, :3]).angles)
        a, b, c = (_rounded(value, deg_digits) for value in angles)
        return cls(translation_mm=(x, y, z), rotation_zyx_deg=(a, b, c))

    @property
    def T(self) -> Array:
        """The pose that a job file with these numbers has. # (4, 4)."""
        rotation = rotation_zyx(np.radians(self.rotation_zyx_deg))
        return make_pose(rotation, np.array(self.translation_mm) / 1e3)

    @property
    def line(self) -> str:
        """The line of a job file's ``[part]``."""
        translation, rotation = (
            ", ".join(f"{value:.10g}" for value in values)
            for values in (self.translation_mm, self.rotation_zyx_deg)
        )
        return f"pose = {{ translation_mm = [{translation}], rotation_zyx_deg = [{rotation}] }}"


def _rounded(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0  # no negative zero


def even_directions(count: int) -> Array:
    """Unit vectors spread evenly on a spiral, the six axes first. # (6 + count, 3)."""
    k = np.arange(count)
    z = 1.0 - (2.0 * k + 1.0) / max(count, 1)
    radius, turn = np.sqrt(1.0 - z * z), _GOLDEN * k
    spiral = np.stack([radius * np.cos(turn), radius * np.sin(turn), z], axis=1)
    return np.concatenate([np.eye(3), -np.eye(3), spiral])


def directions_around(middle: Array, angle: float, count: int) -> Array:
    """Unit vectors at an angle from each of some. # (m, 3) -> (m, count, 3).

    Args:
        middle: unit vectors.
        angle: from them. [rad]
        count: how many, evenly around.
    """
    # the axis that is farthest from the direction gives a frame without a hole
    helper = np.eye(3)[np.argmin(np.abs(middle), axis=1)]
    u = np.cross(middle, helper)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(middle, u)
    turn = 2.0 * np.pi * np.arange(count) / count
    across = np.cos(turn)[:, None] * u[:, None] + np.sin(turn)[:, None] * v[:, None]
    return np.asarray(np.cos(angle) * middle[:, None] + np.sin(angle) * across)
