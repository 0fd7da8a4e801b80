"""``palpeur biped transmission``: what postures ask of the motors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.cli.biped.transmission_rows import MotorRow, Posture, PostureAnswer, answer
from planner.cli.exit_codes import ExitCode
from planner.cli.moves.motion_values import listed_numbers
from planner.cli.output import Form, bold, number, print_csv, print_rows, print_table
from planner.errors import OptionError
from planner.tables import States, read_states
from robots.biped.library import open_biped, open_drives
from robots.core.mechanism import Mechanism

_RPM = 30.0 / np.pi
_TURN = 0.5 / np.pi


def print_transmission(robot: str, *, posture: str = "", states: str = "", form: Form) -> int:
    """Print joints and motors of postures; exit code 1 when a transmission does not reach one.

    Args:
        robot: name or path of a biped file.
        posture: joint positions in the mechanism's order, separated by commas; zero when neither
            this nor a table is given. # [deg]
        states: path of a table with q, and if wanted qd and tau; "-" reads standard input.
        form: of the answer.

    Raises:
        RobotError: no such biped, or one without transmissions.
        OptionError: both a posture and a table, or a posture of another number of joints.
        StatesError: a table that cannot be read.
    """
    mechanism, drives = open_biped(robot).mechanism, open_drives(robot)
    names = [joint.name for joint in mechanism.movable]
    order = [names.index(name) for name in drives.joints]
    answers = [answer(drives, one) for one in _postures(mechanism, posture, states, order)]
    if form.json:
        print_rows(one.document() for one in answers)
    elif form.csv:
        _print_csv(answers, drives.motors)
    else:
        for one in answers:
            _print_text(one)
    return ExitCode.FAILED if any(one.reason for one in answers) else ExitCode.DONE


def _postures(mechanism: Mechanism, posture: str, states: str, order: list[int]) -> list[Posture]:
    if posture and states:
        raise OptionError("--posture and --states exclude each other; give one.")
    if states:
        return _of_table(read_states(states, mechanism), order)
    q = np.radians(listed_numbers(posture, "--posture")) if posture else np.zeros(mechanism.dof)
    if q.size != mechanism.dof:
        names = ", ".join(joint.name for joint in mechanism.movable)
        raise OptionError(
            f"--posture has {q.size} values; {mechanism.name} has {mechanism.dof} joints: {names}. "
            "Give one angle in degrees for each.",
            option="--posture",
            found=int(q.size),
            expected=mechanism.dof,
        )
    return [Posture(where="", q=q[order])]


def _of_table(table: States, order: list[int]) -> list[Posture]:
    q = table.require("q", "the transmission")[:, order]
    qd, tau = table.groups.get("qd"), table.groups.get("tau")
    return [
        Posture(
            where=f"{table.origin}, line {line}",
            q=q[k],
            qd=None if qd is None else qd[k, order],
            tau=None if tau is None else tau[k, order],
        )
        for k, line in enumerate(table.lines)
    ]


def _print_csv(answers: Sequence[PostureAnswer], motors: tuple[str, ...]) -> None:
    """One line per posture and motor; empty cells where a posture is not reached."""
    lines: list[list[object]] = []
    for place, one in enumerate(answers, start=1):
        if one.reason:
            lines += [[place, 0, name, "", "", ""] for name in motors]
        lines += [
            [place, 1, row.name, row.position, _cell(row.speed), _cell(row.torque)]
            for row in one.motors
        ]
    headers = ("state", "within_range", "motor", "position_rad", "speed_rad_s", "torque_nm")
    print_csv(headers, lines)


def _cell(value: float | None) -> object:
    return "" if value is None else value


def _print_text(one: PostureAnswer) -> None:
    if one.where:
        print(bold(one.where))
    if one.reason:
        print(one.reason)
        return
    rows = [
        (
            joint.name,
            number(np.degrees(joint.position)),
            ", ".join(f"{name} {turns:+.2f}" for name, turns in joint.turns.items()),
            f"{joint.inertia:.4f}",
            f"{1e3 * np.degrees(joint.resolution):.3f}",
        )
        for joint in one.joints
    ]
    heads = ("joint", "deg", "motor turns per joint turn", "added kg m²", "encoder mdeg")
    print_table(heads, rows)
    _print_motors(one.motors)


def _print_motors(motors: Sequence[MotorRow]) -> None:
    heads, rows = ["motor", "turns"], [[row.name, f"{_TURN * row.position:.4f}"] for row in motors]
    if motors[0].speed is not None:
        heads.append("rpm")
        for cells, row in zip(rows, motors, strict=True):
            cells.append("" if row.speed is None else f"{_RPM * row.speed:.1f}")
    if motors[0].torque is not None:
        heads.append("N m")
        for cells, row in zip(rows, motors, strict=True):
            cells.append("" if row.torque is None else number(row.torque))
    print_table(heads, rows)
