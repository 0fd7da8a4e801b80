"""The commands that need no robot; each hands over to the module that does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Json


def explain(
    code: Annotated[
        str, typer.Argument(metavar="[CODE]", help="Such as R101; left out: all codes.")
    ] = "",
    as_json: Json = False,
) -> int:
    """Say what a finding means, where it usually comes from, and what to do."""
    from planner.cli.explain import print_page

    return print_page(code, as_json=as_json)


def schema(
    name: Annotated[str, typer.Argument(metavar="job|robot|plan", help="Which kind of file.")],
) -> int:
    """Print the JSON Schema of a kind of file."""
    from planner.cli.schema import print_schema

    return print_schema(name)


def doctor(as_json: Json = False) -> int:
    """Say whether this machine is fit: versions, processor, compiler, cache, optional tools."""
    from planner.cli.doctor import print_diagnosis

    return print_diagnosis(as_json=as_json)


def completion(
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")],
) -> int:
    """Print the completion script of a shell.

    bash: eval "$(palpeur completion bash)"; fish: palpeur completion fish | source
    """
    from planner.cli.completion import print_script

    return print_script(shell)
