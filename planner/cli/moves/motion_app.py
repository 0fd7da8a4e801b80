"""``palpeur motion``: one motion in joint space or along a straight line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import Force, Json, Tip, flag, option, out_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from planner.cli.output import Form
    from planner.cli.session import Session
    from reports.answers import Table
    from robots.core.arrays import Array
    from robots.core.motion.joint_motion import MinimumTime

COMMAND = "palpeur motion"


def motion(
    context: typer.Context,
    *,
    start: Annotated[str, option("--from", "Q1,Q2,…", "Start.")],
    end: Annotated[str, option("--to", "Q1,Q2,…", "End.")],
    law: Annotated[
        str,
        option("--law", "LAW", "linear, cubic, quintic, bang-bang, trapezoid, double-s."),
    ] = "trapezoid",
    kv: Annotated[str, option("--kv", "V1,V2,…", "Speed limits, rad/s or m/s.")] = "",
    ka: Annotated[str, option("--ka", "A1,A2,…", "Acceleration limits, rad/s² or m/s².")] = "",
    kj: Annotated[
        str,
        option("--kj", "J1,J2,…", "Jerk limits, rad/s³ or m/s³, for double-s."),
    ] = "",
    unit: Annotated[
        str, flag("--unit", "Of --from and --to: deg, rad, mm, m; one or one each.")
    ] = "",
    robot: Annotated[str, flag("--robot", "Take units and limits from this robot's joints.")] = "",
    tip: Tip = "",
    straight: Annotated[
        bool,
        flag(
            "--straight",
            "A straight line of poses: --from and --to are x,y,z in mm and, optionally, "
            "angles about z, y, x in degrees; --kv, --ka and --kj give translation, rotation.",
        ),
    ] = False,
    all_laws: Annotated[bool, flag("--all-laws", "Minimum time of every law.")] = False,
    period_ms: Annotated[float, flag("--period-ms", "Sampling period of --out.", min=0.001)] = 1.0,
    out: Annotated[str, out_option("FILE", "Write the sampled motion as CSV.")] = "",
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Minimum synchronised time of one motion, in joint space or along a straight line.

    Joints turn in degrees unless --unit says otherwise; limits are in SI.
    """
    from math import isfinite
    from pathlib import Path

    from planner.cli.moves.motion_values import joint_move, straight_move
    from planner.cli.output import Form
    from planner.errors import OptionError
    from planner.result_files import check_file
    from reports.models import motion as answers
    from robots.core.motion.joint_motion import minimum_time, usable_laws

    session, form = context.obj.forced(force), Form(json=as_json)
    if out:
        check_file(Path(out), COMMAND, force=force)  # before the work, not after it
    if not isfinite(period_ms):
        raise OptionError(f"--period-ms is {period_ms}; give a finite number.")
    if straight:
        if robot or unit:
            raise OptionError("--straight moves the tool alone: leave --robot and --unit out.")
        line, limits = straight_move(start, end, kv, ka, kj)
        if all_laws:
            return _all_laws([line.least_time(name, limits) for name in usable_laws(limits)], form)
        found = line.least_time(law, limits)
        _write(out, found, period_ms, lambda t: answers.line_motion_table(found, line, t), session)
        code = form.show(
            json=lambda: answers.line_motion_document(found, line),
            text=lambda: answers.line_motion_lines(found, line),
        )
        if line.is_half_turn:
            session.say("The turn is 180 deg: both directions of rotation are equally short.")
        return code
    mechanism = None
    if robot:
        from planner.cli.opening import movable_robot

        mechanism = movable_robot(robot, tip, session)
    needs_jerk = law == "double-s" and not all_laws
    q, target, limits = joint_move(start, end, (kv, ka, kj), unit, mechanism, needs_jerk=needs_jerk)
    if all_laws:
        times = [minimum_time(name, target - q, limits) for name in usable_laws(limits)]
        return _all_laws(times, form)
    found = minimum_time(law, target - q, limits)
    _write(
        out, found, period_ms, lambda t: answers.joint_motion_table(found, q, limits, t), session
    )
    return form.show(
        json=lambda: answers.joint_motion_document(found, q, limits),
        text=lambda: answers.joint_motion_lines(found, q, limits),
    )


def _all_laws(times: list[MinimumTime], form: Form) -> int:
    from reports.models.motion import laws_document, laws_lines

    return form.show(json=lambda: laws_document(times), text=lambda: laws_lines(times))


def _write(
    out: str,
    found: MinimumTime,
    period_ms: float,
    table: Callable[[Array], Table],
    session: Session,
) -> None:
    """Write the sampled motion; numbers read back to the same doubles."""
    if not out:
        return
    from pathlib import Path

    from planner.cli.moves.motion_values import instants
    from planner.result_files import write_result
    from reports.document_text import csv_text

    t = instants(found.duration, period_ms)
    write_result(Path(out), csv_text(*table(t)), COMMAND, force=session.force)
    session.say(f"{len(t)} samples written to {out}")
