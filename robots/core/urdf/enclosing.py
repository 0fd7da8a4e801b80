"""The smallest capsule about a cylinder or a box, among those along one of its axes.

A cylinder of radius r and length 2·λ·r lies in a capsule of radius R = r·√(1 + x²) whose segment
ends r·x before the cylinder's rims do. x = 0 has the thinnest capsule, which sticks out most; the
volume π·r³·(2·(1 + x²)·(λ - x) + 4/3·(1 + x²)^(3/2)) is least where its derivative is zero, or at
x = λ, a ball, when the cylinder is flatter than λ = 1/√3. A box touches with its corners only: it
needs the capsule of the cylinder through them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_FLATTEST = 1.0 / math.sqrt(3.0)
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosing:
    """A capsule about the centre of a shape.

    Args:
        axis: of the shape's frame along which it lies: 0, 1 or 2.
        half_length: of its segment. [m]
        radius: [m]
    """

    axis: int
    half_length: float
    radius: float

    @property
    def volume(self) -> float:
        """[m³]."""
        return math.pi * self.radius**2 * (2.0 * self.half_length + 4.0 / 3.0 * self.radius)


def around_cylinder(radius: float, length: float, axis: int = 2) -> Enclosing:
    """Smallest capsule about a cylinder. Args: radius, length [m]; axis of the frame."""
    if radius == 0.0:
        return Enclosing(axis=axis, half_length=length / 2.0, radius=0.0)
    slenderness = length / (2.0 * radius)
    x = _overlap(slenderness)
    # The rim must lie inside whatever rounding does.
    grown = radius * math.sqrt(1.0 + x * x) * (1.0 + 1e-15)
    half_length = max(length / 2.0 - radius * x, 0.0)
    return Enclosing(axis=axis, half_length=half_length, radius=grown)


def around_box(size: Sequence[float]) -> Enclosing:
    """Smallest capsule about a box. Args: size along x, y, z. # (3,) [m]."""
    found = []
    for axis, length in enumerate(size):
        others = [size[(axis + 1) % 3], size[(axis + 2) % 3]]
        found.append(around_cylinder(math.hypot(*others) / 2.0, length, axis))
    return min(found, key=lambda capsule: capsule.volume)


def _overlap(slenderness: float) -> float:
    """The x of least volume, by halving: the derivative is below zero at 0, above it at λ."""
    if slenderness <= _FLATTEST:
        return slenderness
    low, high = 0.0, slenderness
    for _ in range(_HALVINGS):
        x = 0.5 * (low + high)
        slope = 2.0 * slenderness * x - 3.0 * x * x - 1.0 + 2.0 * x * math.sqrt(1.0 + x * x)
        low, high = (x, high) if slope < 0.0 else (low, x)
    return low
