"""From what users write for ROBOT to a mechanism with something to move."""

from __future__ import annotations

from planner.errors import OptionError
from robots.core.mechanism import Mechanism
from robots.library import open_robot


def movable_robot(robot: str) -> Mechanism:
    """A robot with at least one joint that moves.

    Raises:
        RobotError: no such robot, or a file that is not one.
        OptionError: only fixed joints.
    """
    mechanism = open_robot(robot)
    if mechanism.dof == 0:
        raise OptionError(
            f"{mechanism.name} has only fixed joints; this command needs one that moves.",
            robot=robot,
        )
    return mechanism
