"""``palpeur examples``: the jobs that come with Palpeur, by name."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from planner.cli.options import Force, Json, argument

app = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
    help="The jobs that come with Palpeur: list them, or copy one to go on from.",
)


@app.callback()
def list_examples(context: typer.Context, as_json: Json = False) -> int:
    """List the jobs that come with Palpeur; `palpeur examples copy NAME` writes one."""
    if context.invoked_subcommand is not None:
        return 0
    from planner.cli.output import Form
    from planner.library import facts_of, names
    from reports.answers import table_lines

    rows = {name: facts_of(name) for name in names()}
    return Form(json=as_json).show(
        json=lambda: {
            "format": 1,
            "examples": [
                {"name": name, "job": one.job, "robot": one.robot} for name, one in rows.items()
            ],
        },
        text=lambda: [
            *table_lines(
                ("name", "robot", "job"), [(name, one.robot, one.job) for name, one in rows.items()]
            ),
            "\nPlan one with: palpeur plan --example NAME",
            "Copy one with: palpeur examples copy NAME",
        ],
    )


@app.command("copy")
def copy_example(
    context: typer.Context,
    name: Annotated[str, argument("NAME", "Of `palpeur examples`.")],
    folder: Annotated[
        str, argument("[DIR]", "Where to write it; default: a folder of the same name here.")
    ] = "",
    *,
    as_json: Json = False,
    force: Force = False,
) -> int:
    """Copy a job that comes with Palpeur, and the files it names; nothing is overwritten."""
    from planner.cli.output import Form
    from planner.job import read_job
    from planner.library import path_of

    source = path_of(name)
    place = Path(folder or name) / source.name
    session = context.obj.forced(force)
    job = read_job(source)
    job.write(place, overwrite=session.force)
    copied = (place.with_name(one.name) for one in job.inputs)
    files = [str(place), *(str(one) for one in copied if one.is_file())]
    run = f"\nRun it with: palpeur plan {shlex.quote(str(place))}"
    return Form(json=as_json).show(
        json=lambda: {"format": 1, "job": str(place), "files": files}, text=lambda: [*files, run]
    )
