"""``palpeur biped …``: what is asked; the modules named in each body do the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.biped import scenario_app
from planner.cli.biped.arguments import Biped, Ground, Posture, States
from planner.cli.options import Csv, Json

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Robots that stand on feet: balance, squat, tilting ground, walk, push, transmissions.",
)


@app.command("list")
def list_bipeds(as_json: Json = False) -> int:
    """List the bipeds that come with Palpeur."""
    from planner.cli.biped.biped_show import print_list

    return print_list(as_json=as_json)


@app.command()
def show(
    robot: Biped,
    as_json: Json = False,
    as_toml: Annotated[bool, typer.Option("--toml", help="Print it as a file instead.")] = False,
) -> int:
    """Show one biped: mass, balance, feet, joints with ranges and stops, motors, what is odd."""
    from planner.cli.biped.biped_show import print_biped

    return print_biped(robot, as_json=as_json, as_toml=as_toml)


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
    from planner.cli.biped.com_answers import print_com
    from planner.cli.output import Form

    form = Form(json=as_json, csv=as_csv)
    return print_com(robot, posture=posture, states=states, tilt=ground, form=form)


@app.command()
def zmp(
    robot: Biped,
    states: Annotated[
        str,
        typer.Option(
            "--states",
            metavar="FILE",
            help="CSV: q1_deg …, if wanted qd1_rad_s …, qdd1_rad_s2 …; - reads standard input.",
            show_default=False,
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
    from planner.cli.biped.zmp_answers import print_zmp
    from planner.cli.output import Form

    return print_zmp(robot, states=states, tilt=ground, form=Form(json=as_json, csv=as_csv))


@app.command()
def transmission(
    robot: Biped,
    posture: Annotated[
        str,
        typer.Option("--posture", metavar="DEG,…", help="Angles of all joints in degrees."),
    ] = "",
    states: States = "",
    *,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Motor positions, speeds and torques of joint states; ratios, reflected inertia, resolution.

    Exit codes: 0 done; 1 a transmission does not reach a posture; 2 bad input.
    """
    from planner.cli.biped.transmission_answers import print_transmission
    from planner.cli.output import Form

    form = Form(json=as_json, csv=as_csv)
    return print_transmission(robot, posture=posture, states=states, form=form)


@app.command()
def composite(
    context: typer.Context,
    robot: Biped,
    at: Annotated[
        str, typer.Option("--at", metavar="JOINT", help="Cut there; left out: a choice of cuts.")
    ] = "",
    *,
    compiled: Annotated[
        bool,
        typer.Option("--compiled", help="Time single calls of machine code, not NumPy batches."),
    ] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """A model made of two sub-robots' models, beside the monolithic one: agreement and cost.

    Exit codes: 0 they agree; 1 not; 2 bad input.
    """
    from planner.cli.biped.composite_answers import print_composite
    from planner.cli.output import Form

    form = Form(json=as_json, csv=as_csv)
    return print_composite(robot, at=at, compiled=compiled, form=form, session=context.obj)


app.command("squat")(scenario_app.squat)
app.command("tilt")(scenario_app.tilt)
app.command("walk")(scenario_app.walk)
app.command("push")(scenario_app.push)
