"""Where points came from: format, unit, and whether they lie on the surface or are ball centres."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Compensation(Enum):
    """What coordinates of touches are."""

    SURFACE = "points on the surface"
    CENTRE = "centres of the ball"
    UNSTATED = "not stated by the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointSource:
    """How a point file was read; nothing in it was guessed.

    Args:
        origin: name of the file.
        format: name of the format, as users know it.
        unit: of the file's lengths, such as "mm".
        unit_from: who says so, such as "the header".
        compensation: what the coordinates are.
        ball_diameter: of the ball that the file was made with, where it says so. [m]
        unit_line: of the file, from 1, where the unit stands in the headers of columns.
        notes: what was ignored, assumed by the format's rules, or done; one sentence each.
    """

    origin: str
    format: str
    unit: str
    unit_from: str
    compensation: Compensation
    ball_diameter: float | None = None
    unit_line: int | None = None
    notes: tuple[str, ...] = ()

    def describe(self) -> str:
        """One sentence for reports and messages."""
        return (
            f"{self.origin}: {self.format}, lengths in {self.unit} ({self.unit_from}), "
            f"{self.compensation.value}."
        )
