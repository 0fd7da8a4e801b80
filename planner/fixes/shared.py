"""Clearance checks of one cell again and again: what is built from its solids is built once."""

from __future__ import annotations

import numpy as np

from planner.clearance.checker import Checker
from planner.clearance.links import Links
from planner.clearance.probing import ProbingLines
from planner.clearance.stylus_sweep import Stylus
from planner.plan_types import PlacedPoints
from robots.core.mechanism import Mechanism


class SharedChecker(Checker):
    """A checker whose robot has its capsules elsewhere on its links.

    Args:
        base: of a robot with the same joints, capsules (names, carriers, radii) and self pairs.
        mechanism: the robot.
    """

    def __init__(self, base: Checker, mechanism: Mechanism) -> None:
        vars(self).update(vars(base))
        self._links = Links(mechanism)


class SharedLines(ProbingLines):
    """Judge of lines to variations of one point, which all touch the same patch.

    Args:
        base: of that one point.
        checker: of the robot in its cell.
        mechanism: the robot with its stylus, the ball and the shank as thick as they were.
        placed: the variations.
    """

    def __init__(
        self, base: ProbingLines, checker: Checker, mechanism: Mechanism, placed: PlacedPoints
    ) -> None:
        vars(self).update(vars(base))
        self._checker = checker
        self._stylus = Stylus.of(mechanism)
        self._contacts = placed.contacts
        if self._allowed is not None:
            self._allowed = self._allowed.take(np.zeros(len(placed), dtype=np.int64))


def checker_for(base: Checker, known: Mechanism, mechanism: Mechanism) -> Checker | None:
    """A checker that shares what another one has built; None where robots differ in more.

    Args:
        base: checker of the known robot.
        known: that robot.
        mechanism: the robot to be checked.
    """
    capsules, others = known.capsules, mechanism.capsules
    same = len(capsules) == len(others) and known.self_pairs == mechanism.self_pairs
    same = same and all(
        (a.name, a.joint, a.radius) == (b.name, b.joint, b.radius)
        for a, b in zip(capsules, others, strict=True)
    )
    return SharedChecker(base, mechanism) if same else None
