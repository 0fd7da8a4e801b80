"""Numbers as users list them on the command line, and the units of joints."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from planner.errors import OptionError
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism

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
