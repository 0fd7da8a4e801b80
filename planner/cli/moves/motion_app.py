"""``palpeur motion``: what is asked; ``motion`` and ``line_motion`` do the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Json, Tip
from planner.cli.out_place import Force, file_option
from planner.cli.robot_reference import RobotReference


def motion(
    context: typer.Context,
    *,
    start: Annotated[
        str,
        typer.Option("--from", metavar="Q1,Q2,…", help="Start.", show_default=False),
    ],
    end: Annotated[str, typer.Option("--to", metavar="Q1,Q2,…", help="End.", show_default=False)],
    law: Annotated[
        str,
        typer.Option(
            "--law", metavar="LAW", help="linear, cubic, quintic, bang-bang, trapezoid, double-s."
        ),
    ] = "trapezoid",
    kv: Annotated[
        str, typer.Option("--kv", metavar="V1,V2,…", help="Speed limits, rad/s or m/s.")
    ] = "",
    ka: Annotated[
        str, typer.Option("--ka", metavar="A1,A2,…", help="Acceleration limits, rad/s² or m/s².")
    ] = "",
    kj: Annotated[
        str,
        typer.Option("--kj", metavar="J1,J2,…", help="Jerk limits, rad/s³ or m/s³, for double-s."),
    ] = "",
    unit: Annotated[
        str, typer.Option("--unit", help="Of --from and --to: deg, rad, mm, m; one or one each.")
    ] = "",
    robot: Annotated[
        str, typer.Option("--robot", help="Take units and limits from this robot's joints.")
    ] = "",
    tip: Tip = "",
    straight: Annotated[
        bool,
        typer.Option(
            "--straight",
            help="A straight line of poses: --from and --to are x,y,z in mm and, if wanted, "
            "angles about z, y, x in degrees; --kv, --ka and --kj give translation, rotation.",
        ),
    ] = False,
    all_laws: Annotated[bool, typer.Option("--all-laws", help="Least time of every law.")] = False,
    period_ms: Annotated[
        float, typer.Option("--period-ms", min=0.001, help="Sampling period of --out.")
    ] = 1.0,
    out: Annotated[
        str,
        typer.Option(
            "--out", callback=file_option, metavar="FILE", help="Write the sampled motion as CSV."
        ),
    ] = "",
    as_json: Json = False,
    force: Force = False,
) -> int:
    """Least synchronised time of one motion, in joint space or along a straight line.

    Joints turn in degrees unless --unit says otherwise; limits are in SI.
    """
    from planner.cli.moves.motion import MotionRequest, print_motion

    return print_motion(
        MotionRequest(
            law=law,
            start=start,
            end=end,
            kv=kv,
            ka=ka,
            kj=kj,
            unit=unit,
            robot=RobotReference(model=robot, tip=tip) if robot else None,
            straight=straight,
            all_laws=all_laws,
            period_ms=period_ms,
            out=out,
            json=as_json,
            session=context.obj.forced(force),
        )
    )
