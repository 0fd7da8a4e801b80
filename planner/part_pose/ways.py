"""Ways to serve points of many poses, already without those that break a limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan_types import PlacedPoints
from planner.reach.arm_lines import ArmLines
from planner.reach.arm_reach import ArmReach
from planner.reach.lines import Lines
from planner.reach.margins import Margins, rough_margins
from planner.reach.reach import Reach
from robots.arm.inverse import ROUNDING, alternatives
from robots.core.arrays import Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdmissibleLines:
    """Lines that keep the required margins.

    Args:
        lines: geometry.
        point: index of the point each one serves, rising. # (c,)
        margins: on a grid along each line.
    """

    lines: Lines
    point: Indices
    margins: Margins

    def take(self, rows: Indices) -> AdmissibleLines:
        """Some of the lines, in the order given."""
        return AdmissibleLines(
            lines=self.lines.take(rows), point=self.point[rows], margins=self.margins.take(rows)
        )


def possible_ways(reach: Reach, placed: PlacedPoints, required: float) -> AdmissibleLines:
    """Ways to serve points that are not approached from inside.

    Args:
        reach: of the robot.
        placed: the points.
        required: joint margin that the job asks for. [rad]
    """
    if isinstance(reach, ArmReach):
        found = _arm_ways(reach, placed, required)
    else:
        found = _all(reach, placed)
    outside = placed.approach_cosines > 0.0
    return found.take(np.nonzero(found.margins.keep(required) & outside[found.point])[0])


def _all(reach: Reach, placed: PlacedPoints) -> AdmissibleLines:
    found = reach.candidates(placed)
    return AdmissibleLines(lines=found.lines, point=found.point, margins=found.margins)


def _arm_ways(reach: ArmReach, placed: PlacedPoints, required: float) -> AdmissibleLines:
    """Lines of the families that keep their limits at the clearance point: a fifth of all."""
    inverse = reach.inverse
    start = inverse.solve(placed.clearances, placed.axes)
    end = inverse.solve(placed.search_ends, placed.axes)
    point, family = np.nonzero(start.solved & end.solved)
    ways = alternatives(inverse.model.mechanism, start.q[point, family])
    inside = np.min(ways.margin, axis=1, initial=np.inf) >= required - ROUNDING
    row = ways.row[inside]
    lines = ArmLines(
        inverse=inverse,
        starts=placed.clearances[point[row]],
        ends=placed.search_ends[point[row]],
        axes=placed.axes[point[row]],
        families=family[row],
        q_starts=ways.q[inside],
    )
    return AdmissibleLines(lines=lines, point=point[row], margins=rough_margins(lines))
