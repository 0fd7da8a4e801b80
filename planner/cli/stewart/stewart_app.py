"""``palpeur stewart …``: what is asked; the modules named in each body do the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Csv, Json
from planner.cli.out_place import FiguresOut, Force, file_option, folder_option
from planner.cli.stewart.present_app import present

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Stewart-Gough platforms: geometry, forces, motions, workspace, calibration.",
)

Platform = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="Name from `palpeur stewart list`, or path of a platform file (.toml).",
        show_default=False,
    ),
]
Poses = Annotated[
    str,
    typer.Option(
        "--poses",
        metavar="FILE",
        help="CSV: x_mm,y_mm,z_mm and, if wanted, rz_deg,ry_deg,rx_deg, or T11..T34; rates as "
        "vx_mm_s, wx_deg_s, ax_mm_s2, wdx_deg_s2; - reads standard input.",
        show_default=False,
    ),
]
Pose = "home, or x,y,z in mm, if wanted followed by rz,ry,rx in degrees"


@app.command("list")
def list_platforms(as_json: Json = False) -> int:
    """List the platforms that come with Palpeur."""
    from planner.cli.stewart.stewart_show import print_list

    return print_list(as_json=as_json)


@app.command()
def show(
    robot: Platform,
    as_json: Json = False,
    as_toml: Annotated[bool, typer.Option("--toml", help="Print it as a file instead.")] = False,
) -> int:
    """Show one platform: points, strokes, drives, masses, home pose and what is odd about it."""
    from planner.cli.stewart.stewart_show import print_platform

    return print_platform(robot, as_json=as_json, as_toml=as_toml)


@app.command()
def inverse(robot: Platform, poses: Poses, as_json: Json = False, as_csv: Csv = False) -> int:
    """Leg lengths, speeds and accelerations of poses, and the limits that these break.

    Exit codes: 0 every pose is within the limits; 1 one is not; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.pose_answers import print_inverse

    return print_inverse(robot, poses, Form(json=as_json, csv=as_csv))


@app.command()
def forward(
    robot: Platform,
    lengths: Annotated[
        str,
        typer.Option(
            "--lengths", metavar="FILE", help="CSV: l1_mm … l6_mm; -: stdin.", show_default=False
        ),
    ],
    *,
    start: Annotated[
        str, typer.Option("--start", metavar="POSE", help=f"A pose near the answer: {Pose}.")
    ] = "home",
    along: Annotated[
        bool, typer.Option("--along", help="Rows are a motion: each starts from the one before.")
    ] = False,
    all_modes: Annotated[
        bool, typer.Option("--all-modes", help="Every real posture with these lengths.")
    ] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Pose of the platform for given leg lengths, with a certificate; or all of them.

    Exit codes: 0 found; 1 no posture has these lengths, or none is certified; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.forward_answers import ForwardRequest, print_forward

    form = Form(json=as_json, csv=as_csv)
    return print_forward(
        ForwardRequest(
            robot=robot, lengths=lengths, start=start, along=along, all_modes=all_modes, form=form
        )
    )


@app.command()
def dynamics(
    robot: Platform,
    poses: Poses,
    wrench: Annotated[
        str,
        typer.Option(
            "--wrench",
            metavar="FX,FY,FZ,MX,MY,MZ",
            help="Force [N] and moment [N m] on the platform at its origin, base axes; rows of "
            "the table may have their own, fx_n … mz_nm.",
        ),
    ] = "",
    *,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Leg forces of poses with their rates; positive pushes.

    Exit codes: 0 every force is within its drive's limit; 1 one is not, and a finding says which
    leg, limit, amount and pose; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.pose_answers import print_dynamics

    return print_dynamics(robot, poses, wrench, Form(json=as_json, csv=as_csv))


@app.command()
def move(
    context: typer.Context,
    robot: Platform,
    *,
    start: Annotated[str, typer.Option("--from", metavar="POSE", help=f"Start: {Pose}.")] = "home",
    end: Annotated[str, typer.Option("--to", metavar="POSE", help=f"End: {Pose}.")] = "",
    law: Annotated[
        str, typer.Option("--law", metavar="LAW", help="quintic, trapezoid, cubic, …")
    ] = "quintic",
    duration: Annotated[
        float,
        typer.Option(
            "--duration",
            metavar="S",
            help="Seconds; left out: the least that the legs allow.",
            show_default=False,
        ),
    ] = 0.0,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="The motion of [STAICU09], 3 s about home of staicu-stewart."
        ),
    ] = False,
    period_ms: Annotated[
        float, typer.Option("--period-ms", min=0.01, help="Of the samples that are told.")
    ] = 10.0,
    out: FiguresOut = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """One motion: lengths, speeds, accelerations and forces of the legs, judged by their limits.

    Exit codes: 0 feasible; 1 not, and findings say which leg, limit, amount and time; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.move import MoveRequest, print_move

    return print_move(
        MoveRequest(
            robot=robot,
            start=start,
            end=end,
            law=law,
            duration=duration,
            published=published,
            period_ms=period_ms,
            out=out,
            form=Form(json=as_json, csv=as_csv),
            session=context.obj.forced(force),
        )
    )


@app.command()
def workspace(
    context: typer.Context,
    robot: Platform,
    *,
    at: Annotated[
        str, typer.Option("--at", metavar="POSE", help=f"Middle and orientation: {Pose}.")
    ] = "home",
    z_mm: Annotated[
        float | None,
        typer.Option("--z", metavar="MM", help="Height of the slice.", show_default=False),
    ] = None,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            callback=folder_option,
            metavar="DIR",
            help="Write figure, workspace.csv and .json there.",
        ),
    ] = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """Where the platform can go in a level plane, how it can tilt there, and what stops it.

    Exit codes: 0 there is such a place; 1 there is none in the plane; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.workspace_answers import WorkspaceRequest, print_slices

    form = Form(json=as_json, csv=as_csv)
    return print_slices(
        WorkspaceRequest(
            robot=robot, at=at, z_mm=z_mm, out=out, form=form, session=context.obj.forced(force)
        )
    )


@app.command()
def calibrate(
    context: typer.Context,
    robot: Platform,
    *,
    measured: Annotated[
        str,
        typer.Option(
            "--measured",
            metavar="FILE",
            help="CSV: columns of a pose and l1_mm … l6_mm; -: stdin.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out", callback=file_option, metavar="FILE", help="Write the corrected platform file."
        ),
    ] = "",
    as_json: Json = False,
    as_csv: Csv = False,
    force: Force = False,
) -> int:
    """The 42 geometric parameters from measured poses and leg lengths."""
    from planner.cli.output import Form
    from planner.cli.stewart.calibrate_answers import print_calibration

    form = Form(json=as_json, csv=as_csv)
    return print_calibration(robot, measured, out, form, context.obj.forced(force))


app.command("present")(present)
