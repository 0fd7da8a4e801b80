"""What a robot can do for probe points: find ways to serve them, and say why there is none."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal, Protocol

from planner.plan import PlacedPoints
from planner.reach.lines import Lines
from planner.reach.margins import Margins
from robots.core.arrays import Indices
from robots.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """Why a point has no candidate, in numbers.

    Args:
        message: part of a sentence, with values and units.
        hint: the nearest fix.
        code: of the finding: out of reach, or a singularity in the way.
    """

    message: str
    hint: str
    code: Literal["P101", "P103"] = "P101"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a robot's branches and singularities are spoken of.

    Args:
        branch: what a branch is called, such as "family".
        singular_hint: how a line is kept out of singularities.
        search: how postures are found where not all are known, and what may be missed.
    """

    branch: str
    singular_hint: str
    search: str = ""


class Reach(Protocol):
    """How one robot serves probe points."""

    @property
    def model(self) -> Model:
        """Of the robot."""

    @property
    def complete(self) -> bool:
        """Whether all branches are found, proven; otherwise one may have been missed."""

    @property
    def wording(self) -> Wording:
        """Words for its findings."""

    def candidates(self, placed: PlacedPoints, *, wide: bool = False) -> Candidates:
        """Ways to serve the points, point by point; those that break limits are among them.

        Args:
            placed: the points.
            wide: whether those count too that a plan only looks for beside a known tour.
        """

    def shortfalls(self, placed: PlacedPoints, points: Indices) -> list[Shortfall]:
        """Why each of some points has no candidate."""


def some_points(placed: PlacedPoints, points: Indices) -> PlacedPoints:
    """Some of the placed points, in the order given."""
    arrays = {field.name: getattr(placed, field.name)[points] for field in fields(placed)[1:]}
    return replace(placed, names=tuple(placed.names[k] for k in points), **arrays)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Ways to serve the points: one row per point and family (with its turns) that hits both ends.

    Args:
        lines: geometry, one per candidate.
        point: index of the point each one serves. # (c,)
        margins: on a grid along each line.
    """

    lines: Lines
    point: Indices
    margins: Margins
