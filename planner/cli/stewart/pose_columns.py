"""Columns of tables about a platform."""

from __future__ import annotations

from planner.cli.unit_columns import ANGLE, AXES, LENGTH, Column, body_columns

ANGLES, LENGTHS = "angles", "lengths"  # groups beside those of any body
LEGS = 6
_LENGTHS, _ANGLES = ("mm", "m"), ("deg", "rad")  # the preferred unit first


def pose_columns() -> dict[str, Column]:
    """Headers of a pose, its rates and the wrench on the platform; the preferred unit first."""
    turns = {
        f"r{AXES[2 - place]}_{unit}": Column(group=ANGLES, place=place, factor=ANGLE[unit])
        for place in range(3)  # z first, as the turns follow each other
        for unit in _ANGLES
    }
    return body_columns(_LENGTHS, _ANGLES) | turns


def length_columns() -> dict[str, Column]:
    """Headers of the six leg lengths."""
    return {
        f"l{leg + 1}_{unit}": Column(group=LENGTHS, place=leg, factor=LENGTH[unit])
        for leg in range(LEGS)
        for unit in _LENGTHS
    }
