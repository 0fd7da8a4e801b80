"""Columns that a table of a robot's states may have."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planner.cli.unit_columns import ANGLE, AXES, LENGTH, Column, body_columns, nearest_header
from robots.core.mechanism import Joint, Mechanism

_PER_TIME = {"q": "", "qd": "_s", "qdd": "_s2"}
_JOINT_COLUMN = re.compile(r"(q|qd|qdd|tau)(\d{1,6})(?:_(\w+))?")
_EVERY_LENGTH, _EVERY_ANGLE = tuple(LENGTH), tuple(ANGLE)

# Groups beside those of the joints, q, qd, qdd and tau, and those of any body.
NORMAL, APPROACH = "normal", "approach"


def known_columns(mechanism: Mechanism) -> dict[str, Column]:
    """Every header that makes sense for a mechanism, the preferred unit first."""
    columns: dict[str, Column] = {}
    for place, (number, joint) in enumerate(zip(mechanism.numbers, mechanism.movable, strict=True)):
        columns |= _joint_columns(place, number, joint)
    for place, axis in enumerate(AXES):
        columns[f"n{axis}"] = Column(group=NORMAL, place=place)
        columns[f"a{axis}"] = Column(group=APPROACH, place=place)
    return columns | body_columns(_EVERY_LENGTH, _EVERY_ANGLE)


def _joint_columns(place: int, number: int, joint: Joint) -> dict[str, Column]:
    units = ANGLE if joint.kind.angular else LENGTH
    columns = {
        f"{group}{number}_{unit}{per}": Column(group=group, place=place, factor=factor)
        for group, per in _PER_TIME.items()
        for unit, factor in units.items()
    }
    effort = "nm" if joint.kind.angular else "n"
    return columns | {f"tau{number}_{effort}": Column(group="tau", place=place)}


def unknown_header(mechanism: Mechanism, known: Mapping[str, Column], header: str) -> str:
    """What is wrong with a header that is not known, and what could stand there."""
    found = _JOINT_COLUMN.fullmatch(header)
    if not found:
        return nearest_header(header, known)
    group, number, unit = found.group(1), int(found.group(2)), found.group(3)
    if not 1 <= number <= mechanism.dof:
        last = f"{group}{mechanism.dof}" if mechanism.dof else "none"
        return f"{mechanism.name} has {mechanism.dof} joint variables; the last is {last}"
    place = mechanism.numbers.index(number)
    joint = mechanism.movable[place]
    places = [h for h, c in known.items() if (c.group, c.place) == (group, place)]
    expected = f"expected {' or '.join(places)}"
    if unit is None:
        return f"the column's name carries no unit; {expected}"
    return f"joint {number} ({joint.name}) is {joint.kind.value}; {expected}"
