"""The motion that the options of ``palpeur stewart move`` request."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from planner.cli.stewart.pose_text import pose_of
from planner.errors import OptionError
from robots.core.motion.motion_law import motion_law
from robots.stewart.library import load
from robots.stewart.limits import violations
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_move import pose_move
from robots.stewart.motion_prescribed import has_joints_of, published_motion
from robots.stewart.motion_time import least_time_move
from robots.stewart.platform import Platform

_RISE = 1.0 / 3.0  # part of a trapezoid's given duration in which it speeds up
_OWNER = "staicu-stewart"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedMotion:
    """A motion with its names.

    Args:
        motion: in time.
        title: for readers.
        law: by name.
        binding: what fixes the duration; empty for none.
    """

    motion: TimedMotion
    title: str
    law: str
    binding: str = ""


def requested_motion(
    platform: Platform, start: str, end: str, law: str, duration: float, *, published: bool
) -> RequestedMotion:
    """The published motion, one of given duration, or one of minimum time. Args: as the options.

    Raises:
        RobotError: poses that the platform cannot take; limits that give no time.
        OptionError: values that do not fit together, or a pose out of the workspace.
    """
    if published:
        if end or start != "home" or duration:
            raise OptionError("--published is a whole motion; leave out --from, --to, --duration.")
        _check_owner(platform)
        title = f"{platform.name}, motion of [STAICU09] (5)-(6)"
        return RequestedMotion(motion=published_motion(platform), title=title, law="harmonic")
    if not end:
        raise OptionError("--to is missing; give a pose x,y,z[,rz,ry,rx], or --published.")
    first, last = pose_of(start, "--from", platform), pose_of(end, "--to", platform)
    _check_inside(platform, first, "--from")
    _check_inside(platform, last, "--to")
    if not 0.0 <= duration < inf:
        raise OptionError(
            f"--duration is {duration:g} s; give a finite number above 0, or leave it out "
            "for the least that the legs allow.",
            option="--duration",
            value=duration,
            limit=0.0,
            unit="s",
        )
    title = f"{platform.name}, {start} to {end}"
    if duration:
        course = pose_move(first, last, motion_law(law, acceleration_fraction=_RISE))
        motion = TimedMotion(course=course, duration=duration)
        return RequestedMotion(motion=motion, title=title, law=law, binding="--duration")
    least = least_time_move(PlatformModel(platform), first, last, law)
    return RequestedMotion(motion=least.motion, title=title, law=law, binding=str(least.binding))


def move_command(
    robot: str,
    start: str,
    end: str,
    law: str,
    duration: float,
    period_ms: float,
    *,
    published: bool,
) -> str:
    """The command line that makes the same motion again."""
    parts = ["palpeur stewart move", robot]
    if published:
        parts.append("--published")
    else:
        parts += ["--from", start, "--to", end, "--law", law]
        parts += ["--duration", f"{duration:g}"] if duration else []
    return " ".join([*parts, "--period-ms", f"{period_ms:g}"])


def _check_owner(platform: Platform) -> None:
    if not has_joints_of(platform, load(_OWNER)):
        raise OptionError(
            f"--published is the motion of {_OWNER}, whose amplitudes of 20, 40 and 60 mm and 2, "
            f"4 and 6 deg are chosen for that platform's joints; those of {platform.name} stand "
            f"elsewhere. Give --to a pose, or take {_OWNER}.",
            option="--published",
        )


def _check_inside(platform: Platform, T: NDArray[np.float64], option: str) -> None:
    broken = violations(platform, T)
    if broken:
        rest = f" and {len(broken) - 1} more limits" if len(broken) > 1 else ""
        raise OptionError(
            f"{option} is outside the workspace of {platform.name}: "
            f"{broken[0].sentence.rstrip('.')}{rest}; give a pose nearer to home.",
            option=option,
        )
