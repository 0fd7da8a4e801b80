"""From what users write for ROBOT to a mechanism, and what its file left to be chosen."""

from __future__ import annotations

from pathlib import Path

from planner.cli.session import Session
from planner.errors import OptionError
from planner.findings.robot_findings import choice_findings
from robots.core.mechanism import Mechanism
from robots.library import open_robot


def opened_robot(robot: str, tip: str, session: Session, meshes: Path | None = None) -> Mechanism:
    """A robot; says which link of a URDF file is the tool frame, and what is held still.

    Args:
        robot: library name, or path of a robot file.
        tip: of a URDF file, the link whose frame is the tool frame; empty for the rule.
        session: of this run.
        meshes: of a URDF file, folder that its meshes are sought in besides its own.

    Raises:
        RobotError: no such robot, or a file that is not one.
    """
    mechanism = open_robot(robot, tip=tip, meshes=meshes)
    say_choices(mechanism, session)
    return mechanism


def say_choices(mechanism: Mechanism, session: Session) -> None:
    """Tell which link of a URDF file is the tool frame, and what is held still."""
    for finding in choice_findings(mechanism):
        session.say(f"{finding.code} {finding.severity.value}: {finding.message}")


def movable_robot(robot: str, tip: str, session: Session) -> Mechanism:
    """A robot with at least one joint that moves; otherwise as ``opened_robot``.

    Raises:
        RobotError: no such robot, or a file that is not one.
        OptionError: only fixed joints.
    """
    mechanism = opened_robot(robot, tip, session)
    if mechanism.dof == 0:
        raise OptionError(
            f"{mechanism.name} has only fixed joints; this command needs one that moves.",
            robot=robot,
        )
    return mechanism
