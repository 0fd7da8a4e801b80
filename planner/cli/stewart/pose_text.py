"""A pose as users write it on the command line."""

from __future__ import annotations

import numpy as np

from planner.cli.moves.motion_values import listed_numbers
from planner.errors import OptionError
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
    values = listed_numbers(text, option)
    if values.size not in (3, 6):
        raise OptionError(
            f"{option} has {values.size} values; give home, or x,y,z in mm, if wanted followed by "
            "the angles rz,ry,rx in degrees.",
            option=option,
            found=int(values.size),
        )
    angles = np.radians(values[3:]) if values.size > 3 else np.zeros(3)
    return make_pose(rotation_zyx(angles), 1e-3 * values[:3])
