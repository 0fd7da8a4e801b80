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
class Untaken:
    """Something of a point file that gives no points, though a reader of the file may expect it.

    Args:
        name: of the feature, point or statement, as the file calls it.
        reason: why, a sentence without its full stop.
        line: of the file, from 1; None where the format has none.
        statement: as it stands in the file, where it is to blame.
        advice: the nearest fix.
        lost: whether touches are lost; otherwise there were none to take, as in a construction.
    """

    name: str
    reason: str
    line: int | None = None
    statement: str = ""
    advice: str = ""
    lost: bool = True

    def sentence(self) -> str:
        """Where, what and why, for a message that names the feature itself."""
        place = "" if self.line is None else f"line {self.line}: "
        quoted = f" ({self.statement})" if self.statement else ""
        return f"{place}{self.reason}{quoted}"


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
        untaken: what the file holds beside the points, and why it gives none.
        contradictable: whether ``compensation`` is only what such files usually hold, so that the
            caller may say otherwise.
    """

    origin: str
    format: str
    unit: str
    unit_from: str
    compensation: Compensation
    ball_diameter: float | None = None
    unit_line: int | None = None
    notes: tuple[str, ...] = ()
    untaken: tuple[Untaken, ...] = ()
    contradictable: bool = False

    def told(self) -> tuple[str, ...]:
        """How the file was read; nothing where its header says all of it, as our own does."""
        plain = self.compensation is Compensation.UNSTATED and not self.notes
        return () if plain else (self.describe(), *self.notes)

    def describe(self) -> str:
        """One sentence for reports and messages."""
        return (
            f"{self.origin}: {self.format}, lengths in {self.unit} ({self.unit_from}), "
            f"{self.compensation.value}."
        )
