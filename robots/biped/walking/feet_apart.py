"""Whether the feet of a walk stay apart."""

from __future__ import annotations

import numpy as np

from robots.biped.biped import Biped
from robots.biped.posture.contact import sole_in_world
from robots.biped.posture.foot_distance import polygon_distance
from robots.biped.walking.legged_robot import LeggedRobot
from robots.biped.walking.walking_pattern import WalkingPattern
from robots.core.arrays import Array
from robots.core.pose import make_pose

FEET_DISTANCE = "feet_distance_m"  # name of the curve


def feet_distance(biped: Biped, robot: LeggedRobot, pattern: WalkingPattern) -> Array:
    """Distance of the soles seen from above; negative is how deep they overlap. # (k,) [m]."""
    first, second = (
        _sole(biped, robot, number) + pattern.feet[:, number, None, :2] for number in (0, 1)
    )
    return polygon_distance(first, second)


def feet_remark(pattern: WalkingPattern, distance: Array) -> str:
    """How near they come, and how high a foot is swung."""
    least, height = 1e3 * float(distance.min()), 1e3 * float(pattern.feet[..., 2].max())
    if least > 0.0:
        return (
            f"Seen from above the soles stay at least {least:.1f} mm apart; a swung sole is up to "
            f"{height:.1f} mm above the other."
        )
    first = pattern.t[int(np.argmax(distance <= 0.0))]
    return (
        f"Seen from above the soles overlap by up to {-least:.1f} mm, first at {first:.2f} s. A "
        f"swung sole is up to {height:.1f} mm above the other, but there stands a leg."
    )


def feet_remedy(biped: Biped, robot: LeggedRobot, distance: Array) -> str:
    """How wide the steps must be where the feet collide; empty where they do not."""
    if distance.min() > 0.0:
        return ""
    sides = [_sole(biped, robot, number)[:, 1] for number in (0, 1)]
    right, left = sides if robot.ankles[0, 1] < robot.ankles[1, 1] else sides[::-1]
    return f"Make the steps wider than {1e3 * (right.max() - left.min()):.1f} mm."


def _sole(biped: Biped, robot: LeggedRobot, number: int) -> Array:
    """Corners of a sole seen from above, from the ankle. # (m, 2) [m]."""
    leg = robot.legs[number]
    return np.asarray(sole_in_world(biped, leg.foot, make_pose(leg.foot_zero, np.zeros(3)))[:, :2])
