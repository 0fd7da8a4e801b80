"""``palpeur robot …``: what is asked; the modules named in each body do the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Json, Robot, Task, Tip
from planner.cli.out_place import Force, path_option
from planner.cli.robot import robot_model_app as models
from planner.cli.robot.calibrate_app import calibrate
from planner.cli.robot_reference import RobotReference

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The library; one robot; its models on a table of states.",
)

Quantity = Annotated[
    str,
    typer.Option("--quantity", metavar="NAME", help="Which quantity; an unknown one lists all."),
]


@app.command("list")
def list_robots(as_json: Json = False) -> int:
    """List the robots that come with Palpeur."""
    from planner.cli.robot.robot_show import print_list

    return print_list(as_json=as_json)


@app.command()
def show(
    context: typer.Context,
    robot: Robot,
    tip: Tip = "",
    as_json: Json = False,
    form: Annotated[
        str,
        typer.Option(
            "--as", metavar="FORM", help="Print it as a file instead: toml, urdf, phrase."
        ),
    ] = "",
) -> int:
    """Show one robot: tree, rows, limits, masses, internal tables, operation counts."""
    if form:
        from planner.cli.robot.robot_files import print_file

        return print_file(RobotReference(model=robot, tip=tip), form, context.obj)
    from planner.cli.robot.robot_show import print_robot

    return print_robot(RobotReference(model=robot, tip=tip), as_json=as_json)


@app.command()
def check(
    robot: Robot,
    tip: Tip = "",
    as_json: Json = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
) -> int:
    """Audit a robot file. Exit code 1 when it has an error; warnings leave it usable."""
    from planner.cli.robot.robot_check import print_audit

    return print_audit(RobotReference(model=robot, tip=tip), as_json=as_json, strict=strict)


app.command("forward")(models.forward)
app.command("inverse")(models.inverse)
app.command("velocity")(models.velocity)
app.command("acceleration")(models.acceleration)
app.command("jacobian")(models.jacobian)
app.command("dynamics")(models.dynamics)
app.command("mass")(models.mass)
app.command("lagrange")(models.lagrange)


@app.command()
def workspace(
    context: typer.Context,
    robot: Robot,
    tip: Tip = "",
    samples: Annotated[
        int, typer.Option("--samples", min=100, max=10_000_000, help="Postures to sample.")
    ] = 1_000_000,
    cell_mm: Annotated[
        float, typer.Option("--cell-mm", min=1.0, help="Edge of a cell of the counted volume.")
    ] = 100.0,
    as_json: Json = False,
) -> int:
    """Reach of the tool within the joint limits: bounds, radii, reachable volume."""
    from planner.cli.robot.robot_workspace import Sampling, print_workspace

    return print_workspace(
        RobotReference(model=robot, tip=tip),
        Sampling(count=samples, cell=cell_mm / 1000.0),
        as_json=as_json,
        session=context.obj,
    )


@app.command()
def singularities(
    context: typer.Context,
    robot: Robot,
    tip: Tip = "",
    states: Annotated[
        str,
        typer.Option("--states", metavar="FILE", help="Judge these postures; - is stdin."),
    ] = "",
    task: Task = "",
    as_json: Json = False,
) -> int:
    """Singular sets, or the verdict on given postures.

    Type 1 lies at the boundary of the reachable volume, type 2 inside it ([COURSE-JAC]).
    """
    from planner.cli.robot.robot_singularities import SingularityRequest, print_singularities

    return print_singularities(
        SingularityRequest(
            robot=RobotReference(model=robot, tip=tip),
            states=states,
            task=task,
            json=as_json,
            session=context.obj,
        )
    )


@app.command()
def equations(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="text, latex, python, c or matlab.")
    ] = "text",
    quantity: Quantity = "",
    neglect: Annotated[
        float,
        typer.Option(
            "--neglect", min=0.0, help="Leave out terms below this threshold (text, latex)."
        ),
    ] = 0.0,
    out: Annotated[
        str,
        typer.Option(
            "--out", callback=path_option, metavar="PATH", help="Write there instead of stdout."
        ),
    ] = "",
    force: Force = False,
) -> int:
    """Condensed dynamic equations, or source code with a self-test."""
    from planner.cli.robot.robot_equations import EquationRequest, print_equations

    return print_equations(
        EquationRequest(
            robot=RobotReference(model=robot, tip=tip),
            form=form,
            quantity=quantity,
            neglect=neglect,
            out=out,
            session=context.obj.forced(force),
        )
    )


@app.command()
def bench(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    samples: Annotated[
        int, typer.Option("--samples", min=1000, max=2_000_000, help="States per run.")
    ] = 100_000,
    runs: Annotated[int, typer.Option("--runs", min=3, max=99, help="Interleaved runs.")] = 9,
    as_json: Json = False,
) -> int:
    """Measure the speed of each kernel here, beside Pinocchio where it is installed."""
    from planner.cli.robot.robot_bench import print_bench

    return print_bench(
        RobotReference(model=robot, tip=tip),
        samples=samples,
        runs=runs,
        as_json=as_json,
        session=context.obj,
    )


app.command("calibrate")(calibrate)
