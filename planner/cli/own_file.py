"""Files that a command may replace: those that it wrote, as it left them.

The rule for every ``--out FILE``: a file is replaced only where it is empty, or where the same
command wrote it and nobody has changed it since, and never where it is an input of the command.
People and machines write points, readings and robots too, in the same columns and keys, so no look
at a file tells whose it is: Palpeur remembers the hash of what it wrote, beside its compiled
kernels. Where that memory is lost, the file counts as somebody else's: a name has to be changed,
but nothing is lost.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from planner.cli.out_place import check_file_place, is_device
from planner.cli.output import write_file
from planner.errors import OutputError


def check_own_file(path: Path, command: str, inputs: Iterable[str] = ()) -> None:
    """Whether a command may write its result to a place: nothing is there, or its own file.

    Args:
        path: the place.
        command: such as ``palpeur measure``.
        inputs: paths that the command reads; names that are no files are passed over.

    Raises:
        OutputError: another file is there, or nothing can be written.
    """
    check_file_place(path)
    if is_device(path) or not (path.exists() or path.is_symlink()):
        return
    if path.is_file() and not path.is_symlink() and path.stat().st_size == 0:
        return  # a name kept free, such as mktemp makes
    if any(_is_same(path, name) for name in inputs):
        raise OutputError(
            f"{path} is read by this command and is not overwritten; give another file with --out.",
            file=str(path),
        )
    if path.is_symlink() or not _memory(_digest(path), command).exists():
        raise OutputError(
            f"{path} is not overwritten: `{command}` did not write it, or it was changed since; "
            "give another file with --out, or move this one away.",
            file=str(path),
        )


def write_own_file(path: Path, content: str | bytes, command: str) -> None:
    """Write a whole file or nothing, and remember whose it is.

    Args:
        path: the place.
        content: of the file; text is written as UTF-8.
        command: such as ``palpeur measure``.

    Raises:
        OutputError: another file is there, or the place cannot be written.
    """
    check_own_file(path, command)
    write_file(path, content)
    if not is_device(path):
        _remember(path, command)


def _is_same(path: Path, name: str) -> bool:
    try:
        return path.samefile(name)
    except (OSError, ValueError):  # a name of the library, standard input
        return False


def _remember(path: Path, command: str) -> None:
    """A memory that cannot be written only means that the file is not replaced later."""
    try:
        memory = _memory(_digest(path), command)
        memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        memory.touch(mode=0o600)
    except (OSError, OutputError):
        return


def memory_folder() -> Path:
    """Where it is remembered who wrote what."""
    from robots.core.kernels.cache import cache_folder

    return cache_folder().parent / "written"


def _memory(digest: str, command: str) -> Path:
    """An empty file whose name says which command wrote what."""
    return memory_folder() / f"{command.replace(' ', '-')}-{digest}"


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise OutputError(
            f"{path}: the file there cannot be read, to see whose it is: {error.strerror}; give "
            "another file with --out.",
            file=str(path),
        ) from error
