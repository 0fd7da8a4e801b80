"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from planner.errors import OptionError
from planner.result_files import check_file_place, check_folder_place


def option(name: str, metavar: str, help: str, **more: Any) -> Any:
    """An option that takes a value; ``more`` goes on to typer."""
    return typer.Option(name, metavar=metavar, help=help, **more)


def flag(name: str, help: str, **more: Any) -> Any:
    """An option without a value, or with one that its type names; ``more`` goes on to typer."""
    return typer.Option(name, help=help, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:
    """An argument, by the name that the help gives it; ``more`` goes on to typer."""
    return typer.Argument(metavar=metavar, help=help, **more)


Robot = Annotated[
    str,
    argument("ROBOT", "Name from `palpeur robot list`, or path of a robot file (.toml, .urdf)."),
]
Tip = Annotated[
    str,
    option(
        "--tip",
        "LINK",
        "Link of a URDF file whose frame is the tool frame; else tool0, flange, tcp or tool, "
        "else the last link behind the most moving joints.",
    ),
]
Meshes = Annotated[
    Path | None,
    option(
        "--meshes",
        "FOLDER",
        "Of a URDF file: folder that its meshes are sought in besides its own.",
    ),
]
States = Annotated[
    str,
    option(
        "--states",
        "FILE",
        "CSV table of states, a unit in every column's name; - reads standard input.",
    ),
]
Json = Annotated[bool, flag("--json", "Print exactly one JSON document, in SI units.")]
Csv = Annotated[bool, flag("--csv", "Print CSV with units in the header, in SI.")]
Inverse = Annotated[bool, flag("--inverse", "The inverse model: joint rates of given tool rates.")]
Task = Annotated[
    str,
    option(
        "--task",
        "TASK",
        "What of the tool counts: pose, position, position-and-axis, axis, plane-position, "
        "plane-pose.",
    ),
]
Job = Annotated[str, argument("JOB", "Job file (TOML).")]
AllowOutside = Annotated[
    bool, flag("--allow-outside", "Files that the job names may lie elsewhere.")
]
NoFigures = Annotated[bool, flag("--no-figures", "Draw none, which is faster.")]
Force = Annotated[bool, flag("--force", "Replace files at that place that Palpeur did not write.")]


def out_option(metavar: Literal["DIR", "FILE", "PATH"], help: str, *, kept: bool = False) -> Any:
    """``--out``, whose place is checked before any work.

    Args:
        metavar: DIR for a folder that appears whole, FILE for a file, PATH for either.
        help: what is written there.
        kept: whether the folder is filled where it is.
    """
    callbacks = {"DIR": folder_option, "FILE": file_option, "PATH": path_option}
    callback = kept_folder_option if kept else callbacks[metavar]
    return option("--out", metavar, help, callback=callback)


def folder_option(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """For every ``--out DIR`` whose folder appears whole, beside an earlier one.

    Raises:
        OptionError: it is empty.
        OutputError: no folder can be made there.
    """
    if _is_to_be_made(context, parameter, value):
        check_folder_place(Path(value), parameter.opts[0])
    return value


def kept_folder_option(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """For an ``--out DIR`` that is filled where it is; raises as ``folder_option``."""
    if _is_to_be_made(context, parameter, value):
        check_folder_place(Path(value), parameter.opts[0], kept=True)
    return value


def file_option(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """For every ``--out FILE``.

    Raises:
        OptionError: it is empty.
        OutputError: no file can be written there.
    """
    if _is_to_be_made(context, parameter, value):
        check_file_place(Path(value), parameter.opts[0])
    return value


def path_option(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """For an ``--out PATH`` that is a file, or a folder that takes one; raises as the others."""
    if value.endswith("/") or (value and Path(value).is_dir()):
        return kept_folder_option(context, parameter, value)
    return file_option(context, parameter, value)


def _is_to_be_made(context: typer.Context, parameter: typer.CallbackParam, value: str) -> bool:
    """Whether there is anything to look at; an empty value is a variable that was not set."""
    if context.resilient_parsing:
        return False
    source = context.get_parameter_source(parameter.name or "")
    if not value and source is not None and source.name != "DEFAULT":
        option = parameter.opts[0]
        raise OptionError(
            f"{option} is empty; give the place of the results, or leave {option} out.",
            option=option,
        )
    return bool(value)


FiguresOut = Annotated[str, out_option("DIR", "Write figures, CSV and page.html there.")]
