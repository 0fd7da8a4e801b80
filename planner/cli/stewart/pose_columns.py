"""Columns of tables about a platform: header, what it means, factor to SI."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np

from planner.cli.robot.states_columns import Column

POSITION, ANGLES, POSE = "position", "angles", "pose"
VELOCITY, SPIN = "velocity", "angular velocity"
ACCELERATION, SPIN_RATE = "acceleration", "angular acceleration"
WRENCH, LENGTHS = "wrench", "lengths"

LEGS = 6
_ANGLE = {"deg": np.pi / 180.0, "rad": 1.0}
_LENGTH = {"mm": 1e-3, "m": 1.0}
_AXES = "xyz"


def pose_columns() -> dict[str, Column]:
    """Headers of a pose, its rates and the wrench on the platform; the preferred unit first."""
    columns: dict[str, Column] = {}
    for place, axis in enumerate(_AXES):
        for unit, factor in _LENGTH.items():
            columns[f"{axis}_{unit}"] = Column(group=POSITION, place=place, factor=factor)
            columns[f"v{axis}_{unit}_s"] = Column(group=VELOCITY, place=place, factor=factor)
            columns[f"a{axis}_{unit}_s2"] = Column(group=ACCELERATION, place=place, factor=factor)
        for unit, factor in _ANGLE.items():
            turned = f"r{_AXES[2 - place]}_{unit}"  # z first, as the turns follow each other
            columns[turned] = Column(group=ANGLES, place=place, factor=factor)
            columns[f"w{axis}_{unit}_s"] = Column(group=SPIN, place=place, factor=factor)
            columns[f"wd{axis}_{unit}_s2"] = Column(group=SPIN_RATE, place=place, factor=factor)
        columns[f"f{axis}_n"] = Column(group=WRENCH, place=place)
        columns[f"m{axis}_nm"] = Column(group=WRENCH, place=place + 3)
    for row in range(3):
        for column in range(4):
            columns[f"T{row + 1}{column + 1}"] = Column(group=POSE, place=4 * row + column)
    return columns


def length_columns() -> dict[str, Column]:
    """Headers of the six leg lengths."""
    return {
        f"l{leg + 1}_{unit}": Column(group=LENGTHS, place=leg, factor=factor)
        for leg in range(LEGS)
        for unit, factor in _LENGTH.items()
    }


def advice_for(header: str, known: dict[str, Column]) -> str:
    """What could stand in place of a header that is not known."""
    if not header:
        return "the column has no name"
    if ";" in header or "\t" in header:
        return "columns are separated by commas"
    lowered = {name.lower(): name for name in known}
    close = get_close_matches(header.lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean {lowered[close[0]]}?"
    return f"known columns: {', '.join(list(known)[:6])}, …"
