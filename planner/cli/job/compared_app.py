"""``palpeur diff`` and ``palpeur verify``: what is asked; other modules do the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.job.plan_app import AllowOutside
from planner.cli.options import Json
from planner.cli.out_place import Force

_SIDE = "Job file (TOML), report set, or plan.json; a job is planned on the fly."


def diff(
    context: typer.Context,
    a: Annotated[str, typer.Argument(metavar="A", help=_SIDE, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="Likewise.", show_default=False)],
    *,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="RULE",
            help='Exit with 1 if the change from A to B is beyond this, such as "duration>+2%" or '
            '"clearance<-0.5mm"; may be given several times. Quantities: duration, energy, '
            "net_work, peak_power, joint_margin, singularity_margin, clearance (least ones), "
            "points (served), findings (errors and warnings).",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
    html: Annotated[
        str,
        typer.Option("--html", metavar="FILE", help="Write a page as well.", show_default=False),
    ] = "",
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Compare two plans: totals, points, motions, joints, findings, validation.

    Exit codes: 0 compared, whatever differs; 1 a rule of --fail-on is broken; 2 bad input.
    """
    from planner.cli.job.compared import DiffRequest, run_diff

    wanted = DiffRequest(
        rules=tuple(fail_on or ()), json=as_json, html=html, allow_outside=allow_outside
    )
    return run_diff(a, b, wanted, context.obj.forced(force))


def verify(
    context: typer.Context,
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of a report set.", show_default=False)
    ],
    as_json: Json = False,
) -> int:
    """Plan a report set again from its inputs and say whether it is what it claims.

    Exit codes: 0 it is; 1 files changed or numbers differ; 2 it is no report set, or cannot be
    recomputed.
    """
    from planner.cli.job.verified import run_verify

    return run_verify(folder, as_json=as_json, session=context.obj)
