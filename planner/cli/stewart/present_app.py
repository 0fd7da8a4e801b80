"""``palpeur stewart present``: what is asked; ``present`` does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.job.plan_app import AllowOutside, Job, NoFigures
from planner.cli.options import Json
from planner.cli.out_place import Force, folder_option


def present(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            callback=folder_option,
            metavar="DIR",
            help="Folder of presentation.json and one report set per pose, pose-1 and so on.",
            show_default=False,
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Choose poses of the hexapod that holds the part, so that every point is served; plan each.

    The job has a table [presenter]. Exit codes: 0 every point is served; 1 not every point, or a
    move cannot be made; 2 bad input; 3 a plan failed its own validation and nothing was written.
    """
    from planner.cli.stewart.present import PresentRequest, run_present

    asked = PresentRequest(job=job, out=out, figures=not no_figures, allow_outside=allow_outside)
    return run_present(asked, as_json=as_json, session=context.obj.forced(force))
