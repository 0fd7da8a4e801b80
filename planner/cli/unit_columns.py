"""Columns with a unit in their names: header, what it means, factor to SI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

ANGLE = {"rad": 1.0, "deg": np.pi / 180.0}
LENGTH = {"m": 1.0, "mm": 1e-3}
AXES = "xyz"

# Groups of quantities that belong together, of a tool or a platform.
POSITION, POSE = "position", "pose"
VELOCITY, SPIN = "velocity", "angular velocity"
ACCELERATION, SPIN_RATE = "acceleration", "angular acceleration"
WRENCH = "wrench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: which entry of which group it fills.

    Args:
        group: one of the groups above, or of those that a table adds.
        place: entry of the group's vector.
        factor: what its numbers are multiplied by to become SI.
    """

    group: str
    place: int
    factor: float = 1.0


def body_columns(lengths: tuple[str, ...], angles: tuple[str, ...]) -> dict[str, Column]:
    """Headers of a body's place, rates, wrench and pose.

    Args:
        lengths: units of lengths, the preferred one first.
        angles: units of angles, likewise.
    """
    columns: dict[str, Column] = {}
    for place, axis in enumerate(AXES):
        for unit in lengths:
            factor = LENGTH[unit]
            columns[f"{axis}_{unit}"] = Column(group=POSITION, place=place, factor=factor)
            columns[f"v{axis}_{unit}_s"] = Column(group=VELOCITY, place=place, factor=factor)
            columns[f"a{axis}_{unit}_s2"] = Column(group=ACCELERATION, place=place, factor=factor)
        for unit in angles:
            factor = ANGLE[unit]
            columns[f"w{axis}_{unit}_s"] = Column(group=SPIN, place=place, factor=factor)
            columns[f"wd{axis}_{unit}_s2"] = Column(group=SPIN_RATE, place=place, factor=factor)
        columns[f"f{axis}_n"] = Column(group=WRENCH, place=place)
        columns[f"m{axis}_nm"] = Column(group=WRENCH, place=place + 3)
    for row in range(3):
        for column in range(4):
            columns[f"T{row + 1}{column + 1}"] = Column(group=POSE, place=4 * row + column)
    return columns


def unit_of(header: str) -> str:
    """The unit in a header's name, with what it is per; empty for none."""
    return header.partition("_")[2]


def group_headers(group: str, known: Mapping[str, Column]) -> list[str]:
    """Preferred header of every entry of a group, in order."""
    chosen: dict[int, str] = {}
    for header, column in known.items():
        if column.group == group:
            chosen.setdefault(column.place, header)
    return [chosen[place] for place in sorted(chosen)]


def nearest_header(header: str, known: Mapping[str, Column]) -> str:
    """What could stand in place of a header that is not known."""
    if not header:
        return "the column has no name"
    lowered = {name.lower(): name for name in known}
    close = get_close_matches(header.lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean {lowered[close[0]]}?"
    return f"known columns: {', '.join(list(known)[:6])}, …"
