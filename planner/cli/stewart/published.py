"""The motion of [STAICU09], for the platform that it was published for."""

from __future__ import annotations

import numpy as np

from planner.errors import OptionError
from robots.stewart.library import load
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_prescribed import published_motion
from robots.stewart.platform import Platform

_OWNER = "staicu-stewart"
_SAME = 1e-6  # [m]; a point written to a thousandth of a millimetre is the same point


def published_of(platform: Platform) -> TimedMotion:
    """The motion about a platform's home; strokes, drives, masses and home may be its own.

    Raises:
        OptionError: its joints stand elsewhere than the source's: the amplitudes say nothing there.
    """
    owner = load(_OWNER)
    gaps = (
        platform.base_points - owner.base_points,
        platform.platform_points - owner.platform_points,
    )
    if np.abs(gaps).max() > _SAME:
        raise OptionError(
            f"--published is the motion of {_OWNER}, whose amplitudes of 20, 40 and 60 mm and 2, "
            f"4 and 6 deg are chosen for that platform's joints; those of {platform.name} stand "
            f"elsewhere. Give --to a pose, or take {_OWNER}.",
            option="--published",
        )
    return published_motion(platform)
