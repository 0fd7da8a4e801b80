"""What a command of ``palpeur biped`` was asked, and how to ask the same again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

import typer

from planner.cli.biped.motion_report import MotionRequest
from planner.cli.output import Form


def request_of(
    context: typer.Context,
    robot: str,
    asked: Mapping[str, object],
    *,
    out: str,
    force: bool,
    as_json: bool,
    as_csv: bool,
) -> MotionRequest:
    """The request of a scenario.

    Args:
        context: of the command, whose name is the scenario's.
        robot: name or path.
        asked: options with their values; one without a value was not given.
        out: folder; empty for none.
        force: whether a folder with other files is written to all the same.
        as_json: whether JSON is wanted.
        as_csv: whether CSV is wanted.

    Raises:
        OptionError: both JSON and CSV.
    """
    scenario = str(context.info_name)
    words = ["palpeur", "biped", scenario, robot, *_told(asked)]
    return MotionRequest(
        robot=robot,
        scenario=scenario,
        command=shlex.join(words),
        out=out,
        form=Form(json=as_json, csv=as_csv),
        session=context.obj.forced(force),
    )


def _told(asked: Mapping[str, object]) -> Iterator[str]:
    for option, value in asked.items():
        if value is True:
            yield option
        elif value is not None and value is not False:
            yield option
            yield f"{value:g}" if isinstance(value, float) else str(value)
