"""The commands that plan jobs; each hands over to the module that does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Json
from planner.cli.out_place import Force, folder_option

Job = Annotated[str, typer.Argument(metavar="JOB", help="Job file (TOML).", show_default=False)]
AllowOutside = Annotated[
    bool, typer.Option("--allow-outside", help="Files that the job names may lie elsewhere.")
]
NoFigures = Annotated[bool, typer.Option("--no-figures", help="Draw none, which is faster.")]


def plan(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            callback=folder_option,
            metavar="DIR",
            help="Folder of the report set; default: the job file's name with -plan, beside it.",
            show_default=False,
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    data_only: Annotated[
        bool,
        typer.Option("--data-only", help="Only plan.json and tables: no pages, no programmes."),
    ] = False,
    exports: Annotated[
        str,
        typer.Option(
            "--export",
            metavar="FORMATS",
            help="Robot programmes, separated by commas: csv, ros, krl, rapid, urscript.",
            show_default=False,
        ),
    ] = "",
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Write programmes although some points cannot be measured; they name them first.",
        ),
    ] = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Plan a job, prove the plan by independent methods, and write its report set.

    No programme is written from a motion that is not proven.

    Exit codes: 0 feasible; 1 not feasible, with every reason in the findings; 2 bad input; 3 the
    plan failed its own validation and nothing was written.
    """
    from planner.cli.job.planned_job import ReportRequest, run_plan

    return run_plan(
        job,
        out,
        ReportRequest(
            figures=not (no_figures or data_only),
            pages=not data_only,
            exports=exports,
            partial=partial,
        ),
        as_json=as_json,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


def check(
    context: typer.Context, job: Job, as_json: Json = False, allow_outside: AllowOutside = False
) -> int:
    """Plan and prove a job without writing anything; exit codes as for `plan`."""
    from planner.cli.job.planned_job import run_check

    return run_check(job, as_json=as_json, allow_outside=allow_outside, session=context.obj)


def init(
    folder: Annotated[
        str, typer.Argument(metavar="[DIR]", help="Where to write it; made if it is not there.")
    ] = ".",
    force: Force = False,
) -> int:
    """Write a commented job that is ready to run; without --force nothing is overwritten."""
    from planner.cli.job.started_job import run_init

    return run_init(folder, force=force)


def demo(
    context: typer.Context,
    out: Annotated[
        str,
        typer.Option(
            "--out", callback=folder_option, metavar="DIR", help="Folder of the two report sets."
        ),
    ] = "palpeur-demo",
    as_json: Json = False,
    no_figures: NoFigures = False,
    force: Force = False,
) -> int:
    """Plan the published nine-point job twice, as printed and corrected, and say what differs."""
    from planner.cli.job.demo_jobs import run_demo

    return run_demo(out, as_json=as_json, figures=not no_figures, session=context.obj.forced(force))
