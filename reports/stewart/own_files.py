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
    try:
        held = sorted(folder.iterdir()) if folder.exists() else []
    except OSError as error:
        raise OutputError(
            f"{folder}: the folder cannot be looked into: {error.strerror}; give another place "
            "with --out.",
            folder=str(folder),
        ) from error
    foreign = [path for path in held if path.name not in names or path.is_symlink()]
    if foreign:
        raise OutputError(
            f"{folder} holds {foreign[0].name}, which `{command}` did not write; give a new folder "
            "with --out.",
            folder=str(folder),
        )
