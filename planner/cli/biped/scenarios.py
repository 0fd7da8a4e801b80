"""From the options of ``palpeur biped squat | tilt | walk | push`` to a motion."""

from __future__ import annotations

from math import inf

import numpy as np

from planner.cli.biped.motion_report import MotionRequest, print_motion
from planner.cli.moves.motion_values import listed_numbers
from planner.errors import OptionError
from robots.core.arrays import Array

_STEEPEST = 45.0  # [deg]
_LONGEST = 60.0  # [s]
_STEPS = 50


def print_squat(request: MotionRequest, bend_deg: Array, duration: float) -> int:
    """Squat and stand up.

    Args:
        request: what is asked.
        bend_deg: of ankle, knee and hip at the bottom. # (3,) [deg]
        duration: of each way. [s]

    Raises:
        OptionError: a duration out of its range.
        RobotError: angles that make no squat.
    """
    from robots.biped.scenarios.squat import squat

    _check_duration(duration)
    ankle, knee, hip = np.radians(bend_deg).tolist()
    return print_motion(request, lambda biped, _: squat(biped, ankle, knee, hip, duration))


def print_tilt(request: MotionRequest, to: str, duration: float, *, frozen: bool) -> int:
    """Stand on ground that tilts and comes back.

    Args:
        request: what is asked.
        to: roll and pitch in degrees, as users write them.
        duration: of each way. [s]
        frozen: whether the posture is held, without the stabiliser.

    Raises:
        OptionError: not two angles of a ground; no time.
        RobotError: a robot that stands otherwise than on its foot or on two BIP legs.
    """
    from robots.biped.scenarios.tilt import tilt

    angles = listed_numbers(to, "--to")
    if angles.size != 2 or np.abs(angles).max() > _STEEPEST:
        raise OptionError(
            f"--to is {to!r}; give roll and pitch of the ground in degrees, each within "
            f"±{_STEEPEST:g}, as in 10,20.",
            option="--to",
            found=to,
        )
    _check_duration(duration)
    alpha, beta = np.radians(angles).tolist()
    return print_motion(
        request,
        lambda biped, drives: tilt(
            biped, alpha, beta, duration, stabilised=not frozen, drives=drives
        ),
    )


def print_walk(
    request: MotionRequest,
    speed: float,
    steps: int,
    step_length: float,
    *,
    step_width: float | None,
) -> int:
    """Walk straight ahead.

    Args:
        request: what is asked.
        speed: [m/s]
        steps: that go forward.
        step_length: [m]
        step_width: between the ankles; none for that of the hips. [m]

    Raises:
        OptionError: steps out of their range, a speed or length that is not above zero.
        RobotError: no such walk; for a step that the legs cannot make, with the longest.
    """
    from robots.biped.scenarios.walk import walk
    from robots.biped.walking.gait import Gait

    if not 1 <= steps <= _STEPS:
        raise OptionError(
            f"--steps is {steps}; give at least 1 and at most {_STEPS}.", option="--steps"
        )
    _check_above_zero("--speed", speed, "m/s")
    _check_above_zero("--step-length", step_length, "m")
    if step_width is not None:
        _check_above_zero("--step-width", step_width, "m")
    gait = Gait(speed=speed, steps=steps, step_length=step_length, step_width=step_width)
    return print_motion(request, lambda biped, _: walk(biped, speed, steps, gait=gait))


def print_push(
    request: MotionRequest, speed: float | None, impulse: float | None, direction: str
) -> int:
    """Get a blow and recover on the spot.

    Args:
        request: what is asked.
        speed: that the blow gives the centre of mass. [m/s]
        impulse: instead of the speed. [N s]
        direction: a word, or x and y.

    Raises:
        OptionError: both or none of speed and impulse, one below zero, or no direction.
        RobotError: a blow that is none.
    """
    from robots.biped.scenarios.push import push

    if (speed is None) == (impulse is None):
        raise OptionError(
            "Give one of --speed (m/s of the centre of mass) and --impulse (N s).",
            option="--speed",
        )
    for option, value, unit in (("--speed", speed, "m/s"), ("--impulse", impulse, "N s")):
        if value is not None and not 0.0 <= value < inf:
            raise OptionError(
                f"{option} is {value:g} {unit}; give 0 or more, and the sense by --direction.",
                option=option,
                value=value,
                limit=0.0,
                unit=unit,
            )
    way = _way(direction)
    return print_motion(request, lambda biped, _: push(biped, speed, way, impulse=impulse))


def _way(text: str) -> Array:
    from robots.biped.posture.headings import WAYS

    word = text.strip().lower()
    if word in WAYS:
        return np.array(WAYS[word])
    numbers = listed_numbers(text, "--direction") if "," in text else np.zeros(0)
    if numbers.size != 2 or not numbers.any():
        raise OptionError(
            f"--direction is {text!r}; give {', '.join(WAYS)}, or x,y with x forward and y left.",
            option="--direction",
            found=text,
        )
    return numbers


def _check_above_zero(option: str, value: float, unit: str) -> None:
    if not 0.0 < value < inf:
        raise OptionError(
            f"{option} is {value:g} {unit}; give a finite number above 0.",
            option=option,
            value=value,
            limit=0.0,
            unit=unit,
        )


def _check_duration(value: float) -> None:
    if not 0.0 < value <= _LONGEST:
        raise OptionError(
            f"--duration is {value:g} s; give more than 0 and at most {_LONGEST:g} s for each way.",
            option="--duration",
            value=value,
            limit=_LONGEST,
        )
