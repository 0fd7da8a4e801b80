"""A pose as users write it on the command line."""

from __future__ import annotations

import numpy as np

from planner.cli.moves.motion_values import pose_values
from robots.core.arrays import Array
from robots.core.orientation.angles import rotation_zyx
from robots.core.pose import make_pose
from robots.stewart.platform import Platform

HOME = "home"


def pose_of(text: str, option: str, platform: Platform) -> Array:
    """``home``, or ``x,y,z`` in mm, if wanted with angles about z, y, x in degrees. # (4, 4).

    Raises:
        OptionError: neither, or another number of values.
    """
    if text.strip().lower() == HOME:
        return platform.home
    advice = "give home, or x,y,z in mm, if wanted followed by the angles rz,ry,rx in degrees."
    values = pose_values(text, option, advice)
    return make_pose(rotation_zyx(np.radians(values[3:])), 1e-3 * values[:3])
