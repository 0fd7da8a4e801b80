"""The poses of the part that a search may try: moves from the given one, within a box.

A move is a shift of the part's origin along the base's x, y, z, then turns through that origin: a
tilt, given as a rotation vector in the base's x-y plane, and yaw about the base's z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.job import Job
from robots.core.arrays import Array, Indices
from robots.core.pose import rotation_exp, rotation_z

COORDINATES = ("x", "y", "z", "yaw", "tilt about x", "tilt about y")
YAW = 3
_TURN = 2.0 * np.pi
# A turn weighs as a shift of its arc at this distance from the origin, when moves are compared.
_ARM = 0.5  # [m]


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
