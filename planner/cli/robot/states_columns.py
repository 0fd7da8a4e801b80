"""Columns that a table of states may have: header, what it means, factor to SI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from robots.core.mechanism import Joint, Mechanism

_DEGREE = np.pi / 180.0
_ANGLE = {"rad": 1.0, "deg": _DEGREE}
_LENGTH = {"m": 1.0, "mm": 1e-3}
_PER_TIME = {"q": "", "qd": "_s", "qdd": "_s2"}
_JOINT_COLUMN = re.compile(r"(q|qd|qdd|tau)(\d+)(?:_(\w+))?")

# Groups of quantities that belong together, without the joints' own.
POSITION, NORMAL, APPROACH, POSE = "position", "normal", "approach", "pose"
VELOCITY, SPIN = "velocity", "angular velocity"
ACCELERATION, SPIN_RATE = "acceleration", "angular acceleration"
WRENCH = "wrench"
AXES = "xyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: which entry of which group it fills.

    Args:
        group: q, qd, qdd, tau, or one of the groups above.
        place: entry of the group's vector.
        factor: what its numbers are multiplied by to become SI.
    """

    group: str
    place: int
    factor: float = 1.0


def known_columns(mechanism: Mechanism) -> dict[str, Column]:
    """Every header that makes sense for a mechanism, the preferred unit first."""
    columns: dict[str, Column] = {}
    for place, joint in enumerate(mechanism.movable):
        columns |= _joint_columns(place, joint)
    return columns | _task_columns()


def _joint_columns(place: int, joint: Joint) -> dict[str, Column]:
    number = place + 1
    units = _ANGLE if joint.kind.angular else _LENGTH
    columns = {
        f"{group}{number}_{unit}{per}": Column(group=group, place=place, factor=factor)
        for group, per in _PER_TIME.items()
        for unit, factor in units.items()
    }
    effort = "nm" if joint.kind.angular else "n"
    return columns | {f"tau{number}_{effort}": Column(group="tau", place=place)}


def _task_columns() -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for place, axis in enumerate(AXES):
        for unit, factor in _LENGTH.items():
            columns[f"{axis}_{unit}"] = Column(group=POSITION, place=place, factor=factor)
            columns[f"v{axis}_{unit}_s"] = Column(group=VELOCITY, place=place, factor=factor)
            columns[f"a{axis}_{unit}_s2"] = Column(group=ACCELERATION, place=place, factor=factor)
        for unit, factor in _ANGLE.items():
            columns[f"w{axis}_{unit}_s"] = Column(group=SPIN, place=place, factor=factor)
            columns[f"wd{axis}_{unit}_s2"] = Column(group=SPIN_RATE, place=place, factor=factor)
        columns[f"n{axis}"] = Column(group=NORMAL, place=place)
        columns[f"a{axis}"] = Column(group=APPROACH, place=place)
        columns[f"f{axis}_n"] = Column(group=WRENCH, place=place)
        columns[f"m{axis}_nm"] = Column(group=WRENCH, place=place + 3)
    for row in range(3):
        for column in range(4):
            columns[f"T{row + 1}{column + 1}"] = Column(group=POSE, place=4 * row + column)
    return columns


def group_headers(group: str, known: dict[str, Column]) -> list[str]:
    """Preferred header of every entry of a group, in order."""
    chosen: dict[int, str] = {}
    for header, column in known.items():
        if column.group == group:
            chosen.setdefault(column.place, header)
    return [chosen[place] for place in sorted(chosen)]


def unknown_header(header: str, mechanism: Mechanism, known: dict[str, Column]) -> str:
    """What is wrong with a header that is not known, and what could stand there."""
    found = _JOINT_COLUMN.fullmatch(header)
    if not found:
        return _nearest(header, known)
    group, number, unit = found.group(1), int(found.group(2)), found.group(3)
    if not 1 <= number <= mechanism.dof:
        last = f"{group}{mechanism.dof}" if mechanism.dof else "none"
        return f"{mechanism.name} has {mechanism.dof} joint variables; the last is {last}"
    joint = mechanism.movable[number - 1]
    places = [h for h, c in known.items() if (c.group, c.place) == (group, number - 1)]
    expected = f"expected {' or '.join(places)}"
    if unit is None:
        return f"the column's name carries no unit; {expected}"
    return f"joint {number} ({joint.name}) is {joint.kind.value}; {expected}"


def _nearest(header: str, known: dict[str, Column]) -> str:
    if not header:
        return "the column has no name"
    if ";" in header or "\t" in header:
        return "columns are separated by commas"
    lowered = {name.lower(): name for name in known}
    close = get_close_matches(header.lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean {lowered[close[0]]}?"
    return f"known columns: {', '.join(list(known)[:6])}, …"
