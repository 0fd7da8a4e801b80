"""Poses, motions, rates and wrenches of a platform as a command gives them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from planner.cli.moves.motion_values import listed_numbers, pose_values
from planner.errors import OptionError
from planner.tables import ACCELERATION, SPIN, SPIN_RATE, VELOCITY, WRENCH, States
from robots.core.arrays import Array
from robots.core.motion.motion_law import motion_law
from robots.core.pose import make_pose, rotation_zyx
from robots.stewart.errors import PlatformError
from robots.stewart.library import load
from robots.stewart.limits import violations
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion, has_joints_of, pose_move, published_motion
from robots.stewart.motion_time import minimum_time_move
from robots.stewart.platform import Platform

_RISE = 1.0 / 3.0  # part of a trapezoid's given duration in which it speeds up
_OWNER = "staicu-stewart"
HOME = "home"


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
            "for the minimum that the legs allow.",
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
    least = minimum_time_move(PlatformModel(platform), first, last, law)
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


def has_rates(states: States) -> bool:
    """Return whether the table tells of a motion."""
    return bool({VELOCITY, SPIN, ACCELERATION, SPIN_RATE} & set(states.groups))


def wrench_of(text: str, states: States) -> Array | None:
    """The wrench of ``--wrench`` or of the table; None for none. # (N, 6) [N, N m].

    Raises:
        OptionError: not six numbers, or one here and another in the table.
    """
    if not text:
        return states.groups.get(WRENCH)
    if WRENCH in states:
        raise OptionError(f"{states.origin} has columns fx_n … mz_nm; leave out --wrench.")
    values = listed_numbers(text, "--wrench")
    if values.size != 6:
        raise OptionError(f"--wrench has {values.size} values; give FX,FY,FZ,MX,MY,MZ in N, N m.")
    return np.broadcast_to(values, (len(states), 6))


def at_line(table: States, error: PlatformError, row: int) -> PlatformError:
    """An error that names the line of its lengths."""
    line = table.lines[row]
    message = f"{table.origin}, line {line}: {error.message}"
    return PlatformError(message, **{**error.facts, "file": table.origin, "line": line})


def pose_of(text: str, option: str, platform: Platform) -> Array:
    """``home``, or ``x,y,z`` in mm, optionally with angles about z, y, x in degrees. # (4, 4).

    Raises:
        OptionError: neither, or another number of values.
    """
    if text.strip().lower() == HOME:
        return platform.home
    advice = "give home, or x,y,z in mm, optionally followed by the angles rz,ry,rx in degrees."
    values = pose_values(text, option, advice)
    return make_pose(rotation_zyx(np.radians(values[3:])), 1e-3 * values[:3])
