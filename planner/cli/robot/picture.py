"""``palpeur robot show --html``: the page of one robot."""

from __future__ import annotations

from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import say_choices
from planner.cli.robot.models import StateRequest
from planner.cli.session import Session
from planner.result_files import check_file, write_result
from reports.robot import posture_of, robot_page
from robots.robot import Robot, load_robot

_COMMAND = "palpeur robot show"


def write_robot_page(
    robot: str, tip: str, meshes: Path | None, place: str, q: str, session: Session
) -> int:
    """Write the page.

    Args:
        robot: as its option.
        tip: likewise.
        meshes: likewise.
        place: of the page.
        q: text of the first posture; empty for zero.
        session: of this run.

    Raises:
        RobotError: no such robot.
        OptionError: a posture that is none, or is outside the limits.
        OutputError: the file cannot be written, or is somebody else's.
    """
    path = Path(place)
    # before the work, not after it
    check_file(path, _COMMAND, [robot], force=session.force, option="--html")
    loaded = load_robot(robot, tip=tip, meshes=meshes)
    mechanism = loaded.mechanism
    say_choices(mechanism, session)
    posture = None
    if q:
        given = StateRequest(options={"q": q}).read(mechanism)
        posture = posture_of(mechanism, given.require("q", "the page")[0])
    page = robot_page(Robot(mechanism, source=loaded.source, engine="single-use"), posture)
    write_result(path, page, _COMMAND, comment="<!-- {} -->", force=session.force, option="--html")
    session.say(f"Page written to {place}")
    return ExitCode.DONE
