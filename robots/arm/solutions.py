"""What the inverse of the arm answers: every family, with residuals, margins and names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.arm.branch_equations import FAMILIES
from robots.core.arrays import Array, Mask

POSITION_TOLERANCE = 1e-9  # [m] largest error of a solution that counts as one
ANGLE_TOLERANCE = 1e-9  # [rad]
REACH_ROUNDING = 1e-12  # [m] a point this little out of reach is on the edge

# Margin below which a posture is named singular: at the edge of reach q3 is only known to the root
# of the rounding, some 1e-8.
DEGENERATE = 1e-6
_NO_MARGIN = 1e-12


def _sign(value: float) -> str:
    return "+" if value > 0.0 else "-"


BRANCH_NAMES = tuple(
    f"shoulder{_sign(shoulder)} elbow{_sign(elbow)} wrist{_sign(wrist)}"
    for shoulder, elbow, wrist in FAMILIES
)


def branch_name(family: int) -> str:
    """Name of a family, such as "shoulder+ elbow+ wrist-".

    shoulder+ faces the point, elbow is the sign of cos q3, wrist the sign of the sine
    from forearm to stylus (sin q5 for a stylus along -y5).
    """
    return BRANCH_NAMES[family]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """Distance from the three singularities of the arm: zero is singular, one is farthest.

    A ball beside the stylus axis shifts the singularities; ``tool`` then says where they are.

    Source: det J5 = ±d3·r4·cos q3·(r4 sin(q2+q3) + d3 cos q2)·sin q5 (sources.md, decision 5)
    """

    shoulder: Array  # (...) distance of the wrist centre from the first axis over the reach
    elbow: Array  # (...) |cos q3|
    wrist: Array  # (...) |sin| of the angle between stylus and forearm
    tool: Array | None = None  # (...) |det J5| over d3·r4·reach, for a bent stylus

    @property
    def least(self) -> Array:
        """The smallest of the three, or what a bent stylus makes of it. # (...)."""
        least = np.minimum(np.minimum(self.shoulder, self.elbow), self.wrist)
        if self.tool is None:
            return np.asarray(least)
        # For a straight stylus the determinant is the product of the three.
        largest = np.maximum(np.maximum(self.shoulder, self.elbow), self.wrist)
        middle = self.shoulder + self.elbow + self.wrist - least - largest
        return np.minimum(self.tool / np.maximum(middle * largest, _NO_MARGIN), 1.0)

    def at(self, index: tuple[int, ...]) -> Margins:
        """Margins of one posture of a batch."""
        return Margins(
            shoulder=self.shoulder[index],
            elbow=self.elbow[index],
            wrist=self.wrist[index],
            tool=None if self.tool is None else self.tool[index],
        )

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
            within. For a bent stylus a lower bound. # (...) [m]
        expected: families that exist by a check of its own: the triangle rule, which shares nothing
            with the equations of the roots; for a bent stylus the search over its roll. # (..., 8)
        margins: distances from the singularities. # (..., 8)
    """

    q: Array
    position_error: Array
    axis_error: Array
    shortfall: Array
    expected: Mask
    margins: Margins

    @property
    def solved(self) -> Mask:
        """Families that hit the target. # (..., 8)."""
        close = self.position_error <= POSITION_TOLERANCE
        return np.asarray(close & (self.axis_error <= ANGLE_TOLERANCE))

    @property
    def reachable(self) -> Mask:
        """Whether any family exists. # (...)."""
        return np.asarray(np.any(self.expected, axis=-1))

    @property
    def lost(self) -> Mask:
        """Families that exist but were not hit: a fault of ours. # (..., 8)."""
        return np.asarray(self.expected & ~self.solved)
