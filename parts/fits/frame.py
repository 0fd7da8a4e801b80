"""Where a feature stands while it is fitted: a frame, and the sizes in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike

from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """A feature's frame and sizes; its axis or normal is the frame's z.

    Args:
        origin: of the frame. # (3,) [unit of the points]
        R: rotation, frame to points. # (3, 3)
        sizes: radii and angles, in the model's order. # (s,)
    """

    origin: Array
    R: Array
    sizes: Array

    @property
    def axis(self) -> Array:
        """The frame's z. # (3,)."""
        return np.asarray(self.R[:, 2])

    def local(self, points: Array) -> Array:
        """Coordinates in the frame. Args: points # (3, k)."""
        # einsum, as BLAS wakes its threads for so flat a product and takes forty times as long
        return np.asarray(np.einsum("ji,jk->ik", self.R, points - self.origin[:, None]))

    def moved(self, freedoms: tuple[int, ...], step: Array) -> State:
        """A step in the minimal coordinates: shifts and turns about the frame's axes, sizes.

        Args:
            freedoms: which of (t_x, t_y, t_z, ω_x, ω_y, ω_z) the step begins with.
            step: # (len(freedoms) + s,)
        """
        motion = np.zeros(6)
        motion[list(freedoms)] = step[: len(freedoms)]
        return State(
            origin=self.origin + self.R @ motion[:3],
            R=self.R @ turn(motion[3:]),
            sizes=self.sizes + step[len(freedoms) :],
        )

    def shifted(self, origin: Array) -> State:
        """The same directions and sizes elsewhere. Args: origin # (3,)."""
        return State(origin=origin, R=self.R, sizes=self.sizes)

    def flipped(self) -> State:
        """The axis reversed, by half a turn about the frame's x."""
        return State(origin=self.origin, R=self.R * np.array([1.0, -1.0, -1.0]), sizes=self.sizes)

    def sized(self, *sizes: float) -> State:
        """Other sizes in the same frame."""
        return State(origin=self.origin, R=self.R, sizes=np.array(sizes))


def state_about(origin: ArrayLike, axis: ArrayLike, *sizes: float) -> State:
    """A state whose frame's x is any direction square to the axis."""
    z = np.asarray(axis, dtype=np.float64)
    z = z / np.linalg.norm(z)
    x = across(z)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    return State(origin=np.array(origin, dtype=np.float64), R=R, sizes=np.array(sizes))


def turn(omega: Array) -> Array:
    """Rotation by a rotation vector (Rodrigues). # (3,) [rad] to (3, 3)."""
    x, y, z = omega.tolist()  # plain numbers: a fit turns hundreds of times
    angle = sqrt(x * x + y * y + z * z)
    along, half = _sinc(angle), _sinc(0.5 * angle)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + along * K + 0.5 * half**2 * (K @ K))


def _sinc(x: float) -> float:
    """sin(x)/x; a runaway step has none."""
    return sin(x) / x if 0.0 < x < inf else 1.0
