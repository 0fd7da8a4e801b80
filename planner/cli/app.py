"""The command ``palpeur``: its groups, and the options that belong to all of them."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.batch.batch_app import batch
from planner.cli.biped.biped_app import app as biped_app
from planner.cli.evaluate import evaluate_app
from planner.cli.job import job_app
from planner.cli.job.job_app import examples_app
from planner.cli.measure import measure_app
from planner.cli.moves.motion_app import motion
from planner.cli.options import AllowOutside, Json, argument, flag
from planner.cli.part import app as part_app
from planner.cli.part import sample
from planner.cli.robot.robot_app import app as robot_app
from planner.cli.session import Session
from planner.cli.stewart.stewart_app import app as stewart_app
from planner.cli.stewart.stewart_app import present

app = typer.Typer(
    name="palpeur",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


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
        bool, flag("--version", "Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Plans, proves and reports measuring jobs for robots.

    Results go to stdout, messages to stderr. Exit codes: 0 done; 1 not feasible, or something
    failed its check; 2 bad input; 3 a plan failed its own validation; 130 interrupted.
    """
    del version  # its callback has done the work
    if context.obj is None:  # ``main`` has taken --quiet out of the arguments already
        context.obj = Session(quiet=quiet)


app.callback()(root)
app.command("demo")(job_app.demo)
app.command("init")(job_app.init)
app.command("plan")(job_app.plan)
app.command("check")(job_app.check)
app.command("place")(job_app.place)
app.command("diff")(job_app.diff)
app.command("verify")(job_app.verify)
app.command("batch")(batch)
app.command("evaluate")(evaluate_app.evaluate)
app.command("uncertainty")(evaluate_app.uncertainty)
app.command("measure")(measure_app.measure)
app.command("machine-test")(measure_app.machine_test)
app.command("sample")(sample)
app.add_typer(examples_app, name="examples")
app.add_typer(part_app, name="part")
app.add_typer(robot_app, name="robot")
stewart_app.command("present")(present)
app.add_typer(stewart_app, name="stewart")
app.add_typer(biped_app, name="biped")
app.command("motion")(motion)


def explain(
    context: typer.Context,
    subject: Annotated[
        str,
        argument("[CODE|JOB]", "Such as R101, or a job file; left out: all codes."),
    ] = "",
    point: Annotated[str, argument("[POINT]", "Name of a point of the job.")] = "",
    *,
    as_json: Json = False,
    allow_outside: AllowOutside = False,
) -> int:
    """Explain a finding and its remedy; or why a point of a job fails, and what would help.

    With JOB and POINT: every branch of the point with what it breaks, and the smallest fixes, each
    judged in the changed job. Exit codes: 0 the point is measurable; 1 it is not; 2 bad input.
    """
    from pathlib import Path

    from planner.cli.output import Form
    from planner.errors import OptionError
    from planner.findings import page, pages
    from reports.explanation import page_document, page_lines, pages_document, pages_lines

    is_job = Path(subject).suffix.lower() == ".toml"
    if point:
        if Path(point).suffix.lower() == ".toml" and not Path(subject).is_file():
            raise OptionError(
                f"{subject} is no job file, but {point} looks like one: the job comes first, as in "
                f"palpeur explain {point} {subject}.",
                job=point,
            )
        from planner.cli.job.job_app import run_explain

        return run_explain(
            subject, point, as_json=as_json, allow_outside=allow_outside, session=context.obj
        )
    if is_job:
        raise OptionError(
            f"{subject} is a job: name the point too, as in palpeur explain {subject} P17; "
            "palpeur check lists the points that fail.",
            job=subject,
        )
    form = Form(json=as_json)
    if not subject:
        return form.show(json=lambda: pages_document(pages()), text=lambda: pages_lines(pages()))
    found = page(subject)
    return form.show(json=lambda: page_document(found), text=lambda: page_lines(found))


app.command("explain")(explain)


def schema(
    name: Annotated[str, argument("job|robot|plan", "Which kind of file.")],
) -> int:
    """Print the JSON Schema of a kind of file."""
    from planner.cli.output import print_json
    from planner.errors import OptionError

    if name == "job":
        from planner.job import json_schema as job_schema

        print_json(job_schema())
    elif name == "robot":
        from robots.core.robot_file import json_schema as robot_schema

        print_json(robot_schema())
    elif name == "plan":
        from reports.plan_document import plan_schema

        print_json(plan_schema())
    else:
        raise OptionError(f"There is no schema {name!r}; there are job, robot and plan.")
    return 0


app.command("schema")(schema)


def doctor(
    caps: Annotated[
        bool, flag("--caps", "List the caps on input, and how each is changed.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Say whether this machine and this installation are fit.

    Versions against the requirements, files against what was installed, who may change what runs,
    processor, compiler, kernel cache, optional tools.
    """
    return print_caps(as_json=as_json) if caps else print_diagnosis(as_json=as_json)


app.command("doctor")(doctor)


def completion(
    shell: Annotated[str, argument("bash|zsh|fish", "Your shell.")],
) -> int:
    """Print the completion script of a shell.

    bash: eval "$(palpeur completion bash)"; fish: palpeur completion fish | source
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    from planner.errors import OptionError

    shells = ("bash", "zsh", "fish")
    if shell not in shells:
        raise OptionError(f"There is no completion for {shell!r}; there is {', '.join(shells)}.")
    script = get_completion_script(
        prog_name="palpeur", complete_var="_PALPEUR_COMPLETE", shell=shell
    )
    print(script.strip())
    return 0


app.command("completion")(completion)


def print_diagnosis(*, as_json: bool) -> int:
    """Print every check; exit code 1 when something that is needed fails."""
    from planner.cli.output import Form
    from planner.doctor import diagnoses
    from reports.doctor import diagnosis_document, diagnosis_lines, is_fit

    checks = tuple(diagnoses())
    return Form(json=as_json).show(
        json=lambda: diagnosis_document(checks),
        text=lambda: diagnosis_lines(checks),
        passed=is_fit(checks),
    )


def print_caps(*, as_json: bool) -> int:
    """Print every cap on input, and how it is changed."""
    from planner.cli.output import Form
    from reports.doctor import caps_document, caps_lines

    return Form(json=as_json).show(json=caps_document, text=caps_lines)
