"""Capture point of the linear inverted pendulum: where a robot would have to stand to come to rest.

With the centre of mass kept at a height z above the ground its horizontal motion ẍ = ω²·(x − p),
p being the zero-moment point and ω = √(g/z). The combination ξ = x + ẋ/ω runs away from p as
exp(ω·t), so the robot comes to rest without a step exactly while ξ is inside the support polygon.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.biped.posture.support_polygon import SupportPolygon
from robots.core.arrays import Array

STANDARD_GRAVITY = 9.81  # [m/s²]


def pendulum_frequency(height: float, gravity: float = STANDARD_GRAVITY) -> float:
    """ω = √(g/z). [1/s].

    Args:
        height: of the centre of mass above the ground. [m]
        gravity: [m/s²]

    Raises:
        BipedError: a height or gravity that is not above zero.
    """
    for name, value, unit in (("height", height, "m"), ("gravity", gravity, "m/s²")):
        if not (value > 0.0 and np.isfinite(value)):
            raise BipedError(
                f"An inverted pendulum's {name} is {value:g} {unit}; it must be above zero.",
                name=name,
                value=value,
                limit=0.0,
                unit=unit,
            )
    return float(np.sqrt(gravity / height))


def capture_point(com: ArrayLike, velocity: ArrayLike, omega: float) -> Array:
    """ξ = x + ẋ/ω in the horizontal plane. # (..., 2 or 3) twice -> (..., 2) [m]."""
    x = np.asarray(com, dtype=np.float64)[..., :2]
    xd = np.asarray(velocity, dtype=np.float64)[..., :2]
    return np.asarray(x + xd / omega)


def capture_speed(
    com: ArrayLike, support: SupportPolygon, direction: Sequence[float] | Array, omega: float
) -> float:
    """Highest speed in a direction from which the robot comes to rest without a step. [m/s].

    Args:
        com: centre of mass, inside the polygon. # (2,) or (3,) [m]
        support: what it stands on.
        direction: horizontal. # (2,)
        omega: of the pendulum. [1/s]

    Raises:
        BipedError: the centre of mass is outside the polygon, where no speed that way will do.
    """
    room = support.reach(com, direction)
    if room < 0.0:
        raise BipedError(
            f"The centre of mass is {-1e3 * room:.4g} mm beyond the support polygon; "
            "nothing captures it without a step.",
            value=room,
            limit=0.0,
            unit="m",
        )
    return omega * room
