"""``palpeur motion`` in joint space: least synchronised time, peaks, samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.moves.motion_values import jerk_values, joint_units, limit_values, listed_numbers
from planner.cli.moves.sampled import COMMAND, instants, write_samples
from planner.cli.output import FORMAT, bold, number, print_json, print_table
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.least_time import LeastTime, least_time
from robots.core.motion.motion_law import LAW_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRequest:
    """What ``palpeur motion`` was asked for; texts as written on the command line.

    Args:
        law: name of the motion law.
        start: values of ``--from``.
        end: values of ``--to``.
        kv: speed limits, SI.
        ka: acceleration limits, SI.
        kj: jerk limits, SI, or nothing.
        unit: of start and end.
        robot: whose joints move, or nothing.
        straight: whether a line of poses is meant.
        all_laws: whether every law is compared.
        period_ms: of the samples. [ms]
        out: file of the samples, or nothing.
        json: answer in JSON.
        session: of this run.
    """

    law: str
    start: str
    end: str
    kv: str = ""
    ka: str = ""
    kj: str = ""
    unit: str = ""
    robot: RobotReference | None = None
    straight: bool = False
    all_laws: bool = False
    period_ms: float = 1.0
    out: str = ""
    json: bool = False
    session: Session = field(default_factory=Session)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointMove:
    """A motion to be timed: where from, where to, and the limits, in SI."""

    start: Array
    end: Array
    limits: JointLimits


def print_motion(request: MotionRequest) -> int:
    """Time one motion, or all laws.

    Raises:
        OptionError: values that do not fit together.
        MotionError: limits or a law that allow no motion.
        OutputError: the file cannot be written, or is somebody else's.
    """
    if request.out:
        check_file(
            Path(request.out), COMMAND, force=request.session.force
        )  # before the work, not after it
    if not np.isfinite(request.period_ms):
        raise OptionError(f"--period-ms is {request.period_ms}; give a finite number.")
    if request.straight:
        from planner.cli.moves.line_motion import print_line_motion

        return print_line_motion(request)
    move = joint_move(request)
    displacement = move.end - move.start
    if request.all_laws:
        names = usable_laws(move.limits)
        times = [least_time(law, displacement, move.limits) for law in names]
        return print_all_laws(times, as_json=request.json)
    found = least_time(request.law, displacement, move.limits)
    _write_joint_samples(request, move, found)
    if request.json:
        print_json(_document(move, found))
    else:
        _print_text(move, found)
    return ExitCode.DONE


def joint_move(request: MotionRequest) -> JointMove:
    """The request's numbers in SI."""
    robot = _robot(request)
    start = listed_numbers(request.start, "--from")
    end = listed_numbers(request.end, "--to")
    if start.size != end.size:
        raise OptionError(f"--from has {start.size} values and --to has {end.size}; give as many.")
    if robot is not None and robot.dof != start.size:
        raise OptionError(
            f"{robot.name} has {robot.dof} joint variables, but --from has {start.size} values."
        )
    if request.law == "double-s" and not (request.kj or robot or request.all_laws):
        raise OptionError("--kj is missing; the double-s law needs a jerk limit per joint.")
    units = joint_units(request.unit, start.size, robot)
    limits = JointLimits(
        max_speed=limit_values(request.kv, "--kv", start.size, robot),
        max_acceleration=limit_values(request.ka, "--ka", start.size, robot),
        max_jerk=jerk_values(request.kj, start.size, robot),
        names=tuple(joint.name for joint in robot.movable) if robot else (),
        units=tuple("m" if unit.is_length else "rad" for unit in units),
    )
    factors = np.array([unit.factor for unit in units])
    return JointMove(start=start * factors, end=end * factors, limits=limits)


def usable_laws(limits: JointLimits) -> tuple[str, ...]:
    """The laws that the limits are enough for: the double-S needs jerk limits."""
    return tuple(name for name in LAW_NAMES if name != "double-s" or limits.has_jerk)


def print_all_laws(times: list[LeastTime], *, as_json: bool) -> int:
    """Least time of every law, as in [LAMMARI12] Tableau 4."""
    if as_json:
        rows = [
            {"law": t.law.name, "duration_s": t.duration, "binding": _bindings(t)} for t in times
        ]
        print_json({"format": FORMAT, "laws": rows})
    else:
        lines = [(t.law.name, f"{t.duration:.4f}", ", ".join(_bindings(t)) or "-") for t in times]
        print_table(("law", "duration s", "bound by"), lines)
    return ExitCode.DONE


def _robot(request: MotionRequest) -> Mechanism | None:
    if request.robot is None:
        return None
    from planner.cli.opening import movable_robot

    return movable_robot(request.robot, request.session)


def _bindings(found: LeastTime) -> list[str]:
    return [str(binding) for binding in found.bindings]


def _document(move: JointMove, found: LeastTime) -> dict[str, object]:
    motion = found.motion(move.start)
    rows = zip(
        move.limits.names,
        move.limits.units,
        found.displacement,
        motion.peak_velocity,
        motion.peak_acceleration,
        motion.peak_jerk,
        strict=True,
    )
    return {
        "format": FORMAT,
        **law_document(found),
        "joints": [
            {
                "name": name,
                f"displacement_{unit}": displacement,
                f"peak_velocity_{unit}_s": velocity,
                f"peak_acceleration_{unit}_s2": acceleration,
                f"peak_jerk_{unit}_s3": float(jerk) if np.isfinite(jerk) else None,
            }
            for name, unit, displacement, velocity, acceleration, jerk in rows
        ],
    }


def law_document(found: LeastTime) -> dict[str, object]:
    """What JSON tells of a timed law."""
    document: dict[str, object] = {
        "law": found.law.name,
        "duration_s": found.duration,
        "acceleration_time_s": found.acceleration_time,
        "plateau": found.has_plateau,
        "binding": _bindings(found),
        "switches_s": [found.duration * s for s in found.law.switches],
    }
    return document | ({"jerk_time_s": found.jerk_time} if found.law.name == "double-s" else {})


def print_law(found: LeastTime) -> None:
    """Law, duration and what binds it."""
    print(bold(f"{found.law.name}: {found.duration:.6f} s"))
    print(f"bound by {' and '.join(_bindings(found)) or 'nothing: there is no motion'}")
    if found.law.name == "double-s":
        print(f"the acceleration rises and falls in {found.jerk_time:.6f} s each")
    if found.law.name in ("trapezoid", "double-s"):
        shape = "with" if found.has_plateau else "without"
        print(f"speeds up for {found.acceleration_time:.6f} s, {shape} a plateau")


def _print_text(move: JointMove, found: LeastTime) -> None:
    print_law(found)
    motion = found.motion(move.start)
    columns = (found.displacement, motion.peak_velocity, motion.peak_acceleration, motion.peak_jerk)
    rows = [
        (name, unit, *(number(x) for x in values))
        for name, unit, *values in zip(move.limits.names, move.limits.units, *columns, strict=True)
    ]
    peaks = ("peak speed /s", "peak accel. /s²", "peak jerk /s³")
    print_table(("joint", "unit", "displacement", *peaks), rows)


def _write_joint_samples(request: MotionRequest, move: JointMove, found: LeastTime) -> None:
    if not request.out:
        return
    motion = found.motion(move.start)
    t = instants(found.duration, request.period_ms)
    numbers = range(1, move.start.size + 1)
    units = move.limits.units
    headers = [
        f"{group}{k}_{unit}{per}"
        for group, per in (("q", ""), ("qd", "_s"), ("qdd", "_s2"))
        for k, unit in zip(numbers, units, strict=True)
    ]
    values = np.hstack([motion.position(t), motion.velocity(t), motion.acceleration(t)])
    write_samples(request.out, headers, np.column_stack([t, values]), force=request.session.force)
    request.session.say(f"{len(t)} samples written to {request.out}")
