"""``palpeur biped squat | tilt | walk | push``: motions, judged and reported."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.biped.arguments import Biped
from planner.cli.options import Csv, Json
from planner.cli.out_place import FiguresOut, Force


def squat(
    context: typer.Context,
    robot: Biped,
    *,
    ankle: Annotated[float, typer.Option("--ankle", metavar="DEG", help="Bend forward.")] = 16.0,
    knee: Annotated[float, typer.Option("--knee", metavar="DEG", help="Bend.")] = 85.0,
    hip: Annotated[float, typer.Option("--hip", metavar="DEG", help="Bend.")] = 70.0,
    duration: Annotated[
        float, typer.Option("--duration", metavar="S", help="Of each way, down and up.")
    ] = 7.0,
    out: FiguresOut = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """Squat and stand up by a quintic law; without options the squat of [GASTEBOIS17] 2.6.1.

    Exit codes: 0 stands within limits; 1 falls, tips or passes a limit; 2 bad input.
    """
    import numpy as np

    from planner.cli.biped.requests import request_of
    from planner.cli.biped.scenarios import print_squat

    asked = {"--ankle": ankle, "--knee": knee, "--hip": hip, "--duration": duration}
    request = request_of(
        context, robot, asked, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    return print_squat(request, np.array([ankle, knee, hip]), duration)


def tilt(
    context: typer.Context,
    robot: Biped,
    *,
    to: Annotated[
        str, typer.Option("--to", metavar="ROLL,PITCH", help="Of the ground, in degrees.")
    ] = "10,20",
    duration: Annotated[
        float, typer.Option("--duration", metavar="S", help="Of each way, there and back.")
    ] = 7.0,
    frozen: Annotated[
        bool, typer.Option("--frozen", help="Hold the posture, without the stabiliser.")
    ] = False,
    out: FiguresOut = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """Stand on ground that tilts and comes back, with the postural stabiliser or frozen.

    Exit codes: 0 stands within limits; 1 falls, tips or passes a limit; 2 bad input.
    """
    from planner.cli.biped.requests import request_of
    from planner.cli.biped.scenarios import print_tilt

    asked = {"--to": to, "--duration": duration, "--frozen": frozen}
    request = request_of(
        context, robot, asked, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    return print_tilt(request, to, duration, frozen=frozen)


def walk(
    context: typer.Context,
    robot: Biped,
    *,
    speed: Annotated[float, typer.Option("--speed", metavar="M/S", help="Of the walk.")] = 0.1,
    steps: Annotated[
        int, typer.Option("--steps", metavar="N", help="That go forward; one more closes.")
    ] = 4,
    step_length: Annotated[
        float, typer.Option("--step-length", metavar="M", help="From one foot to the other.")
    ] = 0.2,
    step_width: Annotated[
        float | None,
        typer.Option(
            "--step-width",
            metavar="M",
            help="Between the ankles, if not as the hips'.",
            show_default=False,
        ),
    ] = None,
    out: FiguresOut = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """Walk straight ahead on level ground, from rest to rest, by preview control.

    Exit codes: 0 stands within limits; 1 tips, collides or passes a limit; 2 bad input.
    """
    from planner.cli.biped.requests import request_of
    from planner.cli.biped.scenarios import print_walk

    asked = {
        "--speed": speed,
        "--steps": steps,
        "--step-length": step_length,
        "--step-width": step_width,
    }
    request = request_of(
        context, robot, asked, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    return print_walk(request, speed, steps, step_length, step_width=step_width)


def push(
    context: typer.Context,
    robot: Biped,
    *,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed", metavar="M/S", help="The blow gives the centre of mass.", show_default=False
        ),
    ] = None,
    impulse: Annotated[
        float | None,
        typer.Option("--impulse", metavar="N_S", help="Instead of --speed.", show_default=False),
    ] = None,
    direction: Annotated[
        str,
        typer.Option("--direction", metavar="WAY", help="forward, backward, left, right or x,y."),
    ] = "forward",
    out: FiguresOut = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """Take a blow and recover on the spot, without a step, if it is not too strong.

    Exit codes: 0 stands within limits; 1 falls, tips or passes a limit; 2 bad input.
    """
    from planner.cli.biped.requests import request_of
    from planner.cli.biped.scenarios import print_push

    asked = {"--speed": speed, "--impulse": impulse, "--direction": direction}
    request = request_of(
        context, robot, asked, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    return print_push(request, speed, impulse, direction)
