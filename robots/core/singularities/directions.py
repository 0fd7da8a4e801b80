"""Lost directions: which they are, and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, freeze_fields

_NEGLIGIBLE = 1e-6
_AXIS_NAMES = ("x", "y", "z")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LostDirection:
    """A motion of the tool that no joint speeds produce.

    The tool's twist t = (v; ω) always satisfies covector · t = 0.

    Args:
        covector: of the twist in base axes, linear part first; of unit length in units of the
            scale length. # (6,) [1/m, 1/rad]
        scale_length: that the linear part has been divided by. [m]
    """

    covector: Array
    scale_length: float

    def __post_init__(self) -> None:
        freeze_fields(self, "covector", dtype=np.float64)

    @property
    def linear(self) -> Array:
        """Part that the velocity is taken along, without units. # (3,)."""
        return self.covector[:3] * self.scale_length

    @property
    def angular(self) -> Array:
        """Part that the angular velocity is taken along. # (3,)."""
        return self.covector[3:]

    def __str__(self) -> str:
        force, moment = np.linalg.norm(self.linear), np.linalg.norm(self.angular)
        if moment <= _NEGLIGIBLE:
            return f"no velocity along {named_direction(self.linear)} at the tool"
        if force <= _NEGLIGIBLE:
            return f"no rotation about {named_direction(self.angular)}"
        pitch = self.linear @ self.angular / (force * force) * self.scale_length
        if abs(pitch) <= _NEGLIGIBLE * self.scale_length:
            lever = np.cross(self.linear, self.angular) / (force * force) * self.scale_length
            return (
                f"no velocity along {named_direction(self.linear)} at the point of the tool's body "
                f"that is {numbered(lever)} m from the tool, base axes"
            )
        ratio = moment / force * self.scale_length
        return (
            f"velocity along {named_direction(self.linear)} at the tool only with "
            f"-{ratio:.4g} m/rad times the rotation about {named_direction(self.angular)}"
        )


def named_direction(vector: Array) -> str:
    """A base axis by name, else the three cosines; a direction and its opposite read alike."""
    unit = vector / np.linalg.norm(vector)
    largest = int(np.argmax(np.abs(unit)))
    if abs(unit[largest]) > 1.0 - _NEGLIGIBLE**2:
        return f"base {_AXIS_NAMES[largest]}"
    return numbered(unit)


def numbered(vector: Array) -> str:
    """Three numbers to four decimals."""
    rounded = np.round(vector, 4) + 0.0  # no negative zeros
    return f"({rounded[0]:g}, {rounded[1]:g}, {rounded[2]:g})"


def lost_directions(J: Array, neighbours: Array, rank: int, full_rank: int) -> Array:
    """Orthonormal directions of a task that this posture loses. # (m, full_rank - rank).

    What no posture can do (a planar arm never leaves its plane) is not counted as lost: among the
    directions that J misses, those are kept that neighbouring postures can best move along.

    Args:
        J: task Jacobian without units at the posture. # (m, n)
        neighbours: the same at postures near by. # (k, m, n)
        rank: of J.
        full_rank: that postures in general have.
    """
    U, _, _ = np.linalg.svd(J)
    missing = U[:, rank:]
    count = full_rank - rank
    if missing.shape[1] == count:
        return missing
    ranges = np.linalg.svd(neighbours)[0][..., :full_rank]  # what neighbours can do (k, m, r)
    reach = np.einsum("md,kmr->kdr", missing, ranges)
    _, vectors = np.linalg.eigh(np.mean(reach @ np.swapaxes(reach, -1, -2), axis=0))
    return np.asarray(missing @ vectors[:, ::-1][:, :count])
