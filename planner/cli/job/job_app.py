"""Commands about one job: plan, check, place, diff, verify, init, demo, explain."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import (
    AllowOutside,
    Force,
    Job,
    Json,
    NoFigures,
    argument,
    flag,
    option,
    out_option,
)

_SIDE = "Job file (TOML), report set, or plan.json; a job is planned on the fly."


def plan(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        out_option(
            "DIR", "Folder of the report set; default: the job file's name with -plan, beside it."
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    data_only: Annotated[
        bool,
        flag("--data-only", "Only plan.json and tables: no pages, no programmes."),
    ] = False,
    exports: Annotated[
        list[str] | None,
        option(
            "--export",
            "FORMATS",
            "Robot programmes, separated by commas or given one by one: csv, ros, ros2, krl, "
            "rapid, urscript, fanuc, linuxcnc, fanuc-gcode.",
        ),
    ] = None,
    partial: Annotated[
        bool,
        flag(
            "--partial",
            "Write programmes although some points cannot be measured; they name them first.",
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
    from planner.cli.job.commands import ReportRequest, run_plan

    return run_plan(
        job,
        out,
        ReportRequest(
            figures=not (no_figures or data_only),
            pages=not data_only,
            exports=",".join(exports or ()),
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
    from planner.cli.job.commands import run_check

    return run_check(job, as_json=as_json, allow_outside=allow_outside, session=context.obj)


def init(
    context: typer.Context,
    folder: Annotated[str, argument("[DIR]", "Where to write it; made if it is not there.")] = ".",
    *,
    part: Annotated[
        str, option("--part", "FILE", "Propose a job for this part; needs --robot and --from-pmi.")
    ] = "",
    robot: Annotated[
        str, option("--robot", "ROBOT", "Name from `palpeur robot list`, or a robot file.")
    ] = "",
    from_pmi: Annotated[
        bool,
        flag("--from-pmi", "For the drawing in the part's file (AP242 semantic PMI)."),
    ] = False,
    qif: Annotated[
        str,
        option(
            "--qif",
            "FILE",
            "In place of --from-pmi: for the drawing in this QIF 3.0 document, in part axes.",
        ),
    ] = "",
    pose: Annotated[
        str,
        option(
            "--pose",
            "X,Y,Z[,RZ[,RY,RX]]",
            "Of the part, seen from the robot's base, mm and degrees; a guess where left out.",
        ),
    ] = "",
    uncertainty: Annotated[
        str,
        option(
            "--uncertainty",
            "JOB",
            "Take [uncertainty] from this job: as many points as the tolerances need.",
        ),
    ] = "",
    share: Annotated[
        float | None,
        flag("--share", "Of each tolerance that the expanded uncertainty may take; default 0.2."),
    ] = None,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Write a commented job that is ready to run; without --force nothing is overwritten.

    With --part, --robot and --from-pmi (or --qif): the job that the drawing asks for, with its
    points, stylus, approaches and tolerances. What is left out stands in it as comments.
    """
    from planner.cli.job.commands import ProposalRequest, run_init

    request = ProposalRequest(
        part=part,
        robot=robot,
        from_pmi=from_pmi,
        qif=qif,
        pose=pose,
        uncertainty=uncertainty,
        share=share,
    )
    return run_init(folder, request, allow_outside=allow_outside, session=context.obj.forced(force))


def demo(
    context: typer.Context,
    out: Annotated[str, out_option("DIR", "Folder of the two report sets.")] = "palpeur-demo",
    as_json: Json = False,
    no_figures: NoFigures = False,
    force: Force = False,
) -> int:
    """Plan the published nine-point job twice, as printed and corrected, and say what differs."""
    from planner.cli.job.commands import run_demo

    return run_demo(out, as_json=as_json, figures=not no_figures, session=context.obj.forced(force))


def place(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        out_option(
            "DIR", "Folder of the results; default: the job file's name with -place, beside it."
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Find the best pose of the part before the robot, and how far off it the part may be.

    [place] in the job says where to look. Exit codes: 0 every point is measurable from the best
    pose; 1 not every point; 2 bad input.
    """
    from planner.cli.job.commands import run_place

    return run_place(
        job,
        out,
        as_json=as_json,
        figures=not no_figures,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


def diff(
    context: typer.Context,
    a: Annotated[str, argument("A", _SIDE)],
    b: Annotated[str, argument("B", "Likewise.")],
    *,
    fail_on: Annotated[
        list[str] | None,
        option(
            "--fail-on",
            "RULE",
            'Exit with 1 if the change from A to B is beyond this, such as "duration>+2%" or '
            '"clearance<-0.5mm"; may be given several times. Quantities: duration, energy, '
            "net_work, peak_power, joint_margin, singularity_margin, clearance (minima), "
            "points (measured), findings (errors and warnings).",
        ),
    ] = None,
    as_json: Json = False,
    html: Annotated[
        str,
        option("--html", "FILE", "Write a page as well."),
    ] = "",
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Compare two plans: totals, points, motions, joints, findings, validation.

    Exit codes: 0 compared, whatever differs; 1 a rule of --fail-on is broken; 2 bad input.
    """
    from planner.cli.job.commands import run_diff

    return run_diff(
        a,
        b,
        rules=fail_on or (),
        as_json=as_json,
        html=html,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


def verify(
    context: typer.Context,
    folder: Annotated[str, argument("DIR", "Folder of a report set.")],
    as_json: Json = False,
) -> int:
    """Plan a report set again from its inputs and say whether it is what it claims.

    Exit codes: 0 it is; 1 files changed or numbers differ; 2 it is no report set, or cannot be
    recomputed.
    """
    from planner.cli.job.commands import run_verify

    return run_verify(folder, as_json=as_json, session=context.obj)
