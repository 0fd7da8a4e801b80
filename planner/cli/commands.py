"""The commands that explain: findings, points, schemas, this machine, the shell's completion."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.job.plan_app import AllowOutside
from planner.cli.options import Json


def explain(
    context: typer.Context,
    subject: Annotated[
        str,
        typer.Argument(
            metavar="[CODE|JOB]", help="Such as R101, or a job file; left out: all codes."
        ),
    ] = "",
    point: Annotated[
        str, typer.Argument(metavar="[POINT]", help="Name of a point of the job.")
    ] = "",
    *,
    as_json: Json = False,
    allow_outside: AllowOutside = False,
) -> int:
    """Say what a finding means and what to do; or why a point of a job fails, and what serves it.

    With JOB and POINT: every branch of the point with what it breaks, and the smallest fixes, each
    judged in the changed job. Exit codes: 0 the point is served; 1 it is not; 2 bad input.
    """
    from pathlib import Path

    from planner.cli.output import Form
    from planner.errors import OptionError
    from planner.findings import page, pages
    from reports.finding_pages import page_document, page_lines, pages_document, pages_lines

    is_job = Path(subject).suffix.lower() == ".toml"
    if point:
        if Path(point).suffix.lower() == ".toml" and not Path(subject).is_file():
            raise OptionError(
                f"{subject} is no job file, but {point} looks like one: the job comes first, as in "
                f"palpeur explain {point} {subject}.",
                job=point,
            )
        from planner.cli.job.explain_point import run_explain

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


def schema(
    name: Annotated[str, typer.Argument(metavar="job|robot|plan", help="Which kind of file.")],
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
        from reports.plan_schema import plan_schema

        print_json(plan_schema())
    else:
        raise OptionError(f"There is no schema {name!r}; there are job, robot and plan.")
    return 0


def doctor(
    caps: Annotated[
        bool, typer.Option("--caps", help="List the caps on input, and how each is changed.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Say whether this machine and this installation are fit.

    Versions against the requirements, files against what was installed, who may change what runs,
    processor, compiler, kernel cache, optional tools.
    """
    from planner.cli.doctor import print_caps, print_diagnosis

    return print_caps(as_json=as_json) if caps else print_diagnosis(as_json=as_json)


def completion(
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")],
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
