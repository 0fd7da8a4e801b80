"""Whether what ``--out`` names can be made: asked before the work, not after it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from planner.errors import OptionError, OutputError

_DEVICES, _SHARED_MEMORY = "/dev/", "/dev/shm/"


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


FiguresOut = Annotated[
    str,
    typer.Option(
        "--out",
        callback=folder_option,
        metavar="DIR",
        help="Write figures, CSV and page.html there.",
    ),
]


def check_folder_place(folder: Path, option: str = "--out", *, kept: bool = False) -> None:
    """Whether a folder can be made at a place.

    Args:
        folder: the place.
        option: that names it, for messages.
        kept: whether a folder that is there already is filled, not replaced by a new one.

    Raises:
        OutputError: a file is there, or nothing can be made in the nearest folder above.
    """
    with _told(folder, "folder", option):
        if folder.exists() and not folder.is_dir():
            raise OutputError(
                f"{folder} is a file, not a folder; give another place with {option}.",
                folder=str(folder),
            )
        place = folder.resolve()
        _check_room(place if kept else place.parent)


def check_file_place(path: Path, option: str = "--out") -> None:
    """Whether a file can be written at a place, whatever file is there already.

    Args:
        path: the place.
        option: that names it, for messages.

    Raises:
        OutputError: a folder is there, or nothing can be made in the nearest folder above.
    """
    if is_device(path):
        return
    with _told(path, "file", option):
        if path.is_dir():
            raise OSError(0, "there is a folder already")
        if path.exists() and not path.is_file():
            raise OSError(0, "there is no regular file already")
        _check_room(path.parent.resolve())


def is_device(path: Path) -> bool:
    """Whether this is a stream such as /dev/stdout, which is written to and never replaced."""
    return str(path).startswith(_DEVICES) and not str(path).startswith(_SHARED_MEMORY)


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


@contextmanager
def _told(path: Path, kind: str, option: str) -> Iterator[None]:
    """What the system says against a place, as our error."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{path}: the {kind} cannot be written: {reason}; give another {kind} with {option}.",
            **{"folder" if kind == "folder" else "file": str(path)},
        ) from error


def _check_room(folder: Path) -> None:
    """Whether the nearest folder that is there takes a file: only an attempt tells, on any system.

    Raises:
        OSError: it does not.
    """
    room = next(path for path in (folder, *folder.parents) if path.exists())
    if not room.is_dir():
        raise OSError(0, f"{room} is a file, not a folder")
    try:
        with tempfile.TemporaryFile(dir=room):
            pass
    except OSError as error:
        raise OSError(error.errno, f"nothing can be made in {room} ({error.strerror})") from error
