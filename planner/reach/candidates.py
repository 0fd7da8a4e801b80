"""Ways to serve the points: every branch that reaches clearance point and contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import PlacedPoints
from planner.reach.lines import ArmLines, Lines
from planner.reach.margins import Margins, rough_margins
from robots.arm.inverse import ArmInverse, ArmSolutions, alternatives
from robots.core.arrays import Indices, Mask


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EndSolutions:
    """Inverse solutions at both ends of every line."""

    start: ArmSolutions
    end: ArmSolutions

    @property
    def hit(self) -> Mask:
        """Families that reach both ends. # (k, 8)."""
        return np.asarray(self.start.solved & self.end.solved)


def end_solutions(inverse: ArmInverse, placed: PlacedPoints) -> EndSolutions:
    """Solve clearance points and line ends."""
    return EndSolutions(
        start=inverse.solve(placed.clearances, placed.axes),
        end=inverse.solve(placed.line_ends, placed.axes),
    )


def candidates(inverse: ArmInverse, placed: PlacedPoints, ends: EndSolutions) -> Candidates:
    """All families that hit both ends of each line, with the whole turns that limits allow.

    A bent stylus can reach both ends by different branches of one family; such a line is none.
    """
    point, family = np.nonzero(ends.hit)
    ways = alternatives(inverse.model.mechanism, ends.start.q[point, family])
    point, family = point[ways.row], family[ways.row]
    lines = ArmLines(
        inverse=inverse,
        starts=placed.clearances[point],
        ends=placed.line_ends[point],
        axes=placed.axes[point],
        families=family,
        q_starts=ways.q,
    )
    margins = rough_margins(lines)
    whole = np.nonzero(np.isfinite(margins.singularity))[0]
    return Candidates(lines=lines.take(whole), point=point[whole], margins=margins.take(whole))
