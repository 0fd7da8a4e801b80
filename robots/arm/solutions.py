"""What the inverse of the arm answers: every family, with residuals, margins and names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robots.arm.branch_equations import FAMILIES

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

POSITION_TOLERANCE = 1e-9  # [m] largest error of a solution that counts as one
ANGLE_TOLERANCE = 1e-9  # [rad]

DEGENERATE = 1e-9  # sine or fraction of reach below which a joint counts as free


def _sign(value: float) -> str:
    return "+" if value > 0.0 else "-"


BRANCH_NAMES = tuple(
    f"shoulder{_sign(shoulder)} elbow{_sign(elbow)} wrist{_sign(wrist)}"
    for shoulder, elbow, wrist in FAMILIES
)


def branch_name(family: int) -> str:
    """Name of a family, such as "shoulder+ elbow+ wrist-".

    shoulder+ faces the point, elbow is the sign of cos q3, wrist the sign of sin q5 (for a stylus
    along -y5).
    """
    return BRANCH_NAMES[family]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """Distance from the three singularities of the arm: zero is singular, one is farthest.

    Source: det J5 = ±d3·r4·cos q3·(r4 sin(q2+q3) + d3 cos q2)·sin q5 (sources.md, decision 5)
    """

    shoulder: Array  # (...) distance of the wrist centre from the first axis over the reach
    elbow: Array  # (...) |cos q3|
    wrist: Array  # (...) |sin| of the angle between stylus and forearm

    @property
    def least(self) -> Array:
        """The smallest of the three. # (...)."""
        return np.minimum(np.minimum(self.shoulder, self.elbow), self.wrist)

    @property
    def degenerate(self) -> list[str]:
        """Names of the singularities that the posture (one posture) is in."""
        named = {"shoulder": self.shoulder, "elbow": self.elbow, "wrist": self.wrist}
        return [name for name, value in named.items() if float(value) <= DEGENERATE]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmSolutions:
    """All eight families for a batch of targets; a family that does not reach is kept, marked.

    Args:
        q: joint angles in (-π, π]. # (..., 8, 5) [rad]
        position_error: distance of the ball from the target, by forward geometry. # (..., 8) [m]
        axis_error: angle of the stylus from the target direction. # (..., 8) [rad]
        shortfall: how far the wrist centre is out of reach, by the triangle rule; zero or negative
            within. # (...) [m]
        margins: distances from the singularities. # (..., 8)
    """

    q: Array
    position_error: Array
    axis_error: Array
    shortfall: Array
    margins: Margins

    @property
    def solved(self) -> Mask:
        """Families that hit the target. # (..., 8)."""
        close = self.position_error <= POSITION_TOLERANCE
        return np.asarray(close & (self.axis_error <= ANGLE_TOLERANCE))

    @property
    def reachable(self) -> Mask:
        """Whether the triangle rule puts the target within reach. # (...)."""
        return np.asarray(self.shortfall <= POSITION_TOLERANCE)

    @property
    def lost(self) -> Mask:
        """Families without a hit although the target is within reach: a fault of ours. # (..., 8).

        The triangle rule shares nothing with the equations that gave the roots.
        """
        return np.asarray(self.reachable[..., None] & ~self.solved)
