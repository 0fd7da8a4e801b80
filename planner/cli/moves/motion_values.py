"""Motions as users write them on the command line: listed numbers, units, limits, poses."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from planner.errors import OptionError
from robots.core.arrays import Array
from robots.core.caps import Cap
from robots.core.mechanism import Mechanism
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.straight_line import StraightLine, line_limits
from robots.core.pose import make_pose, rotation_zyx

_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointUnit:
    """Unit of a joint value on the command line.

    Args:
        name: as written.
        factor: to SI.
        is_length: whether the joint slides.
    """

    name: str
    factor: float
    is_length: bool


UNITS = {
    "deg": JointUnit(name="deg", factor=np.pi / 180.0, is_length=False),
    "rad": JointUnit(name="rad", factor=1.0, is_length=False),
    "mm": JointUnit(name="mm", factor=1e-3, is_length=True),
    "m": JointUnit(name="m", factor=1.0, is_length=True),
}


def listed_numbers(text: str, option: str) -> Array:
    """Numbers separated by commas. # (n,).

    Raises:
        OptionError: something that is not a finite number; with its place.
    """
    values = []
    for place, part in enumerate(text.split(","), start=1):
        found = part.strip()
        value = float(found) if _NUMBER.fullmatch(found) else np.nan
        if not np.isfinite(value):
            raise OptionError(
                f"{option}: value {place} is {found!r}; expected a finite number, several "
                "separated by commas, as in 0,90,-45.",
                option=option,
                place=place,
                found=found,
            )
        values.append(value)
    return np.array(values)


def pose_values(text: str, option: str, advice: str) -> Array:
    """Numbers x, y, z [mm] and angles about z, y, x [deg], zero where not given. # (6,).

    Raises:
        OptionError: another number of values; ``advice`` says what to give.
    """
    values = listed_numbers(text, option)
    if values.size not in (3, 6):
        raise OptionError(
            f"{option} has {values.size} values; {advice}", option=option, found=int(values.size)
        )
    return values if values.size == 6 else np.append(values, np.zeros(3))


def instants(duration: float, period_ms: float) -> Array:
    """Multiples of the period, and the end of the motion. # (k,) [s].

    Raises:
        OptionError: more samples than are worth writing.
    """
    count = duration * 1000.0 / period_ms
    if count > Cap.SAMPLES.limit:
        raise OptionError(
            f"--period-ms: {count:.3g} samples of {period_ms:g} ms in {duration:g} s; at most "
            f"{Cap.SAMPLES.limit} are written. Give a longer period, or {Cap.SAMPLES.advice}."
        )
    # A last multiple within rounding of the end is the end itself.
    t = period_ms * np.arange(int(np.floor(count * (1.0 - 1e-12))) + 1) / 1000.0
    return np.asarray(np.append(t, duration) if duration > t[-1] else t, dtype=np.float64)


def joint_move(
    start: str,
    end: str,
    limits: tuple[str, str, str],
    unit: str,
    robot: Mechanism | None,
    *,
    needs_jerk: bool,
) -> tuple[Array, Array, JointLimits]:
    """Start, end and limits of a joint motion, in SI.

    Args:
        start: values of ``--from``.
        end: values of ``--to``.
        limits: values of ``--kv``, ``--ka`` and ``--kj``.
        unit: of start and end.
        robot: whose joints move, or None.
        needs_jerk: whether the law has no motion without a jerk limit.

    Returns:
        # (n,) [rad or m], (n,) [rad or m], limits

    Raises:
        OptionError: values that do not fit together.
    """
    first, last = listed_numbers(start, "--from"), listed_numbers(end, "--to")
    if first.size != last.size:
        raise OptionError(f"--from has {first.size} values and --to has {last.size}; give as many.")
    if robot is not None and robot.dof != first.size:
        raise OptionError(
            f"{robot.name} has {robot.dof} joint variables, but --from has {first.size} values."
        )
    kv, ka, kj = limits
    if needs_jerk and not kj and robot is None:
        raise OptionError("--kj is missing; the double-s law needs a jerk limit per joint.")
    units = joint_units(unit, first.size, robot)
    factors = np.array([unit.factor for unit in units])
    return (
        first * factors,
        last * factors,
        JointLimits(
            max_speed=limit_values(kv, "--kv", first.size, robot),
            max_acceleration=limit_values(ka, "--ka", first.size, robot),
            max_jerk=jerk_values(kj, first.size, robot),
            names=tuple(joint.name for joint in robot.movable) if robot else (),
            units=tuple("m" if unit.is_length else "rad" for unit in units),
        ),
    )


def straight_move(
    start: str, end: str, kv: str, ka: str, kj: str
) -> tuple[StraightLine, JointLimits]:
    """The line and the limits of ``--straight``.

    Raises:
        OptionError: values that are not two poses and two pairs of limits.
    """
    line = StraightLine(start=_pose(start, "--from"), end=_pose(end, "--to"))
    speed = _pair(kv, "--kv", "m/s", "rad/s")
    acceleration = _pair(ka, "--ka", "m/s²", "rad/s²")
    jerk = _pair(kj, "--kj", "m/s³", "rad/s³") if kj else [np.inf, np.inf]
    return line, line_limits(
        max_speed=speed[0],
        max_angular_speed=speed[1],
        max_acceleration=acceleration[0],
        max_angular_acceleration=acceleration[1],
        max_jerk=jerk[0],
        max_angular_jerk=jerk[1],
    )


def _pose(text: str, option: str) -> Array:
    advice = "a pose is x,y,z in mm, or x,y,z and angles about z, y, x in degrees."
    values = pose_values(text, option, advice)
    return make_pose(rotation_zyx(np.radians(values[3:])), values[:3] / 1000.0)


def _pair(text: str, option: str, linear: str, angular: str) -> list[float]:
    values = listed_numbers(text, option) if text else np.zeros(0)
    if values.size != 2:
        raise OptionError(
            f"{option} has {values.size} values; with --straight give two: translation in "
            f"{linear}, rotation in {angular}."
        )
    pair: list[float] = values.tolist()
    return pair


def joint_units(text: str, count: int, robot: Mechanism | None) -> list[JointUnit]:
    """Unit of every joint value: what ``--unit`` says, else degrees, or mm for sliding joints.

    Raises:
        OptionError: an unknown unit, another number of units, a unit of the other kind of joint.
    """
    slides = [not joint.kind.angular for joint in robot.movable] if robot else [False] * count
    if not text:
        return [UNITS["mm" if slide else "deg"] for slide in slides]
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in UNITS:
            raise OptionError(f"--unit: {name!r} is not a unit; expected {', '.join(UNITS)}.")
    if len(names) not in (1, count):
        raise OptionError(f"--unit has {len(names)} values; give one, or {count}.")
    units = [UNITS[name] for name in (names * count if len(names) == 1 else names)]
    for k, (unit, slide) in enumerate(zip(units, slides, strict=True)):
        if robot and unit.is_length != slide:
            joint = robot.movable[k]
            raise OptionError(
                f"--unit: joint {joint.name} is {joint.kind.value}; {unit.name!r} does not fit, "
                f"expected {'mm or m' if slide else 'deg or rad'}."
            )
    return units


def limit_values(text: str, option: str, count: int, robot: Mechanism | None) -> Array:
    """Limits of ``--kv`` or ``--ka``: as written, one for all, or the robot's. # (n,).

    Raises:
        OptionError: neither given, or another number of values.
    """
    if not text:
        if robot is None:
            raise OptionError(f"{option} is missing; give one limit per joint, or --robot.")
        return robot.max_speed if option == "--kv" else robot.max_acceleration
    return _one_each(text, option, count)


def jerk_values(text: str, count: int, robot: Mechanism | None) -> Array:
    """Limits of ``--kj``: as written, one for all, the robot's, or infinite. # (n,).

    Raises:
        OptionError: another number of values.
    """
    if text:
        return _one_each(text, "--kj", count)
    return np.full(count, np.inf) if robot is None else robot.max_jerk


def _one_each(text: str, option: str, count: int) -> Array:
    values = listed_numbers(text, option)
    if values.size == 1:
        return np.repeat(values, count)
    if values.size != count:
        raise OptionError(f"{option} has {values.size} values; expected {count}, or one for all.")
    return values
