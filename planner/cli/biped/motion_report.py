"""One motion of a biped, judged, written and printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.cli.biped.known_drives import KnownDrives, known_drives
from planner.cli.biped.motion_findings import findings_of, unjudged
from planner.cli.biped.motor_loads import drive_order, motor_loads
from planner.cli.exit_codes import ExitCode
from planner.cli.output import Form, bold, print_csv, print_json, print_table
from planner.cli.session import Session
from reports.document_text import document_text
from robots.biped.biped import Biped
from robots.biped.library import open_biped
from robots.biped.motion import BipedMotion
from robots.biped.scenarios.limit_remarks import limit_remarks, rate_remarks
from robots.core.arrays import Array

if TYPE_CHECKING:
    from reports.biped.shown_motion import ShownMotion
    from robots.core.transmission.drives import Drives


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRequest:
    """What is asked.

    Args:
        robot: name or path of a biped file.
        scenario: "squat", "tilt", "walk" or "push".
        command: that makes the same again.
        out: folder; empty for none.
        form: of the answer.
        session: for messages.
    """

    robot: str
    scenario: str
    command: str
    out: str
    form: Form
    session: Session


Scenario = Callable[[Biped, "Drives | None"], BipedMotion]


def print_motion(request: MotionRequest, scenario: Scenario) -> int:
    """Make, judge, write and print a motion; exit code 1 when it falls, tips or passes a limit.

    Args:
        request: what is asked.
        scenario: makes the motion of a robot with its drives.

    Raises:
        RobotError: no such biped, one that this scenario is not for, or a motion that cannot be.
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.biped.motion_document import motion_document, sample_rows

    if request.out:
        from planner.result_files import check_set
        from reports.biped.motion_set import KIND

        check_set(
            Path(request.out), KIND, force=request.session.force
        )  # before the work, not after it
    biped, known = open_biped(request.robot), known_drives(request.robot)
    shown = shown_motion(scenario(biped, known.drives), known, request)
    document = motion_document(shown)
    if request.out:
        _write(shown, document, request)
    if request.form.json:
        print_json(document)
    elif request.form.csv:
        print_csv(*sample_rows(shown))
    else:
        _print_text(shown)
    return ExitCode.DONE if shown.feasible else ExitCode.FAILED


def shown_motion(held: BipedMotion, known: KnownDrives, request: MotionRequest) -> ShownMotion:
    """The motion with its motors and findings, until it falls.

    Args:
        held: as the scenario gave it; of its remarks those are left out that a finding tells.
        known: drives of the robot.
        request: what was asked.
    """
    from dataclasses import replace

    from reports.biped.shown_motion import ShownMotion, judged_margin

    told = limit_remarks(held.biped, held.t, held.q) + rate_remarks(held.biped, held.qd, held.tau)
    motion = held.until_fall()
    motors = motor_loads(motion, known.drives) if known.drives else None
    return ShownMotion(
        scenario=request.scenario,
        motion=replace(motion, remarks=tuple(r for r in motion.remarks if r not in told)),
        margin=judged_margin(motion),
        motors=motors,
        findings=(*findings_of(motion, motors, _reach(motion, known.drives)), *unjudged(known)),
        command=request.command,
    )


def _reach(motion: BipedMotion, drives: Drives | None) -> Array:
    """Range of every joint that its limits and its transmission leave. # (2, n) [rad]."""
    mechanism = motion.biped.mechanism
    reach = np.array([mechanism.q_min, mechanism.q_max])
    if drives is None:
        return reach
    order = drive_order(motion, drives)
    low, high = drives.joint_range.T
    reach[0, order] = np.maximum(reach[0, order], low)
    reach[1, order] = np.minimum(reach[1, order], high)
    return reach


def _write(shown: ShownMotion, document: dict[str, object], request: MotionRequest) -> None:
    from reports.biped.motion_set import write_motion_set

    write_motion_set(shown, document_text(document), Path(request.out), force=request.session.force)
    request.session.say(f"figures, motion.csv, motion.json and page.html written to {request.out}")


def _print_text(shown: ShownMotion) -> None:
    from reports.biped.tables import verdict_words

    motion = shown.motion
    name = motion.biped.name
    print(bold(motion.title if motion.title.startswith(name) else f"{name}: {motion.title}"))
    print(verdict_words(shown))
    for remark in motion.remarks:
        print(remark)
    rows = [
        (
            joint.name,
            *(_angle(reach(motion.q[:, k])) for reach in (np.min, np.max)),
            *(_short(np.abs(values[:, k]).max()) for values in (motion.qd, motion.tau)),
        )
        for k, joint in enumerate(motion.biped.mechanism.movable)
    ]
    print_table(("joint", "least deg", "largest deg", "speed rad/s", "torque N m"), rows)
    _print_motors(shown)
    for finding in shown.findings:
        print(finding)
    print("within all limits" if shown.feasible else "NOT FEASIBLE")


def _print_motors(shown: ShownMotion) -> None:
    motors = shown.motors
    if motors is None:
        return
    speed, torque = (np.abs(np.nan_to_num(x)).max(axis=0) for x in (motors.speed, motors.torque))
    rows = [(name, _short(speed[k]), _short(torque[k])) for k, name in enumerate(motors.names)]
    print_table(("motor", "speed rad/s", "torque N m"), rows)


def _angle(value: float) -> str:
    """Degrees, without a negative zero."""
    return f"{round(float(np.degrees(value)), 2) + 0.0:.2f}"


def _short(value: float) -> str:
    """Five digits; what is rounding beside a newton metre is zero."""
    return f"{round(float(value), 9):.5g}"
