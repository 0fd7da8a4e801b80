"""From what users write for ROBOT to a mechanism, and what its file left to be chosen."""

from __future__ import annotations

from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from planner.findings.robot_findings import choice_findings
from robots.core.mechanism import Mechanism


def opened_robot(robot: RobotReference, session: Session) -> Mechanism:
    """A robot; says which link of a URDF file is the tool frame, and what is held still.

    Raises:
        RobotError: no such robot, or a file that is not one.
    """
    mechanism = robot.open()
    for finding in choice_findings(mechanism):
        session.say(f"{finding.code} {finding.severity.value}: {finding.message}")
    return mechanism


def movable_robot(robot: RobotReference, session: Session) -> Mechanism:
    """A robot with at least one joint that moves; otherwise as ``opened_robot``.

    Raises:
        RobotError: no such robot, or a file that is not one.
        OptionError: only fixed joints.
    """
    mechanism = opened_robot(robot, session)
    if mechanism.dof == 0:
        raise OptionError(
            f"{mechanism.name} has only fixed joints; this command needs one that moves.",
            robot=robot.model,
        )
    return mechanism


def tip_document(mechanism: Mechanism) -> dict[str, object]:
    """What JSON says of the tool frame of a URDF file: key ``tip``; nothing of other robots."""
    tip = mechanism.tip
    if tip is None:
        return {}
    side = mechanism.side_branches
    return {
        "tip": {
            "link": tip.link,
            "root": tip.root,
            "rule": tip.rule.value,
            "moving_joints": tip.moving,
            "held_joints": [
                {"name": joint.name, f"value_{joint.unit}": joint.value} for joint in side.joints
            ],
            "held_links": list(side.links),
            "held_mass_kg": side.mass,
            "fixed_links": list(side.fixed_links),
            "fixed_mass_kg": side.fixed_mass,
        }
    }
