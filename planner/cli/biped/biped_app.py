"""``palpeur biped …``: robots on feet, their balance, transmissions and motions."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Csv, FiguresOut, Force, Json, States, argument, flag, option

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Robots that stand on feet: balance, squat, tilting ground, walk, push, transmissions.",
)


Biped = Annotated[
    str,
    argument("ROBOT", "Name from `palpeur biped list`, or path of a biped file (.toml)."),
]
Posture = Annotated[
    str,
    option(
        "--posture",
        "DEG,…",
        "Angles of all joints in degrees, or of some by name, as in q2=-16,q3=85.",
    ),
]
Ground = Annotated[str, option("--tilt", "ROLL,PITCH", "Of the ground, in degrees.")]


@app.command("list")
def list_bipeds(as_json: Json = False) -> int:
    """List the bipeds that come with Palpeur."""
    from planner.cli.output import Form
    from reports.biped.answers import library_document, library_lines
    from robots.biped.biped_file import biped_names, open_biped

    bipeds = {name: open_biped(name) for name in biped_names()}
    return Form(json=as_json).show(
        json=lambda: library_document(bipeds), text=lambda: library_lines(bipeds)
    )


@app.command()
def show(
    robot: Biped,
    as_json: Json = False,
    as_toml: Annotated[bool, flag("--toml", "Print it as a file instead.")] = False,
) -> int:
    """Show one biped: mass, balance, feet, joints with ranges and stops, motors, what is odd."""
    from pathlib import Path

    from planner.cli.output import Form
    from reports.biped.answers import biped_document, biped_lines
    from robots.biped.biped_file import biped_names, known_drives, open_biped, text_of

    biped, known = open_biped(robot), known_drives(robot)
    if as_toml:
        library = robot in biped_names()
        print(text_of(robot) if library else Path(robot).read_text(encoding="utf-8"), end="")
        return 0
    return Form(json=as_json).show(
        json=lambda: biped_document(biped, known), text=lambda: biped_lines(biped, known)
    )


@app.command()
def com(
    robot: Biped,
    posture: Posture = "",
    states: States = "",
    ground: Ground = "",
    *,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Centre of mass of postures, the support polygon, tip angles, capture speeds.

    Exit codes: 0 the robot stands in every posture; 1 not; 2 bad input.
    """
    from planner.cli.biped.requests import ground_of, limit_breaches_first, postures_of
    from planner.cli.output import Form
    from reports.biped import answers
    from robots.biped.biped_file import open_biped
    from robots.biped.posture.balance import balances
    from robots.biped.posture.standing import stand

    form = Form(json=as_json, csv=as_csv)
    biped = open_biped(robot)
    given = postures_of(biped, posture=posture, states=states)
    with limit_breaches_first(biped, given):
        found = balances(stand(biped, given.q, ground_of(ground)))
    return form.show(
        json=lambda: answers.balance_document(found),
        csv=lambda: answers.balance_table(found),
        text=lambda: answers.balance_lines(found, given.where),
        passed=all(one.stands for one in found),
    )


@app.command()
def zmp(
    robot: Biped,
    states: Annotated[
        str,
        option(
            "--states",
            "FILE",
            "CSV: q1_deg …, optionally qd1_rad_s …, qdd1_rad_s2 …; - reads standard input.",
        ),
    ],
    ground: Ground = "",
    *,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Zero-moment point of moving states, from the full dynamics and from momentum.

    Exit codes: 0 the robot stands in every state; 1 not; 2 bad input.
    """
    from planner.cli.biped.requests import ground_of, limit_breaches_first, table_of
    from planner.cli.output import Form
    from reports.biped import answers
    from robots.biped.biped_file import open_biped
    from robots.biped.posture.balance import zero_moments
    from robots.biped.posture.standing import stand

    form = Form(json=as_json, csv=as_csv)
    biped = open_biped(robot)
    given = table_of(biped, states, "the zero-moment point")
    with limit_breaches_first(biped, given):
        standing = stand(biped, given.q, ground_of(ground))
        found = zero_moments(standing, given.or_zero("qd"), given.or_zero("qdd"))
    return form.show(
        json=lambda: answers.zero_moment_rows(found),
        csv=lambda: answers.zero_moment_table(found),
        text=lambda: answers.zero_moment_lines(found),
        passed=found.stands,
    )


@app.command()
def transmission(
    robot: Biped,
    posture: Annotated[str, option("--posture", "DEG,…", "Angles of all joints in degrees.")] = "",
    states: States = "",
    *,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Motor positions, speeds and torques of joint states; ratios, reflected inertia, resolution.

    Exit codes: 0 done; 1 a transmission does not reach a posture; 2 bad input.
    """
    from planner.cli.biped.requests import driven_states
    from planner.cli.output import Form
    from reports.biped import answers
    from robots.biped.biped_file import open_biped, open_drives
    from robots.core.transmission.driven_posture import driven_posture

    form = Form(json=as_json, csv=as_csv)
    mechanism, drives = open_biped(robot).mechanism, open_drives(robot)
    given = driven_states(mechanism, drives, posture=posture, states=states)
    found = [driven_posture(drives, state) for state in given]
    return form.show(
        json=lambda: answers.transmission_rows(found),
        csv=lambda: answers.transmission_table(found, drives.motors),
        text=lambda: (line for one in found for line in answers.transmission_lines(one)),
        passed=not any(one.reason for one in found),
    )


@app.command()
def composite(
    context: typer.Context,
    robot: Biped,
    at: Annotated[str, option("--at", "JOINT", "Cut there; left out: a choice of cuts.")] = "",
    *,
    compiled: Annotated[
        bool,
        flag("--compiled", "Time single calls of machine code, not NumPy batches."),
    ] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """A model made of two sub-robots' models, beside the monolithic one: agreement and cost.

    Exit codes: 0 they agree; 1 not; 2 bad input.
    """
    from planner.cli.output import Form
    from reports.biped.answers import composite_document, composite_lines, composite_table
    from robots.biped.biped_file import biped_names, open_biped
    from robots.core.composite.benchmark import BATCH, composite_cost, compositions
    from robots.core.composite.composition import cut
    from robots.library import load, names

    form, session = Form(json=as_json, csv=as_csv), context.obj
    biped = open_biped(robot) if robot not in names() or robot in biped_names() else None
    feet = tuple(foot.link for foot in biped.feet if foot.link) if biped else ()
    whole = load(robot) if robot in names() or biped is None else biped.mechanism
    chosen = [cut(whole, at)] if at else list(compositions(whole, feet))
    if compiled:
        session.tell_of_compiling()
    rows = [composite_cost(c, compiled=compiled) for c in session.watched(chosen, "comparing")]
    measure = "compiled, one call" if compiled else f"NumPy, batch of {BATCH}"
    return form.show(
        json=lambda: composite_document(robot, measure, rows),
        csv=lambda: composite_table(rows),
        text=lambda: composite_lines(robot, measure, rows),
        passed=all(row.agrees for row in rows),
    )


# --- motions -------------------------------------------------------------------------------------


@app.command()
def squat(
    context: typer.Context,
    robot: Biped,
    *,
    ankle: Annotated[float, option("--ankle", "DEG", "Bend forward.")] = 16.0,
    knee: Annotated[float, option("--knee", "DEG", "Bend.")] = 85.0,
    hip: Annotated[float, option("--hip", "DEG", "Bend.")] = 70.0,
    duration: Annotated[float, option("--duration", "S", "Of each phase, down and up.")] = 7.0,
    out: FiguresOut = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Squat and stand up by a quintic law; without options the squat of [GASTEBOIS17] 2.6.1.

    Exit codes: 0 stands within limits; 1 falls, tips or passes a limit; 2 bad input.
    """
    from math import radians

    from planner.cli.biped.requests import MotionRequest, check_duration
    from robots.biped.scenarios.squat import squat as squat_motion

    options = {"--ankle": ankle, "--knee": knee, "--hip": hip, "--duration": duration}
    request = MotionRequest.of(
        context, robot, options, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    check_duration(duration)
    bend = (radians(ankle), radians(knee), radians(hip))
    return request.answer(lambda biped, _: squat_motion(biped, *bend, duration))


@app.command()
def tilt(
    context: typer.Context,
    robot: Biped,
    *,
    to: Annotated[str, option("--to", "ROLL,PITCH", "Of the ground, in degrees.")] = "10,20",
    duration: Annotated[float, option("--duration", "S", "Of each phase, there and back.")] = 7.0,
    frozen: Annotated[bool, flag("--frozen", "Hold the posture, without the stabiliser.")] = False,
    out: FiguresOut = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Stand on ground that tilts and comes back, with the postural stabiliser or frozen.

    Exit codes: 0 stands within limits; 1 falls, tips or passes a limit; 2 bad input.
    """
    from planner.cli.biped.requests import MotionRequest, check_duration, ground_tilt
    from robots.biped.scenarios.tilt import tilt as tilt_motion

    options = {"--to": to, "--duration": duration, "--frozen": frozen}
    request = MotionRequest.of(
        context, robot, options, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    alpha, beta = ground_tilt(to)
    check_duration(duration)
    return request.answer(
        lambda biped, drives: tilt_motion(
            biped, alpha, beta, duration, stabilised=not frozen, drives=drives
        )
    )


@app.command()
def walk(
    context: typer.Context,
    robot: Biped,
    *,
    speed: Annotated[float, option("--speed", "M/S", "Of the walk.")] = 0.1,
    steps: Annotated[int, option("--steps", "N", "That go forward; one more closes.")] = 4,
    step_length: Annotated[
        float, option("--step-length", "M", "From one foot to the other.")
    ] = 0.2,
    step_width: Annotated[
        float | None,
        option("--step-width", "M", "Between the ankles, if not as the hips'."),
    ] = None,
    out: FiguresOut = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Walk straight ahead on level ground, from rest to rest, by preview control.

    Exit codes: 0 stands within limits; 1 tips, collides or passes a limit; 2 bad input.
    """
    from planner.cli.biped.requests import MotionRequest, check_above_zero, check_steps
    from robots.biped.scenarios.walk import walk as walk_motion
    from robots.biped.walking.gait import Gait

    options = {
        "--speed": speed,
        "--steps": steps,
        "--step-length": step_length,
        "--step-width": step_width,
    }
    request = MotionRequest.of(
        context, robot, options, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    check_steps(steps)
    check_above_zero("--speed", speed, "m/s")
    check_above_zero("--step-length", step_length, "m")
    if step_width is not None:
        check_above_zero("--step-width", step_width, "m")
    gait = Gait(speed=speed, steps=steps, step_length=step_length, step_width=step_width)
    return request.answer(lambda biped, _: walk_motion(biped, speed, steps, gait=gait))


@app.command()
def push(
    context: typer.Context,
    robot: Biped,
    *,
    speed: Annotated[
        float | None,
        option("--speed", "M/S", "The blow gives the centre of mass."),
    ] = None,
    impulse: Annotated[
        float | None,
        option("--impulse", "N_S", "Instead of --speed."),
    ] = None,
    direction: Annotated[
        str,
        option("--direction", "WAY", "forward, backward, left, right or x,y."),
    ] = "forward",
    out: FiguresOut = "",
    force: Force = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Take a blow and recover on the spot, without a step, if it is not too strong.

    Exit codes: 0 stands within limits; 1 falls, tips or passes a limit; 2 bad input.
    """
    from planner.cli.biped.requests import MotionRequest, blow_direction, check_blow
    from robots.biped.scenarios.push import push as push_motion

    options = {"--speed": speed, "--impulse": impulse, "--direction": direction}
    request = MotionRequest.of(
        context, robot, options, out=out, force=force, as_json=as_json, as_csv=as_csv
    )
    check_blow(speed, impulse)
    heading = blow_direction(direction)
    return request.answer(lambda biped, _: push_motion(biped, speed, heading, impulse=impulse))
