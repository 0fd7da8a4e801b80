"""``palpeur robot …``: the library, one robot, its models, analyses, equations and calibration."""

from __future__ import annotations

from collections.abc import Callable
from math import radians
from typing import Annotated

import typer

from planner.cli.options import (
    Csv,
    Force,
    Inverse,
    Json,
    Meshes,
    Robot,
    States,
    Task,
    Tip,
    argument,
    file_option,
    flag,
    option,
    out_option,
)

# One state without a table. Plain numbers are degrees and millimetres: what a teach panel shows.
Q = Annotated[
    str,
    option(
        "--q",
        "Q1,Q2,…",
        "One state instead of a table: joint values in deg (sliding joints: mm), or each "
        "with its unit, as 1.5rad or 0.2m.",
    ),
]
Qd = Annotated[
    str,
    option("--qd", "V1,V2,…", "With --q: joint speeds in deg/s (sliding joints: mm/s)."),
]
Qdd = Annotated[
    str,
    option("--qdd", "A1,A2,…", "With --q: joint accelerations in deg/s² (sliding joints: mm/s²)."),
]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The library; one robot; its models on a table of states.",
)


@app.command("list")
def list_robots(as_json: Json = False) -> int:
    """List the robots that come with Palpeur, by maker, with their reach."""
    from planner.cli.output import Form
    from reports.models.robot import library_document, library_lines
    from robots.library import load, maker_of, names

    robots = {name: load(name) for name in names()}
    makers = {name: maker_of(name) for name in robots}
    return Form(json=as_json).show(
        json=lambda: library_document(robots, makers), text=lambda: library_lines(robots, makers)
    )


@app.command()
def show(
    context: typer.Context,
    robot: Robot,
    tip: Tip = "",
    meshes: Meshes = None,
    as_json: Json = False,
    form: Annotated[
        str,
        option("--as", "FORM", "Print it as a file instead: toml, urdf, phrase."),
    ] = "",
    html: Annotated[
        str,
        option(
            "--html",
            "PAGE",
            "Write a page instead: the arm in 3D, a slider for each joint, offline.",
            callback=file_option,
        ),
    ] = "",
    q: Annotated[
        str,
        option(
            "--q",
            "Q1,Q2,…",
            "With --html: first posture, in deg (sliding joints: mm), or each value with its unit.",
        ),
    ] = "",
    force: Force = False,
) -> int:
    """Show one robot: tree, rows, limits, masses, internal tables, operation counts."""
    from planner.cli.opening import opened_robot
    from planner.cli.output import Form
    from planner.errors import OptionError
    from reports.models.robot import ROBOT_FILES, robot_document, robot_lines
    from robots.library import names, open_robot, text_of

    if html:
        from planner.cli.robot.models import write_robot_page

        if form or as_json:
            raise OptionError("--html goes with neither --as nor --json.", option="--html")
        return write_robot_page(robot, tip, meshes, html, q, context.obj.forced(force))
    if q:
        raise OptionError("--q is the posture of the page; give --html PAGE as well.", option="--q")
    if form:
        if form not in ROBOT_FILES:
            raise OptionError(
                f"--as {form!r} is not a form of robot; choose one of {', '.join(ROBOT_FILES)}.",
                option="--as",
                value=form,
            )
        mechanism = opened_robot(robot, tip, context.obj, meshes)
        own = form == "toml" and robot in names()  # with its maker, and the source of each number
        print(text_of(robot) if own else ROBOT_FILES[form](mechanism), end="")
        return 0
    mechanism = open_robot(robot, tip=tip, meshes=meshes)
    return Form(json=as_json).show(
        json=lambda: robot_document(mechanism), text=lambda: robot_lines(mechanism)
    )


@app.command("import")
def import_file(
    context: typer.Context,
    file: Annotated[
        str,
        argument(
            "FILE",
            "URDF, xacro, MuJoCo's MJCF, a CSV table of Denavit-Hartenberg rows, or a robot file.",
        ),
    ],
    *,
    tip: Tip = "",
    base: Annotated[
        str,
        option("--base", "LINK", "Link whose frame is the base frame; else the root."),
    ] = "",
    name: Annotated[
        str,
        option("--name", "NAME", "Of the robot; else that of the file."),
    ] = "",
    meshes: Meshes = None,
    arguments: Annotated[
        list[str] | None,
        option("--arg", "NAME=VALUE", "Argument of a xacro file; repeatable."),
    ] = None,
    out: Annotated[str, out_option("FILE", "Robot file to write, such as arm.toml.")] = "",
    as_json: Json = False,
    force: Force = False,
) -> int:
    """Write a robot of another format as a robot file.

    The file has a comment wherever the source left something open; what is still to be given is
    listed.
    """
    from pathlib import Path

    from planner.cli.output import Form
    from planner.errors import OptionError
    from planner.result_files import check_file, write_result
    from reports.models.robot import import_document, import_lines
    from robots.core.robot_import import import_robot

    written_by = "palpeur robot import"
    if not out:
        raise OptionError("Give the robot file to write: --out arm.toml.", option="--out")
    if Path(out).suffix.lower() != ".toml":
        raise OptionError(f"--out is {out}; a robot file ends in .toml.", option="--out", value=out)
    given = {}
    for text in arguments or ():
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise OptionError(f"--arg is {text!r}; expected NAME=VALUE.", option="--arg")
        given[key.removesuffix(":")] = value
    check_file(Path(out), written_by, force=force)  # before the work, not after it
    imported = import_robot(file, tip=tip, base=base, name=name, meshes=meshes, arguments=given)
    write_result(Path(out), imported.text, written_by, comment="# {}", force=force)
    code = Form(json=as_json).show(
        json=lambda: import_document(imported, out), text=lambda: import_lines(imported)
    )
    context.obj.say(f"Robot file written to {out}; audit it with: palpeur robot check {out}")
    return code


@app.command()
def check(
    robot: Robot,
    tip: Tip = "",
    meshes: Meshes = None,
    as_json: Json = False,
    strict: Annotated[bool, flag("--strict", "Warnings fail too.")] = False,
) -> int:
    """Audit a robot file. Exit code 1 when it has an error; warnings leave it usable."""
    from planner.cli.output import Form
    from planner.findings import Severity
    from planner.findings.robot_audit import audit
    from reports.models.robot import audit_document, audit_lines
    from robots.library import open_robot

    mechanism = open_robot(robot, tip=tip, meshes=meshes)
    findings = tuple(audit(mechanism))
    failing = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    passed = not any(finding.severity in failing for finding in findings)
    return Form(json=as_json).show(
        json=lambda: audit_document(mechanism, findings, passed=passed),
        text=lambda: audit_lines(mechanism, findings),
        passed=passed,
    )


# --- models on a table of states -----------------------------------------------------------------


def _model(name: str) -> Callable[..., int]:
    """The command of a model that takes a table of states and no option of its own."""

    def command(
        context: typer.Context,
        robot: Robot,
        *,
        states: States = "",
        q: Q = "",
        tip: Tip = "",
        as_json: Json = False,
        as_csv: Csv = False,
    ) -> int:
        from planner.cli.output import Form
        from planner.cli.robot.models import StateRequest, print_model

        given = StateRequest(table=states, options={"q": q})
        form = Form(json=as_json, csv=as_csv)
        return print_model(name, robot, tip, given, form, context.obj)

    return command


def _rates(name: str) -> Callable[..., int]:
    """The command of a model of rates, direct or inverse."""

    def command(
        context: typer.Context,
        robot: Robot,
        *,
        states: States = "",
        q: Q = "",
        qd: Qd = "",
        qdd: Qdd = "",
        tip: Tip = "",
        inverse: Inverse = False,
        task: Task = "",
        as_json: Json = False,
        as_csv: Csv = False,
    ) -> int:
        from planner.cli.output import Form
        from planner.cli.robot.models import StateRequest, print_joint_rates, print_model

        given = StateRequest(table=states, options={"q": q, "qd": qd, "qdd": qdd})
        form = Form(json=as_json, csv=as_csv)
        if inverse:
            return print_joint_rates(name, robot, tip, given, task, form, context.obj)
        return print_model(name, robot, tip, given, form, context.obj)

    return command


def inverse(
    context: typer.Context,
    robot: Robot,
    *,
    states: States = "",
    at: Annotated[
        str,
        option(
            "--at",
            "X,Y,Z",
            "One target instead of a table: position of the tool in mm, base frame.",
        ),
    ] = "",
    normal: Annotated[
        str,
        option("--normal", "NX,NY,NZ", "With --at: outgoing normal of the surface touched."),
    ] = "",
    axis: Annotated[
        str,
        option("--axis", "AX,AY,AZ", "With --at: direction of the tool's z axis."),
    ] = "",
    q: Annotated[
        str,
        option("--q", "Q1,Q2,…", "With --at: first guess, in deg (sliding joints: mm)."),
    ] = "",
    tip: Tip = "",
    as_json: Json = False,
    as_csv: Csv = False,
    starts: Annotated[
        int, flag("--starts", "Starts of the search per state.", min=1, max=1000)
    ] = 64,
    lock: Annotated[
        list[str] | None,
        option(
            "--lock",
            "JOINT=VALUE",
            "Joint held still, in deg (sliding: mm); repeatable. Seven joints, one locked, have "
            "every branch.",
        ),
    ] = None,
    explain: Annotated[
        bool, flag("--explain", "Print how the inverse is derived; no states.")
    ] = False,
    source: Annotated[
        str,
        option("--as", "FORM", "Of --explain: text, latex, python, c, matlab."),
    ] = "text",
) -> int:
    """Joint values that reach a pose.

    Needs x_m, y_m, z_m with nx, ny, nz (outgoing normal of the surface touched: the tool's z axis
    points against it) or ax, ay, az (direction of the tool's z axis), or alone; or T11 … T34 (full
    pose). q1 … are a first guess. JSON key solutions. Exit code 1 when a state has no solution
    within the limits. --explain needs no state.
    """
    from planner.cli.output import Form
    from planner.cli.robot.models import StateRequest, print_derivation, print_inverse

    options = {"position": at, "normal": normal, "approach": axis, "q": q}
    given = StateRequest(table=states, options=options)
    form = Form(json=as_json, csv=as_csv)
    if explain:
        return print_derivation(robot, tip, given, lock or (), source, form, context.obj)
    return print_inverse(robot, tip, given, starts, lock or (), form, context.obj)


def dynamics(
    context: typer.Context,
    robot: Robot,
    *,
    states: States = "",
    q: Q = "",
    qd: Qd = "",
    qdd: Qdd = "",
    tau: Annotated[
        str,
        option(
            "--tau", "T1,T2,…", "With --q and --forward: joint torques in N m (sliding joints: N)."
        ),
    ] = "",
    tip: Tip = "",
    forward: Annotated[
        bool, flag("--forward", "Accelerations (key qdd) of given torques (tau1_nm).")
    ] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Joint torques of a motion (Newton-Euler).

    Needs q1 …; qd1 …, qdd1 … are zero when left out; fx_n … mz_nm is the wrench of the tool on its
    environment, base axes. JSON key tau. With --forward: q1 …, qd1 …, tau1_nm … give qdd.
    """
    from planner.cli.output import Form
    from planner.cli.robot.models import StateRequest, print_accelerations, print_model

    given = StateRequest(table=states, options={"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    form = Form(json=as_json, csv=as_csv)
    if forward:
        return print_accelerations(robot, tip, given, form, context.obj)
    return print_model("torques", robot, tip, given, form, context.obj)


app.command("forward", help="Pose of the tool in the base frame. Needs q1 …; JSON key T.")(
    _model("forward")
)
app.command("inverse")(inverse)
app.command(
    "velocity",
    help="""Velocity of the tool: linear, then angular, base axes.

    Needs q1 … and qd1 …; JSON key velocity. With --inverse: q1 … and vx_m_s … wz_rad_s (or vx … vz
    alone) give qd and the residual; exit code 1 when the robot cannot move so.
    """,
)(_rates("velocity"))
app.command(
    "acceleration",
    help="""Acceleration of the tool: linear, then angular, base axes.

    Needs q1 …, qd1 …, qdd1 …; JSON key acceleration. With --inverse: q1 …, qd1 … and ax_m_s2 …
    az_m_s2, wdx_rad_s2 … wdz_rad_s2 give qdd and the residual.
    """,
)(_rates("acceleration"))
app.command(
    "jacobian",
    help="Geometric Jacobian at the tool, base axes, linear rows first. Needs q1 …; JSON key J.",
)(_model("jacobian"))
app.command("dynamics")(dynamics)
app.command("mass", help="Joint-space mass matrix. Needs q1 …; JSON key mass.")(_model("mass"))
app.command(
    "lagrange",
    help="""Lagrange coefficients: tau = A·qdd + B·[qd qd] + C·[qd²] + gravity.

    Needs q1 …; JSON keys mass (A), coriolis (B, j < k), centrifugal (C), gravity.
    """,
)(_model("lagrange"))


# --- analyses ------------------------------------------------------------------------------------


@app.command()
def workspace(
    context: typer.Context,
    robot: Robot,
    tip: Tip = "",
    samples: Annotated[
        int, flag("--samples", "Postures to sample.", min=100, max=10_000_000)
    ] = 1_000_000,
    cell_mm: Annotated[
        float, flag("--cell-mm", "Edge of a cell of the counted volume.", min=1.0)
    ] = 100.0,
    as_json: Json = False,
) -> int:
    """Reach of the tool within the joint limits: bounds, radii, reachable volume."""
    from planner.cli.opening import movable_robot
    from planner.cli.output import Form
    from planner.errors import OptionError
    from reports.models.analysis import DIMENSIONS, workspace_document, workspace_lines
    from robots.core.model import Model
    from robots.core.workspace import workspace

    if not cell_mm <= 1e9:  # no robot is larger
        raise OptionError(f"--cell-mm is {cell_mm:g}; expected at most 1e+09.")
    mechanism = movable_robot(robot, tip, context.obj)
    found = workspace(Model(mechanism), samples=samples, cell=cell_mm / 1e3)
    if found.growth > 0.1:
        context.obj.say(
            f"The last half of the samples still added {100 * found.growth:.0f} % of the "
            f"{DIMENSIONS[found.dimension]}: take more --samples or a larger --cell-mm."
        )
    return Form(json=as_json).show(
        json=lambda: workspace_document(found), text=lambda: workspace_lines(found)
    )


@app.command()
def singularities(
    context: typer.Context,
    robot: Robot,
    tip: Tip = "",
    states: Annotated[
        str,
        option("--states", "FILE", "Judge these postures; - is stdin."),
    ] = "",
    q: Q = "",
    task: Task = "",
    as_json: Json = False,
) -> int:
    """Singular sets, or the verdict on given postures.

    Type 1 lies at the boundary of the reachable volume, type 2 inside it ([COURSE-JAC]).
    """
    from planner.cli.opening import movable_robot
    from planner.cli.output import Form
    from planner.cli.robot.models import StateRequest, named_task
    from reports.models import analysis
    from robots.core.errors import EquationError
    from robots.core.model import Model
    from robots.core.singularities.analysis import (
        analyse,
        natural_task,
        search_starts,
        singular_postures,
    )
    from robots.core.singularities.determinant import determinant

    session, form = context.obj, Form(json=as_json)
    mechanism = movable_robot(robot, tip, session)
    model = Model(mechanism, engine="numpy")
    chosen = named_task(task) if task else natural_task(model)
    if states or q:
        table = StateRequest(table=states, options={"q": q}).read(mechanism)
        postures = table.require("q", "judging a posture")
        found = [analyse(model, row, chosen) for row in session.watched(list(postures), "judging")]
        return form.show(
            json=lambda: analysis.singularity_rows(mechanism, found, chosen),
            text=lambda: analysis.singularity_lines(found, chosen),
        )
    try:
        closed = determinant(mechanism, chosen)
    except EquationError as error:  # too long to be of use
        session.say(error.message)
        closed = None
    starts = session.watched(search_starts(model), "searching")
    examples = tuple(singular_postures(model, chosen, starts))
    return form.show(
        json=lambda: analysis.singular_set_document(mechanism, chosen, closed, examples),
        text=lambda: analysis.singular_set_lines(mechanism, chosen, closed, examples),
    )


@app.command()
def equations(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    form: Annotated[str, option("--as", "FORM", "text, latex, python, c or matlab.")] = "text",
    quantity: Annotated[
        str,
        option("--quantity", "NAME", "Which quantity; an unknown one lists all."),
    ] = "",
    neglect: Annotated[
        float,
        flag("--neglect", "Leave out terms below this threshold (text, latex).", min=0.0),
    ] = 0.0,
    out: Annotated[
        str,
        out_option("PATH", "Write there instead of stdout."),
    ] = "",
    force: Force = False,
) -> int:
    """Condensed dynamic equations, or source code with a self-test."""
    from pathlib import Path

    from planner.cli.opening import movable_robot
    from planner.result_files import check_file, write_result
    from reports.models.equations import COMMENTS, check_equation_options, equations_file
    from robots.library import document_of

    written_by = "palpeur robot equations"
    check_equation_options(form, neglect)
    in_folder = out.endswith("/") or Path(out).is_dir() if out else False
    if out and not in_folder:
        check_file(Path(out), written_by, force=force)  # before the work, not after it
    mechanism = movable_robot(robot, tip, context.obj)
    names = [name.strip() for name in quantity.split(",") if name.strip()]
    source = equations_file(mechanism, form, names, threshold=neglect, document=document_of(robot))
    if out:
        path = Path(out) / source.name if in_folder else Path(out)
        write_result(path, source.text, written_by, comment=COMMENTS[form], force=force)
    else:
        print(source.text, end="" if source.text.endswith("\n") else "\n")
    return 0


@app.command()
def bench(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    samples: Annotated[
        int, flag("--samples", "States per run.", min=1000, max=2_000_000)
    ] = 100_000,
    runs: Annotated[int, flag("--runs", "Interleaved runs.", min=3, max=99)] = 9,
    as_json: Json = False,
) -> int:
    """Measure the speed of each kernel here, beside Pinocchio where it is installed."""
    from planner.cli.opening import movable_robot
    from planner.cli.output import Form
    from reports.models.analysis import benchmark_document, benchmark_lines
    from robots.core.benchmark.kernels import benchmark, why_without_peer
    from robots.core.benchmark.pinocchio_peer import PinocchioPeer

    mechanism = movable_robot(robot, tip, context.obj)
    reason = why_without_peer(mechanism)
    if reason:
        context.obj.say(reason)
    found = benchmark(
        mechanism,
        samples,
        context.obj.watched(range(runs), "measuring"),
        peer=None if reason else PinocchioPeer(mechanism),
    )
    return Form(json=as_json).show(
        json=lambda: benchmark_document(found),
        text=lambda: benchmark_lines(found),
        passed=found.agrees,
    )


# --- calibration ---------------------------------------------------------------------------------


@app.command()
def calibrate(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    measurements: Annotated[
        str,
        option(
            "--measurements",
            "FILE",
            "CSV of joint readings q1_deg … with sphere, or pair and length_mm, or "
            "x_mm,y_mm,z_mm; - reads standard input.",
        ),
    ] = "",
    kind: Annotated[
        str,
        option("--kind", "KIND", "sphere, length or point; default: what the columns say."),
    ] = "",
    plan: Annotated[
        int,
        option("--plan", "N", "Propose N measurements instead.", min=0, show_default=False),
    ] = 0,
    out: Annotated[
        str,
        out_option("FILE", "Write the calibrated robot file (or the postures)."),
    ] = "",
    stylus_mm: Annotated[
        float, flag("--stylus-mm", "From the tool's origin along z to the ball.")
    ] = 0.0,
    encoder_deg: Annotated[
        float, flag("--encoder-deg", "Noise of a joint reading, 1 sigma.", min=0.0)
    ] = 0.0,
    noise_mm: Annotated[
        float,
        flag("--noise-mm", "Noise of seat, point or length, 1 sigma.", min=0.0),
    ] = 0.0,
    prior_deg: Annotated[
        float, flag("--prior-deg", "How far angles may be off, 1 sigma.", min=0.0)
    ] = 0.0,
    prior_mm: Annotated[
        float, flag("--prior-mm", "How far lengths may be off, 1 sigma.", min=0.0)
    ] = 0.0,
    parameters: Annotated[
        str,
        option("--parameters", "NAMES", "Only these, as in 'q2 theta,q3 d'; else all."),
    ] = "",
    drop_outliers: Annotated[
        bool, flag("--drop-outliers", "Leave contradicting measurements out.")
    ] = False,
    spheres: Annotated[int, flag("--spheres", "How many --plan places.", min=1, max=50)] = 3,
    at: Annotated[
        list[str] | None,
        option("--at", "X,Y,Z", "Position of an existing sphere, mm; repeat."),
    ] = None,
    length_mm: Annotated[float, flag("--length-mm", "Ball bar that --plan uses.", min=0.0)] = 0.0,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Find a serial arm's geometric errors, or plan the postures to find them from.

    The tool's origin is the ball. Exit codes: 0 found and better; 1 no better, or these
    measurements cannot distinguish the parameters; 2 bad input.
    """
    from planner.cli.output import Form
    from planner.cli.robot import calibration
    from planner.errors import OptionError
    from robots.core.identification.measurements import ArmNoise

    if bool(measurements) == bool(plan):
        raise OptionError("Give either --measurements FILE or --plan N.", option="--measurements")
    given = encoder_deg != 0.0 or noise_mm != 0.0
    noise = ArmNoise(encoder=radians(encoder_deg), reading=noise_mm / 1e3) if given else None
    if plan:
        return calibration.print_plan(
            robot,
            tip,
            plan,
            kind=kind,
            out=out,
            stylus=stylus_mm / 1e3,
            noise=noise,
            spheres=spheres,
            at=tuple(at or ()),
            length=length_mm / 1e3,
            form=Form(json=as_json),
            session=context.obj.forced(force),
        )
    return calibration.print_calibration(
        robot,
        tip,
        measurements,
        kind=kind,
        out=out,
        stylus=stylus_mm / 1e3,
        noise=noise,
        prior=(radians(prior_deg), prior_mm / 1e3),
        parameters=[name.strip() for name in parameters.split(",") if name.strip()],
        drop_outliers=drop_outliers,
        form=Form(json=as_json),
        session=context.obj.forced(force),
    )
