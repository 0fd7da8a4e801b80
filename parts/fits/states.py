"""Where one feature stands in many measurements of it, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.fits.frame import State
from parts.fits.model import Model
from robots.core.arrays import Array


class ManyRows(NamedTuple):
    """Residuals of many measurements and their derivatives."""

    residuals: Array  # (d, m)
    jacobian: Array  # (d, m, p)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class States:
    """States of one model, one for each measurement.

    Args:
        origin: # (d, 3)
        R: # (d, 3, 3)
        sizes: # (d, s)
    """

    origin: Array
    R: Array
    sizes: Array

    def __len__(self) -> int:
        """Number of measurements d."""
        return len(self.origin)

    def one(self, index: int) -> State:
        """That of one measurement."""
        return State(origin=self.origin[index], R=self.R[index], sizes=self.sizes[index])

    def settled(self, model: Model) -> States:
        """All by the model's convention; the centroids are at zero."""
        each = [model.settled(self.one(index)) for index in range(len(self))]
        return States(
            origin=np.stack([state.origin for state in each]),
            R=np.stack([state.R for state in each]),
            sizes=np.stack([state.sizes for state in each]),
        )

    def local(self, sets: Array) -> Array:
        """Points in their own frames. # (d, k, 3) to (3, d k)."""
        away = sets - self.origin[:, None]
        return np.asarray(np.einsum("dji,dkj->idk", self.R, away).reshape(3, -1))

    def sizes_of_points(self, count: int) -> Array:
        """The sizes beside each point. # (s, d count)."""
        return np.repeat(self.sizes.T, count, axis=1)

    def rows(self, model: Model, sets: Array) -> ManyRows:
        """Residuals and Jacobians. # sets (d, k, 3)."""
        d, k = sets.shape[:2]
        r, J = model.local_rows(self.local(sets), self.sizes_of_points(k))
        c = model.components
        return ManyRows(
            r.reshape(c, d, k).transpose(1, 0, 2).reshape(d, -1),
            J.reshape(len(J), c, d, k).transpose(2, 1, 3, 0).reshape(d, c * k, len(J)),
        )

    def moved(self, model: Model, steps: Array) -> States:
        """Steps in the minimal coordinates. # (d, p)."""
        count = len(model.freedoms)
        motion = np.zeros((len(steps), 6))
        motion[:, list(model.freedoms)] = steps[:, :count]
        return States(
            origin=self.origin + np.einsum("dij,dj->di", self.R, motion[:, :3]),
            R=self.R @ _turns(motion[:, 3:]),
            sizes=self.sizes + steps[:, count:],
        )


def _turns(omega: Array) -> Array:
    """Rotations by rotation vectors (Rodrigues). # (d, 3) [rad] to (d, 3, 3)."""
    angle = np.linalg.norm(omega, axis=1)[:, None, None]
    K = np.zeros((len(omega), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = omega.T
    K -= K.transpose(0, 2, 1)
    half = np.sinc(angle / (2.0 * np.pi))
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * half**2 * (K @ K))
