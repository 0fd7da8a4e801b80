"""``palpeur robot calibrate``: what is asked; the modules named in the body do the work."""

from __future__ import annotations

from math import radians
from typing import Annotated

import typer

from planner.cli.options import Json, Robot, Tip
from planner.cli.out_place import Force, file_option
from planner.cli.robot_reference import RobotReference


def calibrate(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    measurements: Annotated[
        str,
        typer.Option(
            "--measurements",
            metavar="FILE",
            help="CSV of joint readings q1_deg … with sphere, or pair and length_mm, or "
            "x_mm,y_mm,z_mm; - reads standard input.",
            show_default=False,
        ),
    ] = "",
    kind: Annotated[
        str,
        typer.Option(
            "--kind", metavar="KIND", help="sphere, length or point; default: what the columns say."
        ),
    ] = "",
    plan: Annotated[
        int,
        typer.Option(
            "--plan", metavar="N", min=0, help="Propose N measurements instead.", show_default=False
        ),
    ] = 0,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            callback=file_option,
            metavar="FILE",
            help="Write the calibrated robot file (or the postures).",
        ),
    ] = "",
    stylus_mm: Annotated[
        float, typer.Option("--stylus-mm", help="From the tool's origin along z to the ball.")
    ] = 0.0,
    encoder_deg: Annotated[
        float, typer.Option("--encoder-deg", min=0.0, help="Noise of a joint reading, 1 sigma.")
    ] = 0.0,
    noise_mm: Annotated[
        float,
        typer.Option("--noise-mm", min=0.0, help="Noise of seat, point or length, 1 sigma."),
    ] = 0.0,
    prior_deg: Annotated[
        float, typer.Option("--prior-deg", min=0.0, help="How far angles may be off, 1 sigma.")
    ] = 0.0,
    prior_mm: Annotated[
        float, typer.Option("--prior-mm", min=0.0, help="How far lengths may be off, 1 sigma.")
    ] = 0.0,
    parameters: Annotated[
        str,
        typer.Option(
            "--parameters", metavar="NAMES", help="Only these, as in 'q2 theta,q3 d'; else all."
        ),
    ] = "",
    drop_outliers: Annotated[
        bool, typer.Option("--drop-outliers", help="Leave contradicting measurements out.")
    ] = False,
    spheres: Annotated[
        int, typer.Option("--spheres", min=1, max=50, help="How many --plan places.")
    ] = 3,
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="X,Y,Z", help="Sphere that stands already, mm; repeat."),
    ] = None,
    length_mm: Annotated[
        float, typer.Option("--length-mm", min=0.0, help="Ball bar that --plan uses.")
    ] = 0.0,
    as_json: Json = False,
    force: Force = False,
) -> int:
    """Find a serial arm's geometric errors, or plan the postures to find them from.

    The tool's origin is the ball. Exit codes: 0 found and better; 1 no better, or these
    measurements cannot tell the parameters apart; 2 bad input.
    """
    from planner.cli.robot.calibrate_answers import CalibrationRequest, print_calibration
    from planner.errors import OptionError

    if bool(measurements) == bool(plan):
        raise OptionError("Give either --measurements FILE or --plan N.", option="--measurements")
    request = CalibrationRequest(
        robot=RobotReference(model=robot, tip=tip),
        measurements=measurements,
        kind=kind,
        out=out,
        stylus=stylus_mm / 1e3,
        encoder=radians(encoder_deg),
        reading=noise_mm / 1e3,
        prior_angle=radians(prior_deg),
        prior_length=prior_mm / 1e3,
        parameters=parameters,
        drop_outliers=drop_outliers,
        json=as_json,
        session=context.obj.forced(force),
    )
    if not plan:
        return print_calibration(request)
    from planner.cli.robot.calibration_plan import PlanRequest, print_plan

    return print_plan(
        PlanRequest(
            robot=RobotReference(model=robot, tip=tip),
            count=plan,
            kind=kind,
            out=out,
            stylus=stylus_mm / 1e3,
            noise=request.noise,
            spheres=spheres,
            at=tuple(at or ()),
            length=length_mm / 1e3,
            json=as_json,
            session=context.obj.forced(force),
        )
    )
