"""A folder that appears whole or not at all."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from planner.disk import to_disk
from planner.errors import OutputError
from planner.processes import half_written, left_behind

_HERE = -100  # AT_FDCWD of Linux: paths are relative to the current folder
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux


@contextmanager
def atomic_folder(folder: Path, check: Callable[[Path], None]) -> Iterator[Path]:
    """A new folder to fill; at the end it takes the place of ``folder``, which is kept until then.

    Everything is on the disk before the exchange. When filling it fails or is interrupted,
    ``folder`` stays as it was and the new one is removed.

    Args:
        folder: the place; its parents are made.
        check: raises where what is at the place must not be replaced.

    Raises:
        OutputError: the place cannot be written to.
    """
    place = _place(folder)
    fresh = half_written(place)
    try:
        check(place)
        for path in left_behind(place):
            shutil.rmtree(path, ignore_errors=True)
        fresh.mkdir(parents=True)
        yield fresh
        _to_disk(fresh)
        check(place)  # again: somebody may have put a file there meanwhile
        _take_place(fresh, place)
    except OSError as error:
        raise _not_written(folder, error.strerror or str(error)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _place(folder: Path) -> Path:
    """The folder's path without links; it has a name, beside which the new one is made."""
    try:
        place = folder.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a zero byte
        raise _not_written(folder, str(error)) from error
    if not place.name:
        raise _not_written(folder, "it is the root of the file system")
    return place


def _not_written(folder: Path, reason: str) -> OutputError:
    return OutputError(
        f"{folder}: the folder cannot be written: {reason}; give another one with --out.",
        folder=str(folder),
    )


def _to_disk(folder: Path) -> None:
    """Wait until the files and the folder's own entries are on the disk."""
    for path in (*sorted(folder.rglob("*")), folder):
        to_disk(path)


def _take_place(fresh: Path, place: Path) -> None:
    if not place.exists():
        fresh.rename(place)
    elif not _exchanged(fresh, place):
        _exchange_in_steps(fresh, place)
    to_disk(place.parent)


def _exchanged(fresh: Path, place: Path) -> bool:
    """Exchange both names in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    done: int = rename(_HERE, os.fsencode(fresh), _HERE, os.fsencode(place), _EXCHANGE)
    return done == 0


def _exchange_in_steps(fresh: Path, place: Path) -> None:
    """Exchange by two renames; the old folder comes back when the second one fails."""
    old = fresh.with_suffix(".old")
    place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)
