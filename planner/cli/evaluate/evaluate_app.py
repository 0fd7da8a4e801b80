"""The commands after the probing; each hands over to the module that does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import AllowOutside, Force, Job, Json, argument, option, out_option

Out = Annotated[str, out_option("DIR", "Folder of the report set: page, paper, tables, figures.")]


def evaluate(
    context: typer.Context,
    job: Job,
    measured: Annotated[
        str,
        argument(
            "MEASURED",
            "Measured points (CSV, .xyz, lists, DMIS, PowerInspect, QIF) or joint readings.",
        ),
    ],
    *,
    out: Out = "",
    as_json: Json = False,
    align: Annotated[
        str,
        option("--align", "HOW", "Not the job's: none, points, normals, surface, datums, rps."),
    ] = "",
    robot: Annotated[
        str,
        option("--robot", "FILE", "Calibrated robot, for joint readings; default the job's."),
    ] = "",
    format: Annotated[
        str,
        option(
            "--format",
            "NAME",
            "Of MEASURED, where name and content do not tell: csv, dmis, list, metrolog, "
            "polyworks, power-inspect, qif, xyz.",
            show_default=False,
        ),
    ] = "auto",
    unit: Annotated[
        str,
        option("--unit", "UNIT", "Of a measured file that carries none: mm, cm, m, in, ft."),
    ] = "",
    frame: Annotated[
        str,
        option(
            "--frame",
            "FRAME",
            "Of the measured coordinates, part or base; default that of the job's points. "
            "Joint readings and I++ logs are in the base frame anyway.",
        ),
    ] = "",
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Compare measured points with the job's: deviations, fits, form, tolerances, uncertainty.

    Exit codes: 0 everything passes; 1 something is out of tolerance or undecided; 2 bad input.
    """
    from planner.cli.evaluate.evaluation import EvaluationRequest, run_evaluate

    request = EvaluationRequest(
        job=job,
        measured=measured,
        out=out,
        align=align,
        robot=robot,
        format=format,
        unit=unit,
        frame=frame,
        allow_outside=allow_outside,
    )
    return run_evaluate(request, as_json=as_json, session=context.obj.forced(force))


def uncertainty(
    context: typer.Context,
    job: Job,
    *,
    out: Out = "",
    as_json: Json = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Predict how well each point of a job will be measured, and what limits it.

    Needs the job's [uncertainty]; nothing is guessed. Exit codes: 0 predicted for every point; 1
    some points are not reached; 2 bad input.
    """
    from planner.cli.evaluate.evaluation import run_uncertainty

    return run_uncertainty(
        job, out, as_json=as_json, allow_outside=allow_outside, session=context.obj.forced(force)
    )
