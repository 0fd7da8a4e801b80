"""How far the ground can tilt under a robot that holds its posture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.biped.posture.support_polygon import SupportPolygon
from robots.core.arrays import Array


def tip_angle(com: ArrayLike, support: SupportPolygon, direction: Sequence[float] | Array) -> float:
    """Tilt at which the centre of mass is straight above the edge that lies in a direction.

    The robot turns with the ground as one body, so the tilt has the tangent of the way to the edge
    over the height of the centre of mass.

    Args:
        com: centre of mass on the level ground, whose height is zero. # (3,) [m]
        support: on the level ground.
        direction: horizontal, where the ground goes down. # (2,)

    Returns:
        The tilt; negative where the robot has fallen on level ground already. [rad]

    Raises:
        BipedError: a centre of mass that is not above the ground.
    """
    centre = np.asarray(com, dtype=np.float64)
    if centre.shape != (3,) or not centre[2] > 0.0:
        raise BipedError(
            f"A tip angle is asked for a centre of mass at {centre.tolist()} m; "
            "give three numbers, the height above the ground above zero."
        )
    return float(np.arctan2(support.reach(centre, direction), centre[2]))
