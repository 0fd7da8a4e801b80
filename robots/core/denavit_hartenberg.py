"""Modified Denavit-Hartenberg rows: Rx(α)·Tx(d)·Rz(θ)·Tz(r).

One row places a joint frame in its parent's frame; any rigid placement is the product of two rows,
the first with α = d = 0 (Khalil's tree parameters γ, b).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.pose import exact_cos_sin

# Below this sine two axes are taken as parallel: their common normal is then free.
_PARALLEL = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class DhRow:
    """One row of modified Denavit-Hartenberg parameters.

    Args:
        alpha: angle from the parent's z to this z, about the parent's x. [rad]
        d: distance along the parent's x. [m]
        theta: angle about this z; the offset of a revolute joint. [rad]
        r: distance along this z; the offset of a prismatic joint. [m]

    Source: [LAMMARI12] §II.5.1 eqs. (II.21)-(II.22)
    """

    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    r: float = 0.0

    def pose(self) -> Array:
        """Placement of the row's frame in the parent frame. # (4, 4)."""
        ca, sa = exact_cos_sin(self.alpha)
        ct, st = exact_cos_sin(self.theta)
        return np.array(
            [
                [ct, -st, 0.0, self.d],
                [st * ca, ct * ca, -sa, -self.r * sa],
                [st * sa, ct * sa, ca, self.r * ca],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DhPair:
    """Two rows whose product is a given placement; ``carrier`` has α = d = 0."""

    carrier: DhRow
    joint: DhRow

    @property
    def is_single(self) -> bool:
        """Whether the joint's own row is the whole placement."""
        return self.carrier == DhRow()


def rows_of(placement: Array) -> DhPair:
    """Split a rigid placement into modified Denavit-Hartenberg rows.

    The common normal of two nearly parallel axes is far away: at an angle s between them the rows
    hold lengths of the order of 1/s and reproduce the placement to about 1e-16/s only.

    Args:
        placement: joint frame in parent frame. # (4, 4)
    """
    R, p = placement[:3, :3], placement[:3, 3]
    if abs(R[0, 2]) < _PARALLEL and abs(p[1] * R[2, 2] - p[2] * R[1, 2]) < _PARALLEL:
        return DhPair(carrier=DhRow(), joint=_single_row(R, p))
    sin_alpha = math.hypot(R[0, 2], R[1, 2])
    if sin_alpha < _PARALLEL:
        return _parallel_rows(R, p)
    gamma = math.atan2(R[0, 2], -R[1, 2])
    cg, sg = exact_cos_sin(gamma)
    # In the carrier's frame the joint's z axis has no x component: a single row remains.
    about_x = np.array([cg * p[0] + sg * p[1], -sg * p[0] + cg * p[1]])
    alpha = math.atan2(sin_alpha, R[2, 2])
    r = -about_x[1] / sin_alpha
    theta = math.atan2(R[2, 0], R[2, 1])
    b = p[2] - r * R[2, 2]
    return DhPair(
        carrier=DhRow(theta=gamma, r=float(b)),
        joint=DhRow(alpha=alpha, d=float(about_x[0]), theta=theta, r=float(r)),
    )


def _single_row(R: Array, p: Array) -> DhRow:
    """Row of a placement whose z axis is normal to the parent's x and meets it at d."""
    alpha = math.atan2(-R[1, 2], R[2, 2])
    theta = math.atan2(-R[0, 1], R[0, 0])
    return DhRow(alpha=alpha, d=float(p[0]), theta=theta, r=float(p[2] * R[2, 2] + p[1] * R[1, 2]))


def _parallel_rows(R: Array, p: Array) -> DhPair:
    """Rows of a placement whose z axis is parallel to the parent's, at a lateral distance."""
    gamma = math.atan2(p[1], p[0])
    flipped = R[2, 2] < 0.0
    turn = math.atan2(R[1, 0], R[0, 0]) - gamma
    return DhPair(
        carrier=DhRow(theta=gamma, r=float(p[2])),
        joint=DhRow(
            alpha=math.pi if flipped else 0.0,
            d=math.hypot(p[0], p[1]),
            theta=-turn if flipped else turn,
        ),
    )
