"""The command ``palpeur``: its groups, and the options that belong to all of them."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli import commands
from planner.cli.batch.batch_app import batch
from planner.cli.biped.biped_app import app as biped_app
from planner.cli.evaluate import evaluate_app
from planner.cli.job import compared_app, place_app, plan_app
from planner.cli.measure import measure_app
from planner.cli.moves.motion_app import motion
from planner.cli.robot.robot_app import app as robot_app
from planner.cli.sample import sample
from planner.cli.session import Session
from planner.cli.stewart.present_app import present
from planner.cli.stewart.stewart_app import app as stewart_app


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"palpeur {version('palpeur')}")
        raise typer.Exit


def root(
    context: typer.Context,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No messages or progress; may stand anywhere.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Plans, proves and reports measuring jobs for robots.

    Results go to stdout, messages to stderr. Exit codes: 0 done; 1 not feasible, or something
    failed its check; 2 bad input; 3 a plan failed its own validation; 130 interrupted.
    """
    del version  # its callback has done the work
    if context.obj is None:  # ``main`` has taken --quiet out of the arguments already
        context.obj = Session(quiet=quiet)


app = typer.Typer(
    name="palpeur",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.callback()(root)
app.command("demo")(plan_app.demo)
app.command("init")(plan_app.init)
app.command("plan")(plan_app.plan)
app.command("check")(plan_app.check)
app.command("place")(place_app.place)
app.command("diff")(compared_app.diff)
app.command("verify")(compared_app.verify)
app.command("batch")(batch)
app.command("evaluate")(evaluate_app.evaluate)
app.command("uncertainty")(evaluate_app.uncertainty)
app.command("measure")(measure_app.measure)
app.command("machine-test")(measure_app.machine_test)
app.command("sample")(sample)
app.add_typer(robot_app, name="robot")
stewart_app.command("present")(present)
app.add_typer(stewart_app, name="stewart")
app.add_typer(biped_app, name="biped")
app.command("motion")(motion)
app.command("explain")(commands.explain)
app.command("schema")(commands.schema)
app.command("doctor")(commands.doctor)
app.command("completion")(commands.completion)
