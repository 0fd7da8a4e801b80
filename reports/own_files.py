"""Whether a command may take a folder: it holds nothing but what the command wrote earlier."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from planner.errors import OutputError


def check_own_files(folder: Path, names: Collection[str], command: str) -> None:
    """Whether files may take a place: it is free, empty, or holds earlier ones of the command.

    Args:
        folder: the place.
        names: of all files that the command writes.
        command: for messages.

    Raises:
        OutputError: it holds anything else; the message names it.
    """
    for path in held_in(folder):
        if path.name not in names or path.is_symlink() or path.is_dir():
            raise foreign_file(folder, path, command)


def held_in(folder: Path) -> list[Path]:
    """What a folder holds, by name; nothing where it does not exist.

    Raises:
        OutputError: it is a file, or cannot be looked into.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise OutputError(
                f"{folder} is a file, not a folder; give another place with --out.",
                folder=str(folder),
            )
        return sorted(folder.iterdir()) if folder.exists() else []
    except OSError as error:
        raise OutputError(
            f"{folder}: the folder cannot be looked into: {error.strerror}; give another place "
            "with --out.",
            folder=str(folder),
        ) from error


def foreign_file(folder: Path, path: Path, command: str) -> OutputError:
    """The refusal of a folder that holds somebody's file."""
    return OutputError(
        f"{folder} holds {path.name}, which `{command}` did not write; give a new folder with "
        "--out.",
        folder=str(folder),
        foreign=(str(path),),
    )
