"""How the measuring arm serves points: every branch, in closed form."""

from __future__ import annotations

import numpy as np

from planner.plan import PlacedPoints
from planner.reach.candidates import Candidates, EndSolutions, candidates, end_solutions
from planner.reach.reach import Shortfall, Wording, some_points
from robots.arm.inverse import ArmInverse, branch_name
from robots.core.arrays import Indices
from robots.core.model import Model

_WORDING = Wording(
    branch="family",
    singular_hint="shift the part or change the approach, so that the wrist stays bent and the "
    "wrist centre off the first axis",
)


class ArmReach:
    """Reach of a measuring arm.

    Args:
        inverse: of the arm.
    """

    complete = True
    wording = _WORDING

    def __init__(self, inverse: ArmInverse) -> None:
        self.inverse = inverse

    @property
    def model(self) -> Model:
        """Of the arm."""
        return self.inverse.model

    def candidates(self, placed: PlacedPoints, *, wide: bool = False) -> Candidates:
        """All families that hit both ends of each line, with the whole turns that limits allow."""
        del wide  # all that there are
        return candidates(self.inverse, placed, end_solutions(self.inverse, placed))

    def shortfalls(self, placed: PlacedPoints, points: Indices) -> list[Shortfall]:
        """How far each point is out of reach of the wrist, or what else is in the way."""
        ends = end_solutions(self.inverse, some_points(placed, points))
        return [_shortfall(ends, k) for k in range(len(points))]


def _shortfall(ends: EndSolutions, k: int) -> Shortfall:
    """Neither a limit nor a singularity: the arm is too short, or the point too near."""
    outside = max(
        (float(ends.start.shortfall[k]), "clearance point"),
        (float(ends.end.shortfall[k]), "contact"),
    )
    if outside[0] > 0.0:
        return Shortfall(
            message=f"the {outside[1]} is {outside[0] * 1e3:.3f} mm out of reach of the wrist",
            hint=f"move the part {outside[0] * 1e3:.1f} mm or more towards the robot's reach",
        )
    lost = ends.start.lost[k] | ends.end.lost[k]
    if not np.any(lost):
        return Shortfall(
            message="no branch of the arm carries the bent stylus along the whole line",
            hint="shift the part, turn the stylus, or use one whose ball lies on its axis",
        )
    names = ", ".join(branch_name(int(f)) for f in np.nonzero(lost)[0])
    return Shortfall(
        message=f"the triangle rule says it is within reach but no root was found for {names}",
        hint="this is a fault in Palpeur; please report the job",
    )
