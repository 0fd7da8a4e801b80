"""The commands that need no robot; each hands over to the module that does the work."""

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
    from planner.cli.explain import run_explain

    return run_explain(
        subject, point, as_json=as_json, allow_outside=allow_outside, session=context.obj
    )


def schema(
    name: Annotated[str, typer.Argument(metavar="job|robot|plan", help="Which kind of file.")],
) -> int:
    """Print the JSON Schema of a kind of file."""
    from planner.cli.schema import print_schema

    return print_schema(name)


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
    from planner.cli.completion import print_script

    return print_script(shell)
