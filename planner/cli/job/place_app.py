"""``palpeur place``: what is asked; ``placed_job`` does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.job.plan_app import AllowOutside, Job, NoFigures
from planner.cli.options import Json
from planner.cli.out_place import Force, folder_option


def place(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            callback=folder_option,
            metavar="DIR",
            help="Folder of the results; default: the job file's name with -place, beside it.",
            show_default=False,
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Find the best pose of the part before the robot, and how far off it the part may be.

    [place] in the job says where to look. Exit codes: 0 every point is served from the best pose;
    1 not every point; 2 bad input.
    """
    from planner.cli.job.placed_job import run_place

    return run_place(
        job,
        out,
        as_json=as_json,
        figures=not no_figures,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )
