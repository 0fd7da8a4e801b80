"""``palpeur stewart …``: platforms, their geometry, forces, motions, workspace, calibration."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import (
    AllowOutside,
    Csv,
    FiguresOut,
    Force,
    Job,
    Json,
    NoFigures,
    argument,
    flag,
    option,
    out_option,
)

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Stewart-Gough platforms: geometry, forces, motions, workspace, calibration.",
)
Platform = Annotated[
    str,
    argument("ROBOT", "Name from `palpeur stewart list`, or path of a platform file (.toml)."),
]
Poses = Annotated[
    str,
    option(
        "--poses",
        "FILE",
        "CSV: x_mm,y_mm,z_mm and, optionally, rz_deg,ry_deg,rx_deg, or T11..T34; rates as "
        "vx_mm_s, wx_deg_s, ax_mm_s2, wdx_deg_s2; - reads standard input.",
    ),
]
Pose = "home, or x,y,z in mm, optionally followed by rz,ry,rx in degrees"


@app.command("list")
def list_platforms(as_json: Json = False) -> int:
    """List the platforms that come with Palpeur."""
    from planner.cli.output import Form
    from reports.stewart.answers import library_document, library_lines
    from robots.stewart.library import load, names

    platforms = {name: load(name) for name in names()}
    return Form(json=as_json).show(
        json=lambda: library_document(platforms), text=lambda: library_lines(platforms)
    )


@app.command()
def show(
    robot: Platform,
    as_json: Json = False,
    as_toml: Annotated[bool, flag("--toml", "Print it as a file instead.")] = False,
) -> int:
    """Show one platform: points, strokes, drives, masses, home pose and what is odd about it."""
    from planner.cli.output import Form
    from reports.stewart.answers import platform_document, platform_lines
    from robots.stewart.library import open_platform
    from robots.stewart.platform_file import write_toml

    platform = open_platform(robot)
    if as_toml:
        print(write_toml(platform), end="")
        return 0
    return Form(json=as_json).show(
        json=lambda: platform_document(platform), text=lambda: platform_lines(platform)
    )


@app.command()
def inverse(robot: Platform, poses: Poses, as_json: Json = False, as_csv: Csv = False) -> int:
    """Leg lengths, speeds and accelerations of poses, and the limits that these break.

    Exit codes: 0 every pose is within the limits; 1 one is not; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.requests import has_rates
    from planner.tables import pose_columns, poses_of, rates_of, read_table
    from reports.stewart.answers import inverse_lines, inverse_rows, leg_quantity, limited_table
    from robots.stewart.library import open_platform
    from robots.stewart.limits import conditioning, violations_by_pose
    from robots.stewart.model import PlatformModel

    form = Form(json=as_json, csv=as_csv)
    platform = open_platform(robot)
    states = read_table(poses, pose_columns())
    T, (V, A), model = poses_of(states), rates_of(states), PlatformModel(platform, "single-use")
    quantities = [leg_quantity("lengths_m", "l", "m", model.lengths(T))]
    if has_rates(states):
        quantities += [
            leg_quantity("rates_m_s", "ld", "m_s", model.length_rates(T, V)),
            leg_quantity("accelerations_m_s2", "ldd", "m_s2", model.length_accelerations(T, V, A)),
        ]
    broken = violations_by_pose(platform, T)
    places = [f"{states.origin}, line {line}" for line in states.lines]
    return form.show(
        json=lambda: inverse_rows(quantities, conditioning(platform, T).condition, broken),
        csv=lambda: limited_table(quantities, [not found for found in broken]),
        text=lambda: inverse_lines(quantities, broken, places),
        passed=not any(broken),
    )


@app.command()
def forward(
    robot: Platform,
    lengths: Annotated[
        str,
        option("--lengths", "FILE", "CSV: l1_mm … l6_mm; -: stdin."),
    ],
    *,
    start: Annotated[str, option("--start", "POSE", f"A pose near the answer: {Pose}.")] = "home",
    along: Annotated[
        bool, flag("--along", "Rows are a motion: each starts from the one before.")
    ] = False,
    all_modes: Annotated[
        bool, flag("--all-modes", "Every real posture with these lengths.")
    ] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Pose of the platform for given leg lengths, with a certificate; or all of them.

    Exit codes: 0 found; 1 no posture has these lengths, or none is certified; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.stewart.requests import at_line, pose_of
    from planner.errors import OptionError
    from planner.tables import LENGTHS, length_columns, read_table
    from reports.stewart.answers import held_lines, held_rows, held_table
    from robots.stewart.assembly_modes import held_modes
    from robots.stewart.errors import PlatformError
    from robots.stewart.forward import forward as forward_near
    from robots.stewart.forward import forward_along
    from robots.stewart.library import open_platform

    form = Form(json=as_json, csv=as_csv)
    platform = open_platform(robot)
    table = read_table(lengths, length_columns())
    rows = table.require(LENGTHS, "forward geometry")
    if all_modes:
        if along or start != "home":
            raise OptionError("--all-modes needs no start; leave out --start and --along.")
        found = []
        for k, row in enumerate(rows):
            try:
                found.append(held_modes(platform, row))
            except PlatformError as error:
                raise at_line(table, error, k) from error
    else:
        near = pose_of(start, "--start", platform)
        try:
            found = (forward_along if along else forward_near)(platform, rows, near).held()
        except PlatformError as error:
            place = error.facts.get("index")
            if not isinstance(place, int) or not (place or "leg" in error.facts):
                raise  # the start is at fault, not a line of the table
            raise at_line(table, error, place) from error
    return form.show(
        json=lambda: held_rows(found, all_modes=all_modes),
        csv=lambda: held_table(found),
        text=lambda: held_lines(found),
        passed=all(one.proved for one in found),
    )


@app.command()
def dynamics(
    robot: Platform,
    poses: Poses,
    wrench: Annotated[
        str,
        option(
            "--wrench",
            "FX,FY,FZ,MX,MY,MZ",
            "Force [N] and moment [N m] on the platform at its origin, base axes; rows of "
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
    from planner.cli.stewart.requests import wrench_of
    from planner.findings.platform_findings import force_findings
    from planner.tables import pose_columns, poses_of, rates_of, read_table
    from reports.answers import StateQuantity
    from reports.stewart.answers import force_lines, force_rows, leg_quantity, limited_table
    from robots.stewart.library import open_platform
    from robots.stewart.model import PlatformModel

    form = Form(json=as_json, csv=as_csv)
    platform = open_platform(robot)
    states = read_table(poses, pose_columns())
    T, model = poses_of(states), PlatformModel(platform, "single-use")
    V, A = rates_of(states)
    forces = model.forces(T, V, A, wrench_of(wrench, states))
    power = model.power(T, V, forces)[:, None]
    quantities = [
        leg_quantity("forces_n", "f", "n", forces),
        StateQuantity(key="power_w", values=power, headers=("power_w",)),
    ]
    found = force_findings(platform, forces, states.origin, states.lines)
    return form.show(
        json=lambda: force_rows(quantities, found),
        csv=lambda: limited_table(quantities, [not findings for findings in found]),
        text=lambda: force_lines(quantities, found),
        passed=not any(found),
    )


@app.command()
def move(
    context: typer.Context,
    robot: Platform,
    *,
    start: Annotated[str, option("--from", "POSE", f"Start: {Pose}.")] = "home",
    end: Annotated[str, option("--to", "POSE", f"End: {Pose}.")] = "",
    law: Annotated[str, option("--law", "LAW", "quintic, trapezoid, cubic, …")] = "quintic",
    duration: Annotated[
        float,
        option(
            "--duration",
            "S",
            "Seconds; left out: the minimum that the legs allow.",
            show_default=False,
        ),
    ] = 0.0,
    published: Annotated[
        bool,
        flag("--published", "The motion of [STAICU09], 3 s about home of staicu-stewart."),
    ] = False,
    period_ms: Annotated[
        float, flag("--period-ms", "Of the samples in the output.", min=0.01)
    ] = 10.0,
    out: FiguresOut = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """One motion: lengths, speeds, accelerations and forces of the legs, judged by their limits.

    Exit codes: 0 feasible; 1 not, and findings say which leg, limit, amount and time; 2 bad input.
    """
    from math import isfinite
    from pathlib import Path

    from planner.cli.moves.motion_values import instants
    from planner.cli.output import Form
    from planner.cli.stewart.requests import move_command, requested_motion
    from planner.errors import OptionError
    from reports.document_text import document_text
    from reports.stewart.answers import motion_lines
    from reports.stewart.motion import leg_motion, motion_document, sample_rows
    from robots.stewart.library import open_platform

    form = Form(json=as_json, csv=as_csv)
    if not isfinite(period_ms):
        raise OptionError(f"--period-ms is {period_ms}; give a finite number.")
    if out:
        from planner.result_files import check_set
        from reports.stewart.motion_set import KIND, write_motion_set

        check_set(Path(out), KIND, force=force)  # before the work, not after it
    platform = open_platform(robot)
    requested = requested_motion(platform, start, end, law, duration, published=published)
    shown = leg_motion(
        platform,
        requested.motion,
        instants(requested.motion.duration, period_ms),
        title=requested.title,
        law=requested.law,
        binding=requested.binding,
        command=move_command(robot, start, end, law, duration, period_ms, published=published),
    )
    document = motion_document(shown)
    if out:
        write_motion_set(shown, document_text(document), Path(out), force=force)
        context.obj.say(f"figures, motion.csv, motion.json and page.html written to {out}")
    return form.show(
        json=lambda: document,
        csv=lambda: sample_rows(shown),
        text=lambda: motion_lines(shown),
        passed=shown.feasible,
    )


@app.command()
def workspace(
    context: typer.Context,
    robot: Platform,
    *,
    at: Annotated[str, option("--at", "POSE", f"Middle and orientation: {Pose}.")] = "home",
    z_mm: Annotated[
        float | None,
        option("--z", "MM", "Height of the slice."),
    ] = None,
    out: Annotated[str, out_option("DIR", "Write figure, workspace.csv and .json there.")] = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Where the platform can go in a level plane, how it can tilt there, and what stops it.

    Exit codes: 0 there is such a place; 1 there is none in the plane; 2 bad input.
    """
    from math import isfinite
    from pathlib import Path

    from planner.cli.output import Form
    from planner.cli.stewart.requests import pose_of
    from planner.errors import OptionError
    from reports.document_text import document_text
    from reports.stewart.answers import workspace_lines
    from reports.stewart.workspace import workspace_document, workspace_rows, workspace_slices
    from robots.stewart.library import open_platform

    form = Form(json=as_json, csv=as_csv)
    if out:
        from planner.result_files import check_set
        from reports.stewart.workspace import KIND, write_workspace_set

        check_set(Path(out), KIND, force=force)  # before the work, not after it
    if z_mm is not None and not isfinite(z_mm):
        raise OptionError(f"--z is {z_mm} mm; give a finite height.")
    platform = open_platform(robot)
    T = pose_of(at, "--at", platform).copy()
    if z_mm is not None:
        T[2, 3] = 1e-3 * z_mm
    shown = workspace_slices(platform, T)
    document = workspace_document(shown)
    if out:
        write_workspace_set(shown, document_text(document), Path(out), force=force)
        context.obj.say(f"figure, workspace.csv and workspace.json written to {out}")
    return form.show(
        json=lambda: document,
        csv=lambda: workspace_rows(shown),
        text=lambda: workspace_lines(shown),
        passed=not shown.position.empty,
    )


@app.command()
def calibrate(
    context: typer.Context,
    robot: Platform,
    *,
    measured: Annotated[
        str,
        option("--measured", "FILE", "CSV: columns of a pose and l1_mm … l6_mm; -: stdin."),
    ],
    out: Annotated[str, out_option("FILE", "Write the corrected platform file.")] = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """The 42 geometric parameters from measured poses and leg lengths."""
    from pathlib import Path

    from planner.cli.output import Form
    from planner.result_files import check_file, write_result
    from planner.tables import LENGTHS, length_columns, pose_columns, poses_of, read_table
    from reports.stewart import answers
    from robots.stewart.calibration import calibrate as identify
    from robots.stewart.library import open_platform
    from robots.stewart.platform_file import write_toml

    form, written_by = Form(json=as_json, csv=as_csv), "palpeur stewart calibrate"
    if out:
        check_file(
            Path(out), written_by, [robot, measured], force=force
        )  # before the work, not after it
    platform = open_platform(robot)
    table = read_table(measured, pose_columns() | length_columns())
    found = identify(platform, poses_of(table), table.require(LENGTHS, "calibration"))
    if out:
        text = write_toml(found.applied_to(platform))
        write_result(Path(out), text, written_by, comment="# {}", force=force)
        context.obj.say(
            f"corrected platform written to {out}; the offsets belong to the "
            "controller, which adds them to its readings"
        )
    return form.show(
        json=lambda: answers.calibration_document(platform, found, len(table)),
        csv=lambda: answers.calibration_table(platform, found),
        text=lambda: answers.calibration_lines(platform, found, len(table)),
    )


def present(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        out_option(
            "DIR", "Folder of presentation.json and one report set per pose, pose-1 and so on."
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Choose poses of the hexapod that carries the part, so that all points are measurable.

    The job has a table [presenter]. Exit codes: 0 every point is measurable; 1 not every point, or
    a move cannot be made; 2 bad input; 3 a plan failed its own validation and nothing was written.
    """
    from planner.cli.job.commands import run_present

    return run_present(
        job,
        out,
        as_json=as_json,
        figures=not no_figures,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


app.command("present")(present)
