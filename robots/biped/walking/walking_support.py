"""What a walking robot stands on, sample by sample; one polygon object for each phase."""

from __future__ import annotations

import numpy as np

from robots.biped.biped import Biped
from robots.biped.posture.contact import support_of
from robots.biped.posture.ground import Ground
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.walking.legged_robot import LeggedRobot
from robots.biped.walking.walking_pattern import WalkingPattern
from robots.core.arrays import Array, Mask
from robots.core.pose import make_pose


def supports(
    biped: Biped, robot: LeggedRobot, pattern: WalkingPattern
) -> tuple[SupportPolygon, ...]:
    """The polygon of every sample."""
    known: dict[tuple[float, ...], SupportPolygon] = {}
    found = []
    for places, loaded in zip(pattern.feet, pattern.loaded, strict=True):
        standing = places[loaded]
        key = (*loaded.astype(float), *standing.ravel())
        if key not in known:
            known[key] = support_of(biped, _poses(robot, places, loaded), Ground())
        found.append(known[key])
    return tuple(found)


def _poses(robot: LeggedRobot, places: Array, loaded: Mask) -> dict[str, Array]:
    """Poses of the feet on the ground, by name."""
    poses = {}
    for leg, ankle, place, here in zip(robot.legs, robot.ankles, places, loaded, strict=True):
        if here:
            poses[leg.foot] = make_pose(leg.foot_zero, np.array([*place[:2], ankle[2]]))
    return poses
