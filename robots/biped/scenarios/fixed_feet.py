"""A robot whose feet stay where they are: where its base then is, and what it stands on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robots.biped.biped import Biped, Foot
from robots.biped.errors import BipedError
from robots.biped.posture.contact import support_of
from robots.biped.posture.ground import Ground
from robots.biped.posture.support_polygon import SupportPolygon
from robots.core.arrays import Array
from robots.core.model import Model
from robots.core.pose import inverse_pose

_SLIP = 1e-9  # [m] what two feet may move against each other by rounding


def foot_poses(biped: Biped, foot: Foot, q: Array) -> Array:
    """Pose of a foot's link in the base frame. # (..., n) -> (..., 4, 4)."""
    if not foot.link:
        return np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    robot = biped.mechanism
    held = replace(robot, tool=np.eye(4), tool_joint=robot.index(foot.link))
    return Model(held, "single-use").forward(q)


def standing_feet(biped: Biped) -> tuple[Array, ...]:
    """Poses of the feet in the world while the robot stands. # each (4, 4)."""
    q = np.asarray(biped.q_standing)
    return tuple(biped.T_world_base @ foot_poses(biped, foot, q) for foot in biped.feet)


def standing_support(biped: Biped) -> SupportPolygon:
    """What the robot stands on, on all its feet."""
    names = [foot.name for foot in biped.feet]
    return support_of(biped, dict(zip(names, standing_feet(biped), strict=True)), Ground())


def base_over_feet(biped: Biped, q: Array) -> Array:
    """Pose of the base while the feet stay where the robot stands. # (k, n) -> (k, 4, 4).

    Raises:
        BipedError: postures that move the feet against each other.
    """
    there = standing_feet(biped)
    found = [
        T @ inverse_pose(foot_poses(biped, foot, q))
        for T, foot in zip(there, biped.feet, strict=True)
    ]
    slip = float(np.abs(found[0] - found[-1]).max(initial=0.0))
    if slip > _SLIP:
        raise BipedError(
            f"These postures of {biped.name} move its feet against each other by up to "
            f"{1e3 * slip:.3g} mm (or mrad); both cannot stay on the ground.",
            value=slip,
            limit=_SLIP,
            unit="m",
        )
    return found[0]
