"""``palpeur measure`` and ``palpeur machine-test``: what is asked."""

from __future__ import annotations

from math import inf, radians
from typing import Annotated

import typer

from planner.cli.job.plan_app import AllowOutside, Job
from planner.cli.options import Json, Robot, Tip
from planner.cli.out_place import Force, file_option
from planner.cli.robot_reference import RobotReference

Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Of everything drawn; default the job's, or 1."),
]


def measure(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            callback=file_option,
            metavar="FILE",
            help="Write the measured points there; several runs are numbered: FILE-1.csv, …",
            show_default=False,
        ),
    ] = "",
    content: Annotated[
        str,
        typer.Option(
            "--as", metavar="WHAT", help="joints (readings), centres (of the ball), surface."
        ),
    ] = "joints",
    seed: Seed = None,
    runs: Annotated[
        int, typer.Option("--runs", min=1, help="How many machines measure the same part.")
    ] = 1,
    offset: Annotated[
        list[str] | None,
        typer.Option(
            "--offset-um",
            metavar="FEATURE=VALUE",
            help="The true feature lies so far out along its normals; repeat.",
        ),
    ] = None,
    form_um: Annotated[
        float,
        typer.Option("--form-um", min=0.0, help="Form error of the true part, 1 sigma per point."),
    ] = 0.0,
    target_um: Annotated[
        float | None,
        typer.Option(
            "--target-um",
            min=0.0,
            help="Instead: how many points know --feature to this expanded uncertainty.",
            show_default=False,
        ),
    ] = None,
    feature: Annotated[
        str,
        typer.Option("--feature", metavar="NAME", help="Of --target-um.", show_default=False),
    ] = "",
    characteristic: Annotated[
        str,
        typer.Option(
            "--characteristic",
            metavar="KIND",
            help="diameter, flatness, position, …; default the first that the job tolerances.",
            show_default=False,
        ),
    ] = "",
    datum: Annotated[
        str, typer.Option("--datum", metavar="NAME", help="Of orientation and distance.")
    ] = "",
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            help="How --target-um lays points out: one of `palpeur sample`, or repeat.",
        ),
    ] = "hammersley",
    as_json: Json = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Measure a job without a machine: readings as it would give them, errors and all.

    The arm's errors are those of the job's [uncertainty], drawn anew for every run; without the
    table it is perfect. `palpeur evaluate JOB FILE` reads the file back.

    With --target-um and --feature: the smallest number of points that reaches it. Exit codes: 0
    done; 1 points that are not reached, or no number of points reaches the target; 2 bad input.
    """
    from planner.cli.measure.measured_job import MeasureRequest, run_measure
    from planner.errors import OptionError

    request = MeasureRequest(
        job=job,
        out=out,
        content=content,
        seed=seed,
        runs=runs,
        offsets=tuple(offset or ()),
        form=form_um * 1e-6,
        json=as_json,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )
    if bool(feature) != (target_um is not None):
        raise OptionError("--feature and --target-um belong together; give both, or neither.")
    if target_um is None:
        return run_measure(request)
    if not 0.0 < target_um < inf:
        raise OptionError(
            f"--target-um is {target_um:g}; give a finite target uncertainty above 0 µm.",
            value=target_um,
            limit=0.0,
        )
    from planner.cli.measure.counted_points import run_count
    from planner.virtual_measuring import Wanted

    if out:
        raise OptionError("--target-um only counts points, it writes no --out; leave one out.")
    wanted = Wanted(
        feature=feature,
        target=target_um * 1e-6,
        kind=characteristic,
        datum=datum,
        strategy=strategy,
    )
    return run_count(request, wanted)


def machine_test(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    job: Annotated[
        str,
        typer.Option(
            "--job",
            metavar="JOB",
            help="Take [uncertainty] and [probe] from this job; what is given here goes before.",
            show_default=False,
        ),
    ] = "",
    stylus_mm: Annotated[
        float | None, typer.Option("--stylus-mm", min=0.0, help="From the wrist to the ball.")
    ] = None,
    ball_diameter_mm: Annotated[
        float | None, typer.Option("--ball-diameter-mm", min=0.0, help="Of the probe.")
    ] = None,
    sphere_diameter_mm: Annotated[
        float, typer.Option("--sphere-diameter-mm", min=0.0, help="Of the test sphere.")
    ] = 25.0,
    places: Annotated[int, typer.Option("--places", help="Of the sphere in the reach.")] = 3,
    encoder_deg: Annotated[
        float | None, typer.Option("--encoder-deg", min=0.0, help="Noise of a joint reading.")
    ] = None,
    encoder_offset_deg: Annotated[
        float | None, typer.Option("--encoder-offset-deg", min=0.0, help="Of a reading's zero.")
    ] = None,
    length_mm: Annotated[
        float | None, typer.Option("--length-mm", min=0.0, help="Of every length of the arm.")
    ] = None,
    angle_deg: Annotated[
        float | None, typer.Option("--angle-deg", min=0.0, help="Of every angle of the arm.")
    ] = None,
    probe_mm: Annotated[
        float | None, typer.Option("--probe-mm", min=0.0, help="Of a touch, every direction.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="Machines that are drawn.")] = 1000,
    seed: Seed = None,
    as_json: Json = False,
    allow_outside: AllowOutside = False,
) -> int:
    """Predict tests in the style of ISO 10360-12: PSize, PForm, LDia and length errors.

    Errors are standard deviations. Test pieces are perfect; a limit is what 95 % of machines with
    such errors keep (or the job's coverage). This replaces no acceptance test.
    """
    from planner.cli.measure.tested_machine import MachineRequest, run_machine_test

    given = {
        "encoder": None if encoder_deg is None else radians(encoder_deg),
        "encoder_offset": None if encoder_offset_deg is None else radians(encoder_offset_deg),
        "length": None if length_mm is None else length_mm / 1e3,
        "angle": None if angle_deg is None else radians(angle_deg),
        "probe": None if probe_mm is None else probe_mm / 1e3,
    }
    return run_machine_test(
        MachineRequest(
            robot=RobotReference(model=robot, tip=tip),
            job=job,
            stylus=None if stylus_mm is None else stylus_mm / 1e3,
            ball_diameter=None if ball_diameter_mm is None else ball_diameter_mm / 1e3,
            sphere_diameter=sphere_diameter_mm / 1e3,
            places=places,
            errors={name: value for name, value in given.items() if value is not None},
            runs=runs,
            seed=seed,
            json=as_json,
            allow_outside=allow_outside,
            session=context.obj,
        )
    )
